#pragma once

#include <array>

/// Facts without a rule record: either nothing that this library builds can break them, or the record of another fact
/// enforces them with a limit of the target.
namespace ane {

struct held_fact {
    const char* fact;  ///< its id
    const char* where; ///< the header that enforces it
    const char* how;
};

inline constexpr auto held_elsewhere = std::to_array<held_fact>({
    {"R004", "values/dtype.hpp", "the enumeration has no bf16"},
    {"R007", "values/dtype.hpp", "the enumeration has no fp8: E4M3 is for A18 only, and nothing is known to take it"},
    {"R011", "rules/extent.hpp", "rank_exceeds_five looks at reshapes like at everything else"},
    {"R016", "rules/extent.hpp", "the records of R015, whose limit is the target's"},
    {"R018", "rules/extent.hpp", "a permission, not a limit: channels have a bound of their own"},
    {"R031", "rules/convolution.hpp", "kernel_width_exceeds, whose limit is the target's"},
    {"R032", "rules/convolution.hpp", "kernel_width_exceeds, whose limit is the target's"},
    {"R051", "graph/operations.def", "matmul has two operands; validate() refuses others"},
    {"R055", "graph/operations.def", "linear has one input besides its weight and bias; validate() refuses others"},
    {"R061", "graph/attribute_structs.hpp", "a pool has no dilation"},
    {"R068", "graph/attribute_structs.hpp", "arg_max and arg_min reduce one axis: no window, padding or stride"},
    {"R080", "graph/operations.def", "attention has three operands, a scale as its attribute and an optional mask"},
    {"R091", "rules/movement.hpp",
     "width_slice_may_saturate takes a range that nothing bounds for one that is too wide"},
    {"R129", "ops/einsum.hpp", "every equation is written as transposes and a matrix product"},
    {"R191", "ops/refused.hpp", "no deployment has a builder for non_maximum_suppression"},
});

} // namespace ane

#pragma once

#include "../base/way.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane::inline ANEMONE_WAY {

/// Which rule of the arithmetic makes a node differ: the most serious that applies. `mask`, `integer` and `cancellation`
/// are of comparisons with double precision (wide_diff.hpp).
enum class difference_cause : std::uint8_t {
    none,            ///< the operation alone gives the same: what differs came in with its operands
    ceiling,         ///< a sum of products reached 2^15 (N041)
    width_slice,     ///< a slice along the width stores a gain of 16 (N060)
    int8_activation, ///< an activation above 4094 met int8 weights (N076)
    overflow,        ///< the result, or a step inside the operation, left fp16
    mask,            ///< what a mask makes very small left fp16
    special_value,   ///< NaN, infinity and indeterminate forms follow other rules (N080 to N099)
    integer,         ///< whole numbers above 2048, of which fp16 does not have every one
    cancellation,    ///< the operation magnifies the rounding of its operands
    code_scale,      ///< the scale of a weight of integers is applied to the rounded sum of its codes (N208)
    flush,           ///< products below 2^-16 contribute nothing
    fixed_point,     ///< every product is rounded to a multiple of 2^-16
    table,           ///< a function is a table of 33 knots
    reduction,       ///< a sum in narrow tiles of four
    rounding         ///< a step that rounds differently: ties, or steps in fp16
};

constexpr std::string_view name(difference_cause cause) noexcept {
    constexpr std::string_view names[] = {
        "inherited", "ceiling",       "width slice", "int8 activation", "overflow",
        "mask",      "special value", "integer",     "cancellation",    "scale after the sum",
        "flush",     "fixed point",   "table",       "reduction",       "rounding"};
    return names[static_cast<std::size_t>(cause)];
}

} // namespace ane::inline ANEMONE_WAY

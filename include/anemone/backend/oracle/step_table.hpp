#pragma once

#include "../../base/way.hpp"
#include "../../passes/lowering.hpp"
#include "../op_table.hpp"
#include "contraction_steps.hpp"
#include "movement_steps.hpp"
#include "native_steps.hpp"
#include "order_steps.hpp"
#include "quantization_steps.hpp"
#include "reduction_steps.hpp"
#include "texture_steps.hpp"
#include "value_steps.hpp"

namespace ane::oracle::inline ANEMONE_WAY {

/// How an operation of a lowered graph is evaluated; null where there is nothing to do (sources, and stored weights,
/// which weights/fold_constants.hpp expands before the program runs) and where lowering leaves none.
/// A new operation gets its row here, or in steps.def if the CPU backend has it too.
template <op Kind, op_set Operations> constexpr evaluator evaluator_of() {
    constexpr bool stored = Operations.contains(op::compressed); // weights that may be int8
    if constexpr (Kind == op::conv2d) {
        return conv2d<stored>;
    } else if constexpr (Kind == op::conv_transpose2d) {
        return conv_transpose2d<stored>;
    } else if constexpr (Kind == op::matmul) {
        return matmul<stored>;
    } else if constexpr (Kind == op::mul) {
        return mul;
    } else if constexpr (is_binary(Kind)) {
        return binary<Kind>;
    } else if constexpr (is_comparison(Kind)) {
        return compare<Kind>;
    } else if constexpr (is_unary(Kind) && !is_composed(Kind)) {
        return unary<Kind>;
    } else if constexpr (is_one_of<Kind>({op::reduce_sum, op::reduce_mean, op::reduce_max, op::reduce_min})) {
        return reduce;
    } else if constexpr (is_one_of<Kind>({op::arg_max, op::arg_min, op::global_arg_max, op::global_arg_min})) {
        return arg_reduce;
    } else if constexpr (is_one_of<Kind>({op::max_pool, op::avg_pool, op::l2_pool})) {
        return pool;
    } else if constexpr (Kind == op::cross_correlation) {
        return cross_correlation;
    } else if constexpr (Kind == op::dropout) {
        return dropout;
    } else if constexpr (Kind == op::reshape) {
        return reshape;
    } else if constexpr (is_one_of<Kind>({op::slice, op::strided_slice})) {
        return slice;
    }
#define ANEMONE_STEP(name, ...)                                                                                        \
    else if constexpr (is_one_of<Kind>({__VA_ARGS__})) {                                                               \
        return name;                                                                                                   \
    }
#include "../steps.def"
    else {
        static_assert(is_source(Kind) || Kind == op::compressed || is_composed(Kind),
                      "an operation of the engine has no evaluator in the oracle");
        return nullptr;
    }
}

/// For each of some operations how it is evaluated.
template <op_set Operations>
inline constexpr step_table step_table_of = op_table<evaluator, Operations>([]<op Kind>() {
    return evaluator_of<Kind, Operations>();
});

} // namespace ane::oracle::inline ANEMONE_WAY

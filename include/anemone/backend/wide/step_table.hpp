#pragma once

#include "../../base/way.hpp"
#include "../op_table.hpp"
#include "contraction_steps.hpp"
#include "movement_steps.hpp"
#include "native_steps.hpp"
#include "norm_steps.hpp"
#include "order_steps.hpp"
#include "reduction_steps.hpp"
#include "texture_steps.hpp"
#include "value_steps.hpp"

namespace ane::wide_reference::inline ANEMONE_WAY {

/// How an operation is evaluated; null where there is nothing to do (sources, and stored weights).
/// A new operation gets its row here, or in steps.def if other backends have the step too; a function of numbers its
/// arithmetic in functions.hpp.
template <op Kind> constexpr evaluator evaluator_of() {
    if constexpr (Kind == op::conv2d) {
        return conv2d;
    } else if constexpr (Kind == op::conv_transpose2d) {
        return conv_transpose2d;
    } else if constexpr (Kind == op::linear) {
        return linear;
    } else if constexpr (Kind == op::matmul) {
        return matmul;
    } else if constexpr (Kind == op::attention) {
        return attention;
    } else if constexpr (is_binary(Kind)) {
        return binary<Kind>;
    } else if constexpr (is_comparison(Kind)) {
        return compare<Kind>;
    } else if constexpr (is_logic_of_two(Kind)) {
        return logic<Kind>;
    } else if constexpr (is_unary(Kind)) {
        return unary<Kind>;
    } else if constexpr (is_reduction(Kind)) {
        return reduce<Kind>;
    } else if constexpr (is_one_of<Kind>({op::arg_max, op::global_arg_max})) {
        return arg_reduce<true>;
    } else if constexpr (is_one_of<Kind>({op::arg_min, op::global_arg_min})) {
        return arg_reduce<false>;
    } else if constexpr (is_one_of<Kind>({op::max_pool, op::avg_pool, op::l2_pool})) {
        return pool;
    } else if constexpr (Kind == op::cross_correlation) {
        return cross_correlation;
    } else if constexpr (Kind == op::cumsum) {
        return cumsum;
    } else if constexpr (Kind == op::layer_norm) {
        return layer_norm;
    } else if constexpr (Kind == op::batch_norm) {
        return batch_norm;
    } else if constexpr (is_one_of<Kind>({op::instance_norm, op::group_norm})) {
        return group_norm;
    } else if constexpr (Kind == op::rms_norm) {
        return rms_norm;
    } else if constexpr (Kind == op::l2_norm) {
        return l2_norm;
    } else if constexpr (Kind == op::minmax_norm) {
        return minmax_norm;
    } else if constexpr (is_one_of<Kind>({op::dropout, op::reshape, op::identity})) {
        return pass;
    } else if constexpr (is_one_of<Kind>({op::slice, op::strided_slice})) { // NOLINT(bugprone-branch-clone)
        return movement;
    }
#define ANEMONE_STEP(name, ...)                                                                                        \
    else if constexpr (is_one_of<Kind>({__VA_ARGS__})) {                                                               \
        return name;                                                                                                   \
    }
#include "../steps.def"
    else {
        static_assert(is_source(Kind) || Kind == op::compressed,
                      "an operation has no arithmetic in double precision (backend/wide)");
        return nullptr;
    }
}

/// For each of some operations how it is evaluated.
template <op_set Operations>
inline constexpr step_table step_table_of = op_table<evaluator, Operations>([]<op Kind>() {
    return evaluator_of<Kind>();
});

} // namespace ane::wide_reference::inline ANEMONE_WAY

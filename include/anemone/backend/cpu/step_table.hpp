#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes_of.hpp"
#include "../../graph/op_set.hpp"
#include "../op_table.hpp"
#include "attention_step.hpp"
#include "convolution_steps.hpp"
#include "kernels/algorithms.hpp"
#include "movement_steps.hpp"
#include "native_steps.hpp"
#include "norm_steps.hpp"
#include "order_steps.hpp"
#include "product_steps.hpp"
#include "quantization_steps.hpp"
#include "texture_steps.hpp"
#include "value_steps.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

/// The binder of an operation; null where there is nothing to run: sources, and stored weights, which
/// weights/fold_constants.hpp expands before the program runs. A new operation gets its row here, or in steps.def if the
/// oracle has it too, and no other algorithm than that of its row.
template <op Kind, kernel_needs Needs> constexpr step_binder binder_of() {
    using namespace detail;
    if constexpr (Kind == op::conv2d) {
        return bind_conv2d<Needs>;
    } else if constexpr (Kind == op::conv_transpose2d) {
        return bind_conv_transpose2d;
    } else if constexpr (Kind == op::linear) {
        return bind_linear<Needs>;
    } else if constexpr (Kind == op::matmul) {
        return bind_matmul<Needs>;
    } else if constexpr (Kind == op::attention) {
        return bind_attention;
    } else if constexpr (is_binary(Kind)) {
        return bind_binary;
    } else if constexpr (is_comparison(Kind)) {
        return bind_comparison;
    } else if constexpr (is_logic_of_two(Kind)) {
        return bind_logic;
    } else if constexpr (is_unary(Kind)) {
        return bind_unary<attributes_of<Kind>>;
    } else if constexpr (is_reduction(Kind)) {
        return bind_reduce<Needs>;
    } else if constexpr (is_one_of<Kind>({op::max_pool, op::avg_pool, op::l2_pool})) {
        return bind_pool<Needs>;
    } else if constexpr (Kind == op::cross_correlation) {
        return bind_cross_correlation<Needs>;
    } else if constexpr (is_one_of<Kind>({op::arg_max, op::arg_min})) {
        return bind_arg_reduce;
    } else if constexpr (is_one_of<Kind>({op::global_arg_max, op::global_arg_min})) {
        return bind_global_arg;
    } else if constexpr (Kind == op::cumsum) {
        return bind_cumsum;
    } else if constexpr (Kind == op::layer_norm) {
        return bind_layer_norm;
    } else if constexpr (Kind == op::batch_norm) {
        return bind_batch_norm;
    } else if constexpr (is_one_of<Kind>({op::instance_norm, op::group_norm})) {
        return bind_group_norm;
    } else if constexpr (Kind == op::rms_norm) {
        return bind_rms_norm;
    } else if constexpr (Kind == op::l2_norm) {
        return bind_l2_norm;
    } else if constexpr (Kind == op::minmax_norm) {
        return bind_minmax_norm;
    } else if constexpr (is_one_of<Kind>({op::dropout, op::reshape})) {
        return bind_reshape;
    } else if constexpr (Kind == op::identity || Kind == op::slice ||
                         Kind == op::strided_slice) { // NOLINT(bugprone-branch-clone)
        return bind_movement; // no row: in the oracle slices have a gain, and lowering leaves no identity
    }
#define ANEMONE_STEP(name, ...)                                                                                        \
    else if constexpr (is_one_of<Kind>({__VA_ARGS__})) {                                                               \
        return bind_##name;                                                                                            \
    }
#include "../steps.def"
    else {
        static_assert(is_source(Kind) || Kind == op::compressed, "an operation has no kernel in the CPU backend");
        return nullptr;
    }
}

/// For each of some operations how it is bound to kernels.
template <kernel_needs Needs>
inline constexpr step_table step_table_of = op_table<step_binder, Needs.operations>([]<op Kind>() {
    return binder_of<Kind, Needs>();
});

} // namespace ane::cpu::inline ANEMONE_WAY

#pragma once

#include "../../base/way.hpp"
#include "../../graph/op_set.hpp"
#include "../op_table.hpp"
#include "contraction_steps.hpp"
#include "movement_steps.hpp"
#include "native_steps.hpp"
#include "norm_steps.hpp"
#include "order_steps.hpp"
#include "quantization_steps.hpp"
#include "texture_steps.hpp"
#include "value_steps.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

/// The binder of an operation; null where there is nothing to run: sources, and stored weights, which
/// weights/materialize.hpp expands before the program runs. A new operation gets its row here.
template <op Kind> constexpr step_binder binder_of() {
    using namespace detail;
    if constexpr (Kind == op::conv2d) {
        return bind_conv2d;
    } else if constexpr (Kind == op::conv_transpose2d) {
        return bind_conv_transpose2d;
    } else if constexpr (Kind == op::linear) {
        return bind_linear;
    } else if constexpr (Kind == op::matmul) {
        return bind_matmul;
    } else if constexpr (is_pool(Kind)) {
        return bind_pool;
    } else if constexpr (Kind == op::local_response_norm) {
        return bind_local_response_norm;
    } else if constexpr (Kind == op::softmax) {
        return bind_softmax;
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
    } else if constexpr (is_one_of<Kind>({op::arg_max, op::arg_min})) {
        return bind_arg_reduce;
    } else if constexpr (is_one_of<Kind>({op::dropout, op::reshape})) {
        return bind_reshape;
    } else if constexpr (is_one_of<Kind>({op::identity, op::transpose, op::concat, op::slice, op::strided_slice,
                                          op::slice_update, op::pad, op::reflect_pad, op::symmetric_pad, op::tile,
                                          op::reverse, op::pixel_shuffle, op::pixel_unshuffle, op::depth_to_space,
                                          op::space_to_depth, op::space_to_batch, op::batch_to_space})) {
        return bind_movement;
    } else if constexpr (Kind == op::dynamic_slice) {
        return bind_dynamic_slice;
    } else if constexpr (is_one_of<Kind>({op::gather, op::gather_along_axis, op::gather_nd})) {
        return bind_gather;
    } else if constexpr (Kind == op::cast) {
        return bind_cast;
    } else if constexpr (is_one_of<Kind>({op::top_k, op::top_k_indices, op::sort, op::arg_sort})) {
        return bind_rank;
    } else if constexpr (is_one_of<Kind>({op::global_arg_max, op::global_arg_min})) {
        return bind_global_arg;
    } else if constexpr (Kind == op::random_uniform) {
        return bind_random_uniform;
    } else if constexpr (Kind == op::cumsum) {
        return bind_cumsum;
    } else if constexpr (Kind == op::resize) {
        return bind_resize;
    } else if constexpr (Kind == op::crop_resize) {
        return bind_crop_resize;
    } else if constexpr (Kind == op::resample) {
        return bind_resample;
    } else if constexpr (Kind == op::affine) {
        return bind_affine;
    } else if constexpr (Kind == op::gather_hw) {
        return bind_gather_hw;
    } else if constexpr (Kind == op::scaled_elementwise) {
        return bind_scaled_elementwise;
    } else if constexpr (Kind == op::cross_correlation) {
        return bind_cross_correlation;
    } else if constexpr (Kind == op::cross_product) {
        return bind_cross_product;
    } else if constexpr (Kind == op::cost_volume) {
        return bind_cost_volume;
    } else if constexpr (Kind == op::furthest_point_sampling) {
        return bind_furthest_point_sampling;
    } else if constexpr (Kind == op::radius_search) {
        return bind_radius_search;
    } else if constexpr (Kind == op::attention) {
        return bind_attention;
    } else if constexpr (is_binary(Kind)) {
        return bind_binary;
    } else if constexpr (is_comparison(Kind)) {
        return bind_comparison;
    } else if constexpr (Kind == op::logical_not) {
        return bind_logical_not;
    } else if constexpr (Kind == op::select) {
        return bind_select;
    } else if constexpr (is_unary(Kind)) {
        return bind_unary;
    } else if constexpr (is_one_of<Kind>({op::prelu, op::parametric_softplus})) {
        return bind_parametric;
    } else if constexpr (is_reduction(Kind)) {
        return bind_reduce;
    } else if constexpr (Kind == op::quantize) {
        return bind_quantize;
    } else if constexpr (Kind == op::dequantize) {
        return bind_dequantize;
    } else {
        static_assert(is_source(Kind) || Kind == op::compressed, "an operation has no kernel in the CPU backend");
        return nullptr;
    }
}

/// For each of some operations how it is bound to kernels.
template <op_set Operations>
inline constexpr step_table step_table_of = op_table<step_binder, Operations>([]<op Kind>() {
    return binder_of<Kind>();
});

} // namespace ane::cpu::inline ANEMONE_WAY

#pragma once

#include "contraction_steps.hpp"
#include "movement_steps.hpp"
#include "native_steps.hpp"
#include "norm_steps.hpp"
#include "order_steps.hpp"
#include "quantization_steps.hpp"
#include "texture_steps.hpp"
#include "value_steps.hpp"

#include <array>

namespace ane::cpu {

using step_binder = bound_step (*)(const binding_context&, int node);

namespace detail {

/// The binder of every operation; null where there is nothing to run: sources, and stored weights, which
/// weights/materialize.hpp expands before the program runs. A new operation gets its row here.
constexpr step_binder binder_of(op kind) {
    switch (kind) {
    case op::input:
    case op::weight:
    case op::constant: return nullptr;
    case op::conv2d: return bind_conv2d;
    case op::conv_transpose2d: return bind_conv_transpose2d;
    case op::linear: return bind_linear;
    case op::matmul: return bind_matmul;
    case op::max_pool:
    case op::avg_pool:
    case op::l2_pool: return bind_pool;
    case op::local_response_norm: return bind_local_response_norm;
    case op::softmax: return bind_softmax;
    case op::layer_norm: return bind_layer_norm;
    case op::batch_norm: return bind_batch_norm;
    case op::instance_norm:
    case op::group_norm: return bind_group_norm;
    case op::rms_norm: return bind_rms_norm;
    case op::l2_norm: return bind_l2_norm;
    case op::minmax_norm: return bind_minmax_norm;
    case op::arg_max:
    case op::arg_min: return bind_arg_reduce;
    case op::dropout: // in inference the identity, whatever its rate
    case op::reshape: return bind_reshape;
    case op::identity:
    case op::transpose:
    case op::concat:
    case op::slice:
    case op::strided_slice:
    case op::slice_update:
    case op::pad:
    case op::reflect_pad:
    case op::symmetric_pad:
    case op::tile:
    case op::reverse:
    case op::pixel_shuffle:
    case op::pixel_unshuffle:
    case op::depth_to_space:
    case op::space_to_depth:
    case op::space_to_batch:
    case op::batch_to_space: return bind_movement;
    case op::dynamic_slice: return bind_dynamic_slice;
    case op::gather:
    case op::gather_along_axis:
    case op::gather_nd: return bind_gather;
    case op::cast: return bind_cast;
    case op::top_k:
    case op::top_k_indices:
    case op::sort:
    case op::arg_sort: return bind_rank;
    case op::global_arg_max:
    case op::global_arg_min: return bind_global_arg;
    case op::random_uniform: return bind_random_uniform;
    case op::cumsum: return bind_cumsum;
    case op::resize: return bind_resize;
    case op::crop_resize: return bind_crop_resize;
    case op::resample: return bind_resample;
    case op::affine: return bind_affine;
    case op::gather_hw: return bind_gather_hw;
    case op::scaled_elementwise: return bind_scaled_elementwise;
    case op::cross_correlation: return bind_cross_correlation;
    case op::cross_product: return bind_cross_product;
    case op::cost_volume: return bind_cost_volume;
    case op::furthest_point_sampling: return bind_furthest_point_sampling;
    case op::radius_search: return bind_radius_search;
    case op::attention: return bind_attention;
    case op::add:
    case op::sub:
    case op::mul:
    case op::div:
    case op::minimum:
    case op::maximum:
    case op::pow:
    case op::floor_div: return bind_binary;
    case op::equal:
    case op::not_equal:
    case op::greater:
    case op::greater_equal:
    case op::less:
    case op::less_equal: return bind_comparison;
    case op::logical_not: return bind_logical_not;
    case op::select: return bind_select;
    case op::relu:
    case op::relu6:
    case op::leaky_relu:
    case op::clamp:
    case op::thresholded_relu:
    case op::clamped_relu:
    case op::elu:
    case op::sigmoid:
    case op::hard_sigmoid:
    case op::tanh:
    case op::scaled_tanh:
    case op::gelu:
    case op::gelu_sigmoid:
    case op::silu:
    case op::softplus:
    case op::softsign:
    case op::erf:
    case op::exp:
    case op::exp2:
    case op::log:
    case op::sqrt:
    case op::rsqrt:
    case op::inverse:
    case op::square:
    case op::abs:
    case op::sign:
    case op::ceil:
    case op::floor:
    case op::round:
    case op::sin:
    case op::cos:
    case op::atan: return bind_unary;
    case op::prelu:
    case op::parametric_softplus: return bind_parametric;
    case op::reduce_sum:
    case op::reduce_mean:
    case op::reduce_max:
    case op::reduce_min:
    case op::reduce_sum_square:
    case op::reduce_l1_norm:
    case op::reduce_l2_norm:
    case op::reduce_log_sum:
    case op::reduce_log_sum_exp: return bind_reduce;
    case op::quantize: return bind_quantize;
    case op::dequantize: return bind_dequantize;
    default: return nullptr;
    }
}

constexpr std::array<step_binder, op_count> make_step_table() {
    std::array<step_binder, op_count> table{};
    for (std::size_t i = 0; i < op_count; ++i) {
        table[i] = binder_of(static_cast<op>(i));
    }
    return table;
}

} // namespace detail

/// For each operation how it is bound to kernels.
inline constexpr std::array<step_binder, op_count> step_table = detail::make_step_table();

} // namespace ane::cpu

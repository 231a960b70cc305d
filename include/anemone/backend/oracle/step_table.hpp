#pragma once

#include "../../way.hpp"
#include "contraction_steps.hpp"
#include "movement_steps.hpp"
#include "native_steps.hpp"
#include "order_steps.hpp"
#include "quantization_steps.hpp"
#include "reduction_steps.hpp"
#include "texture_steps.hpp"
#include "value_steps.hpp"

namespace ane::oracle_steps::inline ANEMONE_WAY {

/// How each operation of a lowered graph is evaluated; null where there is nothing to do (sources, and stored weights,
/// which weights/materialize.hpp expands before the program runs) and where lowering leaves none. A new operation gets
/// its row here and in numerics/path.hpp.
constexpr evaluator evaluator_of(op kind) {
    switch (kind) {
    case op::conv2d: return conv2d;
    case op::conv_transpose2d: return conv_transpose2d;
    case op::matmul: return matmul;
    case op::max_pool:
    case op::avg_pool:
    case op::l2_pool: return pool;
    case op::local_response_norm: return local_response_norm;
    case op::resize: return resize;
    case op::crop_resize: return crop_resize;
    case op::resample: return resample;
    case op::affine: return affine;
    case op::gather_hw: return gather_hw;
    case op::scaled_elementwise: return scaled_elementwise;
    case op::cross_correlation: return cross_correlation;
    case op::cross_product: return cross_product;
    case op::cost_volume: return cost_volume;
    case op::furthest_point_sampling: return furthest_point_sampling;
    case op::radius_search: return radius_search;
    case op::softmax: return softmax;
    case op::reduce_sum:
    case op::reduce_mean:
    case op::reduce_max:
    case op::reduce_min: return reduce;
    case op::arg_max:
    case op::arg_min:
    case op::global_arg_max:
    case op::global_arg_min: return arg_reduce;
    case op::reshape: return reshape;
    case op::identity:
    case op::transpose:
    case op::concat:
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
    case op::batch_to_space: return move;
    case op::slice:
    case op::strided_slice: return slice;
    case op::dynamic_slice: return dynamic_slice;
    case op::gather:
    case op::gather_along_axis:
    case op::gather_nd: return gather;
    case op::cast: return cast;
    case op::top_k:
    case op::top_k_indices:
    case op::sort:
    case op::arg_sort: return rank;
    case op::random_uniform: return random_uniform;
    case op::mul: return mul;
    case op::add:
    case op::sub:
    case op::div:
    case op::minimum:
    case op::maximum:
    case op::pow:
    case op::floor_div: return binary;
    case op::equal:
    case op::not_equal:
    case op::greater:
    case op::greater_equal:
    case op::less:
    case op::less_equal: return compare;
    case op::logical_not: return logical_not;
    case op::select: return select;
    case op::prelu:
    case op::parametric_softplus: return parametric;
    case op::dropout: return dropout;
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
    case op::abs:
    case op::sign:
    case op::ceil:
    case op::floor:
    case op::round:
    case op::sin:
    case op::cos:
    case op::atan: return unary;
    case op::quantize: return quantize;
    case op::dequantize: return dequantize;
    default: return nullptr;
    }
}

} // namespace ane::oracle_steps::inline ANEMONE_WAY

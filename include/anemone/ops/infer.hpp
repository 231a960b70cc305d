#pragma once

#include "../graph/graph.hpp"
#include "activation.hpp"
#include "attention.hpp"
#include "comparison.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "indexing.hpp"
#include "matmul.hpp"
#include "movement.hpp"
#include "native.hpp"
#include "normalization.hpp"
#include "pooling.hpp"
#include "quantization.hpp"
#include "rank.hpp"
#include "rearrange.hpp"
#include "reduction.hpp"
#include "texture.hpp"

namespace ane {

/// The shape of a node's result from its operands and attributes, by the same shape rules that the typed builders use:
/// a second opinion on any graph, and the first on one made at run time.
constexpr inferred infer(const graph_view& g, const node& n) {
    const auto in = [&](int i) -> const extents& { return g.operand(n, i).shape; };
    switch (n.kind) {
    case op::input:
    case op::weight:
    case op::constant: break;
    case op::conv2d:
        return n.operands.count == 3 ? shape_rule(n.get<conv>(), in(0), in(1), in(2))
                                     : shape_rule(n.get<conv>(), in(0), in(1));
    case op::conv_transpose2d:
        return n.operands.count == 3 ? shape_rule(n.get<conv_transpose>(), in(0), in(1), in(2))
                                     : shape_rule(n.get<conv_transpose>(), in(0), in(1));
    case op::linear:
        return n.operands.count == 3 ? linear_bias_rule(in(0), in(1), in(2)) : linear_shape_rule(in(0), in(1));
    case op::matmul: return shape_rule(n.get<transposed>(), in(0), in(1));
    case op::add:
    case op::sub:
    case op::mul:
    case op::div:
    case op::minimum:
    case op::maximum:
    case op::pow:
    case op::floor_div:
    case op::equal:
    case op::not_equal:
    case op::greater:
    case op::greater_equal:
    case op::less:
    case op::less_equal: return detail::broadcast(in(0), in(1));
    case op::logical_not: return boolean_rule(g.operand(n, 0).type, in(0));
    case op::select: return select_rule(g.operand(n, 0).type, in(0), in(1), in(2));
    case op::prelu: return prelu_rule(in(0), in(1));
    case op::parametric_softplus: return parametric_softplus_rule(in(0), in(1), in(2));
    case op::max_pool:
    case op::avg_pool:
    case op::l2_pool: return shape_rule(n.get<pool>(), in(0));
    case op::softmax: return axis_rule(n.get<axis>(), in(0));
    case op::layer_norm: return layer_norm_rule(n.get<stabilizer>().axis, in(0), in(1), in(2));
    case op::batch_norm: return batch_norm_rule(in(0), in(1), in(2), in(3), in(4));
    case op::instance_norm: return instance_norm_rule(in(0), in(1), in(2));
    case op::group_norm: return group_norm_rule(n.get<grouping>().groups, in(0), in(1), in(2));
    case op::rms_norm: return rms_norm_rule(n.get<stabilizer>().axis, in(0), in(1));
    case op::l2_norm:
    case op::minmax_norm: return axis_rule({n.get<stabilizer>().axis}, in(0));
    case op::local_response_norm: return shape_rule(n.get<response>(), in(0));
    case op::reduce_sum:
    case op::reduce_mean:
    case op::reduce_max:
    case op::reduce_min:
    case op::reduce_sum_square:
    case op::reduce_l1_norm:
    case op::reduce_l2_norm:
    case op::reduce_log_sum:
    case op::reduce_log_sum_exp: return shape_rule(n.get<axes>(), in(0));
    case op::cumsum: return axis_rule({n.get<cumulation>().axis}, in(0));
    case op::arg_max:
    case op::arg_min:
    case op::global_arg_max:
    case op::global_arg_min: return arg_shape_rule(n.get<axis>(), in(0));
    case op::reshape: return reshape_rule(in(0), n.shape);
    case op::transpose: return shape_rule(n.get<permutation>(), in(0));
    case op::concat: {
        inferred r{.shape = in(0)};
        for (int i = 1; i < n.operands.count && r.ok(); ++i) {
            r = concat_rule(n.get<axis>(), r.shape, in(i));
        }
        return r;
    }
    case op::slice: return shape_rule(n.get<window>(), in(0));
    case op::pad: return shape_rule(n.get<pads>(), in(0));
    case op::reflect_pad: return mirror_rule(n.get<pads>(), in(0), false);
    case op::symmetric_pad: return mirror_rule(n.get<pads>(), in(0), true);
    case op::strided_slice: return shape_rule(n.get<strided_window>(), in(0), n.shape);
    case op::slice_update: return slice_update_rule(n.get<strided_window>(), in(0), in(1));
    case op::dynamic_slice: return dynamic_slice_rule(n.get<window>(), in(0), in(1));
    case op::tile: return shape_rule(n.get<repeats>(), in(0));
    case op::reverse: return reverse_rule(n.get<axes>(), in(0));
    case op::gather: return gather_rule(n.get<axis>(), in(0), in(1));
    case op::gather_along_axis: return gather_along_axis_rule(n.get<axis>(), in(0), in(1));
    case op::gather_nd: return gather_nd_rule(in(0), in(1));
    case op::pixel_shuffle:
    case op::depth_to_space: return channels_to_pixels_rule(n.get<factors>(), in(0));
    case op::pixel_unshuffle:
    case op::space_to_depth: return pixels_to_channels_rule(n.get<factors>(), in(0));
    case op::space_to_batch: return space_to_batch_rule(n.get<factors>(), in(0));
    case op::batch_to_space: return batch_to_space_rule(n.get<factors>(), in(0));
    case op::resize: return shape_rule(n.get<sampling>(), in(0));
    case op::crop_resize: return crop_resize_rule(n.get<sampling>(), in(0), in(1));
    case op::resample: return resample_rule(n.get<sampling>(), in(0), in(1));
    case op::affine: return affine_rule(n.get<sampling>(), in(0), in(1));
    case op::gather_hw: return gather_hw_rule(in(0), in(1));
    case op::quantize:
        return n.operands.count == 3 ? quantize_rule(n.get<quantization>(), in(0), in(1), in(2))
                                     : quantize_rule(n.get<quantization>(), in(0), in(1));
    case op::dequantize:
        return n.operands.count == 3 ? dequantize_rule(n.get<quantization>(), in(0), in(1), in(2))
                                     : dequantize_rule(n.get<quantization>(), in(0), in(1));
    case op::compressed:
        return shape_rule(n.get<compression>(), in(0))
            .require(g.operand(n, 0).kind == op::weight, fault::only_a_weight_is_stored_compressed,
                     static_cast<int>(g.operand(n, 0).kind), static_cast<int>(op::weight));
    case op::top_k:
    case op::top_k_indices: return top_k_rule(n.get<selection>(), in(0));
    case op::sort:
    case op::arg_sort: return sort_rule(n.get<selection>(), in(0));
    case op::dropout: return dropout_rule(n.get<coefficients>(), in(0));
    case op::random_uniform: return random_uniform_rule(n.get<coefficients>(), n.shape);
    case op::scaled_elementwise: return shape_rule(n.get<scaling>(), in(0), in(1));
    case op::cross_correlation: return cross_correlation_rule(in(0), in(1));
    case op::cross_product: return cross_product_rule(in(0), in(1));
    case op::cost_volume: return cost_volume_rule(n.get<amount>(), in(0), in(1));
    case op::furthest_point_sampling: return furthest_point_rule(n.get<amount>(), in(0));
    case op::radius_search: return radius_search_rule(n.get<coefficients>(), in(0), in(1));
    case op::attention:
        return n.operands.count == 4 ? masked_attention_rule(in(0), in(1), in(2), in(3))
                                     : attention_rule(in(0), in(1), in(2));
    case op::identity:
    case op::cast: return {.shape = in(0)};
    default: break;
    }
    return {.shape = is_unary(n.kind) ? in(0) : n.shape};
}

} // namespace ane

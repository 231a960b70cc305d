#pragma once

#include "../graph/graph.hpp"
#include "attention.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "matmul.hpp"
#include "movement.hpp"
#include "normalization.hpp"
#include "pooling.hpp"
#include "reduction.hpp"

namespace ane {

/// The shape of a node's result from its operands and attributes, by the same shape rules that the typed builders use:
/// a second opinion on any graph, and the first on one made at run time.
constexpr inferred infer(const graph_view& g, const node& n) {
    const auto in = [&](int i) -> const extents& { return g.operand(n, i).shape; };
    switch (n.kind) {
    case op::input:
    case op::weight:
    case op::constant: break;
    case op::conv2d: return shape_rule(n.get<conv>(), in(0), in(1));
    case op::conv_transpose2d: return shape_rule(n.get<conv_transpose>(), in(0), in(1));
    case op::linear: return linear_shape_rule(in(0), in(1));
    case op::matmul: return shape_rule(n.get<transposed>(), in(0), in(1));
    case op::add:
    case op::sub:
    case op::mul:
    case op::div:
    case op::minimum:
    case op::maximum: return detail::broadcast(in(0), in(1));
    case op::max_pool:
    case op::avg_pool: return shape_rule(n.get<pool>(), in(0));
    case op::softmax: return axis_rule(n.get<axis>(), in(0));
    case op::layer_norm: return layer_norm_rule(n.get<stabilizer>().axis, in(0), in(1), in(2));
    case op::batch_norm: return batch_norm_rule(in(0), in(1), in(2), in(3), in(4));
    case op::reduce_sum:
    case op::reduce_mean:
    case op::reduce_max:
    case op::reduce_min: return shape_rule(n.get<axes>(), in(0));
    case op::arg_max:
    case op::arg_min: return arg_shape_rule(n.get<axis>(), in(0));
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
    case op::attention:
        return n.operands.count == 4 ? attention_rule(in(0), in(1), in(2), in(3)) : attention_rule(in(0), in(1), in(2));
    case op::cast: return {.shape = in(0)};
    default: break;
    }
    return {.shape = is_unary(n.kind) ? in(0) : n.shape};
}

} // namespace ane

#pragma once

#include "../graph/graph.hpp"

/// How products read operands that are stored in 8-bit integers: seen from the lowered graph alone, as fusion is, so
/// that kernels know nothing of graphs.
namespace ane {

/// Whether a node is a weight that is stored in 8-bit integers.
constexpr bool is_int8_weight(const node& n) {
    if (n.kind != op::compressed) {
        return false;
    }
    const compression& c = n.get<compression>();
    return c.bits == 8 && (c.form == weight_form::affine || c.form == weight_form::blockwise);
}

/// Which operand of a product is a weight in 8-bit integers: 1, 0 (of a matrix product) or -1.
constexpr int int8_weight_position(const graph_view& g, int index) {
    const node& n = g[index];
    if (is_int8_weight(g.operand(n, 1))) {
        return 1;
    }
    return n.kind == op::matmul && is_int8_weight(g.operand(n, 0)) ? 0 : -1;
}

/// A product that adds integers: the `dequantize` node whose operand it reads, and the `compressed` node of its weight.
/// `dequantized` is -1 for products of fp16.
struct integer_operands {
    int dequantized = -1;
    int weight = -1;
};

/// A product of int8 by int8 takes one scale at the end (numerics-datapath, section 5). So the activation must have one
/// scale and no zero point, and the weight one scale for each output channel, its first axis, and no zero point: a
/// convolution, or a matrix product with a transposed weight as a linear layer makes. Others dequantize first.
constexpr integer_operands integer_operands_of(const graph_view& g, int index) {
    const node& n = g[index];
    const bool rows = n.kind == op::matmul && n.get<transposed>().b && g.operand(n, 1).shape.rank == 2;
    if (n.kind != op::conv2d && !rows) {
        return {};
    }
    const int weight = g.operands(n)[1];
    if (g[weight].kind != op::compressed) {
        return {};
    }
    const compression& c = g[weight].get<compression>();
    if (c.form != weight_form::affine || c.bits != 8 || c.block != 0 || c.zero_point) {
        return {};
    }
    int from = g.operands(n)[0];
    while (g[from].kind == op::reshape || g[from].kind == op::identity) { // the same elements in the same order
        from = g.operands(from)[0];
    }
    const node& d = g[from];
    const bool plain = d.kind == op::dequantize && d.operands.count == 2 && g.operand(d, 0).type == dtype::int8 &&
                       g.operand(d, 1).shape.count() == 1;
    return plain ? integer_operands{from, weight} : integer_operands{};
}

} // namespace ane

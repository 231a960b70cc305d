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

/// Whether a weight is stored in integers, of 4 or 8 bits, with one scale for each output channel and no zero point.
constexpr bool is_scaled_by_channel(const compression& c) {
    return c.form == weight_form::affine && c.block == 0 && !c.zero_point;
}

/// Whether a weight is stored in 8-bit integers with one scale for each output channel, its first axis, and no zero
/// point.
constexpr bool is_int8_by_channel(const compression& c) { return c.bits == 8 && is_scaled_by_channel(c); }

/// Whether an operation reads the operand at a position as a weight, which may be stored in another form than fp16: the
/// second one of a convolution or a matrix product.
constexpr bool reads_stored_weight(op kind, std::size_t position) {
    return position == 1 && (kind == op::conv2d || kind == op::matmul);
}

/// Whether every operation that reads a node reads it as a weight that may be stored so.
constexpr bool is_read_as_stored_weight(const graph_view& g, int weight) {
    for (const node& reader : g.nodes) {
        const auto operands = g.operands(reader);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k] == weight && !reads_stored_weight(reader.kind, k)) {
                return false;
            }
        }
    }
    return true;
}

/// Whether a product's second operand reaches the engine in 8-bit integers: with one scale for each output channel and
/// no zero point, and read by convolutions and as the right operand of matrix products alone. Other weights are written
/// as the fp16 values that they stand for (formats/mil_compressed.hpp), and multiplied as these are.
constexpr bool reads_int8_weight(const graph_view& g, int index) {
    const node& n = g[index];
    const int weight = n.operands.count > 1 ? g.operands(n)[1] : -1;
    return weight >= 0 && g[weight].kind == op::compressed && is_int8_by_channel(g[weight].get<compression>()) &&
           is_read_as_stored_weight(g, weight);
}

/// Whether the second operand of a product has its scales along the output channels, so that they may follow the sum: a
/// convolution, or a matrix product with a transposed weight, as a linear layer makes.
constexpr bool has_channels_of_results(const graph_view& g, int index) {
    const node& n = g[index];
    return n.kind == op::conv2d || (n.kind == op::matmul && n.get<transposed>().b && g.operand(n, 1).shape.rank == 2);
}

/// Whether a product reads a weight as codes with a scale for each output channel (datapath::weight_scale). What is
/// written for the engine holds codes of 8 bits only (formats/mil_compressed.hpp); `as_given` says that the weights are
/// those of a file of others, which may hold codes of 4 bits, and palettes of codes: of these the table has to tell
/// (`scale_of_palette`).
constexpr bool reads_codes(const graph_view& g, int index, bool as_given = false) {
    const node& n = g[index];
    if (n.operands.count < 2 || !has_channels_of_results(g, index)) {
        return false;
    }
    const int weight = g.operands(n)[1];
    if (g[weight].kind != op::compressed || !is_read_as_stored_weight(g, weight)) {
        return false;
    }
    const compression& c = g[weight].get<compression>();
    const bool is_palette = c.form == weight_form::palette && c.vector == 1;
    return is_int8_by_channel(c) || (as_given && (is_scaled_by_channel(c) || is_palette));
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
    if (!has_channels_of_results(g, index)) {
        return {};
    }
    const int weight = g.operands(n)[1];
    if (g[weight].kind != op::compressed || !is_int8_by_channel(g[weight].get<compression>())) {
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

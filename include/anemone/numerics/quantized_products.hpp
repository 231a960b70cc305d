#pragma once

#include "../graph/uses.hpp"

#include <cstddef>
#include <span>

/// Products of dequantized values, in which a compiler exchanges scales: seen from the graph alone.
namespace ane {

/// A product of which at least one operand is dequantized, and whose scale its codes take.
struct quantized_product {
    int dequantized[2] = {-1, -1}; ///< the node behind each operand; -1: it is not dequantized
    int scaled_by = -1; ///< the node of which operand 1 is the scale that all codes take; -1: no such product

    /// The dequantization behind an operand, if its codes take another node's scale; else -1.
    constexpr int exchanged(const graph_view& g, int position) const {
        const int d = dequantized[position];
        const bool other = scaled_by >= 0 && d >= 0 && d != scaled_by;
        if (!other) {
            return -1;
        }
        const int own = g.operands(d)[1];
        const int taken = g.operands(scaled_by)[1];
        const bool equal = own == taken || (g[own].kind == op::constant && g[taken].kind == op::constant &&
                                            g.value(g[own], 0) == g.value(g[taken], 0));
        return equal ? -1 : d;
    }
};

namespace detail {

/// The dequantization, by one scale, of which a value is a copy in the same order; or -1.
constexpr int dequantization_behind(const graph_view& g, int index) {
    while (g[index].kind == op::reshape || g[index].kind == op::identity) {
        index = g.operands(index)[0];
    }
    return g[index].kind == op::dequantize && g.operand(g[index], 1).shape.count() == 1 ? index : -1;
}

} // namespace detail

/// Of two dequantized operands the codes of both take the scale of the first; of one, that of a quantize which reads the
/// product (measured M5 Pro, through two of the vendor's compilers: N211, N212). That it is the first operand's is
/// inferred: the source names the branch that was built first, and a graph has no such order. With a clamp between the
/// product and what reads it, nothing is exchanged. `read`: `uses(g)`, where that is known (`every_reader`).
constexpr quantized_product quantized_product_of(const graph_view& g, int index, std::span<const int> read = {}) {
    const node& n = g[index];
    if (n.kind != op::mul) {
        return {};
    }
    quantized_product p;
    for (int k = 0; k < 2; ++k) {
        p.dequantized[k] = detail::dequantization_behind(g, g.operands(index)[static_cast<std::size_t>(k)]);
    }
    const int a = p.dequantized[0];
    const int b = p.dequantized[1];
    if (a < 0 && b < 0) {
        return p;
    }
    if (a >= 0 && b >= 0) {
        const bool clamped = !is_output(g, index) && every_reader(g, index, read, [&g](int reader, int) {
            return g[reader].kind == op::clamp;
        });
        p.scaled_by = clamped ? -1 : a;
        return p;
    }
    int quantized = -1;
    every_reader(g, index, read, [&](int reader, int) {
        quantized = g[reader].kind == op::quantize ? reader : -1;
        return quantized < 0;
    });
    if (quantized >= 0 && g.operand(g[quantized], 1).shape.count() == 1) {
        p.scaled_by = quantized;
    }
    return p;
}

/// Whether a product's codes take a scale that is not theirs.
constexpr bool takes_another_scale(const graph_view& g, int index, std::span<const int> read = {}) {
    const quantized_product p = quantized_product_of(g, index, read);
    return p.exchanged(g, 0) >= 0 || p.exchanged(g, 1) >= 0;
}

} // namespace ane

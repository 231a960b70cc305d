#pragma once

#include "../graph/graph.hpp"

/// Matrix products with constant ones, which A13's compiler is believed to turn into sums (numerics::ones_rule).
/// Lowering leaves them products: that is what the compiler was given when they were measured, and on the other
/// generations a sum would be computed in a narrower register than the product it replaces.
namespace ane::detail {

/// Whether every element of a node is a constant one, as it is or moved. Values of weights are not known here.
constexpr bool is_ones(const graph_view& g, int index) {
    while (g[index].kind == op::reshape || g[index].kind == op::transpose) {
        index = g.operands(index)[0];
    }
    if (g[index].kind != op::constant) {
        return false;
    }
    for (const float value : g.values(g[index])) {
        if (value != 1.0F) {
            return false;
        }
    }
    return true;
}

/// Whether a node is a matrix product of which one operand is a constant of ones.
constexpr bool is_product_with_ones(const graph_view& g, const node& n) {
    const auto operands = g.operands(n);
    return (n.kind == op::matmul || n.kind == op::linear) && is_ones(g, operands[0]) != is_ones(g, operands[1]);
}

} // namespace ane::detail

#pragma once

#include "../graph/graph.hpp"

/// Exponentials of x - max(x), the numerators of a softmax written by hand, and what is known about them regardless of
/// the ranges.
namespace ane::rules::detail {

constexpr int operand_index(const graph_view& g, const node& n, int position) {
    return g.operands(n)[static_cast<std::size_t>(position)];
}

/// The maximum that `n` subtracts from the tensor that it is the maximum of: n = x - reduce_max(x), which is at most 0.
/// Null for everything else. Axes that reshapes take away and bring back do not matter.
constexpr const node* subtracted_maximum(const graph_view& g, const node& n) {
    if (n.kind != op::sub) {
        return nullptr;
    }
    const node& subtracted = g.operand(n, 1);
    const node* most = &subtracted;
    while (most->kind == op::reshape) {
        most = &g.operand(*most, 0);
    }
    const bool its_own = most->kind == op::reduce_max && most->shape == subtracted.shape &&
                         operand_index(g, *most, 0) == operand_index(g, n, 0);
    return its_own ? most : nullptr;
}

/// Whether every axis of `part` is one of `whole`, both of a tensor of that rank.
constexpr bool covers(const indices& whole, const indices& part, int rank) {
    for (int i = 0; i < part.rank; ++i) {
        bool found = false;
        for (int j = 0; j < whole.rank; ++j) {
            found = found || normalized_axis(static_cast<int>(whole[j]), rank) ==
                                 normalized_axis(static_cast<int>(part[i]), rank);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/// Whether `n` adds up exponentials one of which is e^0 = 1, so that it is at least 1:
/// reduce_sum(exp(x - reduce_max(x))) over the axes of the maximum, or more.
constexpr bool is_sum_of_shifted_exponentials(const graph_view& g, const node& n) {
    if (n.kind != op::reduce_sum || g.operand(n, 0).kind != op::exp) {
        return false;
    }
    const node* most = subtracted_maximum(g, g.operand(g.operand(n, 0), 0));
    return most != nullptr && covers(n.get<axes>().list, most->get<axes>().list, n.shape.rank);
}

} // namespace ane::rules::detail

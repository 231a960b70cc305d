#pragma once

#include "../graph/graph.hpp"
#include "interval.hpp"

/// Exponentials of x - max(x), the numerators of a softmax written by hand, and what is known about them whatever x is.
namespace ane::detail {

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
    const bool its_own =
        most->kind == op::reduce_max && most->shape == subtracted.shape && g.operands(*most)[0] == g.operands(n)[0];
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

/// The range of a difference, which is at most zero where a maximum is subtracted from what it is the maximum of.
constexpr interval with_subtracted_maximum(const graph_view& g, const node& n, const interval& r) {
    const bool is_capped = r.high > 0 && subtracted_maximum(g, n) != nullptr;
    return is_capped ? interval{r.low < 0 ? r.low : 0, 0, r.declared} : r;
}

/// The least sum of exponentials one of which is 1, less what its table and the narrow register of a sum may lose.
inline constexpr double least_shifted_sum = 1 - 0x1p-7;

/// The range of a sum, which is not zero where it is of such exponentials.
constexpr interval with_shifted_exponentials(const graph_view& g, const node& n, const interval& r) {
    const bool is_raised = r.low < least_shifted_sum && is_sum_of_shifted_exponentials(g, n);
    return is_raised ? interval{least_shifted_sum, r.high > 1 ? r.high : 1, r.declared} : r;
}

} // namespace ane::detail

#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/constants.hpp"
#include "../graph/graph.hpp"
#include "kernel_memory.hpp"

/// Operations in another form than the vendor's own guidance asks for (coreai-models, August 2026; said, not measured by a
/// source): what rules/vendor.hpp tells, and what `optimize_options::vendor` counts.
namespace ane {

/// A product with a stored weight that is no convolution.
constexpr bool is_product_with_weight(const graph_view& g, const node& n) {
    return (n.kind == op::linear || n.kind == op::matmul) &&
           (is_stored_weight(g.operand(n, 0).kind) || is_stored_weight(g.operand(n, 1).kind));
}

/// Whether a transpose puts another axis last, when it runs.
constexpr bool moves_the_width(const graph_view& g, const node& n) {
    if (n.kind != op::transpose || is_known_when_compiled(g, g.operands(n)[0])) {
        return false;
    }
    const indices& order = n.get<permutation>().order;
    return order.rank > 0 && g.operand(n, 0).shape.rank == order.rank && order[order.rank - 1] != order.rank - 1;
}

/// Whether a mean is that of the squares of something: the variance of a norm, or the square of its length.
constexpr bool is_mean_of_squares(const graph_view& g, const node& n) {
    if (n.kind != op::reduce_mean) {
        return false;
    }
    const node& x = g.operand(n, 0);
    return x.kind == op::square || (x.kind == op::mul && g.operands(x)[0] == g.operands(x)[1]);
}

/// The axis that the vendor has channels on: the third from the last. Matrices have none.
constexpr bool is_softmax_beside_channels(const node& n) {
    const int rank = n.shape.rank;
    return n.kind == op::softmax && rank >= 3 && normalized_axis(n.get<axis>().index, rank) != rank - 3;
}

/// How many heads an operation attends with at once: an attention, or a product of two values of rank 4 that both are
/// computed, as [batch, heads, .., ..]. 1 for all others.
constexpr std::int64_t heads_at_once(const graph_view& g, const node& n) {
    if (n.kind == op::attention) {
        const extents& q = g.operand(n, 0).shape;
        return q.rank < 3 ? 1 : q.from_last(2);
    }
    const bool attends = n.kind == op::matmul && n.shape.rank == 4 && !is_known_when_compiled(g, g.operands(n)[0]) &&
                         !is_known_when_compiled(g, g.operands(n)[1]);
    return attends ? n.shape[1] : 1;
}

/// How many operations of a model are in another form.
constexpr int beside_the_guidance(const graph_view& g) {
    int count = 0;
    for (const node& n : g.nodes) {
        const bool told = is_product_with_weight(g, n) || moves_the_width(g, n) || is_mean_of_squares(g, n) ||
                          is_softmax_beside_channels(n) || heads_at_once(g, n) > 1;
        count += told ? 1 : 0;
    }
    return count;
}

} // namespace ane

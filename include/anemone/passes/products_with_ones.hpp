#pragma once

#include "rewriter.hpp"

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

/// The sums of a matrix along the axis that a product contracts, laid out as one column or one row of the product.
constexpr int sums_of(rewriter& w, int matrix, bool along_rows, bool as_column) {
    const int rank = w.shape(matrix).rank;
    const int sums = w.emit(op::reduce_sum, axes{along_rows ? rank - 1 : rank - 2}, {matrix});
    extents wanted = w.shape(sums);
    const std::int64_t count = wanted[rank - 1] * wanted[rank - 2];
    wanted[rank - 2] = as_column ? count : 1;
    wanted[rank - 1] = as_column ? 1 : count;
    return w.reshape(sums, wanted);
}

/// a b over nodes of the new graph. A product with constant ones is a reduction: that is how the sums measured as
/// `matmul(v, ones)` on the M1 (N001-N005, N01_*) and those of products in general fit together (inferred). Done for
/// every generation, since what is written for the engine is then a reduction on each of them.
constexpr int emit_product(rewriter& w, const transposed& form, int a, int b) {
    const bool left_ones = is_ones(w.result(), a);
    const bool right_ones = is_ones(w.result(), b);
    if (left_ones == right_ones) {
        return w.emit(op::matmul, form, {a, b});
    }
    const int sums = right_ones ? sums_of(w, a, !form.a, true) : sums_of(w, b, form.b, false);
    // Where the ones have other columns, rows or batches, the sums repeat along them.
    const inferred whole = shape_rule(form, w.shape(a), w.shape(b));
    extents repeats;
    const int added = whole.shape.rank - w.shape(sums).rank;
    bool any = false;
    for (int i = 0; i < whole.shape.rank; ++i) {
        const bool differs = i < added || w.shape(sums)[i - added] != whole.shape[i];
        repeats.append(differs ? whole.shape[i] : 1);
        any = any || differs;
    }
    return any ? w.emit(op::mul, no_attributes{}, {sums, w.filled(repeats, 1.0F)}) : sums;
}

} // namespace ane::detail

#pragma once

#include "../base/way.hpp"
#include "parts.hpp"
#include "rewrite.hpp"
#include "scaled_region.hpp"

#include <cstdint>
#include <optional>

/// Long sums in two stages, at one place, for what a run showed there.
namespace ane::detail::inline ANEMONE_WAY {

/// The divisor of n that is nearest to its root, from below; 1 for a prime.
constexpr std::int64_t inner_factor(std::int64_t n) {
    std::int64_t found = 1;
    for (std::int64_t d = 2; d * d <= n; ++d) {
        found = n % d == 0 ? d : found;
    }
    return found;
}

/// A sum or a mean over one axis, as that of parts and then of these.
constexpr int sum_of_sums(rewriter& w, const node& n, const extents& x) {
    const axes& removed = n.get<axes>();
    const int along = removed.list.rank == 1 ? static_cast<int>(removed.list[0]) : -1;
    const std::int64_t part = along < 0 ? 1 : inner_factor(x[along]);
    if (part == 1 || x.rank >= 5) {
        return -1;
    }
    extents split;
    for (int i = 0; i < x.rank; ++i) {
        split.append(i == along ? x[i] / part : x[i]);
        if (i == along) {
            split.append(part);
        }
    }
    const int inner = w.emit(n.kind, axes{along + 1}, {w.reshape(w.operand(n, 0), split)});
    return w.reshape(w.emit(n.kind, axes{along}, {inner}), n.shape);
}

/// A linear layer or a product, as the sum of two: of the first and of the second half of the features.
constexpr int sum_of_products(rewriter& w, const graph_view& g, const node& n) {
    const bool is_linear = n.kind == op::linear;
    const transposed how = is_linear ? transposed{false, true} : n.get<transposed>();
    const extents& x = g.operand(n, 0).shape;
    const extents& y = g.operand(n, 1).shape;
    const int axis_x = x.rank - (how.a ? 2 : 1);
    const int axis_y = y.rank - (how.b ? 1 : 2);
    const std::int64_t features = x[axis_x];
    if (features < 2) {
        return -1;
    }
    const std::int64_t half_of = features / 2;
    const auto part = [&](std::int64_t begin, std::int64_t size) {
        sequence<int> operands;
        operands.push_back(w.slice(w.operand(n, 0), axis_x, begin, size));
        operands.push_back(w.slice(w.operand(n, 1), axis_y, begin, size));
        if (begin == 0 && n.operands.count == 3) {
            operands.push_back(w.operand(n, 2));
        }
        return w.emit(n.kind, n.attributes, std::span<const int>(operands.data(), operands.size()));
    };
    return w.emit(op::add, no_attributes{}, {part(0, half_of), part(half_of, features - half_of)});
}

/// The model with the sums of one node in two stages. Empty for a node that sums nothing, or whose sums have no parts.
ANEMONE_INLINE std::optional<changed_graph> paired_sums(const graph_view& g, int node) {
    rewriter w(g);
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        const ane::node& n = g[i];
        int made = -1;
        if (i == node && (n.kind == op::reduce_sum || n.kind == op::reduce_mean)) {
            made = sum_of_sums(w, n, g.operand(n, 0).shape);
        } else if (i == node && (n.kind == op::linear || n.kind == op::matmul)) {
            made = sum_of_products(w, g, n);
        }
        if (i == node && made < 0) {
            return std::nullopt;
        }
        w.rename(i, made < 0 ? w.copy(i) : made);
    }
    for (const output_port& port : g.outputs) {
        w.add_output(w.renamed(port.node), port);
    }
    return changed_graph{w.result(), w.origins()};
}

} // namespace ane::detail::inline ANEMONE_WAY

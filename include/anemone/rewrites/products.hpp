#pragma once

#include "../passes/constants.hpp"
#include "../passes/working_set.hpp"
#include "rewrite.hpp"

namespace ane::detail {

/// A linear layer in parts of its outputs, whose weights fit on the chip: what does not fit is read again for each tile
/// of the rows (rewrites section 1, products; guide chapter 22). For output projections over a vocabulary.
constexpr rewritten split_outputs(const graph_view& g, const target_description& t) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind != op::linear || n.operands.count != 2 || g.operand(n, 1).kind != op::weight || n.shape.rank < 2) {
            return -1;
        }
        const extents& weight = g.operand(n, 1).shape;
        const std::int64_t size = bytes(n.type, weight.count());
        const std::int64_t room = working_set_knee(t);
        if (size <= room || n.shape.count() / n.shape.width() < 2) {
            return -1;
        }
        for (std::int64_t parts = (size + room - 1) / room; parts <= 64; ++parts) {
            if (weight[0] % parts != 0) {
                continue;
            }
            const std::int64_t rows = weight[0] / parts;
            sequence<int> made;
            for (std::int64_t part = 0; part < parts; ++part) {
                const window mine{{part * rows, 0}, {rows, weight[1]}};
                made.push_back(
                    w.emit(op::linear, no_attributes{}, {w.operand(n, 0), w.emit(op::slice, mine, {w.operand(n, 1)})}));
            }
            return w.emit(op::concat, axis{n.shape.rank - 1}, std::span<const int>(made.data(), made.size()));
        }
        return -1;
    });
}

/// A dense convolution with a 1x1 kernel as a product of its weight and the pixels of an image: the weights of products
/// come faster than those of convolutions.
constexpr rewritten pointwise_as_product(const graph_view& g, const target_description&) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind != op::conv2d || g.operand(n, 1).kind != op::weight) {
            return -1;
        }
        const extents& weight = g.operand(n, 1).shape;
        const conv& a = n.get<conv>();
        const padding2& p = a.padding;
        const bool pointwise = weight[2] == 1 && weight[3] == 1 && a.groups == 1 && a.stride == size2(1) &&
                               p.top + p.bottom + p.left + p.right == 0;
        if (!pointwise) {
            return -1;
        }
        const extents& x = g.operand(n, 0).shape;
        const int pixels = w.reshape(w.operand(n, 0), {x[0], x[1], x[2] * x[3]});
        const int kernel = w.reshape(w.operand(n, 1), {weight[0], weight[1]});
        int y = w.emit(op::matmul, transposed{}, {kernel, pixels});
        if (n.operands.count == 3) {
            y = w.emit(op::add, no_attributes{}, {y, w.along(w.operand(n, 2), 1, 3)});
        }
        return w.reshape(y, n.shape);
    });
}

/// A linear layer as a convolution with a 1x1 kernel over its rows as the pixels of an image (rewrites section 1).
constexpr rewritten linear_as_convolution(const graph_view& g, const target_description&) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind != op::linear || g.operand(n, 1).kind != op::weight || n.shape.rank < 1) {
            return -1;
        }
        const extents& weight = g.operand(n, 1).shape;
        const std::int64_t rows = n.shape.count() / n.shape.width();
        const int x = w.reshape(w.operand(n, 0), {1, rows, 1, weight[1]});
        const int image = w.emit(op::transpose, permutation{0, 3, 2, 1}, {x}); // one row: a reshape
        const int kernel = w.reshape(w.operand(n, 1), {weight[0], weight[1], 1, 1});
        const int y = n.operands.count == 3 ? w.emit(op::conv2d, conv{}, {image, kernel, w.operand(n, 2)})
                                            : w.emit(op::conv2d, conv{}, {image, kernel});
        return w.reshape(w.emit(op::transpose, permutation{0, 3, 2, 1}, {y}), n.shape);
    });
}

/// x c1 c2 with constants c1 and c2 as x (c1 c2): one layer and one rounding less.
constexpr rewritten merge_factors(const graph_view& g, const target_description&) {
    const sequence<char> known = constant_nodes(g);
    const sequence<int> readers = uses(g);
    const auto constant_of = [&](int i) {
        if (g[i].kind != op::mul) {
            return -1;
        }
        const bool first = known[static_cast<std::size_t>(g.operands(i)[0])] != 0;
        const bool second = known[static_cast<std::size_t>(g.operands(i)[1])] != 0;
        return first == second ? -1 : first ? 0 : 1;
    };
    return rewrite_each(g, [&](rewriter& w, int i) {
        const int mine = constant_of(i);
        if (mine < 0) {
            return -1;
        }
        const int inner = g.operands(i)[static_cast<std::size_t>(1 - mine)];
        const int its = constant_of(inner);
        if (its < 0 || readers[static_cast<std::size_t>(inner)] != 1 || g[inner].shape != g[i].shape) {
            return -1;
        }
        const int factors = w.emit(op::mul, no_attributes{}, {w.operand(g[inner], its), w.operand(g[i], mine)});
        return w.emit(op::mul, no_attributes{}, {w.operand(g[inner], 1 - its), factors});
    });
}

} // namespace ane::detail

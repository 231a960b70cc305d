#pragma once

#include "../analysis/working_set.hpp"
#include "../graph/constants.hpp"
#include "../graph/uses.hpp"
#include "rewrite.hpp"

namespace ane::detail {

inline constexpr std::int64_t most_parts = 256; ///< of a layer: each is an operation of the graph

/// A layer of rows and weights: which operand is the weight, and along which axes of it and of the result outputs lie.
struct weighted_layer {
    int weight = -1; ///< the position of the operand; -1: no such layer
    int axis = 0;
    int result_axis = 0;
};
constexpr weighted_layer weighted_layer_of(const graph_view& g, int index) {
    const node& n = g[index];
    const int rank = n.shape.rank;
    const auto is_matrix = [&](int k) { return g.operand(n, k).kind == op::weight && g.operand(n, k).shape.rank == 2; };
    if (n.kind == op::linear && rank >= 2 && is_matrix(1)) {
        return {1, 0, rank - 1};
    }
    if (n.kind == op::matmul && rank >= 2 && is_matrix(1) && !is_matrix(0)) {
        return {1, n.get<transposed>().b ? 0 : 1, rank - 1};
    }
    if (n.kind == op::matmul && rank >= 2 && is_matrix(0) && !is_matrix(1)) {
        return {0, n.get<transposed>().a ? 1 : 0, rank - 2};
    }
    return {};
}

/// The position of a bias that the sum `index` adds to a product with weights which nothing else reads, and which starts
/// its sums; or -1.
constexpr int added_bias(const graph_view& g, const sequence<int>& readers, int index) {
    const node& n = g[index];
    if (n.kind != op::add) {
        return -1;
    }
    for (int k = 0; k < 2; ++k) {
        const int product = g.operands(index)[static_cast<std::size_t>(1 - k)];
        const node& bias = g.operand(n, k);
        if (g[product].kind == op::matmul && weighted_layer_of(g, product).weight == 1 && bias.kind == op::weight &&
            bias.shape == extents{n.shape.width()} && readers[static_cast<std::size_t>(product)] == 1) {
            return k;
        }
    }
    return -1;
}

/// A layer in parts of its outputs, whose weights fit on the chip: what does not fit is read again for each tile of the
/// rows (rewrites section 1, products; guide chapter 22). For output projections over a vocabulary.
class split_outputs_form {
public:
    constexpr split_outputs_form(const graph_view& g, const target_description& t)
        : g_(g), room_(working_set_knee(t)), readers_(uses(g)), with_bias_(g.nodes.size(), 0) {
        for (int i = 0; i < g.size(); ++i) {
            if (const int k = added_bias(g, readers_, i); k >= 0) {
                with_bias_[static_cast<std::size_t>(g.operands(i)[static_cast<std::size_t>(1 - k)])] = 1;
            }
        }
    }

    constexpr rewritten make() {
        return rewrite_each(g_, [&](rewriter& w, int i) {
            if (with_bias_[static_cast<std::size_t>(i)] != 0) {
                return -1; // its sum is split
            }
            const int bias = added_bias(g_, readers_, i);
            return bias < 0 ? split(w, i, -1)
                            : split(w, g_.operands(i)[static_cast<std::size_t>(1 - bias)], w.operand(g_[i], bias));
        });
    }

private:
    /// The layer at old node `i`, and the new node `bias` added to it, if there is one.
    constexpr int split(rewriter& w, int i, int bias) const {
        const weighted_layer layer = weighted_layer_of(g_, i);
        if (layer.weight < 0) {
            return -1;
        }
        const node& n = g_[i];
        const extents& weight = g_.operand(n, layer.weight).shape;
        const std::int64_t outputs = weight[layer.axis];
        const std::int64_t size = bytes(n.type, weight.count());
        if (size <= room_ || n.shape.count() / outputs < 2) {
            return -1;
        }
        std::int64_t parts = (size + room_ - 1) / room_;
        while (parts <= most_parts && outputs % parts != 0) {
            ++parts;
        }
        if (parts > most_parts) {
            return -1;
        }
        sequence<int> made;
        for (std::int64_t part = 0; part < parts; ++part) {
            const std::int64_t rows = outputs / parts;
            const auto cut = [&](int operand, int axis) { return w.slice(operand, axis, part * rows, rows); };
            sequence<int> operands;
            for (int k = 0; k < n.operands.count; ++k) {
                const int operand = w.operand(n, k);
                operands.push_back(k == layer.weight ? cut(operand, layer.axis) : k == 2 ? cut(operand, 0) : operand);
            }
            const int y = w.emit(n.kind, n.attributes, std::span<const int>(operands.data(), operands.size()));
            made.push_back(bias < 0 ? y : w.emit(op::add, no_attributes{}, {y, cut(bias, 0)}));
        }
        return w.emit(op::concat, axis{layer.result_axis}, std::span<const int>(made.data(), made.size()));
    }

    graph_view g_;
    std::int64_t room_;
    sequence<int> readers_;
    sequence<char> with_bias_;
};

constexpr rewritten split_outputs(const graph_view& g, const target_description& t) {
    return split_outputs_form(g, t).make();
}

/// A dense convolution with a 1x1 kernel as a product of its weight and the pixels of an image: the weights of products
/// come faster than those of convolutions.
constexpr rewritten pointwise_as_product(const graph_view& g, const target_description& t) {
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
        if (x[2] * x[3] > t.limits.tensor_w) {
            return -1; // its rows would be refused (R015)
        }
        const int pixels = w.reshape(w.operand(n, 0), {x[0], x[1], x[2] * x[3]});
        const int kernel = w.reshape(w.operand(n, 1), {weight[0], weight[1]});
        int y = w.emit(op::matmul, transposed{}, {kernel, pixels});
        if (n.operands.count == 3) {
            y = w.emit(op::add, no_attributes{}, {y, w.along(w.operand(n, 2), 1, 3)});
        }
        return w.reshape(y, n.shape);
    });
}

/// A linear layer as a convolution with a 1x1 kernel over its rows as the pixels of an image (rewrites section 1). One of
/// a single feature is left: a convolution of one channel has other arithmetic.
constexpr rewritten linear_as_convolution(const graph_view& g, const target_description& t) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind != op::linear || g.operand(n, 1).kind != op::weight || n.shape.rank < 1) {
            return -1;
        }
        const extents& weight = g.operand(n, 1).shape;
        if (weight[1] == 1) {
            return -1;
        }
        const std::int64_t rows = n.shape.count() / n.shape.width();
        if (rows > t.limits.tensor_w || weight[0] > t.limits.tensor_c || weight[1] > t.limits.tensor_c) {
            return -1; // the image would be refused (R015, R017)
        }
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

#pragma once

#include "../graph/constants.hpp"
#include "../graph/uses.hpp"
#include "rewrite.hpp"

/// Norms that a framework writes in their parts, as one operation: what other rewrites take, and the vendor asks for.
namespace ane::detail {

/// Norms in parts: x / sqrt(mean(x^2) + epsilon) with a factor, and, of centred values, with a factor and an offset.
class norm_in_parts {
public:
    constexpr explicit norm_in_parts(const graph_view& g) : g_(g), known_(constant_nodes(g)) {}

    /// A norm that ends at a node.
    struct found {
        int x = -1; ///< the old node that is normalized; -1: no norm ends here
        int axis = 0;
        double epsilon = 0;
        int factor = -1; ///< old nodes
        int offset = -1; ///< of a layer norm; -1: none
        bool centred = false;
    };

    constexpr found ending_at(int i) const {
        const node& n = g_[i];
        found f;
        if (n.kind == op::add) { // with an offset, or it is another sum
            for (int k = 0; k < 2 && f.x < 0; ++k) {
                f = scaled(operand(i, 1 - k));
                f = f.x >= 0 && lies_along(f, operand(i, k)) ? f : found{};
                f.offset = operand(i, k);
            }
            return f.centred ? f : found{};
        }
        return scaled(i);
    }
    /// A constant with an element for each index of an axis, at that axis.
    constexpr bool lies_along(const found& f, int constant) const {
        const extents& c = g_[constant].shape;
        const extents& x = g_[f.x].shape;
        const int axis = c.rank - (x.rank - f.axis);
        return is_known(constant) && axis >= 0 && c[axis] == x[f.axis] && c.count() == c[axis];
    }

private:
    constexpr bool is_known(int i) const { return known_[static_cast<std::size_t>(i)] != 0; }
    constexpr int operand(int i, int k) const { return g_.operands(i)[static_cast<std::size_t>(k)]; }

    /// A norm times its factor.
    constexpr found scaled(int i) const {
        for (int k = 0; g_[i].kind == op::mul && k < 2; ++k) {
            found f = normal(operand(i, 1 - k));
            if (f.x >= 0 && lies_along(f, operand(i, k))) {
                f.factor = operand(i, k);
                return f;
            }
        }
        return {};
    }
    /// c times the reciprocal of a root, or c over a root: of the mean of the squares of c.
    constexpr found normal(int i) const {
        if (g_[i].kind == op::div && g_[operand(i, 1)].kind == op::sqrt) {
            return of_root(operand(i, 0), operand(operand(i, 1), 0), 0);
        }
        for (int k = 0; g_[i].kind == op::mul && k < 2; ++k) {
            const int by = operand(i, k);
            const node& root = g_[by];
            found f;
            if (root.kind == op::rsqrt) {
                f = of_root(operand(i, 1 - k), operand(by, 0), static_cast<double>(root.get<stabilizer>().epsilon));
            } else if (root.kind == op::inverse && g_[operand(by, 0)].kind == op::sqrt &&
                       root.get<stabilizer>().epsilon == 0) {
                f = of_root(operand(i, 1 - k), operand(operand(by, 0), 0), 0);
            }
            if (f.x >= 0) {
                return f;
            }
        }
        return {};
    }
    /// The norm of c whose root is taken of `variance` + epsilon, or of a sum with a constant one.
    constexpr found of_root(int c, int variance, double epsilon) const {
        for (int k = 0; g_[variance].kind == op::add && k < 2; ++k) {
            const int number = operand(variance, k);
            if (g_[number].kind == op::constant && g_[number].shape.count() == 1) {
                return of_squares(c, operand(variance, 1 - k),
                                  epsilon + static_cast<double>(half(g_.value(g_[number], 0))));
            }
        }
        return of_squares(c, variance, epsilon);
    }
    constexpr found of_squares(int c, int mean, double epsilon) const {
        const int along = only_axis(mean);
        if (along < 0 || epsilon < 0) {
            return {};
        }
        const node& s = g_[operand(mean, 0)];
        const bool squares = (s.kind == op::square && g_.operands(s)[0] == c) ||
                             (s.kind == op::mul && g_.operands(s)[0] == c && g_.operands(s)[1] == c);
        if (!squares) {
            return {};
        }
        const bool centred =
            g_[c].kind == op::sub && only_axis(operand(c, 1)) == along && operand(operand(c, 1), 0) == operand(c, 0);
        return {centred ? operand(c, 0) : c, along, epsilon, -1, -1, centred};
    }
    /// The axis of a mean over one; or -1.
    constexpr int only_axis(int i) const {
        const node& n = g_[i];
        if (n.kind != op::reduce_mean || n.get<axes>().list.rank != 1) {
            return -1;
        }
        return normalized_axis(static_cast<int>(n.get<axes>().list[0]), n.shape.rank);
    }

    graph_view g_;
    sequence<char> known_;
};

/// A norm in parts, as PyTorch and others export it, as one operation.
constexpr rewritten whole_norms(const graph_view& g, const target_description&) {
    const norm_in_parts parts(g);
    const sequence<int> readers = uses(g);
    sequence<char> inside(g.nodes.size(), 0); // what an offset follows, and nothing else
    for (int i = 0; i < g.size(); ++i) {
        for (const int o : g.operands(i)) {
            const bool offset = g[i].kind == op::add && parts.ending_at(i).x >= 0;
            inside[static_cast<std::size_t>(o)] = offset && readers[static_cast<std::size_t>(o)] == 1 ? 1 : 0;
        }
    }
    return rewrite_each(g, [&](rewriter& w, int i) {
        const norm_in_parts::found f =
            inside[static_cast<std::size_t>(i)] != 0 ? norm_in_parts::found{} : parts.ending_at(i);
        if (f.x < 0) {
            return -1;
        }
        const std::int64_t length = g[f.x].shape[f.axis];
        const stabilizer how{.epsilon = static_cast<float>(f.epsilon), .axis = f.axis};
        const auto vector = [&](int constant) { return w.reshape(w.renamed(constant), {length}); };
        if (!f.centred) {
            return w.emit(op::rms_norm, how, {w.renamed(f.x), vector(f.factor)});
        }
        const int offset = f.offset >= 0 ? vector(f.offset) : w.filled({length}, 0);
        return w.emit(op::layer_norm, how, {w.renamed(f.x), vector(f.factor), offset});
    });
}

} // namespace ane::detail

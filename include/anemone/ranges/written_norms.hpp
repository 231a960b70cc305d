#pragma once

#include "../graph/graph.hpp"
#include "binary.hpp"

/// Norms that are written with other operations, as converters write them: x times the reciprocal of, or divided by, the
/// root of the mean of x^2. Like the operations they are bounded whatever x is (normalization.hpp).
namespace ane::detail {

constexpr int operand_at(const graph_view& g, int index, int position) {
    return g.operands(index)[static_cast<std::size_t>(position)];
}

/// The number that a constant holds; 0 for all else.
constexpr double number_in(const graph_view& g, int index) {
    const node& n = g[index];
    return n.kind == op::constant && n.shape.count() == 1 ? static_cast<double>(half(g.values(n)[0])) : 0;
}

/// The node that `index` is the square of; -1 where it is none.
constexpr int squared(const graph_view& g, int index) {
    const op kind = g[index].kind;
    const bool squares = kind == op::square ||
                         (kind == op::mul && operand_at(g, index, 0) == operand_at(g, index, 1)) ||
                         (kind == op::pow && number_in(g, operand_at(g, index, 1)) == 2);
    return squares ? operand_at(g, index, 0) : -1;
}

/// A mean of squares with something above zero added to it.
struct mean_square {
    int of = -1;        ///< whose squares; -1: it is none
    double epsilon = 0; ///< what is added
    double count = 1;   ///< of how many elements a mean is
    int along = -1;     ///< the axis, from the last; -1: several
};

constexpr mean_square mean_square_at(const graph_view& g, int index) {
    mean_square m;
    while (g[index].kind == op::add) {
        const double left = number_in(g, operand_at(g, index, 0));
        const double right = number_in(g, operand_at(g, index, 1));
        if (!(left > 0) && !(right > 0)) {
            return {};
        }
        m.epsilon += left > 0 ? left : right;
        index = operand_at(g, index, left > 0 ? 1 : 0);
    }
    if (g[index].kind != op::reduce_mean) {
        return {};
    }
    const node& mean = g[index];
    const int squares = operand_at(g, index, 0);
    m.of = squared(g, squares);
    m.count = static_cast<double>(g[squares].shape.count()) / static_cast<double>(mean.shape.count());
    const indices& list = mean.get<axes>().list;
    m.along = list.rank == 1 ? mean.shape.rank - 1 - normalized_axis(static_cast<int>(list[0]), mean.shape.rank) : -1;
    return m;
}

/// What the mean of squares may lose, in all: the squares and the mean are stored in fp16, whose least number is 2^-24.
/// An epsilon above that keeps the bound of the norm.
inline constexpr double least_norm_epsilon = 0x1p-22;

/// The norm that a product (by the reciprocal of the root) or a quotient (by the root) is, of the operand at `position`;
/// `of` is -1 where it is none.
constexpr mean_square written_norm(const graph_view& g, const node& n, int position) {
    const int x = g.operands(n)[static_cast<std::size_t>(position)];
    int root = g.operands(n)[static_cast<std::size_t>(1 - position)];
    double added = 0;
    if (n.kind == op::mul) {
        if (g[root].kind == op::rsqrt) {
            added = static_cast<double>(half(g[root].get<stabilizer>().epsilon));
        } else if (g[root].kind == op::inverse) {
            root = operand_at(g, root, 0);
        } else {
            return {};
        }
    }
    if (g[root].kind != op::rsqrt && g[root].kind != op::sqrt) {
        return {};
    }
    mean_square m = mean_square_at(g, operand_at(g, root, 0));
    m.epsilon += added > 0 ? added : 0;
    return m.of == x && m.epsilon >= least_norm_epsilon ? m : mean_square{};
}

/// The range of a product or a quotient, no wider than that of the norm which it may be. 3 % are for the errors of the
/// squares, the mean, the reciprocal root and the product.
constexpr interval with_written_norm(const graph_view& g, const node& n, const interval& x, const interval& divisor,
                                     interval result) {
    for (int position = 0; position < (n.kind == op::mul ? 2 : 1); ++position) {
        const interval& normalized = position == 0 ? x : divisor;
        const mean_square m = written_norm(g, n, position);
        if (m.of >= 0 && normalized.bounded()) {
            const double most = root(m.count) * 1.03;
            result = intersection(result, {-most, most, true});
            result.rms = m.along >= 0 ? 1.03 : unbounded;
            result.along = m.along >= 0 ? m.along : 0;
        }
    }
    return result;
}

/// What is known of the mean of squares along an axis stays known through a gain (`factor`) and an offset (`added`) that
/// are bounded.
constexpr interval with_rows_of(const interval& x, double factor, double added, interval result) {
    if (x.rms < unbounded && result.bounded() && result.rms >= unbounded) {
        result.rms = 1.001 * (x.rms * factor + added) + 0x1p-20;
        result.along = x.along;
    }
    return result;
}

} // namespace ane::detail

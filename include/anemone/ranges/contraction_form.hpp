#pragma once

#include "../graph/graph.hpp"
#include "../numerics/integer_products.hpp"
#include "stored_form.hpp"

#include <cstdint>

/// What a contraction adds up, whichever of the four operations it is: its form, and the bound that its sums get.
namespace ane {

/// The accumulator's magnitude from which a contraction stores infinity (R056; rule 4 of numerics-datapath).
inline constexpr double accumulator_ceiling = 32768.0;
/// Half a quantum of the accumulator: the rounding error of one product.
inline constexpr double accumulator_rounding = 0x1p-17;

/// What a contraction adds up.
struct contraction_bound {
    interval value;         ///< of the exact sum, bias included; `declared` if every operand is
    double magnitudes = 0;  ///< the largest sum of |x w| over the products of one output, plus |bias|
    double accumulator = 0; ///< `magnitudes` and the rounding of each product and of the bias
    std::int64_t terms = 0; ///< products of one output
    constexpr bool overflows() const noexcept { return accumulator >= accumulator_ceiling; }
};

namespace detail {

/// Which elements of a weight one output adds up. For output (row) r they are the elements r * row + i * outer + k of
/// the flat weight, for all i < outers and k < inners: `outers` runs of `inners` consecutive elements, `outer` apart.
struct weight_walk {
    std::int64_t rows = 1, row = 0;
    std::int64_t outers = 1, outer = 0;
    std::int64_t inners = 1;
};

/// What the bounds need to know of a contraction, whichever of the four operations it is.
struct contraction_form {
    int weight = 1;         ///< position of the weight: its values, or the sums of their magnitudes, may be known
    std::int64_t terms = 0; ///< products of one output
    bool partial = false;   ///< an output at the border may have fewer: its window reaches into the padding
    bool by_column = false; ///< the contract that bounds an output is `column_l1`, not `row_l1`
    bool walkable = true;   ///< `walk` describes the weight
    int along = -1;         ///< the axis of the other operand that one output adds up, from the last; -1: several
    int along_weight = -1;  ///< the same of the weight
    weight_walk walk{};
};

/// The weight, constant or other node that an operand is a copy of, element for element: looks through `identity`, and
/// through `compressed`, which changes values by no more than `error_of_storage`.
constexpr const node& stored_weight(const graph_view& g, const node& n) {
    const node* at = &n;
    while (at->kind == op::identity || at->kind == op::compressed) {
        at = &g.operand(*at, 0);
    }
    return *at;
}

/// By how much an element of an operand may differ from that of its `stored_weight`: the sum of the errors of the
/// compressed forms between the two. `most` bounds the magnitudes.
constexpr double error_of_storage(const graph_view& g, const node& n, double most) {
    double error = 0;
    for (const node* at = &n; at->kind == op::identity || at->kind == op::compressed; at = &g.operand(*at, 0)) {
        error += at->kind == op::compressed ? stored_error(at->get<compression>(), most) : 0;
    }
    return error;
}

constexpr bool is_parameter(const graph_view& g, const node& n) {
    const op kind = stored_weight(g, n).kind;
    return kind == op::weight || kind == op::constant;
}

/// What the contract of a parameter or an input says of the sum of |w| over one output; `contract::any` where it says nothing.
constexpr double promised_sum(const node& source, bool by_column) {
    if (source.kind != op::weight && source.kind != op::input) {
        return contract::any;
    }
    const contract& promise = source.get<contract>();
    return by_column ? promise.column_l1 : promise.row_l1;
}

constexpr contraction_form form_of(const graph_view& g, const node& n) {
    const extents& x = g.operand(n, 0).shape;
    const extents& w = g.operand(n, 1).shape;
    contraction_form f;
    if (n.kind == op::conv2d) {
        f.terms = w[1] * w[2] * w[3];
        f.partial = n.get<conv>().padding != padding2{};
        f.walk = {w[0], f.terms, 1, 0, f.terms};
        f.along = w[2] * w[3] == 1 && n.get<conv>().groups == 1 ? 2 : -1;
    } else if (n.kind == op::conv_transpose2d) {
        const conv_transpose& a = n.get<conv_transpose>();
        const auto taps = [](std::int64_t kernel, int stride, int dilation) {
            return dilation == 1 ? (kernel + stride - 1) / stride : kernel;
        };
        f.terms = x.channels() / a.groups * taps(w[2], a.stride.height, a.dilation.height) *
                  taps(w[3], a.stride.width, a.dilation.width);
        f.partial = true;
        f.by_column = true;
        f.walk = {w[1], w[2] * w[3], w[0], w[1] * w[2] * w[3], w[2] * w[3]};
    } else if (n.kind == op::linear) {
        f.terms = x.width();
        f.walk = {w[0], f.terms, 1, 0, f.terms};
        f.along = 0;
        f.along_weight = 0;
    } else {
        const transposed& a = n.get<transposed>();
        const bool left = is_parameter(g, g.operand(n, 0)) && !is_parameter(g, g.operand(n, 1));
        const extents& matrix = left ? x : w;
        f.terms = a.a ? x.height() : x.width();
        f.weight = left ? 0 : 1;
        f.along = (left ? a.b : !a.a) ? 0 : 1;
        f.along_weight = (left ? !a.a : a.b) ? 0 : 1;
        // In x w^T and w x each row of w makes one output, in x w and w^T x each column.
        const bool columns = left ? a.a : !a.b;
        const std::int64_t outputs = columns ? matrix.width() : matrix.height();
        f.walk = columns ? weight_walk{outputs, 1, f.terms, outputs, 1} : weight_walk{outputs, f.terms, 1, 0, f.terms};
        f.walkable = matrix.rank == 2;
        // A batch of matrices has its rows and columns on other axes than the first and second, to which contracts
        // apply. `row_l1` then bounds the sum over a whole matrix, and so every output that reads a part of it.
        f.by_column = columns && f.walkable;
    }
    return f;
}

/// Whether each output can add up weights of its own that are known.
constexpr bool has_known_sums(const node& weight, const contraction_form& f) {
    return weight.kind == op::constant && f.walkable;
}

/// Whether some generation adds up the codes of this layer's weight, and scales their sum (datapath::weight_scale).
constexpr bool may_add_codes(const graph_view& g, const node& n) {
    if (n.kind != op::conv2d && n.kind != op::linear && (n.kind != op::matmul || !n.get<transposed>().b)) {
        return false;
    }
    const node& w = g.operand(n, 1);
    return w.kind == op::compressed && (n.kind == op::conv2d || w.shape.rank == 2) &&
           is_scaled_by_channel(w.get<compression>());
}

} // namespace detail

} // namespace ane

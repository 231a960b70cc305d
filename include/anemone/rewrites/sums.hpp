#pragma once

#include "../passes/envelope.hpp"
#include "products.hpp"

/// Rewrites for sums that the declared ranges let reach 2^15, where the accumulator is infinite (R056).
namespace ane::detail {

/// By how much the sums may overflow in a convolution, a linear layer or a product with weights at the right; 0: they may
/// not, or it is another operation.
constexpr double overflow_of(const graph_view& g, int index, std::span<const interval> known) {
    const bool convolves = g[index].kind == op::conv2d && g.operand(g[index], 1).kind == op::weight;
    if (!convolves && weighted_layer_of(g, index).weight != 1) {
        return 0;
    }
    const demand d = accumulator_demand({g, g[index], known});
    return d.refuted() && d.bound < unbounded ? d.bound / accumulator_safe : 0;
}

/// x w as (x (2^-k w)) 2^k, with a k for which no sum overflows; what is beyond fp16 only then is stored as infinity.
constexpr rewritten scale_sums(const graph_view& g, const target_description&) {
    const std::vector<interval> known = ranges(g);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const double times = overflow_of(g, i, known);
        if (times <= 0) {
            return -1;
        }
        float factor = 2;
        while (factor <= times) {
            factor *= 2;
        }
        const node& n = g[i];
        sequence<int> operands;
        for (int k = 0; k < n.operands.count; ++k) { // weights and a bias: constants, which are folded
            operands.push_back(k == 0 ? w.operand(n, k)
                                      : w.emit(op::mul, no_attributes{}, {w.operand(n, k), w.scalar(1 / factor)}));
        }
        const int y = w.emit(n.kind, n.attributes, std::span<const int>(operands.data(), operands.size()));
        return w.emit(op::mul, no_attributes{}, {y, w.scalar(factor)});
    });
}

/// x w as the sum of products of parts of the features, in each of which no sum overflows.
constexpr rewritten split_sums(const graph_view& g, const target_description&) {
    const std::vector<interval> known = ranges(g);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const double times = overflow_of(g, i, known);
        const node& n = g[i];
        if (times <= 0 || n.kind == op::conv2d || (n.kind == op::matmul && n.get<transposed>().a)) {
            return -1;
        }
        const int axis = 1 - weighted_layer_of(g, i).axis; // of the features in the weight
        const std::int64_t features = g.operand(n, 1).shape[axis];
        std::int64_t parts = 2;
        while (parts <= most_parts && (features % parts != 0 || static_cast<double>(parts) <= times)) {
            ++parts;
        }
        if (parts > most_parts || parts > features) {
            return -1;
        }
        const std::int64_t size = features / parts;
        int sum = -1;
        for (std::int64_t part = 0; part < parts; ++part) {
            const auto cut = [&](int operand, int along) { return slice_along(w, operand, along, part * size, size); };
            const int x = cut(w.operand(n, 0), g.operand(n, 0).shape.rank - 1);
            const int weight = cut(w.operand(n, 1), axis);
            const bool biased = part == 0 && n.operands.count == 3;
            const int y = biased ? w.emit(n.kind, n.attributes, {x, weight, w.operand(n, 2)})
                                 : w.emit(n.kind, n.attributes, {x, weight});
            sum = sum < 0 ? y : w.emit(op::add, no_attributes{}, {sum, y});
        }
        return sum;
    });
}

} // namespace ane::detail

#pragma once

#include "../analysis/envelope.hpp"
#include "../analysis/error_envelope.hpp"
#include "products.hpp"

/// Rewrites for the register of sums: it is infinite from 2^15 on (R056), and its last bit is 2^-16.
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

/// x w + b as (x (w f) + b f) / f, for a power of two f: constants, which are folded.
constexpr int scaled_layer(rewriter& w, const node& n, float factor) {
    sequence<int> operands;
    for (int k = 0; k < n.operands.count; ++k) {
        operands.push_back(k == 0 ? w.operand(n, k)
                                  : w.emit(op::mul, no_attributes{}, {w.operand(n, k), w.scalar(factor)}));
    }
    const int y = w.emit(n.kind, n.attributes, std::span<const int>(operands.data(), operands.size()));
    return w.emit(op::mul, no_attributes{}, {y, w.scalar(1 / factor)});
}

/// x w as (x (2^-k w)) 2^k, with a k for which no sum overflows; what is beyond fp16 only then is stored as infinity.
constexpr rewritten scale_sums(const graph_view& g, const target_description&) {
    const std::vector<interval> known = ranges(g);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const double times = overflow_of(g, i, known);
        float factor = 0.5F;
        while (static_cast<double>(factor) * times >= 1) {
            factor /= 2;
        }
        return times > 0 ? scaled_layer(w, g[i], factor) : -1;
    });
}

/// x w as (x (2^k w)) 2^-k, where products lose much of themselves to the last bit of the register, 2^-16.
constexpr rewritten scale_weights(const graph_view& g, const target_description& t) {
    sequence<int> scales(g.nodes.size(), 0);
    for (const contraction_error& e : error_envelope(g, numerics::datapath_of(t.tier))) {
        const bool convolves = g[e.node].kind == op::conv2d && g.operand(g[e.node], 1).kind == op::weight;
        if (convolves || weighted_layer_of(g, e.node).weight == 1) {
            scales[static_cast<std::size_t>(e.node)] = e.scale;
        }
    }
    return rewrite_each(g, [&](rewriter& w, int i) {
        const int scale = scales[static_cast<std::size_t>(i)];
        return scale > 0 ? scaled_layer(w, g[i], static_cast<float>(1 << scale)) : -1;
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
            const auto cut = [&](int operand, int along) { return w.slice(operand, along, part * size, size); };
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

/// A product with ones as the sum that it is: the register of reductions has the whole range of fp16 (N01_*, N05), and
/// A13's compiler is believed to do it itself. The other way round no sum gains a range.
constexpr rewritten products_as_sums(const graph_view& g, const target_description&) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (!is_product_with_ones(g, n) || n.operands.count == 3) {
            return -1;
        }
        const int summed = is_ones(g, g.operands(n)[0]) ? 1 : 0;
        const extents& x = g.operand(n, summed).shape;
        const bool turned = n.kind == op::matmul && (summed == 0 ? n.get<transposed>().a : n.get<transposed>().b);
        const int along = x.rank - ((summed == 0) != turned ? 1 : 2);
        if (along < 0 || x.count() / x[along] != n.shape.count()) {
            return -1; // more than one column of ones, or a batch of them
        }
        return w.reshape(w.emit(op::reduce_sum, axes{along}, {w.operand(n, summed)}), n.shape);
    });
}

/// x w with weights in int8 as ((2^-k x) w) 2^k, where x may pass 4094 and become infinite before them (R093).
constexpr rewritten scale_int8_inputs(const graph_view& g, const target_description&) {
    const std::vector<interval> known = ranges(g);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (!is_contraction(n.kind)) {
            return -1;
        }
        const demand d = int8_demand({g, n, known});
        if (!d.refuted() || d.bound >= unbounded) {
            return -1;
        }
        float factor = 0.5F;
        while (static_cast<double>(factor) * d.bound > gain_ceiling) {
            factor /= 2;
        }
        const int weight = n.kind == op::matmul && ane::is_int8_weight(g.operand(n, 0)) ? 0 : 1;
        const int x = w.emit(op::mul, no_attributes{}, {w.operand(n, 1 - weight), w.scalar(factor)});
        const int y = weight == 1 ? w.emit(n.kind, n.attributes, {x, w.operand(n, 1)})
                                  : w.emit(n.kind, n.attributes, {w.operand(n, 0), x});
        const int whole = w.emit(op::mul, no_attributes{}, {y, w.scalar(1 / factor)});
        if (n.operands.count == 2) {
            return whole;
        }
        const int bias = is_convolution(n.kind) ? w.along(w.operand(n, 2), 1, n.shape.rank) : w.operand(n, 2);
        return w.emit(op::add, no_attributes{}, {whole, bias});
    });
}

} // namespace ane::detail

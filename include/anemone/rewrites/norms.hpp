#pragma once

#include "../analysis/envelope.hpp"
#include "rewrite.hpp"

/// Rewrites for what norms, lengths and logarithms store on the way to their results, which may leave fp16 though the
/// results do not (R151, R157).
namespace ane::detail {

/// The power of two by which the operand of a norm or a length is multiplied so that its squares stay within fp16; 1
/// where they do, or where nothing bounds them.
constexpr float factor_for_squares(const graph_view& g, int index, std::span<const interval> known) {
    const demand d = parts_demand({g, g[index], known});
    float factor = 1;
    while (d.refuted() && d.bound < unbounded &&
           d.bound * static_cast<double>(factor) * static_cast<double>(factor) > half_max) {
        factor /= 2;
    }
    return factor;
}

/// Epsilon for an operand that was multiplied, as far as fp16 has it.
constexpr float scaled_epsilon(float epsilon, float factor) {
    constexpr float least = 0x1p-24F;
    const float scaled = epsilon * factor * factor;
    return epsilon > 0 && scaled < least ? least : scaled;
}

constexpr attributes with_scaled_epsilon(const node& n, float factor) {
    if (n.kind == op::group_norm) {
        grouping a = n.get<grouping>();
        a.epsilon = scaled_epsilon(a.epsilon, factor);
        return a;
    }
    stabilizer a = n.get<stabilizer>();
    a.epsilon = scaled_epsilon(a.epsilon, factor);
    return a;
}

/// norm(x) as norm(2^-k x), with epsilon times 2^-2k, and length(x) as length(2^-k x) 2^k: the same, of smaller squares.
constexpr rewritten scale_norms(const graph_view& g, const target_description&) {
    constexpr op_set norms{op::layer_norm, op::instance_norm, op::group_norm, op::rms_norm, op::l2_norm};
    constexpr op_set lengths{op::reduce_l2_norm, op::l2_pool};
    const std::vector<interval> known = ranges(g);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (!norms.contains(n.kind) && !lengths.contains(n.kind)) {
            return -1;
        }
        const float factor = factor_for_squares(g, i, known);
        if (factor == 1) {
            return -1;
        }
        sequence<int> operands;
        for (int k = 0; k < n.operands.count; ++k) {
            operands.push_back(k > 0 ? w.operand(n, k)
                                     : w.emit(op::mul, no_attributes{}, {w.operand(n, k), w.scalar(factor)}));
        }
        const std::span<const int> all(operands.data(), operands.size());
        if (norms.contains(n.kind)) {
            return w.emit(n.kind, with_scaled_epsilon(n, factor), all);
        }
        return w.emit(op::mul, no_attributes{}, {w.emit(n.kind, n.attributes, all), w.scalar(1 / factor)});
    });
}

/// ln softmax(x) as x - ln of the sum of e^x, which is never the logarithm of a share that fp16 makes zero.
constexpr rewritten logarithms_of_shares(const graph_view& g, const target_description&) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind != op::log || g.operand(n, 0).kind != op::softmax ||
            half(n.get<stabilizer>().epsilon) > half(0.0F)) {
            return -1;
        }
        const node& shares = g.operand(n, 0);
        const int x = w.operand(shares, 0);
        const int along = normalized_axis(shares.get<axis>().index, shares.shape.rank);
        return w.emit(op::sub, no_attributes{}, {x, w.emit(op::reduce_log_sum_exp, axes{along}, {x})});
    });
}

} // namespace ane::detail

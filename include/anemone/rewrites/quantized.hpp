#pragma once

#include "../numerics/quantized_products.hpp"
#include "rewrite.hpp"

/// Rewrites for quantized values.
namespace ane::detail {

/// The numbers that a quantize keeps apart, by its constant scale and zero point; an empty range where these are not
/// constants of one number.
constexpr clip_range range_of_quantized(const graph_view& g, const node& n) {
    const auto number = [&](int position) { return static_cast<double>(half(g.value(g.operand(n, position), 0))); };
    for (int k = 1; k < n.operands.count; ++k) {
        if (g.operand(n, k).kind != op::constant || g.operand(n, k).shape.count() != 1) {
            return {};
        }
    }
    const double zero = n.operands.count > 2 ? number(2) : 0;
    const bool bytes = n.get<quantization>().type == dtype::uint8;
    const auto end = [&](double code) {
        const double value = (code - zero) * number(1);
        return static_cast<float>(value > half_max ? half_max : (value < -half_max ? -half_max : value));
    };
    return {end(bytes ? 0 : -128), end(bytes ? 255 : 127)};
}

/// quantize(a b) as quantize(clamp(a b)) to the range of the integers, where the codes of a or b would take another scale:
/// the same value, and what is between the two keeps the scales apart (measured M5 Pro).
constexpr rewritten clamp_quantized_products(const graph_view& g, const target_description&) {
    const sequence<int> read = uses(g);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind != op::quantize || !takes_another_scale(g, g.operands(i)[0], read)) {
            return -1;
        }
        const clip_range range = range_of_quantized(g, n);
        if (!(range.min < range.max)) {
            return -1;
        }
        sequence<int> operands;
        for (int k = 0; k < n.operands.count; ++k) {
            operands.push_back(w.operand(n, k));
        }
        operands[0] = w.emit(op::clamp, range, {operands[0]});
        return w.emit(n.kind, n.attributes, std::span<const int>(operands.data(), operands.size()));
    });
}

} // namespace ane::detail

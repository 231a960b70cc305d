#pragma once

#include "../graph/constants.hpp"
#include "rewrite.hpp"

/// Rewrites for values that are quantized by scales which the model computes of them.
namespace ane::detail {

/// A product of dynamic codes: mul(product(dequantize(quantize(x, s, z), 1, z), w), s c), in which the codes are x / s.
struct dynamic_product {
    int product = -1; ///< conv2d or matmul; -1: no such node
    int value = -1;   ///< x
    int factor = -1;  ///< c, known when the model is compiled
};

/// A node behind identities, which casts of ONNX are, and reshapes of a single element.
constexpr int behind_views(const graph_view& g, int index) {
    while (g[index].kind == op::identity || (g[index].kind == op::reshape && g[index].shape.count() == 1)) {
        index = g.operands(index)[0];
    }
    return index;
}

/// x, where a node is dequantize(quantize(x, s, z), 1, z) with this computed s; or -1.
constexpr int value_of_dynamic_codes(const graph_view& g, int index, int scale) {
    const node& n = g[index];
    if (n.kind != op::dequantize || g.operand(n, 0).kind != op::quantize) {
        return -1;
    }
    const node& q = g.operand(n, 0);
    const node& one = g.operand(n, 1);
    const auto parameter = [&](const node& of, int k) {
        return behind_views(g, g.operands(of)[static_cast<std::size_t>(k)]);
    };
    const bool same_zero = n.operands.count == 3 && q.operands.count == 3 && parameter(n, 2) == parameter(q, 2);
    const bool is_whole = one.kind == op::constant && one.shape.count() == 1 && g.value(one, 0) == 1;
    return same_zero && is_whole && parameter(q, 1) == scale && !is_known_when_compiled(g, scale) ? g.operands(q)[0]
                                                                                                  : -1;
}

constexpr dynamic_product dynamic_product_at(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind != op::mul) {
        return {};
    }
    for (int side = 0; side < 2; ++side) {
        const int product = behind_views(g, g.operands(n)[static_cast<std::size_t>(side)]);
        const int factors = behind_views(g, g.operands(n)[static_cast<std::size_t>(1 - side)]);
        const node& p = g[product];
        const bool is_product =
            (p.kind == op::conv2d || p.kind == op::matmul) && p.operands.count == 2 && p.shape == n.shape;
        if (!is_product || g[factors].kind != op::mul || !is_known_when_compiled(g, g.operands(p)[1])) {
            continue;
        }
        for (int which = 0; which < 2; ++which) {
            const int scale = behind_views(g, g.operands(factors)[static_cast<std::size_t>(which)]);
            const int factor = g.operands(factors)[static_cast<std::size_t>(1 - which)];
            const std::int64_t outputs = p.kind == op::conv2d ? p.shape[1] : p.shape.width();
            const std::int64_t count = g[factor].shape.count();
            const int value = value_of_dynamic_codes(g, g.operands(p)[0], scale);
            if (value >= 0 && g[scale].shape.count() == 1 && is_known_when_compiled(g, factor) &&
                (count == 1 || (count == outputs && (p.kind == op::conv2d || g[factor].shape.width() == outputs)))) {
                return {product, value, factor};
            }
        }
    }
    return {};
}

/// How many products read codes whose scale the model computes: their quantize takes constants in every file.
constexpr int products_of_dynamic_codes(const graph_view& g) {
    int found = 0;
    for (int i = 0; i < g.size(); ++i) {
        found += dynamic_product_at(g, i).product >= 0 ? 1 : 0;
    }
    return found;
}

/// Such a product as one of the values themselves and the weights times their own scale: a rounding to 255 codes less.
constexpr rewritten values_for_dynamic_codes(const graph_view& g, const target_description&) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const dynamic_product found = dynamic_product_at(g, i);
        if (found.product < 0) {
            return -1;
        }
        const node& p = g[found.product];
        const int factor = w.renamed(found.factor);
        const std::int64_t count = w.shape(factor).count();
        const int scales = count == 1             ? w.reshape(factor, {})
                           : p.kind == op::conv2d ? w.reshape(factor, {count, 1, 1, 1})
                                                  : w.reshape(factor, {count});
        const int weights = w.emit(op::mul, no_attributes{}, {w.operand(p, 1), scales});
        return w.emit(p.kind, p.attributes, {w.renamed(found.value), weights});
    });
}

} // namespace ane::detail

#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/graph.hpp"
#include "../numerics/rounding.hpp"

/// Where arithmetic can round, and where operands can be subnormal.
namespace ane::detail {

/// A coefficient half way between two fp16 values: the engine holds one or the other.
constexpr bool is_tie(float x) {
    return numerics::round_to_half(static_cast<double>(x), numerics::tie_rule::half_even) !=
           numerics::round_to_half(static_cast<double>(x), numerics::tie_rule::half_away);
}

/// A constant of zeros and powers of two from 1 on: products with it are exact.
constexpr bool is_exact_factor(const graph_view& g, const node& n) {
    if (n.kind != op::constant) {
        return false;
    }
    for (const float v : g.values(n)) {
        float magnitude = v < 0 ? -v : v;
        if (!(magnitude <= 65536.0F)) {
            return false; // infinite in fp16
        }
        while (magnitude >= 2) {
            magnitude /= 2;
        }
        if (magnitude != 0 && magnitude != 1) {
            return false;
        }
    }
    return true;
}

/// Whether a value of this node and range may be subnormal; for a constant this is known exactly.
constexpr bool may_be_subnormal(const graph_view& g, const node& n, const interval& range) {
    constexpr double least_normal = 0x1p-14;
    if (n.kind == op::constant) {
        const float* const all = g.values(n).data();
        const std::size_t count = g.values(n).size();
        for (std::size_t i = 0; i < count; ++i) { // nearly all are told by the comparisons, two a step
            const float w = all[i + 1 < count ? i + 1 : i];
            const float v = all[i];
            if (v >= 0x1p-14F || v <= -0x1p-14F || v == 0) {
                i += w >= 0x1p-14F || w <= -0x1p-14F || w == 0 ? 1 : 0;
                continue;
            }
            const auto held = static_cast<double>(half(static_cast<double>(v)));
            if (held != 0 && held < least_normal && held > -least_normal) {
                return true;
            }
        }
        return false;
    }
    return range.low < least_normal && range.high > -least_normal && !(range.low == 0 && range.high == 0);
}

} // namespace ane::detail

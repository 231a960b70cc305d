#pragma once

#include "../graph/border_source.hpp"
#include "../graph/constants.hpp"
#include "products.hpp"

/// Rewrites for borders of a tensor's own elements: reflected, mirrored or repeated ones.
namespace ane::detail {

/// Whether a target refuses a border (R097) that has a form in parts there.
constexpr bool is_refused_border(const graph_view& g, const node& n, const target_description& t) {
    const bool is_border = n.kind == op::reflect_pad || n.kind == op::symmetric_pad || n.kind == op::replicate_pad;
    if (!is_border || t.has.texture_engine || n.type != dtype::f16 || is_known_when_compiled(g, g.operands(n)[0])) {
        return false;
    }
    const extents& x = g.operand(n, 0).shape;
    const pads& p = n.get<pads>();
    for (int k = 0; k < x.rank; ++k) {
        const std::int64_t widest = p.before[k] > p.after[k] ? p.before[k] : p.after[k];
        if (p.before[k] < 0 || p.after[k] < 0 || widest > most_parts / 2) {
            return false;
        }
    }
    return true;
}

/// `x` with a border along an axis that is not the last one: slices of it that are joined to it.
constexpr int with_border(rewriter& w, op kind, int x, int along, std::int64_t before, std::int64_t after) {
    const std::int64_t extent = w.shape(x)[along];
    sequence<int> parts;
    const auto add = [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) {
            parts.push_back(w.slice(x, along, border_source(kind, extent, first + k), 1));
        }
    };
    add(-before, before);
    parts.push_back(x);
    add(extent, after);
    return w.emit(op::concat, axis{along}, std::span<const int>(parts.data(), parts.size()));
}

/// A border that only the texture engine makes, joined to its tensor from slices of it, axis by axis. The last axis changes
/// places with the one before it, since a slice that begins inside the width spoils large values (R090).
constexpr rewritten borders_as_parts(const graph_view& g, const target_description& t) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (!is_refused_border(g, n, t)) {
            return -1;
        }
        int x = w.operand(n, 0);
        const int last = n.shape.rank - 1;
        for (int k = 0; k <= last; ++k) {
            const std::int64_t before = n.get<pads>().before[k];
            const std::int64_t after = n.get<pads>().after[k];
            if (before == 0 && after == 0) {
                continue;
            }
            if (k < last) {
                x = with_border(w, n.kind, x, k, before, after);
                continue;
            }
            permutation turned;
            for (int axis = 0; axis <= last; ++axis) {
                turned.order.append(axis < last - 1 ? axis : axis == last ? last - 1 : last);
            }
            const int columns = last == 0 ? w.reshape(x, {w.shape(x)[0], 1}) : w.emit(op::transpose, turned, {x});
            const int wider = with_border(w, n.kind, columns, last == 0 ? 0 : last - 1, before, after);
            x = last == 0 ? w.reshape(wider, n.shape) : w.emit(op::transpose, turned, {wider});
        }
        return x;
    });
}

} // namespace ane::detail

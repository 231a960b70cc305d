#pragma once

#include "../passes/lowering.hpp"
#include "rewrite.hpp"

namespace ane::detail {

/// The attention unit as products and a softmax in the same program. The unit takes its operands slowly; its parts read
/// what is on the chip already (guide chapter 18: 3.7 to 5.3 times as fast).
constexpr rewritten attention_as_parts(const graph_view& g, const target_description&) {
    return rewrite_each(
        g, [&g](rewriter& w, int i) { return g[i].kind == op::attention ? lower_attention(w, g[i]) : -1; });
}

/// How many equal tiles of queries keep the scores of one tile on the chip; 1 where they fit, 0 where no number does.
constexpr std::int64_t query_tiles(std::int64_t scores_bytes, std::int64_t queries, std::int64_t room) {
    for (std::int64_t tiles = 1; tiles <= queries; ++tiles) {
        if (queries % tiles == 0 && scores_bytes / tiles < room) {
            return tiles;
        }
    }
    return 0;
}

/// Queries in tiles: each tile's scores stay on the chip (rewrites section 2).
constexpr rewritten tile_queries(const graph_view& g, const target_description& t) {
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (n.kind != op::attention) {
            return -1;
        }
        const extents& q = g.operand(n, 0).shape;
        const std::int64_t queries = q.height();
        const std::int64_t scores = bytes(n.type, q.count() / q.width() * g.operand(n, 1).shape.height());
        const std::int64_t tiles = query_tiles(scores, queries, t.memory.working_set_nominal);
        if (tiles < 2) {
            return -1;
        }
        const bool masks_rows =
            n.operands.count == 4 && g.operand(n, 3).shape.rank >= 2 && g.operand(n, 3).shape.height() == queries;
        const std::int64_t rows = queries / tiles;
        const auto rows_of = [&](int value, std::int64_t tile) {
            return w.slice(value, w.shape(value).rank - 2, tile * rows, rows);
        };
        sequence<int> parts;
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            sequence<int> operands;
            operands.push_back(rows_of(w.operand(n, 0), tile));
            operands.push_back(w.operand(n, 1));
            operands.push_back(w.operand(n, 2));
            if (n.operands.count == 4) {
                operands.push_back(masks_rows ? rows_of(w.operand(n, 3), tile) : w.operand(n, 3));
            }
            parts.push_back(
                w.emit(op::attention, n.get<score_scaling>(), std::span<const int>(operands.data(), operands.size())));
        }
        return w.emit(op::concat, axis{n.shape.rank - 2}, std::span<const int>(parts.data(), parts.size()));
    });
}

} // namespace ane::detail

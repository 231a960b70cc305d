#pragma once

#include "../analysis/envelope.hpp"
#include "../numerics/integer_products.hpp"
#include "products.hpp"

/// Rewrites for weights with a scale for each block of a row, which the engine does not have: it knows one scale for each
/// output channel (measured M5 Pro), and our files hold such a weight as fp16.
namespace ane::detail {

/// The elements of a block, if a layer can be split into one of each block: dense, of int8 in blocks along the features,
/// without zero points. 0 otherwise.
constexpr std::int64_t block_of_features(const graph_view& g, const node& n) {
    const bool pointwise = n.kind == op::conv2d && n.get<conv>().groups == 1 && g.operand(n, 1).shape[2] == 1 &&
                           g.operand(n, 1).shape[3] == 1;
    const bool rows = n.kind == op::linear || (n.kind == op::matmul && n.get<transposed>().b && !n.get<transposed>().a);
    if (!pointwise && !rows) {
        return 0;
    }
    const node& w = g.operand(n, 1);
    if (w.kind != op::compressed || g.operand(w, 0).kind != op::weight || (rows && w.shape.rank != 2)) {
        return 0;
    }
    const compression& c = w.get<compression>();
    const bool splits = c.form == weight_form::blockwise && c.bits == 8 && !c.zero_point && c.block > 0 &&
                        c.block < w.shape[1] && w.shape[1] / c.block <= most_parts;
    return splits ? c.block : 0;
}

/// Adds up values pairwise, in a tree.
constexpr int sum_of_tree(rewriter& w, sequence<int> parts) {
    while (parts.size() > 1) {
        sequence<int> sums;
        for (std::size_t i = 0; i < parts.size(); i += 2) {
            sums.push_back(i + 1 < parts.size() ? w.emit(op::add, no_attributes{}, {parts[i], parts[i + 1]})
                                                : parts[i]);
        }
        parts = sums;
    }
    return parts[0];
}

/// A layer with a weight in blocks as the sum, in a tree, of layers of one block each, which has one scale for each output
/// channel: the same integers and scales. Exact on M5 but for the roundings of the parts, and about 4 times slower (3.96
/// to 4.10 for blocks of 32, measured M5 Pro). Not where activations may pass 4094, which int8 by channel does not take.
constexpr rewritten split_blocks(const graph_view& g, const target_description&) {
    const std::vector<interval> known = ranges(g);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        const bool reads_weight = n.operands.count > 1;
        const std::int64_t block = reads_weight ? block_of_features(g, n) : 0;
        if (block == 0 || up_to(known[static_cast<std::size_t>(g.operands(i)[0])].magnitude(), gain_ceiling,
                                known[static_cast<std::size_t>(g.operands(i)[0])].declared)
                              .refuted()) {
            return -1;
        }
        const node& stored = g.operand(n, 1);
        const int features = n.kind == op::conv2d ? 1 : g.operand(n, 0).shape.rank - 1;
        compression by_channel = stored.get<compression>();
        by_channel.form = weight_form::affine;
        by_channel.block = 0;
        const int weight = w.renamed(g.operands(stored)[0]);
        sequence<int> parts;
        for (std::int64_t from = 0; from < stored.shape[1]; from += block) {
            const int x = w.slice(w.operand(n, 0), features, from, block);
            const int part = w.emit(op::compressed, by_channel, {w.slice(weight, 1, from, block)});
            const bool biased = from == 0 && n.operands.count == 3;
            parts.push_back(biased ? w.emit(n.kind, n.attributes, {x, part, w.operand(n, 2)})
                                   : w.emit(n.kind, n.attributes, {x, part}));
        }
        return sum_of_tree(w, parts);
    });
}

} // namespace ane::detail

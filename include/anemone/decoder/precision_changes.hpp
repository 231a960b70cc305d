#pragma once

#include "../base/way.hpp"
#include "../passes/rewriter.hpp"
#include "../rewrites/scaled_region.hpp"
#include "precision_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// Decoders that compute the same in another way. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// What double precision showed of a node.
struct node_facts {
    double largest = 0; ///< magnitude
    bool fits = true;   ///< fp16 holds it, within the bound or with fp16's digits
    bool is_given = false;
};

/// A graph with the residual stream in two fp16 numbers: of each sum s = hi + d the rounded sum and what the rounding took
/// (Knuth's two-sum, exact in fp16 without a wider number), which goes into the next one. Layers read the first number,
/// which is the stream rounded once, whatever the depth.
ANEMONE_INLINE changed_graph paired_residual(const graph_view& g, std::span<const part_place> places) {
    rewriter w(g);
    std::vector<int> low(g.nodes.size(), -1); // of the nodes of the stream
    int last = -1;
    for (int i = 0; i < g.size(); ++i) {
        last = places[static_cast<std::size_t>(i)].part == decoder_part::residual ? i : last;
    }
    const auto add = [&](int a, int b) { return w.emit(op::add, no_attributes{}, {a, b}); };
    const auto sub = [&](int a, int b) { return w.emit(op::sub, no_attributes{}, {a, b}); };
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        if (is_source(g[i].kind) || places[static_cast<std::size_t>(i)].part != decoder_part::residual) {
            w.rename(i, w.copy(i));
            continue;
        }
        const int stream = g.operands(i)[0];
        const int high = w.operand(g[i], 0);
        const int delta = w.operand(g[i], 1);
        const int sum = w.copy(i);
        const int taken = sub(sum, high);
        int rest = add(sub(high, sub(sum, taken)), sub(delta, taken));
        if (const int before = low[static_cast<std::size_t>(stream)]; before >= 0) {
            rest = add(rest, before);
        }
        const int both = add(sum, rest);
        if (i != last) {
            low[static_cast<std::size_t>(i)] = sub(rest, sub(both, sum));
        }
        w.rename(i, both);
    }
    for (const output_port& port : g.outputs) {
        w.add_output(w.renamed(port.node), port);
    }
    return {w.result(), w.origins()};
}

/// A model with some values held times powers of two.
struct scaled_model {
    changed_graph made;
    std::int64_t scaled = 0;
};

/// The powers of two by which values are held: those that fp16 does not hold, so that the largest is 2^largest, or small
/// ones 2^4; and the results of the projections value, output and down, all by the same. By node; 0: as it is.
ANEMONE_INLINE std::vector<int> powers_by_magnitude(const graph_view& g, std::span<const node_facts> facts,
                                                    int largest) {
    std::vector<int> powers(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        const node_facts& f = facts[static_cast<std::size_t>(i)];
        const auto operands = g.operands(i);
        const bool begins = std::all_of(operands.begin(), operands.end(),
                                        [&](int operand) { return facts[static_cast<std::size_t>(operand)].fits; });
        if (f.is_given || f.fits || !begins || f.largest == 0) {
            continue;
        }
        const int most = static_cast<int>(std::ceil(std::log2(f.largest)));
        powers[static_cast<std::size_t>(i)] = most > 14 ? most - largest : most < 4 ? most - 4 : 0;
    }
    return powers;
}
ANEMONE_INLINE std::vector<int> powers_of_projections(const graph_view& g, std::span<const part_place> places,
                                                      int power) {
    std::vector<int> powers(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        const decoder_part part = places[static_cast<std::size_t>(i)].part;
        const bool is_projection = g[i].kind == op::linear || g[i].kind == op::conv2d;
        if (is_projection &&
            (part == decoder_part::value || part == decoder_part::output || part == decoder_part::down)) {
            powers[static_cast<std::size_t>(i)] = power;
        }
    }
    return powers;
}

/// The graph with each of these values held as 2^-power of itself until fp16 holds what follows. `origins` says of each of
/// its nodes which one of `facts` and `powers` it stands for.
ANEMONE_INLINE scaled_model scaled_sums(const graph_view& g, const sequence<int>& origins,
                                        std::span<const node_facts> facts, std::span<const int> powers) {
    rewriter whole(g);
    for (int i = 0; i < g.size(); ++i) {
        whole.visit(i);
        whole.rename(i, whole.copy(i));
    }
    for (const output_port& port : g.outputs) {
        whole.add_output(whole.renamed(port.node), port);
    }
    scaled_model model{{whole.result(), origins}, 0};
    for (std::size_t node = 0; node < powers.size(); ++node) {
        if (powers[node] == 0) {
            continue;
        }
        const graph_view now = model.made.graph;
        int place = -1;
        std::vector<char> fits;
        for (int i = 0; i < now.size(); ++i) {
            const auto origin = static_cast<std::size_t>(model.made.origins[static_cast<std::size_t>(i)]);
            const bool is_given = is_source(now[i].kind);
            fits.push_back(is_given || facts[origin].fits ? 1 : 0);
            place = place < 0 && origin == node && !is_given ? i : place;
        }
        std::optional<changed_graph> changed = place < 0 ? std::nullopt : scaled_region(now, place, powers[node], fits);
        if (!changed) {
            continue;
        }
        for (int& origin : changed->origins) {
            origin = model.made.origins[static_cast<std::size_t>(origin)];
        }
        model.made = std::move(*changed);
        ++model.scaled;
    }
    return model;
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "../graph/copy.hpp"
#include "../numerics/integer_products.hpp"
#include "../passes/fusion.hpp"
#include "../passes/lowering.hpp"
#include "doors.hpp"

#include <cstddef>
#include <span>

namespace ane {

/// How a node takes part in a cut.
enum class cut_role : std::uint8_t {
    unread,   ///< no output depends on it
    source,   ///< an input, or known when the model is compiled: every segment has it
    repeated, ///< its value is in no port (no fp16, or a single number without an axis), or is its operand's: every
              ///< segment that reads it computes it again
    layer     ///< it belongs to one segment, which hands its value to the others
};

/// What may be cut, and what stays together, by node of the model.
struct cuttable {
    sequence<cut_role> roles;
    /// The node whose segment a layer shares, so that the segments have the bits of the whole: the layer before it in what
    /// the engine's compiler fuses, or the operand that lowering takes into account. -1 where there is none.
    sequence<int> leaders;
};

namespace detail {

/// Whether lowering gives the node its operand's own value.
constexpr bool is_alias(const graph_view& g, const node& n) {
    return n.kind == op::identity || (n.kind == op::cast && g.operand(n, 0).type == dtype::f16);
}
/// The node whose value another one has.
constexpr int resolved(const graph_view& g, int index) {
    while (is_alias(g, g[index])) {
        index = g.operands(index)[0];
    }
    return index;
}

constexpr sequence<cut_role> cut_roles(const graph_view& g) {
    sequence<char> read(g.nodes.size(), 0);
    for (const output_port& port : g.outputs) {
        read[static_cast<std::size_t>(port.node)] = 1;
    }
    for (int i = g.size() - 1; i >= 0; --i) {
        if (read[static_cast<std::size_t>(i)] != 0) {
            for (const int o : g.operands(i)) {
                read[static_cast<std::size_t>(o)] = 1;
            }
        }
    }
    const sequence<char> known = constant_nodes(g);
    sequence<cut_role> roles(g.nodes.size(), cut_role::unread);
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const node& n = g[i];
        if (read[at] == 0) {
            continue;
        }
        if (is_source(n.kind) || known[at] != 0) {
            roles[at] = cut_role::source;
        } else {
            const bool fits_a_port = n.type == dtype::f16 && n.shape.rank > 0;
            roles[at] = fits_a_port && !is_alias(g, n) ? cut_role::layer : cut_role::repeated;
        }
    }
    return roles;
}

/// The operand whose kind decides how a multiplication is lowered, or -1 (lower_mul).
constexpr int decisive_operand(const graph_view& g, const node& n) {
    if (n.kind != op::mul) {
        return -1;
    }
    const int reduction = reduction_times_zero(g, n);
    const int number = reduction < 0 ? number_after_whole(g, n) : -1;
    const int position = reduction >= 0 ? reduction : (number >= 0 ? 1 - number : -1);
    return position < 0 ? -1 : g.operands(n)[static_cast<std::size_t>(position)];
}

/// Which layers of a model stay together, and what follows from it.
class joiner {
public:
    constexpr explicit joiner(const graph_view& g) : result{cut_roles(g), sequence<int>(g.nodes.size(), -1)} {}

    constexpr void join(int leader, int follower) {
        if (!is_layer(leader) || !is_layer(follower)) {
            return;
        }
        while (follower > leader && result.leaders[static_cast<std::size_t>(follower)] >= 0) {
            follower = result.leaders[static_cast<std::size_t>(follower)];
        }
        if (follower > leader) {
            result.leaders[static_cast<std::size_t>(follower)] = leader;
        }
    }

    cuttable result;

private:
    constexpr bool is_layer(int i) const { return result.roles[static_cast<std::size_t>(i)] == cut_role::layer; }
};

/// `find_cuttable` of a model that was lowered but for the multiplications that merge (`lower_each`).
constexpr cuttable find_cuttable_of(const graph_view& g, const graph_view& lowered, std::span<const int> origins) {
    joiner joined(g);
    bool any = false;
    const sequence<folded_scale> scales = find_scales(lowered, any);
    const auto join_fused = [&](const graph_view& merged, const int* from) {
        const sequence<fusion> fused = fuse(merged);
        for (std::size_t i = 0; i < fused.size(); ++i) {
            if (fused[i].role != fused_as::own_layer) {
                joined.join(from[fused[i].stage], from[i]);
            }
        }
    };
    if (any) {
        const sequence<char> known = constant_nodes(lowered);
        for (int i = 0; i < lowered.size(); ++i) {
            if (scales[static_cast<std::size_t>(i)].source >= 0) {
                const auto position = static_cast<std::size_t>(1 - factor_position(lowered, i, known));
                joined.join(origins[static_cast<std::size_t>(lowered.operands(i)[position])],
                            origins[static_cast<std::size_t>(i)]);
            }
        }
        lowered_graph merged{copy_of(lowered), {}};
        merged.origins.append(origins);
        fold_scales(merged.graph, merged.origins);
        join_fused(merged.graph, merged.origins.data());
    } else {
        join_fused(lowered, origins.data());
    }
    for (int i = 0; i < lowered.size(); ++i) { // a product of integers, with what its integers come from
        const int dequantized = integer_operands_of(lowered, i).dequantized;
        for (int reader = i; dequantized >= 0 && reader != dequantized;) {
            const int from = lowered.operands(reader)[0];
            joined.join(origins[static_cast<std::size_t>(from)], origins[static_cast<std::size_t>(reader)]);
            reader = from;
        }
    }
    for (int i = 0; i < g.size(); ++i) {
        const int decisive = decisive_operand(g, g[i]);
        if (decisive >= 0) {
            joined.join(decisive, i);
        }
    }
    return joined.result;
}

} // namespace detail

/// Finds out what of a model may be cut: layers that the engine's compiler fuses stay together, and so do
/// multiplications that lowering merges.
constexpr cuttable find_cuttable(const graph_view& g) {
    const lowered_graph lowered = detail::lower_each(g);
    return detail::find_cuttable_of(g, lowered.graph, {lowered.origins.data(), lowered.origins.size()});
}

} // namespace ane

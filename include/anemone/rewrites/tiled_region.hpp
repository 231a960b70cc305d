#pragma once

#include "../graph/constants.hpp"
#include "../graph/readers.hpp"
#include "parts.hpp"

namespace ane::detail {

/// Whether a node may be part of a region that is cut.
enum class tiling : std::uint8_t {
    open,
    refused, ///< around it nothing can be cut; it may be part of what is cut around another one
    cut      ///< it belongs to a tile
};

/// A part of a graph that can run in tiles, one after another: for each node of it, the axis that is cut.
struct tiled_region {
    sequence<int> axis_of;  ///< by node; -1: outside
    sequence<char> leaving; ///< by node: whether it is read outside, or an output
    std::int64_t tiles = 0;
    int nodes = 0;

    constexpr bool has(int node) const { return axis_of[static_cast<std::size_t>(node)] >= 0; }
    constexpr int axis(int node) const { return axis_of[static_cast<std::size_t>(node)]; }
    constexpr bool leaves(int node) const { return leaving[static_cast<std::size_t>(node)] != 0; }
};

/// Finds layers between which values lie that do not fit on the chip, and which can be cut so that they do: along
/// batches, heads, rows, columns or the places of an image. Windows of convolutions and poolings overlap: what both
/// tiles need is computed twice rather than stored.
class region_finder {
public:
    static constexpr std::int64_t most_tiles = 64;

    constexpr region_finder(const graph_view& g, const target_description& t)
        : g_(g), room_(t.memory.working_set_nominal), known_(constant_nodes(g)), readers_(g) {}

    /// The region around large value `seed` with the most nodes, over all its axes; without tiles where there is none.
    constexpr tiled_region around(int seed, const sequence<tiling>& states) const {
        tiled_region best;
        for (int axis = 0; axis < g_[seed].shape.rank; ++axis) {
            tiled_region r = grown(seed, axis, states);
            if (r.nodes > best.nodes && hides_a_large_value(r)) {
                r.tiles = tiles_of(r);
                best = r.tiles > 0 ? r : best;
            }
        }
        return best;
    }
    constexpr bool is_large(int i) const {
        return is_computed(i) && g_[i].type == dtype::f16 && size_of(i, g_[i].shape.count()) >= room_;
    }
    /// What tile `tile` computes of each node; empty outside.
    constexpr sequence<extent_range> ranges_of(const tiled_region& r, std::int64_t tiles, std::int64_t tile) const {
        sequence<extent_range> needed(g_.nodes.size());
        for (int i = g_.size() - 1; i >= 0; --i) {
            if (!r.has(i)) {
                continue;
            }
            extent_range& mine = needed[static_cast<std::size_t>(i)];
            if (r.leaves(i)) {
                mine = mine.joined(own_part(r, i, tiles, tile));
            }
            for (int p = 0; p < g_[i].operands.count && mine.size() > 0; ++p) {
                const int o = g_.operands(i)[static_cast<std::size_t>(p)];
                if (r.has(o)) {
                    const extent_range part = need_of(g_, g_[i], r.axis(i), p)->of(mine, g_[o].shape[r.axis(o)]);
                    needed[static_cast<std::size_t>(o)] = needed[static_cast<std::size_t>(o)].joined(part);
                }
            }
        }
        return needed;
    }
    constexpr extent_range own_part(const tiled_region& r, int i, std::int64_t tiles, std::int64_t tile) const {
        const std::int64_t extent = g_[i].shape[r.axis(i)];
        return {extent * tile / tiles, extent * (tile + 1) / tiles};
    }

private:
    constexpr bool is_computed(int i) const {
        return !is_source(g_[i].kind) && known_[static_cast<std::size_t>(i)] == 0;
    }
    constexpr std::int64_t size_of(int i, std::int64_t count) const { return bytes(g_[i].type, count); }
    /// Whether node `i` can be cut along `axis`, and then reads its operands in parts.
    constexpr bool can_be_cut(int i, int axis) const {
        const node& n = g_[i];
        if (!is_computed(i) || n.type != dtype::f16 || axis >= n.shape.rank || n.shape[axis] < 2) {
            return false;
        }
        for (int p = 0; p < n.operands.count; ++p) {
            if (!need_of(g_, n, axis, p)) {
                return false;
            }
        }
        return true;
    }
    /// The axis of `reader` along which it needs `value` in parts along `axis`; or -1.
    constexpr int axis_for(int reader, int value, int axis) const {
        for (int along = 0; along < g_[reader].shape.rank; ++along) {
            bool fits = can_be_cut(reader, along);
            for (int p = 0; p < g_[reader].operands.count && fits; ++p) {
                fits = g_.operands(reader)[static_cast<std::size_t>(p)] != value ||
                       need_of(g_, g_[reader], along, p)->axis == axis;
            }
            if (fits) {
                return along;
            }
        }
        return -1;
    }

    /// Everything that computes or reads large values, from `seed` on, as far as it can be cut.
    constexpr tiled_region grown(int seed, int axis, const sequence<tiling>& states) const {
        tiled_region r;
        r.axis_of = sequence<int>(g_.nodes.size(), -1);
        sequence<int> open;
        const auto add = [&](int i, int along) {
            if (!r.has(i) && states[static_cast<std::size_t>(i)] != tiling::cut && can_be_cut(i, along)) {
                r.axis_of[static_cast<std::size_t>(i)] = along;
                open.push_back(i);
            }
        };
        add(seed, axis);
        while (!open.empty()) {
            const int i = open.back();
            open.pop_back();
            for (int p = 0; p < g_[i].operands.count; ++p) {
                const int o = g_.operands(i)[static_cast<std::size_t>(p)];
                const part_need need = *need_of(g_, g_[i], r.axis(i), p);
                if (need.axis >= 0 && (is_large(o) || is_stage_of(i, o))) {
                    add(o, need.axis);
                }
            }
            for (const int reader : readers_.of(i)) {
                if (is_large(i) || is_stage_of(reader, i)) {
                    if (const int along = axis_for(reader, i, r.axis(i)); along >= 0) {
                        add(reader, along);
                    }
                }
            }
        }
        do {
            drop_strangers(r);
        } while (drop_torn_layers(r));
        find_leaving(r);
        for (const int along : r.axis_of) {
            r.nodes += along >= 0 ? 1 : 0;
        }
        return r;
    }
    constexpr void find_leaving(tiled_region& r) const {
        r.leaving = sequence<char>(g_.nodes.size(), 0);
        for (int i = 0; i < g_.size(); ++i) {
            for (const int o : g_.operands(i)) {
                if (!r.has(i)) {
                    r.leaving[static_cast<std::size_t>(o)] = 1;
                }
            }
        }
        for (const output_port& port : g_.outputs) {
            r.leaving[static_cast<std::size_t>(port.node)] = 1;
        }
    }
    /// Drops the nodes that read the region other than in its parts, or through something outside of it.
    constexpr void drop_strangers(tiled_region& r) const {
        sequence<char> behind(g_.nodes.size(), 0); // outside, and computed from the region
        for (int i = 0; i < g_.size(); ++i) {
            bool late = false;
            bool reads = false;
            bool apart = false;
            for (int p = 0; p < g_[i].operands.count; ++p) {
                const int o = g_.operands(i)[static_cast<std::size_t>(p)];
                late = late || behind[static_cast<std::size_t>(o)] != 0;
                reads = reads || r.has(o);
                apart = apart || (r.has(i) && r.has(o) && need_of(g_, g_[i], r.axis(i), p)->axis != r.axis(o));
            }
            if (late || apart) {
                r.axis_of[static_cast<std::size_t>(i)] = -1;
            }
            behind[static_cast<std::size_t>(i)] = !r.has(i) && (late || reads) ? 1 : 0;
        }
    }
    /// Whether a node may become a stage of the layer that computes `value`, which rounds once less than two layers do.
    constexpr bool is_stage_of(int reader, int value) const {
        const node& n = g_[reader];
        if (!is_computed(value) || readers_.of(value).size() != 1) {
            return false;
        }
        const bool takes_constants = n.kind == op::batch_norm || (is_binary(n.kind) && has_constant(n));
        return takes_constants || is_unary(n.kind);
    }
    constexpr bool has_constant(const node& n) const {
        return known_[static_cast<std::size_t>(g_.operands(n)[0])] != 0 ||
               known_[static_cast<std::size_t>(g_.operands(n)[1])] != 0;
    }
    /// Drops layers without their stages, and stages without their layer.
    constexpr bool drop_torn_layers(tiled_region& r) const {
        bool any = false;
        for (int i = 0; i < g_.size(); ++i) {
            for (const int o : g_.operands(i)) {
                if (r.has(i) != r.has(o) && is_stage_of(i, o)) {
                    r.axis_of[static_cast<std::size_t>(r.has(i) ? i : o)] = -1;
                    any = true;
                }
            }
        }
        return any;
    }
    constexpr bool hides_a_large_value(const tiled_region& r) const {
        for (int i = 0; i < g_.size(); ++i) {
            if (r.has(i) && is_large(i) && !r.leaves(i)) {
                return true;
            }
        }
        return false;
    }

    /// The fewest tiles whose values all fit on the chip; 0: no number of them.
    constexpr std::int64_t tiles_of(const tiled_region& r) const {
        std::int64_t largest = 0;
        std::int64_t shortest = most_tiles;
        for (int i = 0; i < g_.size(); ++i) {
            if (r.has(i)) {
                const std::int64_t size = size_of(i, g_[i].shape.count());
                largest = size > largest ? size : largest;
                shortest = r.leaves(i) && g_[i].shape[r.axis(i)] < shortest ? g_[i].shape[r.axis(i)] : shortest;
            }
        }
        for (std::int64_t tiles = largest / room_ + 1; tiles <= shortest; ++tiles) {
            if (tiles > 1 && fits(r, tiles)) {
                return tiles;
            }
        }
        return 0;
    }
    constexpr bool fits(const tiled_region& r, std::int64_t tiles) const {
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            const sequence<extent_range> needed = ranges_of(r, tiles, tile);
            for (int i = 0; i < g_.size(); ++i) {
                if (!r.has(i)) {
                    continue;
                }
                const extent_range part = needed[static_cast<std::size_t>(i)];
                const std::int64_t slice = g_[i].shape.count() / g_[i].shape[r.axis(i)];
                if (part.size() <= 0 || size_of(i, slice * part.size()) >= room_ || is_padding(r, i, part)) {
                    return false;
                }
            }
        }
        return true;
    }
    /// Whether a part of node `i` reads nothing but padding of an operand.
    constexpr bool is_padding(const tiled_region& r, int i, const extent_range& part) const {
        for (int p = 0; p < g_[i].operands.count; ++p) {
            const part_need need = *need_of(g_, g_[i], r.axis(i), p);
            if (need.axis >= 0 && need.of(part, g_.operand(g_[i], p).shape[need.axis]).size() <= 0) {
                return true;
            }
        }
        return false;
    }

    graph_view g_;
    std::int64_t room_;
    sequence<char> known_;
    reader_lists readers_;
};

} // namespace ane::detail

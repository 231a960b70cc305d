#pragma once

#include "tiled_region.hpp"

namespace ane::detail {

/// Writes a graph again with one region of it in tiles.
class region_tiler {
public:
    constexpr region_tiler(const graph_view& g, const region_finder& finder, const tiled_region& region)
        : g_(g), finder_(finder), r_(region), w_(g), parts_(g.nodes.size()) {}

    /// `states` are by node, before and after.
    constexpr dynamic_graph make(sequence<tiling>& states) {
        sequence<tiling> after;
        sequence<char> behind(g_.nodes.size(), 0);
        const auto copy = [&](int i) {
            w_.visit(i);
            w_.rename(i, w_.copy(i));
            after.push_back(states[static_cast<std::size_t>(i)]);
        };
        for (int i = 0; i < g_.size(); ++i) {
            for (const int o : g_.operands(i)) {
                if (r_.has(o) || behind[static_cast<std::size_t>(o)] != 0) {
                    behind[static_cast<std::size_t>(i)] = 1;
                }
            }
            if (!r_.has(i) && behind[static_cast<std::size_t>(i)] == 0) {
                copy(i);
            }
        }
        for (std::int64_t tile = 0; tile < r_.tiles; ++tile) {
            emit_tile(tile);
        }
        join();
        while (after.size() < w_.result().nodes.size()) {
            after.push_back(tiling::cut);
        }
        for (int i = 0; i < g_.size(); ++i) {
            if (!r_.has(i) && behind[static_cast<std::size_t>(i)] != 0) {
                copy(i);
            }
        }
        for (const output_port& port : g_.outputs) {
            w_.add_output(w_.renamed(port.node), port);
        }
        states = after;
        return w_.result();
    }

private:
    struct cut {
        int of = 0; ///< a new node
        int axis = 0;
        extent_range part;
        int made = 0;
    };

    constexpr int slice(int value, int axis, const extent_range& part) {
        for (const cut& c : cuts_) {
            if (c.of == value && c.axis == axis && c.part == part) {
                return c.made;
            }
        }
        const int made = w_.slice(value, axis, part.begin, part.size());
        cuts_.push_back({value, axis, part, made});
        return made;
    }
    /// The elements `part` of an old node along `axis`, which a tile holds from `held` on.
    constexpr int part_of(int value, int axis, const extent_range& held, const extent_range& part) {
        return held == part ? value : slice(value, axis, {part.begin - held.begin, part.end - held.begin});
    }

    constexpr void emit_tile(std::int64_t tile) {
        const sequence<extent_range> held = finder_.ranges_of(r_, r_.tiles, tile);
        sequence<int> value(g_.nodes.size(), -1);
        for (int i = 0; i < g_.size(); ++i) {
            if (!r_.has(i)) {
                continue;
            }
            const node& n = g_[i];
            const auto at = static_cast<std::size_t>(i);
            w_.visit(i);
            sequence<int> operands;
            for (int p = 0; p < n.operands.count; ++p) {
                const int o = g_.operands(i)[static_cast<std::size_t>(p)];
                const part_need need = *need_of(g_, n, r_.axis(i), p);
                if (need.axis < 0) {
                    operands.push_back(w_.renamed(o));
                    continue;
                }
                const std::int64_t extent = g_[o].shape[need.axis];
                const extent_range whole = r_.has(o) ? held[static_cast<std::size_t>(o)] : extent_range{0, extent};
                operands.push_back(part_of(r_.has(o) ? value[static_cast<std::size_t>(o)] : w_.renamed(o), need.axis,
                                           whole, need.of(held[at], extent)));
            }
            value[at] =
                emit_part(w_, g_, n, r_.axis(i), held[at], std::span<const int>(operands.data(), operands.size()));
            if (r_.leaves(i)) {
                const extent_range own = finder_.own_part(r_, i, r_.tiles, tile);
                parts_[at].push_back(part_of(value[at], r_.axis(i), held[at], own));
            }
        }
    }
    constexpr void join() {
        for (int i = 0; i < g_.size(); ++i) {
            const sequence<int>& parts = parts_[static_cast<std::size_t>(i)];
            if (!parts.empty()) {
                w_.visit(i);
                w_.rename(i, w_.emit(op::concat, axis{r_.axis(i)}, std::span<const int>(parts.data(), parts.size())));
            }
        }
    }

    graph_view g_;
    const region_finder& finder_;
    const tiled_region& r_;
    rewriter w_;
    sequence<sequence<int>> parts_; // of what leaves the region, by old node
    sequence<cut> cuts_;
};

/// Layers between which values do not fit on the chip, in tiles between which they do (guide chapter 9, the working set;
/// rewrites 3). Tiles run one after another: the values of one are gone when the next begins.
constexpr rewritten tile_layers(const graph_view& g, const target_description& t) {
    bool any = false;
    for (const node& n : g.nodes) {
        any = any || (!is_source(n.kind) && bytes(n.type, n.shape.count()) >= t.memory.working_set_nominal);
    }
    if (!any) {
        return {};
    }
    dynamic_graph made = prune(g);
    sequence<tiling> states(made.nodes.size(), tiling::open);
    int places = 0;
    for (bool changed = true; changed;) {
        changed = false;
        const region_finder finder(made, t);
        for (int seed = 0; seed < static_cast<int>(states.size()) && !changed; ++seed) {
            tiling& state = states[static_cast<std::size_t>(seed)];
            if (state != tiling::open || !finder.is_large(seed)) {
                continue;
            }
            const tiled_region region = finder.around(seed, states);
            if (region.tiles == 0) {
                state = tiling::refused;
                continue;
            }
            made = region_tiler(made, finder, region).make(states);
            changed = true;
            ++places;
        }
    }
    return places > 0 ? rewritten{prune(made), places} : rewritten{};
}

} // namespace ane::detail

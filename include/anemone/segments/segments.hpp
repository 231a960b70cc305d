#pragma once

#include "layers.hpp"
#include "limits.hpp"
#include "segment.hpp"
#include "split.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ane {

namespace detail {

/// What is decided of a model before limits are looked at: which layers share a door, in which order of programs.
struct stages {
    sequence<segment> list;
    sequence<int> of;    ///< by node; -1 for those that are no layers
    sequence<int> heads; ///< by layer the first of those that stay together with it
};

class stage_finder {
public:
    constexpr stage_finder(const graph_view& g, cuttable what, sequence<door_set> doors)
        : g_(g), what_(std::move(what)), doors_(std::move(doors)), ends_(g.nodes.size(), 0),
          floors_(g.nodes.size(), 0) {
        found_.heads = sequence<int>(g.nodes.size(), -1);
        for (int i = 0; i < g.size(); ++i) {
            find_head(i);
        }
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].ends_segment) {
                const int value = resolved(g, i);
                ends_[at(is_layer(value) ? found_.heads[at(value)] : i)] = 1;
            }
        }
        for (int tries = 0; !place_all(); ++tries) {
            if (tries > g.size()) {
                refuse_segments("segments", "layers that are fused wait for each other", tries, g.size());
            }
        }
    }

    constexpr const stages& result() const { return found_; }
    constexpr const sequence<cut_role>& roles() const { return what_.roles; }

private:
    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }
    constexpr bool is_layer(int index) const { return what_.roles[at(index)] == cut_role::layer; }

    /// Fused layers need a door in common; else they part.
    constexpr void find_head(int i) {
        found_.heads[at(i)] = i;
        const int leader = what_.leaders[at(i)];
        if (leader < 0) {
            return;
        }
        const int head = found_.heads[at(leader)];
        const door_set both = common(doors_[at(head)], doors_[at(i)]);
        if (both != door_set{}) {
            doors_[at(head)] = both;
            found_.heads[at(i)] = head;
        }
    }

    constexpr door preferred(int i) const {
        const door_set& all = doors_[at(i)];
        return all.contains(door::direct) ? door::direct : (all.contains(door::netplist) ? door::netplist : door::host);
    }

    /// Gives each layer the first stage in which all that it reads is there; false where the first of several that stay
    /// together has to come later.
    constexpr bool place_all() {
        found_.list = {};
        found_.of = sequence<int>(g_.nodes.size(), -1);
        ready_ = sequence<int>(g_.nodes.size(), 0);
        for (int i = 0; i < g_.size(); ++i) {
            if (is_layer(i)) {
                if (!place(i)) {
                    return false;
                }
            } else if (what_.roles[at(i)] == cut_role::repeated) {
                ready_[at(i)] = need_of(i) + (ends_[at(i)] != 0 ? 1 : 0);
            }
        }
        return true;
    }

    /// The first stage in which the operands of a node are there.
    constexpr int need_of(int i) const {
        int need = 0;
        for (const int o : g_.operands(i)) {
            const int value = resolved(g_, o);
            const bool together = is_layer(i) && is_layer(value) && found_.heads[at(value)] == found_.heads[at(i)];
            const int from = together ? found_.of[at(value)] : ready_[at(o)];
            need = from > need ? from : need;
        }
        return need;
    }

    constexpr bool place(int i) {
        const int head = found_.heads[at(i)];
        int need = need_of(i);
        if (head != i) {
            if (need > found_.of[at(head)]) {
                floors_[at(head)] = need;
                return false;
            }
            found_.of[at(i)] = found_.of[at(head)];
        } else {
            need = floors_[at(i)] > need ? floors_[at(i)] : need;
            found_.of[at(i)] = find_stage(i, need);
        }
        require_doors(i);
        ready_[at(i)] = found_.of[at(i)] + (ends_[at(head)] != 0 ? 1 : 0);
        return true;
    }

    constexpr int find_stage(int i, int need) {
        const door place = preferred(i);
        int stage = need;
        while (stage < count() && found_.list[at(stage)].place != place) {
            ++stage;
        }
        if (stage >= count()) {
            stage = count();
            found_.list.push_back({.place = place, .why = reason(i, place, need), .because = i});
        }
        return stage;
    }
    constexpr int count() const { return static_cast<int>(found_.list.size()); }

    constexpr cut_reason reason(int i, door place, int need) const {
        if (need > 0 && need == count() && found_.list[at(need - 1)].place == place) {
            return cut_reason::marked; // only a mark leads behind the last stage
        }
        switch (place) {
        case door::host: return g_[i].on_host ? cut_reason::given_to_host : cut_reason::host_only;
        case door::netplist: return cut_reason::netplist_only;
        case door::direct: break;
        }
        return count() == 0 ? cut_reason::start : cut_reason::resumption;
    }

    /// What a layer reads and no port holds is computed in its own program, which has to be able to.
    constexpr void require_doors(int i) const {
        const door place = found_.list[at(found_.of[at(i)])].place;
        if (place == door::host) {
            return;
        }
        for (const int o : g_.operands(i)) {
            if (what_.roles[at(o)] == cut_role::repeated && !is_alias(g_, g_[o]) && !doors_[at(o)].contains(place) &&
                doors_[at(o)] == door_set{door::host}) {
                refuse_graph(name(g_[o].kind),
                             "the host computes it, and no port hands its value to the engine: give its readers to the "
                             "host too");
            }
        }
    }

    graph_view g_;
    cuttable what_;
    sequence<door_set> doors_; ///< of a head: of all that stay together with it
    sequence<char> ends_;
    sequence<int> floors_;
    sequence<int> ready_; ///< by node the first stage that may read it
    stages found_;
};

/// Cuts one stage where it exceeds a limit, each time at the place of the last half before it where the fewest bytes
/// are handed over. Appends the segments to `result`.
constexpr void split_stage(const graph_view& g, const stages& found, int stage, const sequence<cut_role>& roles,
                           const segment_limits& limits, sequence<int>& positions, segmentation& result) {
    sequence<int> layers;
    for (int i = 0; i < g.size(); ++i) {
        if (found.of[static_cast<std::size_t>(i)] == stage) {
            layers.push_back(i);
        }
    }
    const std::size_t count = layers.size();
    const bool bounded = found.list[static_cast<std::size_t>(stage)].place != door::host;
    segment next = found.list[static_cast<std::size_t>(stage)];
    program_load taking(g, roles);
    crossings crossed;
    for (std::size_t first = 0; first < count;) {
        taking.begin();
        std::size_t end = first;
        segment load;
        while (end < count) {
            taking.take(layers[end]);
            if (bounded && exceeded(taking.load, limits) != cut_reason::start) {
                break;
            }
            load = taking.load;
            ++end;
        }
        cut_reason why = cut_reason::start;
        if (end < count) {
            why = exceeded(taking.load, limits);
            if (crossed.bytes.empty()) {
                crossed = find_crossings(g, roles, layers, found.heads, positions);
            }
            std::size_t best = first;
            for (std::size_t p = end; p > first; --p) {
                const bool cheaper = best == first || crossed.bytes[p] < crossed.bytes[best];
                const bool late = p >= first + (end - first + 1) / 2;
                if (crossed.spanned[p] == 0 && cheaper && (late || best == first)) {
                    best = p;
                }
            }
            if (best == first) {
                keep_unsegmented(g, unsegmented_layer(layers[end], taking.load, limits), result);
                return;
            }
            if (best < end) { // count again what stays
                end = best;
                taking.begin();
                for (std::size_t p = first; p < end; ++p) {
                    taking.take(layers[p]);
                }
                load = taking.load;
            }
        }
        for (std::size_t p = first; p < end; ++p) {
            result.nodes[static_cast<std::size_t>(layers[p])] = result.size();
        }
        next.operations = load.operations;
        next.decoder_layers = load.decoder_layers;
        next.weight_bytes = load.weight_bytes;
        result.list.push_back(next);
        first = end;
        if (first < count) {
            next.why = why;
            next.because = layers[first];
        }
    }
    for (const int layer : layers) { // for the next stage
        positions[static_cast<std::size_t>(layer)] = -1;
    }
}

/// Cuts the stages of a model where they exceed a limit.
constexpr segmentation split_stages(const graph_view& g, const stages& found, const sequence<cut_role>& roles,
                                    bool has_direct_door, const segment_limits& limits) {
    segmentation result;
    result.nodes = sequence<int>(g.nodes.size(), -1);
    sequence<int> positions(g.nodes.size(), -1);
    for (std::size_t i = 0; i < found.list.size(); ++i) {
        split_stage(g, found, static_cast<int>(i), roles, limits, positions, result);
        if (result.refused.any) {
            return result;
        }
    }
    if (result.list.empty()) { // outputs that nothing computes
        result.list.push_back({.place = has_direct_door ? door::direct : door::netplist});
    }
    const int programs = result.size() - result.view().count(door::host);
    if (limits.programs > 0 && programs > limits.programs) {
        keep_unsegmented(
            g, {true, segment_rule::there_are_more_programs_than_a_process_loads, -1, programs, limits.programs},
            result);
    }
    return result;
}

} // namespace detail

/// Cuts a model into programs for a target, where one cannot hold it: by the doors that its operations need, where it
/// is marked (`cut`, `on_host`), and where a program would exceed its limits. Segments run in their order. Layers that
/// the engine's compiler fuses stay together, so that together the segments on the engine compute the bits of the whole.
/// Throws `error` (errc::graph) where a single layer exceeds a limit, or where there are more programs on the engine than
/// a process loads.
constexpr segmentation segments_of(const graph_view& g, const target_description& chip,
                                   const segment_limits& limits = {}) {
    const detail::stage_finder finder(g, find_cuttable(g), doors_of(g, chip));
    return detail::split_stages(g, finder.result(), finder.roles(), chip.mil_supported, limits);
}
constexpr segmentation segments_of(const graph_view& g, target generation, const segment_limits& limits = {}) {
    return segments_of(g, describe(generation), limits);
}

} // namespace ane

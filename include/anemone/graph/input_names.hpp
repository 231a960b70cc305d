#pragma once

#include "graph.hpp"

#include <cstddef>
#include <string_view>

namespace ane {

/// The inputs of a graph by their names, each found in the same few steps however many there are.
class input_names {
public:
    constexpr explicit input_names(const graph_view& g) : g_(g) {
        std::size_t count = 0;
        for (const node& n : g.nodes) {
            count += n.kind == op::input ? 1 : 0;
        }
        std::size_t room = 1;
        while (room < 2 * count + 1) {
            room *= 2;
        }
        slots_ = sequence<int>(room, -1);
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                slots_[slot_of(g.name(i))] = i;
            }
        }
    }
    /// The node of that name, -1: none.
    constexpr int find(std::string_view name) const { return slots_[slot_of(name)]; }

private:
    constexpr std::size_t slot_of(std::string_view name) const {
        std::size_t i = dynamic_graph::hash_of(name) & (slots_.size() - 1);
        while (slots_[i] >= 0 && g_.name(slots_[i]) != name) {
            i = (i + 1) & (slots_.size() - 1);
        }
        return i;
    }

    graph_view g_;
    sequence<int> slots_; ///< nodes by the hash of their names, a power of two, at most half full
};

} // namespace ane

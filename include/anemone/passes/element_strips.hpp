#pragma once

#include "fused_layers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Functions of elements that a host computes strip by strip: all of them of some elements, then of the next ones, so that what
/// is between them stays in the nearest caches. An update of a weight and its moments is one.
namespace ane {

/// Functions of elements, all of one number of elements, whose values nobody else reads but callers.
struct element_strips {
    sequence<int> nodes{};   ///< rising; all are computed at the step of the last one
    sequence<int> inputs{};  ///< what they read: of as many elements, or of one
    sequence<int> results{}; ///< of the nodes, those that are outputs of the graph; the last one is the last of these
    std::int64_t elements = 0;

    constexpr int end() const { return nodes.back(); }
};

namespace detail {

/// Looks for them, from the outputs back. Whole layers are members, of which none has a host.
class element_strips_search {
public:
    constexpr element_strips_search(const graph_view& g, const fused_layers& layers, std::int64_t least)
        : g_(g), layers_(layers), known_(constant_nodes(g)), possible_(g.nodes.size(), 1),
          is_output_(g.nodes.size(), 0), group_(g.nodes.size(), -1) {
        for (const output_port& port : g.outputs) {
            is_output_[static_cast<std::size_t>(port.node)] = 1;
        }
        for (int i = 0; i < g.size(); ++i) { // a layer with one node that is none
            const auto end = static_cast<std::size_t>(layers.end_of(i));
            possible_[end] = possible_[end] != 0 && is_member(i, least) ? 1 : 0;
        }
    }

    constexpr sequence<element_strips> found(std::size_t least_nodes) {
        sequence<char> read_outside(g_.nodes.size(), 0);
        sequence<int> reader(g_.nodes.size(), -1); // one that is a member
        for (int i = g_.size() - 1; i >= 0; --i) {
            const auto at = static_cast<std::size_t>(i);
            const bool is_read = reader[at] >= 0;
            if (possible_[static_cast<std::size_t>(layers_.end_of(i))] != 0 && read_outside[at] == 0 &&
                (is_read || is_output_[at] != 0)) {
                group_[at] = is_read ? root(reader[at]) : i;
            }
            for (const int o : g_.operands(i)) {
                const auto from = static_cast<std::size_t>(o);
                if (group_[at] < 0 || g_[o].shape.count() != g_[i].shape.count()) { // of one element: no member
                    read_outside[from] = 1;
                    continue;
                }
                if (reader[from] >= 0 && possible_[static_cast<std::size_t>(layers_.end_of(o))] != 0) {
                    join(reader[from], i);
                }
                reader[from] = i;
            }
        }
        sequence<element_strips> all;
        sequence<int> place(g_.nodes.size(), -1); // of a group among them
        sequence<int> listed(g_.nodes.size(), -1);
        for (int i = 0; i < g_.size(); ++i) {
            if (group_[static_cast<std::size_t>(i)] >= 0) {
                int& at = place[static_cast<std::size_t>(root(i))];
                if (at < 0) {
                    at = static_cast<int>(all.size());
                    all.push_back({});
                    all.back().elements = g_[i].shape.count();
                }
                element_strips& to = all[static_cast<std::size_t>(at)];
                to.nodes.push_back(i);
                if (is_output_[static_cast<std::size_t>(i)] != 0) {
                    to.results.push_back(i);
                }
                for (const int o : g_.operands(i)) {
                    const auto from = static_cast<std::size_t>(o);
                    if (group_[from] < 0 && listed[from] != at) {
                        listed[from] = at;
                        to.inputs.push_back(o);
                    }
                }
            }
        }
        sequence<element_strips> large;
        for (const element_strips& each : all) {
            if (each.nodes.size() >= least_nodes) {
                large.push_back(each);
            }
        }
        std::sort(large.begin(), large.end(),
                  [](const element_strips& a, const element_strips& b) { return a.end() < b.end(); });
        return large;
    }

private:
    constexpr bool is_member(int index, std::int64_t least) const {
        const node& n = g_[index];
        const bool stays = keeps_elements(n.kind);
        if (known_[static_cast<std::size_t>(index)] != 0 || (n.type != dtype::f16 && n.type != dtype::boolean) ||
            n.shape.count() < least || (stays && is_output_[static_cast<std::size_t>(index)] != 0) ||
            !(stays || is_unary(n.kind) || is_binary(n.kind) || gives_booleans(n.kind) || n.kind == op::select)) {
            return false;
        }
        const auto operands = g_.operands(n);
        return std::all_of(operands.begin(), operands.end(), [&](int o) {
            return (g_[o].type == dtype::f16 || g_[o].type == dtype::boolean) &&
                   (g_[o].shape.count() == n.shape.count() || g_[o].shape.count() == 1);
        });
    }

    constexpr int root(int index) {
        while (group_[static_cast<std::size_t>(index)] != index) {
            index = group_[static_cast<std::size_t>(index)];
        }
        return index;
    }
    /// The later root stays: nodes that are looked at afterwards come before it.
    constexpr void join(int a, int b) {
        a = root(a);
        b = root(b);
        group_[static_cast<std::size_t>(std::min(a, b))] = std::max(a, b);
    }

    const graph_view& g_;
    const fused_layers& layers_;
    sequence<char> known_;
    sequence<char> possible_; ///< by end of a layer
    sequence<char> is_output_;
    sequence<int> group_; ///< by member: another one, or itself; else -1
};

} // namespace detail

/// Those of a graph with so many elements and nodes at least, in the order of their ends.
constexpr sequence<element_strips> find_element_strips(const graph_view& g, const fused_layers& layers,
                                                       std::int64_t least_elements, std::size_t least_nodes) {
    return detail::element_strips_search(g, layers, least_elements).found(least_nodes);
}

/// Makes each of them a layer that ends in its last node; further results keep a place in memory of their own.
constexpr void join_element_strips(const sequence<element_strips>& all, fused_layers& layers) {
    for (const element_strips& each : all) {
        int before = -1;
        for (const int member : each.nodes) {
            const auto at = static_cast<std::size_t>(member);
            const bool is_result = std::find(each.results.begin(), each.results.end(), member) != each.results.end();
            layers.ends[at] = is_result ? member : each.end();
            layers.before[at] = before;
            layers.hosts[at] = member;
            before = member;
        }
    }
}

} // namespace ane

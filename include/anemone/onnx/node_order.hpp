#pragma once

#include "../base/formatted.hpp"
#include "names.hpp"
#include "proto.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

/// In which order the nodes of a graph are read. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

using nodes_of = ::google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

/// Calls `visit` with the names that a node reads: its operands, and what its branches and loops take from around them.
ANEMONE_INLINE void for_each_read(const ::onnx::NodeProto& n, const std::function<void(const std::string&)>& visit,
                                  int depth = 0) {
    constexpr int deepest = 64; // as the reader goes
    for (const std::string& name : n.input()) {
        visit(name);
    }
    for (const auto& a : n.attribute()) {
        if (!a.has_g() || depth >= deepest) {
            continue;
        }
        std::unordered_set<std::string_view> own; // which may be called as values around them
        for (const auto& each : a.g().initializer()) {
            own.insert(each.name());
        }
        for (const auto& each : a.g().input()) {
            own.insert(each.name());
        }
        for (const auto& inner : a.g().node()) {
            own.insert(inner.output().begin(), inner.output().end());
        }
        const auto visit_around = [&](const std::string& name) {
            if (!own.contains(name)) {
                visit(name);
            }
        };
        for (const auto& inner : a.g().node()) {
            for_each_read(inner, visit_around, depth + 1);
        }
        for (const auto& end : a.g().output()) {
            visit_around(end.name());
        }
    }
}

/// The nodes of a graph, each behind those that it reads, else as they stand in the file; the standard asks for it, and
/// exporters that edit graphs forget it.
struct node_order {
    std::vector<int> nodes;  ///< all that no cycle holds up
    std::vector<int> circle; ///< the nodes of one cycle, each read by the next; empty where there is none
};

/// Sorts by counting what each node waits for (Kahn, 1962), the first in the file first.
/// `is_given` says which names have a value before any node is read.
ANEMONE_INLINE node_order ordered(const nodes_of& nodes, const std::function<bool(const std::string&)>& is_given) {
    const int count = nodes.size();
    std::unordered_map<std::string_view, int> makers;
    for (int i = 0; i < count; ++i) {
        for (const std::string& name : nodes[i].output()) {
            if (!is_given(name)) {
                makers.emplace(name, i); // a second one is told by the reader
            }
        }
    }
    std::vector<std::vector<int>> readers(static_cast<std::size_t>(count));
    std::vector<int> waits(static_cast<std::size_t>(count), 0);
    for (int i = 0; i < count; ++i) {
        for_each_read(nodes[i], [&](const std::string& name) {
            const auto found = name.empty() ? makers.end() : makers.find(name);
            if (found != makers.end()) {
                readers[static_cast<std::size_t>(found->second)].push_back(i);
                ++waits[static_cast<std::size_t>(i)];
            }
        });
    }
    node_order order;
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < count; ++i) {
        if (waits[static_cast<std::size_t>(i)] == 0) {
            ready.push(i);
        }
    }
    while (!ready.empty()) {
        const int i = ready.top();
        ready.pop();
        order.nodes.push_back(i);
        for (const int reader : readers[static_cast<std::size_t>(i)]) {
            if (--waits[static_cast<std::size_t>(reader)] == 0) {
                ready.push(reader);
            }
        }
    }
    if (static_cast<int>(order.nodes.size()) == count) {
        return order;
    }
    // Each node that still waits reads another such: going back from one leads into a cycle.
    std::vector<int> waits_for(static_cast<std::size_t>(count), -1);
    int at = -1;
    for (int i = 0; i < count; ++i) {
        for (const int reader : readers[static_cast<std::size_t>(i)]) {
            if (waits[static_cast<std::size_t>(i)] > 0 && waits[static_cast<std::size_t>(reader)] > 0) {
                waits_for[static_cast<std::size_t>(reader)] = i;
                at = at < 0 ? reader : at;
            }
        }
    }
    for (int i = 0; i < count; ++i) { // longer than any way into the cycle
        at = waits_for[static_cast<std::size_t>(at)];
    }
    for (int i = at; order.circle.empty() || i != at; i = waits_for[static_cast<std::size_t>(i)]) {
        order.circle.insert(order.circle.begin(), i);
    }
    std::rotate(order.circle.begin(), std::min_element(order.circle.begin(), order.circle.end()), order.circle.end());
    return order;
}

/// What a node is called: by its name, else by its first result.
ANEMONE_INLINE std::string label_of(const ::onnx::NodeProto& n) {
    return !n.name().empty() ? n.name() : n.output_size() > 0 ? n.output(0) : std::string();
}

/// "a -> b -> a"; of a long cycle both ends.
ANEMONE_INLINE std::string text_of_circle(const nodes_of& nodes, const std::vector<int>& circle) {
    constexpr std::size_t listed = 16;
    std::string text;
    for (std::size_t i = 0; i < circle.size(); ++i) {
        if (circle.size() > listed && i == listed - 1) {
            text += formatted("({} more) -> ", circle.size() - listed);
            i = circle.size() - 1;
        }
        text += shown(label_of(nodes[circle[i]])) + " -> ";
    }
    return text + shown(label_of(nodes[circle[0]]));
}

} // namespace ane::onnx::inline ANEMONE_WAY

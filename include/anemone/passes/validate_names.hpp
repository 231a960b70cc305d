#pragma once

#include "../graph/builder.hpp"
#include "../graph/graph.hpp"
#include "../graph/merge_sort.hpp"

#include <string_view>

namespace ane {

namespace detail {

constexpr void require_different(sequence<std::string_view>& names, std::string_view sentence) {
    merge_sort(names, [](std::string_view a, std::string_view b) { return a < b; });
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (names[i] == names[i - 1]) {
            refuse_graph(names[i], sentence);
        }
    }
}

} // namespace detail

/// Part of `validate`: the names of ports are identifiers and differ from each other, those of weights differ too.
/// Builders look names up before they take them, so that constants need no second look.
constexpr void validate_names(const graph_view& g) {
    sequence<std::string_view> ports;
    sequence<std::string_view> weights;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            ports.push_back(g.text(n.name));
        } else if (n.kind == op::weight) {
            weights.push_back(g.text(n.name));
        }
    }
    for (const output_port& port : g.outputs) {
        ports.push_back(g.name(port));
    }
    for (const std::string_view name : ports) {
        if (!is_identifier(name)) {
            detail::refuse_graph(name, sentence(model_rule::a_port_name_is_letters_digits_and_underscores));
        }
    }
    detail::require_different(ports, "two ports of the graph have this name");
    detail::require_different(weights, "two weights of the graph have this name");
}

} // namespace ane

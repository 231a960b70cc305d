#pragma once

#include "../graph/builder.hpp"
#include "../graph/graph.hpp"

#include <string_view>

namespace ane {

namespace detail {

/// Sorts texts by merging, longer and longer runs: n log n whatever they are. (<algorithm> is a quarter of what a model
/// file would include.)
constexpr void sort_texts(sequence<std::string_view>& texts) {
    const std::size_t count = texts.size();
    sequence<std::string_view> merged(count);
    for (std::size_t run = 1; run < count; run *= 2) {
        for (std::size_t first = 0; first < count; first += 2 * run) {
            const std::size_t middle = first + run < count ? first + run : count;
            const std::size_t last = first + 2 * run < count ? first + 2 * run : count;
            std::size_t a = first;
            std::size_t b = middle;
            for (std::size_t to = first; to < last; ++to) {
                const bool takes_a = b == last || (a < middle && !(texts[b] < texts[a]));
                merged[to] = texts[takes_a ? a++ : b++];
            }
        }
        std::swap(texts, merged);
    }
}

constexpr void require_different(sequence<std::string_view>& names, std::string_view sentence) {
    sort_texts(names);
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

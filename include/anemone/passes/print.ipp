#pragma once

#include "../base/formatted.hpp"
#include "../io/unicode.hpp"
#include "print.hpp"
#include "validate.hpp"

#include <string_view>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string print(const extents& shape) {
    std::string text = "[";
    for (int i = 0; i < shape.rank; ++i) {
        text += formatted("{}{}", i == 0 ? "" : ", ", shape[i]);
    }
    return text + "]";
}

ANEMONE_BODY std::string print(dtype type, const extents& shape) {
    return formatted("{} {}", mil_name(type), print(shape));
}

ANEMONE_BODY std::string print(const graph_view& g, int index) {
    const std::string_view given = g.name(index);
    return given.empty() ? formatted("{} #{}", name(g[index].kind), index)
                         : formatted("{} \"{}\"", name(g[index].kind), detail::printable(given));
}

ANEMONE_BODY std::string print(const graph_view& g) {
    validate_nodes(g, 0, g.size()); // also of a graph that is not finished
    if (!g.outputs.empty()) {
        validate_outputs(g);
    }
    std::string text;
    for (int i = 0; i < g.size(); ++i) {
        std::string operands;
        for (const int o : g.operands(i)) {
            operands += formatted(" #{}", o);
        }
        const std::string_view given = g.name(i);
        text += formatted("#{:<4} {:<16} {:<24}{}{}{}{}\n", i, name(g[i].kind), print(g[i].type, g[i].shape), operands,
                          given.empty() ? "" : formatted(" \"{}\"", detail::printable(given)),
                          g[i].on_host ? ", on the host" : "", g[i].ends_segment ? ", ends a segment" : "");
    }
    for (const output_port& port : g.outputs) {
        text += port.is_state() ? formatted("state \"{}\" becomes #{}\n", g.name(port.state), port.node)
                                : formatted("output \"{}\" is #{}\n", g.name(port), port.node);
    }
    return text;
}

} // namespace ane::inline ANEMONE_WAY

#pragma once

#include "print.hpp"

#include <fmt/format.h>

#include <string_view>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string print(const extents& shape) {
    std::string text = "[";
    for (int i = 0; i < shape.rank; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
    }
    return text + "]";
}

ANEMONE_BODY std::string print(dtype type, const extents& shape) {
    return fmt::format("{} {}", mil_name(type), print(shape));
}

ANEMONE_BODY std::string print(const graph_view& g, int index) {
    const std::string_view given = g.name(index);
    return given.empty() ? fmt::format("{} #{}", name(g[index].kind), index)
                         : fmt::format("{} \"{}\"", name(g[index].kind), given);
}

ANEMONE_BODY std::string print(const graph_view& g) {
    std::string text;
    for (int i = 0; i < g.size(); ++i) {
        std::string operands;
        for (const int o : g.operands(i)) {
            operands += fmt::format(" #{}", o);
        }
        const std::string_view given = g.name(i);
        text += fmt::format("#{:<4} {:<16} {:<24}{}{}\n", i, name(g[i].kind), print(g[i].type, g[i].shape), operands,
                            given.empty() ? "" : fmt::format(" \"{}\"", given));
    }
    for (const output_port& port : g.outputs) {
        text += fmt::format("output \"{}\" is #{}\n", g.name(port), port.node);
    }
    return text;
}

} // namespace ane::inline ANEMONE_WAY

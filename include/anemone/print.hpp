#pragma once

#include "graph/graph.hpp"
#include "half.hpp"
#include "way.hpp"

#include <fmt/format.h>

#include <string>

/// Text forms of the library's values, for reports, errors and debugging.
namespace ane::inline ANEMONE_WAY {

/// "[1, 64, 56, 56]"
ANEMONE_INLINE std::string print(const extents& shape) {
    std::string text = "[";
    for (int i = 0; i < shape.rank; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
    }
    return text + "]";
}

/// "fp16 [1, 64, 56, 56]"
ANEMONE_INLINE std::string print(dtype type, const extents& shape) {
    return fmt::format("{} {}", mil_name(type), print(shape));
}

/// `conv2d "stem"` for a named node, `conv2d #12` for another.
ANEMONE_INLINE std::string print(const graph_view& g, int index) {
    const std::string_view given = g.name(index);
    return given.empty() ? fmt::format("{} #{}", name(g[index].kind), index)
                         : fmt::format("{} \"{}\"", name(g[index].kind), given);
}

/// Every node of a graph, a line each: number, operation, shape, operands, name and source line.
ANEMONE_INLINE std::string print(const graph_view& g) {
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

/// A half prints as the shortest decimal that reads back as the same half's float value.
template <> struct fmt::formatter<ane::half> : fmt::formatter<float> {
    template <class Context> auto format(ane::half value, Context& context) const {
        return fmt::formatter<float>::format(static_cast<float>(value), context);
    }
};

#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../graph/reflection.hpp"
#include "../passes/print.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// What stands in the boxes of a drawing.
namespace ane::drawing::inline ANEMONE_WAY {

/// Operations of one colour.
enum class kind : std::uint8_t {
    port,
    constant,
    contraction,
    elementwise,
    activation,
    pooling,
    normalization,
    reduction,
    movement,
    attention,
    block ///< several operations in one box
};
inline constexpr std::size_t kind_count = static_cast<std::size_t>(kind::block) + 1;

constexpr std::string_view name(kind k) noexcept {
    constexpr std::string_view names[kind_count] = {"port",       "constant",  "contraction",   "elementwise",
                                                    "activation", "pooling",   "normalization", "reduction",
                                                    "movement",   "attention", "block"};
    return names[static_cast<std::size_t>(k)];
}

constexpr kind kind_of(op o) noexcept {
    switch (signature(o).group) {
    case op_group::source: return o == op::input ? kind::port : kind::constant;
    case op_group::contraction: return kind::contraction;
    case op_group::binary:
    case op_group::comparison:
    case op_group::logic:
    case op_group::parametric: return kind::elementwise;
    case op_group::unary: return kind::activation;
    case op_group::window: return kind::pooling;
    case op_group::normalization: return kind::normalization;
    case op_group::reduction:
    case op_group::arg_reduction:
    case op_group::scan: return kind::reduction;
    case op_group::attention: return kind::attention;
    case op_group::quantization: return o == op::compressed ? kind::constant : kind::movement;
    case op_group::movement:
    case op_group::texture:
    case op_group::rank:
    case op_group::native: break;
    }
    return kind::movement;
}

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::drawing::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::string text_of(int value) { return formatted("{}", value); }
ANEMONE_INLINE std::string text_of(bool value) { return value ? "yes" : "no"; }
ANEMONE_INLINE std::string text_of(float value) { return formatted("{:.4g}", value); }
ANEMONE_INLINE std::string text_of(double value) { return formatted("{:.4g}", value); }
ANEMONE_INLINE std::string text_of(dtype value) { return std::string(mil_name(value)); }
template <class Enum>
    requires requires(Enum e) { ane::name(e); }
std::string text_of(Enum value) { return std::string(ane::name(value)); }
ANEMONE_INLINE std::string text_of(const extents& value) { return print(value); }
ANEMONE_INLINE std::string text_of(const size2& value) {
    return value.height == value.width ? formatted("{}", value.height)
                                       : formatted("{}\u00d7{}", value.height, value.width);
}
ANEMONE_INLINE std::string text_of(const padding2& value) {
    if (value.top == value.bottom && value.left == value.right) {
        return text_of(size2(value.top, value.left));
    }
    return formatted("{} {} {} {}", value.top, value.bottom, value.left, value.right);
}

/// Members whose names would not say enough on their own.
ANEMONE_INLINE std::string_view member_name(std::string_view member) {
    if (member == "index") {
        return "axis";
    }
    if (member == "list") {
        return "axes";
    }
    return member == "a" ? "transpose a" : member == "b" ? "transpose b" : member;
}

/// Structs whose members say what the operation does even where they have their default values: those of nothing but
/// numbers, and these.
template <class T> bool always_told() {
    bool numbers = true;
    for_each_member(T{}, [&](std::string_view, const auto& value) {
        numbers = numbers && std::is_same_v<decltype(value), const float&>;
    });
    return numbers || std::is_same_v<T, axis> || std::is_same_v<T, axes> || std::is_same_v<T, permutation> ||
           std::is_same_v<T, window> || std::is_same_v<T, pads>;
}

} // namespace ane::drawing::detail::inline ANEMONE_WAY

namespace ane::drawing::inline ANEMONE_WAY {

/// "kernel 3 · stride 2 · padding 1": the extents of a kernel, and the attributes that differ from their defaults.
ANEMONE_INLINE std::string attribute_text(const graph_view& g, const node& n) {
    std::string text;
    const auto add = [&text](const std::string& piece) { text += (text.empty() ? "" : " \u00b7 ") + piece; };
    if (is_convolution(n.kind) && n.operands.count > 1) {
        const extents& w = g.operand(n, 1).shape;
        add("kernel " + detail::text_of(size2(static_cast<int>(w.height()), static_cast<int>(w.width()))));
    }
    if (is_source(n.kind)) {
        return text;
    }
    n.attributes.visit([&]<class T>(const T& given) {
        std::vector<std::string> defaults;
        for_each_member(T{}, [&](std::string_view, const auto& value) { defaults.push_back(detail::text_of(value)); });
        const bool told = detail::always_told<T>();
        std::size_t position = 0;
        for_each_member(given, [&](std::string_view member, const auto& value) {
            const std::string shown = detail::text_of(value);
            const bool differs = shown != defaults[position++];
            std::string called(detail::member_name(member));
            if (!differs && !told) {
                return;
            }
            for (char& c : called) {
                c = c == '_' ? ' ' : c;
            }
            add(shown == "yes" ? called : called + " " + shown);
        });
    });
    return text;
}

/// For each node whether it depends on no input: weights, constants, and what is computed from them alone. Outputs are
/// never counted, so that they are drawn.
ANEMONE_INLINE std::vector<char> independent_of_inputs(const graph_view& g) {
    std::vector<char> drawn(g.nodes.size(), 0); // computed outputs
    for (const output_port& port : g.outputs) {
        drawn[static_cast<std::size_t>(port.node)] = is_source(g[port.node].kind) ? 0 : 1;
    }
    std::vector<char> fixed(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        bool all = g[i].kind == op::weight || g[i].kind == op::constant || g[i].operands.count > 0;
        for (const int o : g.operands(i)) {
            all = all && fixed[static_cast<std::size_t>(o)] != 0;
        }
        fixed[static_cast<std::size_t>(i)] = all && drawn[static_cast<std::size_t>(i)] == 0 ? 1 : 0;
    }
    return fixed;
}

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::drawing::detail::inline ANEMONE_WAY {
/// The weights that a value is computed from, in the order of the graph.
ANEMONE_INLINE std::vector<int> weights_behind(const graph_view& g, int index) {
    std::vector<char> wanted(static_cast<std::size_t>(index) + 1, 0);
    wanted.back() = 1;
    std::vector<int> found;
    for (int i = index; i >= 0; --i) {
        if (wanted[static_cast<std::size_t>(i)] != 0) {
            for (const int o : g.operands(i)) {
                wanted[static_cast<std::size_t>(o)] = 1;
            }
            if (g[i].kind == op::weight) {
                found.insert(found.begin(), i);
            }
        }
    }
    return found;
}
} // namespace ane::drawing::detail::inline ANEMONE_WAY

namespace ane::drawing::inline ANEMONE_WAY {

/// A constant operand as a line in its reader's box: "conv1.weight [16, 1, 3, 3]", "0.125", "a, b as [16, 1, 1]".
ANEMONE_INLINE std::string operand_text(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind == op::weight) {
        return formatted("{} {}", g.name(index), print(n.shape));
    }
    if (n.kind == op::constant) {
        const auto values = g.values(n);
        return values.size() == 1 && n.shape.count() == 1 ? formatted("{:.5g}", values[0])
               : values.size() == 1                       ? formatted("all {:.5g} {}", values[0], print(n.shape))
                                                          : formatted("constant {}", print(n.shape));
    }
    const std::vector<int> roots = detail::weights_behind(g, index);
    if (roots.empty()) {
        return formatted("constant {}", print(n.shape));
    }
    std::string names(g.name(roots[0]));
    if (roots.size() == 2) {
        names += formatted(", {}", g.name(roots[1]));
    } else if (roots.size() > 2) {
        names += formatted(" and {} more", roots.size() - 1);
    }
    return formatted("{} as {}", names, print(n.shape));
}

} // namespace ane::drawing::inline ANEMONE_WAY

#pragma once

#include "../analysis/envelope.hpp"
#include "scaled_region.hpp"

/// The rewrite for values that leave fp16 on the way to results that do not (R151, IEEE 754).
namespace ane::detail {

inline constexpr int most_scaled_regions = 16; ///< of a model, each of which is a look at all its ranges
inline constexpr int most_scaling = 40;        ///< the exponent of the power of two

/// The ranges of values as they are meant, without a rounding to fp16, which makes infinite what passes its end.
constexpr std::vector<interval> meant_ranges(const graph_view& g) {
    std::vector<interval> all(g.nodes.size());
    catalogue::operand_gatherer gather;
    for (int i = 0; i < g.size(); ++i) {
        const auto known = [&all](int operand) -> const interval& { return all[static_cast<std::size_t>(operand)]; };
        all[static_cast<std::size_t>(i)] = unrounded_range_of_node(g, g[i], gather.of(g.operands(i), known));
    }
    return all;
}

/// Whether fp16 has all the small numbers that keep divisors away from zero.
constexpr bool keeps_epsilons(const graph_view& g) {
    for (const node& n : g.nodes) {
        const attribute_kind kind = signature(n.kind).attributes;
        const float epsilon = kind == attribute_kind::stabilizer ? n.get<stabilizer>().epsilon
                              : kind == attribute_kind::grouping ? n.get<grouping>().epsilon
                                                                 : 0;
        if (epsilon > 0 && half(epsilon) == half(0.0F)) {
            return false;
        }
    }
    return true;
}

/// By which power of two a result is too large for fp16, the promises being kept; 0: it is not, or its operands are.
constexpr int excess_of(const graph_view& g, int index, std::span<const interval> known) {
    const node& n = g[index];
    if (is_source(n.kind) || n.type != dtype::f16 || known[static_cast<std::size_t>(index)].bounded()) {
        return 0;
    }
    for (const int operand : g.operands(index)) {
        if (!known[static_cast<std::size_t>(operand)].bounded()) {
            return 0;
        }
    }
    const demand d = result_demand({g, n, known}, known[static_cast<std::size_t>(index)]);
    int excess = 0;
    while (d.refuted() && excess <= most_scaling && d.bound > half_max / 2 * power_of_two(excess)) {
        ++excess;
    }
    return excess <= most_scaling ? excess : 0;
}

/// A value that may leave fp16 held as 2^-k of itself, and what is made of it, until a norm, a quotient, a root or a later
/// factor brings it back: 300 x before a norm is (300 / 2^k) x before the same.
constexpr rewritten scale_values(const graph_view& g, const target_description&) {
    rewritten made{prune(g), 0};
    int last = -1; // places before it were scaled, or cannot be
    while (made.places < most_scaled_regions) {
        const graph_view now = made.graph;
        const std::vector<interval> known = ranges(now);
        const std::vector<interval> meant = meant_ranges(now);
        std::vector<char> fits(now.nodes.size(), 0);
        for (std::size_t i = 0; i < fits.size(); ++i) {
            fits[i] = meant[i].magnitude() <= half_max ? 1 : 0;
        }
        std::optional<changed_graph> changed;
        for (int i = last + 1; i < now.size() && !changed; ++i) {
            const int excess = excess_of(now, i, known);
            changed = excess > 0 ? scaled_region(now, i, excess, fits) : std::nullopt;
            if (changed && !keeps_epsilons(changed->graph) && keeps_epsilons(now)) {
                changed = std::nullopt;
            }
            last = i;
        }
        if (!changed) {
            break;
        }
        made = {prune(changed->graph), made.places + 1};
    }
    return made;
}

} // namespace ane::detail

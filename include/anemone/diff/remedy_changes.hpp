#pragma once

#include "../base/way.hpp"
#include "../passes/rewriter.hpp"
#include "../rewrites/paired_sums.hpp"
#include "../rewrites/registry.hpp"
#include "../rewrites/scaled_region.hpp"
#include "../targets/table.hpp"
#include "remedies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// The changes of a model that may help at one layer.
namespace ane::detail::inline ANEMONE_WAY {

/// A change and the model after it.
struct changed_model {
    remedy_step step;
    changed_graph made;
};

/// The model with a clamp behind a node, or before its first operand.
ANEMONE_INLINE changed_graph clamped(const graph_view& g, int node, bool on_operand, float limit) {
    rewriter w(g);
    const clip_range within{-limit, limit};
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        int made = -1;
        if (i == node && on_operand) {
            sequence<int> operands;
            const int held = w.emit(op::clamp, within, {w.operand(g[i], 0)});
            for (const int operand : g.operands(i)) {
                operands.push_back(operand == g.operands(i)[0] ? held : w.renamed(operand));
            }
            made = w.copy(i, g[i].attributes, {operands.data(), operands.size()});
        } else {
            made = w.copy(i);
        }
        w.rename(i, i == node && !on_operand ? w.emit(op::clamp, within, {made}) : made);
    }
    for (const output_port& port : g.outputs) {
        w.add_output(w.renamed(port.node), port);
    }
    return {w.result(), w.origins()};
}

/// The largest operand whose result fp16 holds, of functions that grow fast; 0 of others.
constexpr float operand_limit(op kind) {
    return kind == op::exp ? 11.0859375F : kind == op::exp2 ? 15.9921875F : kind == op::square ? 255.875F : 0.0F;
}

/// By which powers of two a value may be held: one that makes the largest 2^14, or small ones 2^4, and a few others for
/// what happens inside an operation.
ANEMONE_INLINE std::vector<int> powers_for(const layer_error& layer) {
    const int most = layer.largest > 0 ? static_cast<int>(std::ceil(std::log2(layer.largest))) : 0;
    std::vector<int> powers;
    switch (layer.cause) {
    case difference_cause::overflow:
    case difference_cause::ceiling:
    case difference_cause::mask: powers = {most - 14, most - 10, 4, 8, 12}; break;
    case difference_cause::width_slice:
    case difference_cause::int8_activation: powers = {most - 11, 4}; break;
    case difference_cause::special_value: powers = {4, 8, 12}; break;
    case difference_cause::flush:
    case difference_cause::fixed_point: powers = {most - 4, -4, -8, -12}; break;
    case difference_cause::none:
    case difference_cause::integer:
    case difference_cause::cancellation:
    case difference_cause::code_scale:
    case difference_cause::table:
    case difference_cause::reduction:
    case difference_cause::rounding: break;
    }
    const bool down = layer.cause < difference_cause::integer;
    const auto useless = [down](int power) { return power == 0 || (power > 0) != down || std::abs(power) > 48; };
    powers.erase(std::remove_if(powers.begin(), powers.end(), useless), powers.end());
    return powers;
}

/// Where scaling begins for a layer: at the sum that is rounded only together with it.
template <class HasValue> int first_of_layer(const graph_view& g, int node, const HasValue& has_value) {
    for (const int operand : g.operands(node)) {
        if (!has_value(operand)) {
            return first_of_layer(g, operand, has_value);
        }
    }
    return node;
}

/// What may help at a layer of a model, `fits` by node; nodes of the model, to be told as those of the original by
/// `origins`. `has_value` is true for sources too.
template <class HasValue>
std::vector<changed_model> changes_for(const graph_view& g, const layer_error& layer, std::span<const char> fits,
                                       const HasValue& has_value, const std::optional<target>& chip) {
    std::vector<changed_model> changes;
    const auto add = [&](remedy_step step, std::optional<changed_graph> made) {
        if (made) {
            changes.push_back({std::move(step), std::move(*made)});
        }
    };
    const int begin = first_of_layer(g, layer.node, has_value);
    for (const int power : powers_for(layer)) {
        add({.kind = remedy_kind::scale, .node = begin, .power = power}, scaled_region(g, begin, power, fits));
    }
    const bool leaves = layer.cause == difference_cause::overflow || layer.cause == difference_cause::mask ||
                        layer.cause == difference_cause::special_value;
    if (leaves && g[layer.node].type == dtype::f16) {
        if (const float limit = operand_limit(g[layer.node].kind); limit > 0) {
            add({.kind = remedy_kind::clamp,
                 .node = layer.node,
                 .limit = static_cast<double>(limit),
                 .on_operand = true},
                clamped(g, layer.node, true, limit));
        }
        const auto most = static_cast<float>(half_max);
        add({.kind = remedy_kind::clamp, .node = layer.node, .limit = half_max}, clamped(g, layer.node, false, most));
    }
    add({.kind = remedy_kind::paired_sum, .node = begin}, paired_sums(g, begin));
    for (const rewrite_record& record : rewrite_table) {
        if (chip && record.goal != rewrite_goal::time && record.goal != rewrite_goal::layers) {
            rewritten made = record.apply(g, describe(*chip));
            if (made.places > 0) {
                sequence<int> origins(made.graph.nodes.size(), -1);
                add({.kind = remedy_kind::rewrite, .rewrite = record.id},
                    changed_graph{std::move(made.graph), std::move(origins)});
            }
        }
    }
    return changes;
}

/// The nodes that leave the judged arithmetic with a layer: what is rounded only together with it, and what reads a value
/// of it that fp16 does not hold.
template <class HasValue>
std::vector<int> island_of(const graph_view& g, int node, std::span<const char> fits, const HasValue& has_value) {
    std::vector<char> inside(g.nodes.size(), 0);
    inside[static_cast<std::size_t>(node)] = 1;
    for (int i = node; i >= 0; --i) {
        for (const int operand : g.operands(i)) {
            if (inside[static_cast<std::size_t>(i)] != 0 && !has_value(operand)) {
                inside[static_cast<std::size_t>(operand)] = 1;
            }
        }
    }
    for (int i = 0; i < g.size(); ++i) {
        for (const int operand : g.operands(i)) {
            const auto from = static_cast<std::size_t>(operand);
            if (inside[from] != 0 && (fits[from] == 0 || !has_value(operand))) {
                inside[static_cast<std::size_t>(i)] = 1;
            }
        }
    }
    std::vector<int> nodes;
    for (int i = 0; i < g.size(); ++i) {
        if (inside[static_cast<std::size_t>(i)] != 0) {
            nodes.push_back(i);
        }
    }
    return nodes;
}

} // namespace ane::detail::inline ANEMONE_WAY

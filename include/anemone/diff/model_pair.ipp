#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_diff_model_pair_hpp);

#include "../backend/cpu/constants.hpp"
#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "../passes/validate.hpp"
#include "model_pair.hpp"
#include "partners.hpp"
#include "trace.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// A model that ran: the values of what it computed, and of its weights and constants.
struct traced_model {
    graph_view graph;
    trace run;
    folded_constants constants;

    template <class Backend>
    traced_model(const graph_view& g, const weight_store& weights, const Backend& place, input_buffers inputs)
        : graph(g), run(trace_of(g, place, weights, inputs)), constants(fold_constants(g, weights)) {}

    /// A value as it lies in memory; none of an input.
    ANEMONE_INLINE std::span<const std::byte> bytes(int node) const {
        const auto count = static_cast<std::size_t>(ane::bytes(graph[node].type, graph[node].shape.count()));
        return constants.known(node) ? std::span(constants.memory(node), count) : run.bytes(node);
    }
    /// The elements of an fp16 node; none of others.
    ANEMONE_INLINE std::span<const half> values(int node) const {
        const auto memory = graph[node].type == dtype::f16 ? bytes(node) : std::span<const std::byte>();
        return {reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half)};
    }
};

/// The inputs of the second model, in its order, from those of the first.
ANEMONE_INLINE std::vector<std::span<const std::byte>> inputs_of_second(const graph_view& first,
                                                                        const graph_view& second,
                                                                        const partner_search& partners,
                                                                        input_buffers inputs) {
    std::vector<std::span<const std::byte>> all;
    const auto position = [&](int wanted) {
        std::size_t place = 0;
        for (int i = 0; i < wanted; ++i) {
            place += first[i].kind == op::input ? 1 : 0;
        }
        return place;
    };
    for (int j = 0; j < second.size(); ++j) {
        if (second[j].kind != op::input) {
            continue;
        }
        const int i = partners.of_second()[static_cast<std::size_t>(j)];
        if (i < 0) {
            throw error(errc::port, std::string(second.called(second.name(j))),
                        "is an input of the second model alone");
        }
        const node& mine = first[i];
        if (mine.type != second[j].type || mine.shape != second[j].shape) {
            throw error(errc::port, std::string(first.called(first.name(i))),
                        formatted("is {} in the first model and {} in the second", print(mine.type, mine.shape),
                                  print(second[j].type, second[j].shape)));
        }
        const std::size_t place = position(i);
        if (place < inputs.size()) { // too few: running the first model says so
            all.push_back(inputs[place]);
        }
    }
    for (int i = 0; i < first.size(); ++i) {
        if (first[i].kind == op::input && partners.of_first()[static_cast<std::size_t>(i)] < 0) {
            throw error(errc::port, std::string(first.called(first.name(i))), "is an input of the first model alone");
        }
    }
    return all;
}

ANEMONE_INLINE pair_cause cause_of(const graph_view& first, const graph_view& second, const std::vector<int>& partner,
                                   int i) {
    const int j = partner[static_cast<std::size_t>(i)];
    if (is_source(first[i].kind)) {
        return pair_cause::data;
    }
    if (first[i].kind != second[j].kind) {
        return pair_cause::operation;
    }
    if (!(first[i].attributes == second[j].attributes)) {
        return pair_cause::attributes;
    }
    const auto mine = first.operands(i);
    const auto theirs = second.operands(j);
    for (std::size_t k = 0; k < mine.size(); ++k) {
        if (mine.size() != theirs.size() || partner[static_cast<std::size_t>(mine[k])] != theirs[k]) {
            return pair_cause::operands;
        }
    }
    return pair_cause::inherited;
}

/// Whether the output of the same name, or else at the same place, has the same value.
ANEMONE_INLINE bool same_output(const traced_model& here, const traced_model& there, const partner_search& partners,
                                std::size_t place) {
    const output_port& mine = here.graph.outputs[place];
    const output_port* theirs = &there.graph.outputs[place];
    for (const output_port& port : there.graph.outputs) {
        theirs = there.graph.name(port) == here.graph.name(mine) ? &port : theirs;
    }
    const node& a = here.graph[mine.node];
    const node& b = there.graph[theirs->node];
    if (a.type != b.type || a.shape != b.shape) {
        return false;
    }
    if (a.kind == op::input || b.kind == op::input) {
        return partners.of_first()[static_cast<std::size_t>(mine.node)] == theirs->node;
    }
    if (a.type == dtype::f16) {
        return compare(here.values(mine.node), there.values(theirs->node)).max_ulp == 0;
    }
    const auto left = here.bytes(mine.node);
    const auto right = there.bytes(theirs->node);
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

template <class Backend>
pair_difference diff_models(const graph_view& first, const weight_store& first_weights, const graph_view& second,
                            const weight_store& second_weights, const Backend& place, input_buffers inputs) {
    const partner_search partners(validated(first), validated(second));
    const auto second_inputs = inputs_of_second(first, second, partners, inputs);
    const traced_model here(first, first_weights, place, inputs);
    const traced_model there(second, second_weights, place, second_inputs);
    pair_difference result;
    for (int i = 0; i < first.size(); ++i) {
        const int j = partners.of_first()[static_cast<std::size_t>(i)];
        if (j < 0) {
            if (!is_source(first[i].kind)) {
                result.only_first.push_back(i);
            }
            continue;
        }
        node_pair pair{.first = i, .second = j};
        if (first[i].type != second[j].type || first[i].shape != second[j].shape) {
            pair.cause = pair_cause::shape;
        } else {
            const auto mine = here.values(i);
            const auto theirs = there.values(j);
            if (first[i].kind == op::input || mine.empty() || theirs.empty()) {
                continue;
            }
            pair.values = compare(mine, theirs);
            pair.histogram = histogram_of(mine, theirs);
            pair.cause = pair.values.max_ulp == 0 ? pair_cause::none : cause_of(first, second, partners.of_first(), i);
        }
        if (result.first_divergent < 0 && pair.cause > pair_cause::inherited) {
            result.first_divergent = static_cast<int>(result.nodes.size());
        }
        result.nodes.push_back(pair);
    }
    for (int j = 0; j < second.size(); ++j) {
        if (partners.of_second()[static_cast<std::size_t>(j)] < 0 && !is_source(second[j].kind)) {
            result.only_second.push_back(j);
        }
    }
    result.same_outputs = first.outputs.size() == second.outputs.size();
    for (std::size_t k = 0; k < first.outputs.size() && result.same_outputs; ++k) {
        result.same_outputs = same_output(here, there, partners, k);
    }
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF pair_difference diff(const graph_view& first, const weight_store& first_weights,
                                     const graph_view& second, const weight_store& second_weights,
                                     const backend::cpu& place, input_buffers inputs) {
    return detail::diff_models(first, first_weights, second, second_weights, place, inputs);
}
ANEMONE_BODY_OF pair_difference diff(const graph_view& first, const weight_store& first_weights,
                                     const graph_view& second, const weight_store& second_weights,
                                     const backend::oracle& place, input_buffers inputs) {
    return detail::diff_models(first, first_weights, second, second_weights, place, inputs);
}

} // namespace ane::inline ANEMONE_WAY

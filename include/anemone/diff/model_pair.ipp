#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_diff_model_pair_hpp);

#include "../backend/cpu/constants.hpp"
#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../passes/validate.hpp"
#include "../weights/formats/elements.hpp"
#include "model_pair.hpp"
#include "pair_ports.hpp"
#include "partners.hpp"
#include "trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// What each node has after a run as it is, and after one that rounds every node: the same on an engine.
struct two_traces {
    trace layers;
    trace nodes;
    std::vector<int> ends; ///< by node: the last of its layer

    ANEMONE_INLINE two_traces(const graph_view& g, const weight_store& weights, const backend::cpu& place,
                              input_buffers inputs)
        : layers(layer_trace_of(g, place, weights, inputs)), nodes(trace_of(g, place, weights, inputs)),
          ends(own_layers(g)) {
        for (const backend::cpu_step& step : place.compile(g, weights).steps()) {
            for (const int i : step.nodes) {
                ends[static_cast<std::size_t>(i)] = step.nodes.back();
            }
        }
    }
    ANEMONE_INLINE two_traces(const graph_view& g, const weight_store& weights, const backend::oracle& place,
                              input_buffers inputs)
        : layers(trace_of(g, place, weights, inputs)), ends(own_layers(g)) {}

    ANEMONE_INLINE std::span<const std::byte> bytes(int node) const {
        return layers.known(node) || nodes.values.empty() ? layers.bytes(node) : nodes.bytes(node);
    }

private:
    ANEMONE_INLINE static std::vector<int> own_layers(const graph_view& g) {
        std::vector<int> all(g.nodes.size());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
};

/// A model that ran: the values of its inputs, of what it computed, and of its weights and constants.
struct traced_model {
    graph_view graph;
    two_traces run;
    folded_constants constants;
    std::vector<std::vector<std::byte>> given; ///< by node: of inputs

    template <class Backend>
    traced_model(const graph_view& g, const weight_store& weights, const Backend& place, input_buffers inputs)
        : graph(g), run(g, weights, place, inputs), constants(fold_constants(g, weights)), given(g.nodes.size()) {
        std::size_t next = 0;
        const sequence<char> bound = bound_nodes(g);
        for (int i = 0; i < g.size(); ++i) {
            if (is_input(g, i)) {
                auto& memory = given[static_cast<std::size_t>(i)];
                memory.resize(static_cast<std::size_t>(ane::bytes(g[i].type, g[i].shape.count())));
                if (bound[static_cast<std::size_t>(i)] != 0) {
                    std::copy(inputs[next].begin(), inputs[next].end(), memory.begin());
                    ++next;
                }
            }
        }
    }

    /// A value as it lies in memory.
    ANEMONE_INLINE std::span<const std::byte> bytes(int node) const {
        const auto count = static_cast<std::size_t>(ane::bytes(graph[node].type, graph[node].shape.count()));
        return is_input(graph, node)   ? std::span(given[static_cast<std::size_t>(node)])
               : constants.known(node) ? std::span(constants.memory(node), count)
                                       : run.bytes(node);
    }
    /// The elements of an fp16 node; none of others.
    ANEMONE_INLINE std::span<const half> values(int node) const {
        const auto memory = graph[node].type == dtype::f16 ? bytes(node) : std::span<const std::byte>();
        return {reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half)};
    }
};

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

/// Whether an output has the same value as its partner.
ANEMONE_INLINE bool same_output(const traced_model& here, const traced_model& there, const partner_search& partners,
                                std::size_t place) {
    const int other = partners.output_of_first()[place];
    if (other < 0) {
        return false;
    }
    const int mine = here.graph.outputs[place].node;
    const int theirs = there.graph.outputs[static_cast<std::size_t>(other)].node;
    const node& a = here.graph[mine];
    const node& b = there.graph[theirs];
    if (!same_elements(a.shape, b.shape)) {
        return false;
    }
    if (a.type == dtype::f16 && b.type == dtype::f16) {
        return compare(here.values(mine), there.values(theirs)).max_ulp == 0;
    }
    for (std::int64_t i = 0; i < a.shape.count(); ++i) {
        if (weight_formats::element_as<double>(here.bytes(mine), element_of(a.type), i) !=
            weight_formats::element_as<double>(there.bytes(theirs), element_of(b.type), i)) {
            return false;
        }
    }
    return true;
}

ANEMONE_INLINE bool same_outputs(const traced_model& here, const traced_model& there, const partner_search& partners) {
    bool same = here.graph.outputs.size() == there.graph.outputs.size();
    for (std::size_t k = 0; k < here.graph.outputs.size() && same; ++k) {
        same = same_output(here, there, partners, k);
    }
    return same;
}

/// Whether two models that differ on the CPU give the same on an engine: formats write an operation as those that engines
/// have, and the CPU rounds between them.
ANEMONE_INLINE bool same_on_engine(const graph_view& first, const weight_store& first_weights, const graph_view& second,
                                   const weight_store& second_weights, const backend::cpu&, input_buffers inputs,
                                   input_buffers second_inputs) {
    const backend::oracle engine(h13);
    return same_outputs(traced_model(first, first_weights, engine, inputs),
                        traced_model(second, second_weights, engine, second_inputs), partner_search(first, second));
}
ANEMONE_INLINE bool same_on_engine(const graph_view&, const weight_store&, const graph_view&, const weight_store&,
                                   const backend::oracle&, input_buffers, input_buffers) {
    return false;
}

template <class Backend>
pair_difference diff_models(const graph_view& first, const weight_store& first_weights, const graph_view& second,
                            const weight_store& second_weights, const Backend& place, input_buffers inputs) {
    const partner_search partners(validated(first), validated(second));
    const std::vector<std::vector<std::byte>> memory = inputs_of_second(first, second, partners, inputs);
    const std::vector<std::span<const std::byte>> second_inputs(memory.begin(), memory.end());
    const traced_model here(first, first_weights, place, inputs);
    const traced_model there(second, second_weights, place, second_inputs);
    pair_difference result;
    result.ports = changed_ports(first, second, partners);
    const auto within_same_layer = [&](int i) {
        const int end = here.run.ends[static_cast<std::size_t>(i)];
        const int other = partners.of_first()[static_cast<std::size_t>(end)];
        return end != i && other >= 0 && !here.values(end).empty() &&
               here.values(end).size() == there.values(other).size() &&
               compare(here.values(end), there.values(other)).max_ulp == 0;
    };
    for (int i = 0; i < first.size(); ++i) {
        const int j = partners.of_first()[static_cast<std::size_t>(i)];
        if (j < 0) {
            if (!is_source(first[i].kind)) {
                result.only_first.push_back(i);
            }
            continue;
        }
        node_pair pair{.first = i, .second = j};
        if (is_input(first, i)) {
            continue;
        }
        if (first[i].type != second[j].type || !same_elements(first[i].shape, second[j].shape)) {
            pair.cause = pair_cause::shape;
        } else {
            const auto mine = here.values(i);
            const auto theirs = there.values(j);
            if (mine.empty() || theirs.empty()) {
                continue;
            }
            pair.values = compare(mine, theirs);
            pair.histogram = histogram_of(mine, theirs);
            pair.cause = pair.values.max_ulp == 0 ? pair_cause::none : cause_of(first, second, partners.of_first(), i);
            if (pair.cause != pair_cause::none && within_same_layer(i)) {
                continue;
            }
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
    result.same_outputs = same_outputs(here, there, partners);
    result.same_on_engine = !result.same_outputs &&
                            same_on_engine(first, first_weights, second, second_weights, place, inputs, second_inputs);
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
ANEMONE_BODY_OF std::vector<std::vector<std::byte>> random_inputs(const graph_view& first, const graph_view& second,
                                                                  std::uint64_t seed) {
    return detail::drawn_for_both(first, second, detail::partner_search(validated(first), validated(second)), seed);
}

} // namespace ane::inline ANEMONE_WAY

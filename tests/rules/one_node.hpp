#pragma once

#include "anemone/ops/comparison.hpp"
#include "anemone/rules/evaluate.hpp"
#include <anemone/catalogue/catalogue.hpp>

#include <span>
#include <string>
#include <vector>

/// Graphs of one operation, to hold a rule against both sides of its limit.
namespace one_node {

using namespace ane;

struct source {
    op kind = op::input;
    extents shape;
    contract promise{};
    dtype type = dtype::f16;
    float value = 0; ///< of a constant
};
constexpr source in(const extents& shape, const contract& promise = {}, dtype type = dtype::f16) {
    return {op::input, shape, promise, type};
}
constexpr source weight(const extents& shape, const contract& promise = {}, dtype type = dtype::f16) {
    return {op::weight, shape, promise, type};
}
/// A constant tensor filled with one value.
constexpr source constant(const extents& shape, float value) { return {op::constant, shape, {}, dtype::f16, value}; }

/// Appends an operation that reads the given nodes; the shape of the result by the shape rules unless it is given. It
/// becomes the graph's output.
constexpr dynamic_graph then(dynamic_graph g, op kind, const attributes& values, const std::vector<int>& operands,
                             const extents& result = {}, bool given = false) {
    node n;
    n.kind = kind;
    n.attributes = values;
    n.shape = result;
    n.type = kind == op::quantize   ? values.get<quantization>().type
             : gives_booleans(kind) ? dtype::boolean
                                    : dtype::f16;
    const int last = g.append(n, operands);
    if (!given) {
        g.nodes[static_cast<std::size_t>(last)].shape = infer(g, g.nodes[static_cast<std::size_t>(last)]).shape;
    }
    g.outputs = {};
    g.add_output(last, "y");
    return g;
}

/// Sources alone: nodes 0, 1, ...
constexpr dynamic_graph sources_of(const std::vector<source>& sources) {
    dynamic_graph g;
    for (const source& s : sources) {
        node n;
        n.kind = s.kind;
        n.shape = s.shape;
        n.type = s.type;
        if (s.kind == op::constant) {
            n.attributes = g.keep(std::span<const float>(&s.value, 1));
        } else {
            n.attributes = s.promise;
        }
        g.append(n, {});
    }
    return g;
}

/// The operation over its operands; the shape of the result by the shape rules unless it is given.
constexpr dynamic_graph make(op kind, const attributes& values, const std::vector<source>& sources,
                             const extents& result = {}, bool given = false) {
    std::vector<int> operands;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        operands.push_back(static_cast<int>(i));
    }
    return then(sources_of(sources), kind, values, operands, result, given);
}

/// A graph with names for the ports and weights, as whoever reports a whole graph wants them.
inline dynamic_graph with_names(dynamic_graph g) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        node& n = g.nodes[i];
        n.name = n.kind == op::input || n.kind == op::weight ? g.intern("p" + std::to_string(i)) : range_of{};
    }
    return g;
}

/// The first violation of `wanted`, `broken` false when the graph keeps the rule.
inline violation find(const graph_view& g, rule wanted, const target_description& t, const policy& p = {}) {
    for (const violation& v : violations(g, t, p)) {
        if (v.rule == wanted) {
            return v;
        }
    }
    return {};
}
inline violation find(const graph_view& g, rule wanted, target t = h13, const policy& p = {}) {
    return find(g, wanted, describe(t), p);
}
inline bool breaks(const graph_view& g, rule wanted, target t = h13, const policy& p = {}) {
    return find(g, wanted, t, p).broken;
}

} // namespace one_node

/// The rule is broken, with these figures.
#define CHECK_BREAKS(graph, wanted, on, value, bound)                                                                  \
    do {                                                                                                               \
        const ane::violation found_ = one_node::find(graph, ane::rule::wanted, on);                                    \
        CHECK(found_.broken);                                                                                          \
        CHECK(found_.got == (value));                                                                                  \
        CHECK(found_.limit == (bound));                                                                                \
    } while (false)
#define CHECK_KEEPS(graph, wanted, on) CHECK_FALSE(one_node::breaks(graph, ane::rule::wanted, on))

#pragma once

#include "anemone/ops/infer.hpp"
#include "anemone/rules/evaluate.hpp"

#include <initializer_list>
#include <vector>

/// Graphs of one operation, to hold a rule against both sides of its limit.
namespace one_node {

using namespace ane;

struct source {
    op kind = op::input;
    extents shape;
    contract promise{};
    dtype type = dtype::f16;
};
inline source in(extents shape, contract promise = {}) { return {op::input, shape, promise}; }
inline source weight(extents shape, contract promise = {}) { return {op::weight, shape, promise}; }

/// The operation over its operands; the shape of the result by the shape rules unless it is given.
inline dynamic_graph make(op kind, const attributes& values, const std::vector<source>& sources, extents result = {},
                          bool given = false) {
    dynamic_graph g;
    std::vector<int> operands;
    for (const source& s : sources) {
        node n;
        n.kind = s.kind;
        n.shape = s.shape;
        n.type = s.type;
        n.attributes = s.promise;
        operands.push_back(g.append(n, {}));
    }
    node n;
    n.kind = kind;
    n.attributes = values;
    n.shape = result;
    const int last = g.append(n, operands);
    if (!given) {
        g.nodes[static_cast<std::size_t>(last)].shape = infer(g, g.nodes[static_cast<std::size_t>(last)]).shape;
    }
    g.add_output(last, "y");
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

#pragma once

#include "../analysis/held_weights.hpp"
#include "../analysis/ranges.hpp"
#include "../analysis/spread.hpp"
#include "../forms/form_fault.hpp"
#include "../graph/graph.hpp"
#include "../graph/op_set.hpp"
#include "../graph/uses.hpp"
#include "../targets/description.hpp"
#include "policy.hpp"

#include <cstdint>
#include <span>

namespace ane {

/// What a check says about one node: whether the rule is broken, the value found and the limit it is compared with.
struct finding {
    bool broken = false;
    std::int64_t got = 0;
    std::int64_t limit = 0;
    form_reason form = form_reason::nothing; ///< what exactly cannot be written
};

constexpr finding at_most(std::int64_t got, std::int64_t limit) { return {got > limit, got, limit}; }
constexpr finding holds_if(bool holds, std::int64_t got = 0, std::int64_t limit = 0) { return {!holds, got, limit}; }

constexpr finding multiple_of(std::int64_t got, std::int64_t divisor) {
    return holds_if(divisor > 0 && got % divisor == 0, got, divisor);
}
/// What the first of two says, unless only the second is broken.
constexpr finding both(const finding& first, const finding& second) { return first.broken ? first : second; }

/// What keeps a model from being written, by node and route: `form_faults` for a constant expression.
struct written_facts {
    std::span<const form_fault> mil = {};
    std::span<const form_fault> netplist = {};
    int mil_count = 0;
    int netplist_count = 0;
};

/// What a check sees: one node in its graph, on one target.
struct subject {
    const graph_view& g;
    int index;
    const node& n;
    const target_description& t;
    std::span<const interval> value_ranges; ///< of `ranges(g)`
    std::span<const int> uses;              ///< how often each node is read, outputs included
    compile_route route;
    std::span<const std::int64_t> live = {};         ///< of `live_bytes(g)`; empty where no active rule reads it
    std::span<const int> branches = {};              ///< of `reconverging_branches(g)`; the same
    std::span<const spread> spreads = {};            ///< of `spreads(g, ranges)`; the same
    written_facts written = {};                      ///< of `find_form_faults(g, route)`; the same
    operating_system system = operating_system::any; ///< of the policy
    layer_forms layers = layer_forms::safe;          ///< the same
    std::span<const node_port> ports = {};           ///< of `node_ports(g)`; empty: looked for among the outputs

    /// Whether a node is an output, and the output that the node of the rule holds in the next run, or -1.
    constexpr bool is_output(int node) const {
        return ports.empty() ? ane::is_output(g, node) : ports[static_cast<std::size_t>(node)].is_output;
    }
    constexpr int next() const {
        return ports.empty() ? g.next_of(index) : ports[static_cast<std::size_t>(index)].next;
    }
    /// The forms of weights in the file that we write: a netplist where it is requested, or MIL text cannot hold the model.
    constexpr held_forms held() const {
        const bool by_netplist = written.mil_count > 0 && written.netplist_count == 0;
        return held_forms_on(by_netplist && route == compile_route::any ? compile_route::netplist : route, t);
    }
    constexpr int operand_count() const { return n.operands.count; }
    constexpr const node& operand(int position) const { return g.operand(n, position); }
    constexpr const interval& operand_range(int position) const {
        return value_ranges.data()[g.operand_pool.data()[n.operands.first + position]];
    }
};

namespace rules::detail {
/// The node that is operand `position` of another.
constexpr int operand_index(const graph_view& g, const node& n, int position) {
    return g.operands(n)[static_cast<std::size_t>(position)];
}
} // namespace rules::detail

/// The check of a rule that no single node can break: of programs, of the running device, advice on whole models.
constexpr finding not_of_a_node(const subject&) { return {}; }

/// One design rule. Adding one: a name in rule.hpp and a record in its family's header.
struct rule_record {
    rule id;
    const char*
        fact; ///< "R030"; or where else it comes from. Several, separated by blanks, where one limit serves them
    rule_scope scope = rule_scope::graph;
    severity level;
    op_set ops{};                             ///< the operations that it looks at
    compile_route route = compile_route::any; ///< the one route that it holds on
    bool of_own_layers = false;               ///< of the engine's own layers, which our files do not have
    bool of_vendor = false;                   ///< of the vendor's own guidance: asked for on request only
    bool of_infinity = false;                 ///< of what an infinity becomes, told beside where it comes from
    const char* sentence;                     ///< with {got} and {limit}
    const char* reject;           ///< what the engine's compiler says; "" where nothing is known or nothing is said
    const char* consequence = ""; ///< what happens on the device; "" where the sentence says it
    const char* advice;           ///< what to do instead
    const char* source;           ///< guide chapter or fact file
    mark evidence;
    mark target_marks::*figure = nullptr;     ///< where the limit is the target's: the mark that it has there
    const char* silicon = "";                 ///< the chips that it was measured on
    compile_route other = compile_route::any; ///< the route that its first advice names
    const char* held_by = "";                 ///< for a rule without a check: the header that enforces it
    finding (*check)(const subject&) = not_of_a_node;
};

/// How the limit of a rule is known on a target.
constexpr mark evidence_on(const rule_record& r, const target_description& t) noexcept {
    return r.figure == nullptr ? r.evidence : t.marks.*r.figure;
}

} // namespace ane

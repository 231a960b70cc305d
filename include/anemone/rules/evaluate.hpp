#pragma once

#include "../analysis/reconvergence.hpp"
#include "../analysis/working_set.hpp"
#include "../base/stop_point.hpp"
#include "../forms/written.hpp"
#include "../graph/constants.hpp"
#include "../graph/uses.hpp"
#include "../targets/sets.hpp"
#include "advice_order.hpp"
#include "consequence.hpp"
#include "registry.hpp"

#include <bit>
#include <span>
#include <vector>

namespace ane {

/// One rule that one node breaks on one target.
struct violation {
    bool broken = false; ///< false: no rule is broken, the rest means nothing
    op operation = op::input;
    ane::rule rule{};
    ane::severity severity = severity::warn;
    bool is_error = false; ///< under the policy that it was found with
    ane::target target = target::h13;
    int node = 0;
    int line = 0;
    const char* file = "";
    std::int64_t got = 0;
    std::int64_t limit = 0;
    form_reason form = form_reason::nothing; ///< what exactly cannot be written, of `operation_is_not_written`
    /// What another finding of the same node says is mended first, where both pieces of advice exclude each other.
    const rules::advice_order* after = nullptr;
};

namespace detail {

/// What the rules need to know about a graph, independent of the target.
struct graph_facts {
    std::span<const interval> ranges;
    std::span<const int> uses;
    std::span<const std::int64_t> live = {}; ///< bytes, by node
    std::span<const int> branches = {};      ///< that meet in each node
    std::span<const spread> spreads = {};
    written_facts written = {};
    std::span<const char> constant = {};   ///< known_nodes_of_model: such operations never reach a device
    std::span<const node_port> ports = {}; ///< empty: looked for
};

/// Which rules a search evaluates.
enum class wanted : std::uint8_t { errors, everything };

constexpr rule_set active_rules(const policy& p, wanted which) {
    return rule_set::where([&](rule id) {
        const rule_record& r = record_of(id);
        const bool by_vendor = p.profile == check_profile::vendor;
        const bool in_profile = r.of_vendor ? by_vendor : (!by_vendor || p.is_error(id, r.level));
        const bool looks = in_profile && (r.route == compile_route::any || r.route == p.route) &&
                           (!r.of_own_layers || p.layers == layer_forms::own);
        return looks && (which == wanted::errors ? p.is_error(id, r.level) : !p.waived.contains(id));
    });
}

/// What is asked of an output that is known when the model is compiled: a device multiplies it by one, whatever operation
/// it is the result of.
inline constexpr rule_set rules_of_constants = [] {
    rule_set all = rules::extent_rules;
    all.insert(rule::operation_is_not_written);
    all.insert(rule::target_has_no_mil);
    return all;
}();

/// Calls `found(violation)` for each of the active rules that nodes [first, last) break, until it returns false: node
/// by node, and for each in the order of `rule`.
template <class Found>
constexpr void search(const rule_set& active, const graph_view& g, const graph_facts& facts,
                      const target_description& t, const policy& p, int first, int last, Found found) {
    // Plain loops over words: every call counts against a compiler's limit of steps per constant.
    constexpr std::size_t words = std::tuple_size_v<decltype(active.words)>;
    rule_set usual = active;
    rule_set of_constants = active;
    for (std::size_t w = 0; w < words; ++w) {
        usual.words[w] &= ~rules::extent_rules.words[w];
        of_constants.words[w] &= rules_of_constants.words[w];
    }
    const rules::small_shape small = rules::small_shape_on(t);
    rules::detail::consequences told(facts.constant);
    for (int i = first; i < last; ++i) {
        if ((i & 1023) == 0) {
            stop_point();
        }
        const node& n = g[i];
        const char known = is_foldable(n.kind) ? facts.constant[static_cast<std::size_t>(i)] : char{0};
        if (known == 1) {
            continue;
        }
        const subject s{g,
                        i,
                        n,
                        t,
                        facts.ranges,
                        facts.uses,
                        p.route,
                        facts.live,
                        facts.branches,
                        facts.spreads,
                        facts.written,
                        p.system,
                        p.layers,
                        facts.ports};
        const rule_set& asked = known == 2 ? of_constants : rules::is_small(n.shape, small) ? usual : active;
        const rule_set& its = rules_by_op[static_cast<std::size_t>(n.kind)];
        for (std::size_t w = 0; w < words; ++w) {
            for (std::uint64_t rest = its.words[w] & asked.words[w] & ~word_mark; rest != 0; rest &= rest - 1) {
                const auto id =
                    static_cast<rule>(w * rule_set::word_size + static_cast<std::size_t>(std::countr_zero(rest)));
                const rule_record& r = *rules_by_id[static_cast<std::size_t>(id)];
                const finding f = r.check(s);
                if (f.broken && !told.contains(r, s) &&
                    !found(violation{true, n.kind, id, r.level, p.is_error(id, r.level), t.id, i, n.where.line,
                                     n.where.file, f.got, f.limit, f.form})) {
                    return;
                }
            }
        }
    }
}

/// What the rules need to know about a graph, with the memory for it: for several searches in one graph.
struct computed_facts {
    std::vector<interval> known;
    sequence<int> read;
    sequence<std::int64_t> live;
    sequence<int> branches;
    std::vector<spread> likely;
    form_faults forms;
    sequence<char> constant;
    sequence<node_port> ports;

    /// `without_mil`: for targets of which one or more have no MIL route.
    constexpr computed_facts(const graph_view& g, const policy& p, bool without_mil)
        : known(ranges(g)), read(uses(g)), live(live_bytes(g)), branches(reconverging_branches(g)),
          likely(spreads(g, known)), constant(known_nodes_of_model(g)), ports(node_ports(g)) {
        if (!p.waived.contains(rule::operation_is_not_written)) {
            forms = find_form_faults(g, without_mil || p.route == compile_route::netplist);
        }
    }
    constexpr graph_facts view() const {
        return {known,    read,   live,
                branches, likely, {forms.mil, forms.netplist, forms.mil_count, forms.netplist_count},
                constant, ports};
    }
};

/// Whether nodes [first, last) break no rule as an error.
constexpr bool keeps_rules(const graph_view& g, const graph_facts& facts, const target_description& t, const policy& p,
                           int first, int last) {
    bool kept = true;
    search(active_rules(p, wanted::errors), g, facts, t, p, first, last, [&kept](const violation&) {
        kept = false;
        return false;
    });
    return kept;
}

/// Says of the findings of one graph, node by node, which wait for another one of their node.
constexpr void order_advice(std::vector<violation>& all) {
    for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
        for (end = first + 1; end < all.size() && all[end].node == all[first].node; ++end) {}
        if (end == first + 1) {
            continue;
        }
        for (const rules::advice_order& order : rules::advice_orders) {
            bool waits = false;
            for (std::size_t i = first; i < end; ++i) {
                waits = waits || order.first.contains(all[i].rule);
            }
            for (std::size_t i = first; waits && i < end; ++i) {
                all[i].after = order.second.contains(all[i].rule) ? &order : all[i].after;
            }
        }
    }
}

} // namespace detail

/// Every rule that a graph breaks on a target, in the order of its nodes; waived rules are left out. The graph is one
/// that `validate` accepts, as all are that `graph` and `build_graph` make.
constexpr std::vector<violation> violations(const graph_view& g, const target_description& t, const policy& p = {}) {
    const detail::computed_facts facts(g, p, !t.mil_supported);
    std::vector<violation> all;
    detail::search(detail::active_rules(p, detail::wanted::everything), g, facts.view(), t, p, 0, g.size(),
                   [&all](const violation& v) {
                       all.push_back(v);
                       return true;
                   });
    detail::order_advice(all);
    return all;
}
constexpr std::vector<violation> violations(const graph_view& g, target t, const policy& p = {}) {
    return violations(g, describe(t), p);
}

/// Whether no rule that a graph breaks on a target is an error.
constexpr bool accepts(const graph_view& g, const target_description& t, const policy& p = {}) {
    const detail::computed_facts facts(g, p, !t.mil_supported);
    return detail::keeps_rules(g, facts.view(), t, p, 0, g.size());
}

/// The targets of a set that accept a graph.
constexpr target_set accepting_targets(const graph_view& g, const target_set& among = all_targets,
                                       const policy& p = {}) {
    const detail::computed_facts facts(g, p, true);
    target_set accepted;
    for (const target t : among) {
        if (detail::keeps_rules(g, facts.view(), describe(t), p, 0, g.size())) {
            accepted.insert(t);
        }
    }
    return accepted;
}

} // namespace ane

#pragma once

#include "../targets/sets.hpp"
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
};

/// How often each node is read; an output reads its node.
constexpr std::vector<int> uses(const graph_view& g) {
    std::vector<int> count(g.nodes.size(), 0);
    for (const node& n : g.nodes) {
        for (const int operand : g.operands(n)) {
            ++count[static_cast<std::size_t>(operand)];
        }
    }
    for (const output_port& port : g.outputs) {
        ++count[static_cast<std::size_t>(port.node)];
    }
    return count;
}

namespace detail {

/// What the rules need to know of a graph, whatever the target.
struct graph_facts {
    std::span<const interval> ranges;
    std::span<const int> uses;
};

/// Which records of a family a search looks at.
enum class wanted : std::uint8_t { errors, everything };

constexpr std::uint32_t active_rules(const rule_family& family, const policy& p, wanted which) {
    std::uint32_t active = 0;
    for (std::size_t i = 0; i < family.records.size(); ++i) {
        const rule_record& r = family.records[i];
        const bool counts = which == wanted::errors ? p.is_error(r.id, r.level) : !p.waived.contains(r.id);
        active |= counts ? std::uint32_t{1} << i : 0u;
    }
    return active;
}

/// Calls `found(violation)` for each rule of a family that nodes [first, last) break, until it returns false.
template <class Found>
constexpr void search(const rule_family& family, std::uint32_t active, const graph_view& g, const graph_facts& facts,
                      const target_description& t, const policy& p, int first, int last, Found found) {
    for (int i = first; i < last; ++i) {
        const node& n = g[i];
        std::uint32_t rest = family.of_op[static_cast<std::size_t>(n.kind)] & active;
        if (rest == 0) {
            continue;
        }
        const subject s{g, i, n, t, facts.ranges, facts.uses, p.route};
        for (; rest != 0; rest &= rest - 1) {
            const rule_record& r = family.records[static_cast<std::size_t>(std::countr_zero(rest))];
            const finding f = r.check(s);
            if (f.broken && !found(violation{true, n.kind, r.id, r.level, p.is_error(r.id, r.level), t.id, i,
                                             n.where.line, n.where.file, f.got, f.limit})) {
                return;
            }
        }
    }
}

} // namespace detail

/// Every rule that a graph breaks on a target, in the order of its nodes; waived rules are left out.
constexpr std::vector<violation> violations(const graph_view& g, const target_description& t, const policy& p = {}) {
    const std::vector<interval> known = ranges(g);
    const std::vector<int> read = uses(g);
    const detail::graph_facts facts{known, read};
    std::array<std::uint32_t, rule_families.size()> active{};
    for (std::size_t f = 0; f < rule_families.size(); ++f) {
        active[f] = detail::active_rules(rule_families[f], p, detail::wanted::everything);
    }
    std::vector<violation> all;
    for (int i = 0; i < g.size(); ++i) {
        for (std::size_t f = 0; f < rule_families.size(); ++f) {
            detail::search(rule_families[f], active[f], g, facts, t, p, i, i + 1, [&all](const violation& v) {
                all.push_back(v);
                return true;
            });
        }
    }
    return all;
}
constexpr std::vector<violation> violations(const graph_view& g, target t, const policy& p = {}) {
    return violations(g, describe(t), p);
}

/// Whether no rule that a graph breaks on a target is an error.
constexpr bool accepts(const graph_view& g, const target_description& t, const policy& p = {}) {
    for (const violation& v : violations(g, t, p)) {
        if (v.is_error) {
            return false;
        }
    }
    return true;
}

/// The targets of a set that accept a graph.
constexpr target_set accepting_targets(const graph_view& g, const target_set& among = all_targets,
                                       const policy& p = {}) {
    target_set accepted;
    for (const target t : among) {
        if (accepts(g, describe(t), p)) {
            accepted.insert(t);
        }
    }
    return accepted;
}

} // namespace ane

#pragma once

#include "../base/way.hpp"
#include "../rules/evaluate.hpp"

#include <algorithm>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The policy of a report: that of the rules, and the hazards that are only told of. A bound says what may happen, not
/// that it does, and the bounds of a deep model are wide: of a model without promises of its author such hazards are
/// warnings, except where a point was found at which values do overflow (diff/overflow_search.hpp).
struct report_policy {
    policy rules{};
    rule_set warnings{};       ///< hazards that count as warnings, unless `rules` makes them errors
    sequence<int> overflows{}; ///< nodes that were seen to overflow: there such a hazard is an error

    constexpr report_policy() = default;
    constexpr report_policy(const policy& p, const rule_set& hazards = {}) // NOLINT(google-explicit-constructor)
        : rules(p), warnings(hazards) {}

    constexpr bool is_error(rule r, severity level) const noexcept {
        const bool told_of = level == severity::hazard && warnings.contains(r) && !rules.errors.contains(r);
        return !told_of && rules.is_error(r, level);
    }
    constexpr bool is_error(const violation& v) const noexcept {
        const bool seen =
            overflow_rules.contains(v.rule) && std::find(overflows.begin(), overflows.end(), v.node) != overflows.end();
        return seen ? rules.is_error(v.rule, v.severity) : is_error(v.rule, v.severity);
    }
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// The same as the compiler sees it: what is only told of is not asked.
constexpr policy verdict_policy(const report_policy& p) {
    policy strict = p.rules;
    strict.waived = rule_set::where(
        [&](rule r) { return p.rules.waived.contains(r) || (p.warnings.contains(r) && !p.rules.errors.contains(r)); });
    return strict;
}

/// Every rule that a graph breaks on a target, as `ane::violations` finds it, with the errors of a report.
ANEMONE_INLINE std::vector<violation> reported_violations(const graph_view& g, target t, const report_policy& p) {
    std::vector<violation> all = ane::violations(g, t, p.rules);
    for (violation& v : all) {
        v.is_error = p.is_error(v);
    }
    return all;
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"
#include "../rules/evaluate.hpp"

#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The policy of a report: that of the rules, and the hazards that are only told of. A bound says what may happen, not
/// that it does, and the bounds of a deep model are wide: whoever checks a model that he did not write promises for
/// wants to know of them, and the verdict of the compiler none the less.
struct report_policy {
    policy rules{};
    rule_set warnings{}; ///< hazards that count as warnings, unless `rules` makes them errors

    constexpr report_policy() = default;
    constexpr report_policy(const policy& p, const rule_set& hazards = {}) // NOLINT(google-explicit-constructor)
        : rules(p), warnings(hazards) {}

    constexpr bool is_error(rule r, severity level) const noexcept {
        const bool told_of = level == severity::hazard && warnings.contains(r) && !rules.errors.contains(r);
        return !told_of && rules.is_error(r, level);
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
        v.is_error = p.is_error(v.rule, v.severity);
    }
    return all;
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"
#include "../rules/evaluate.hpp"
#include "report_policy.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

/// Violations that several targets have in common.
namespace ane::detail::inline ANEMONE_WAY {

/// A violation and all targets on which it is the same.
struct shared_violation {
    violation first;
    std::vector<target> targets;
};

/// The violations on every target of a set, those with equal node, rule and figures together, in the order of the
/// nodes.
ANEMONE_INLINE std::vector<shared_violation> shared_violations(const graph_view& g, const target_set& targets,
                                                               const report_policy& p) {
    std::vector<shared_violation> all;
    for (const target t : targets) {
        for (const violation& v : reported_violations(g, t, p)) {
            all.push_back({v, {t}});
        }
    }
    const auto key = [](const violation& v) { return std::tuple(v.node, v.rule, v.got, v.limit); };
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return std::pair(key(a.first), a.targets[0]) < std::pair(key(b.first), b.targets[0]);
    });
    std::vector<shared_violation> shared;
    for (shared_violation& s : all) {
        if (!shared.empty() && key(shared.back().first) == key(s.first)) {
            shared.back().targets.push_back(s.targets[0]);
        } else {
            shared.push_back(std::move(s));
        }
    }
    return shared;
}

} // namespace ane::detail::inline ANEMONE_WAY

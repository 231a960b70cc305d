#include "check.hpp"

#include "mil_findings.hpp"
#include "option_faults.hpp"
#include "rule_names.hpp"
#include "target_names.hpp"
#include <anemone/rules/value.hpp>
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

#include <utility>

namespace app {

namespace {

void observe(const ane::lost_digits& lost, std::vector<ane::aside>& observed) {
    if (!lost.fault.empty()) {
        observed.push_back({ane::weight_not_finite,
                            ane::severity::warn,
                            fmt::format("{}; nothing is promised of this weight", lost.fault),
                            {},
                            0});
        return;
    }
    // A few small elements are in every weight; what matters is that many are.
    if (lost.vanished * 100 >= lost.elements || lost.subnormal * 10 >= lost.elements) {
        observed.push_back({ane::weight_digits,
                            ane::severity::warn,
                            fmt::format("of the {} elements of '{}' {} become 0 as fp16 (below 2^-25), {} have fewer "
                                        "than 11 digits (below 2^-14); scale them by a power of two: scaled<k>(w)",
                                        lost.elements, lost.weight, lost.vanished, lost.subnormal),
                            {},
                            0});
    }
}

/// What the reader of the file says: its notes, and its doubts.
std::vector<ane::aside> observed_while_reading(const model& of) {
    std::vector<ane::aside> observed;
    for (const std::string& note : of.notes()) {
        observed.push_back({ane::reading_note, ane::severity::note, note, {}, 0});
    }
    for (const ane::read_fault& doubt : of.doubts()) {
        observed.push_back({ane::file_doubt, ane::severity::warn,
                            (doubt.operation.empty() ? "" : doubt.operation + ": ") + doubt.reason, doubt.where,
                            doubt.line});
    }
    return observed;
}

void append(std::vector<ane::aside>& to, const std::vector<ane::aside>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

ane::report_policy policy_of(const check_options& how) {
    ane::policy p;
    p.route = how.route;
    for (const auto& [names, rules] : {std::pair(&how.errors, &p.errors), std::pair(&how.waive, &p.waived)}) {
        for (const std::string& each : *names) {
            for (const ane::rule r : rules_named(each)) {
                rules->insert(r);
            }
        }
    }
    ane::rule_set bounded;
    for (const ane::rule_record& r : ane::rules::value) {
        bounded.insert(r.id);
    }
    return {p, bounded};
}

} // namespace

judgement check(const model& of, const check_options& how, const caller& who, const std::vector<ane::aside>& measured) {
    require_limits(how, who.by);
    const ane::target_set targets = targets_named(how.targets);
    const ane::report_policy rules = policy_of(how);
    std::vector<ane::aside> observed = observed_while_reading(of);
    ane::read_model promised{of.graph(), {}, of.notes(), of.doubts()};
    promise(promised.graph, how.ranges);
    for (const ane::lost_digits& lost : ane::promise_statistics(promised.graph, of.weights())) {
        observe(lost, observed);
    }
    append(observed, measured);
    ane::verdict_table verdicts(promised.graph, targets, rules);
    if (of.is_mil()) {
        append(observed, observed_in_mil(promised, verdicts));
    }
    return {std::move(promised.graph), rules, std::move(verdicts), std::move(observed)};
}

} // namespace app

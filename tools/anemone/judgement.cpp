#include "judgement.hpp"

#include "mil_findings.hpp"
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

#include <utility>

namespace command {

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
std::vector<ane::aside> observed_while_reading(const ane::read_model& model) {
    std::vector<ane::aside> observed;
    for (const std::string& note : model.notes) {
        observed.push_back({ane::reading_note, ane::severity::note, note, {}, 0});
    }
    for (const ane::read_fault& doubt : model.doubts) {
        observed.push_back({ane::file_doubt, ane::severity::warn,
                            (doubt.operation.empty() ? "" : doubt.operation + ": ") + doubt.reason, doubt.where,
                            doubt.line});
    }
    return observed;
}

void append(std::vector<ane::aside>& to, const std::vector<ane::aside>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

} // namespace

judgement judge(const ane::read_model& read, bool is_mil, const ane::target_set& targets,
                const ane::report_policy& rules, const std::vector<ane::aside>& measured) {
    std::vector<ane::aside> observed = observed_while_reading(read);
    const ane::read_model promised = [&] {
        ane::dynamic_graph graph = read.graph;
        for (const ane::lost_digits& lost : ane::promise_statistics(graph, read.weights)) {
            observe(lost, observed);
        }
        return ane::read_model{std::move(graph), {}, read.notes, read.doubts};
    }();
    append(observed, measured);
    ane::verdict_table verdicts(promised.graph, targets, rules);
    if (is_mil) {
        append(observed, observed_in_mil(promised, verdicts));
    }
    return {std::move(verdicts), std::move(observed)};
}

} // namespace command

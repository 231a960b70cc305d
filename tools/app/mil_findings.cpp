#include "mil_findings.hpp"

#include "target_names.hpp"
#include <anemone/readers/file_verdict.hpp>
#include <anemone/rules/violation_text.hpp>

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace app {

namespace {

/// A reason without the target that it names, by which those of several are told to be the same.
std::string without_target(const std::string& reason, ane::target t) {
    const std::string named = fmt::format(" on {} ({})", ane::runtime_architecture(t), ane::describe(t).product);
    const std::size_t at = reason.find(named);
    return at == std::string::npos ? reason : reason.substr(0, at) + reason.substr(at + named.size());
}

} // namespace

std::vector<ane::aside> refuse_mil(const ane::read_model& model, const ane::rule_set& waived,
                                   ane::verdict_table& verdicts) {
    struct reason {
        ane::read_fault fault;
        std::string text;
        std::vector<ane::target> targets;
    };
    std::vector<reason> all;
    std::map<std::tuple<int, std::string, std::string>, std::size_t> places;
    for (const ane::target_verdict& row : verdicts.rows()) {
        if (!ane::describe(row.target).mil_supported) {
            continue; // such a file does not reach it
        }
        std::set<std::string> told; // as a finding of the rules
        for (const ane::violation& v : row.found) {
            if (v.is_error) {
                told.insert(ane::format(v, model.graph));
            }
        }
        for (const ane::read_fault& fault : ane::judge(model, row.target, waived).reasons) {
            if (told.count(fault.reason) == 0) {
                const std::string text =
                    (fault.operation.empty() ? "" : fault.operation + ": ") + without_target(fault.reason, row.target);
                const auto [place, is_new] = places.try_emplace({fault.line, fault.operation, text}, all.size());
                if (is_new) {
                    all.push_back({fault, text, {}});
                }
                all[place->second].targets.push_back(row.target);
            }
        }
    }
    std::vector<ane::aside> observed;
    for (const reason& each : all) {
        for (const ane::target t : each.targets) {
            verdicts.refuse_file(t, "the file as it stands: " + each.text);
        }
        observed.push_back({ane::file_refused, ane::severity::reject,
                            fmt::format("{} ({})", each.text, names_of(each.targets, verdicts.rows().size())),
                            each.fault.where, each.fault.line});
    }
    return observed;
}

} // namespace app

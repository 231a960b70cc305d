#include "findings.hpp"

#include <anemone/report/terminal.hpp>
#include <anemone/rules/violation_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace command {

const char* shared_finding::level() const {
    return first.is_error ? "error" : first.severity == ane::severity::note ? "note" : "warning";
}

std::vector<shared_finding> shared_findings(const ane::verdict_table& verdicts) {
    std::map<std::tuple<int, ane::rule, bool>, std::size_t> places;
    std::vector<shared_finding> all;
    for (const ane::target_verdict& row : verdicts.rows()) {
        for (const ane::violation& v : row.found) {
            const auto [place, is_new] = places.try_emplace({v.node, v.rule, v.is_error}, all.size());
            if (is_new) {
                all.push_back({v, {}});
            }
            if (all[place->second].targets.empty() || all[place->second].targets.back() != row.target) {
                all[place->second].targets.push_back(row.target);
            }
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const shared_finding& a, const shared_finding& b) {
        return a.first.is_error != b.first.is_error ? a.first.is_error : a.first.node < b.first.node;
    });
    return all;
}

std::string names_of(const std::vector<ane::target>& targets, std::size_t of) {
    if (targets.size() == of) {
        return of == 1 ? std::string(ane::describe(targets.front()).name) : fmt::format("all {}", of);
    }
    std::string text;
    for (const ane::target t : targets) {
        text.append(text.empty() ? "" : " ").append(ane::describe(t).name);
    }
    return text;
}

std::string findings_text(const std::string& path, const ane::read_model& model, const ane::verdict_table& verdicts,
                          bool quiet, bool coloured) {
    using ane::detail::painted;
    const ane::graph_view g = model.graph;
    std::string text = fmt::format("{}: {} operations\n", path, g.size());
    text += verdicts.str(coloured);
    if (quiet) {
        return text;
    }
    for (const std::string& note : model.notes) {
        text += fmt::format("note: {}\n", note);
    }
    for (const ane::read_fault& doubt : model.doubts) {
        text += fmt::format("{} {}\n", painted("doubt:", "\x1b[33m", coloured), ane::text(doubt));
    }
    for (const shared_finding& each : shared_findings(verdicts)) {
        const ane::violation& v = each.first;
        text += fmt::format(
            "{} {} ({})\n",
            painted(fmt::format("{}:", each.level()), ane::detail::colour_of(v.severity, v.is_error), coloured),
            ane::format(v, g, ane::describe(v.target)), names_of(each.targets, verdicts.rows().size()));
    }
    return text;
}

std::string unreadable_text(const std::string& path, const ane::unreadable& refused, bool coloured) {
    using ane::detail::painted;
    std::string text =
        fmt::format("{}: {} in the file\n", path,
                    refused.faults().size() == 1 ? "1 fault" : fmt::format("{} faults", refused.faults().size()));
    for (const ane::read_fault& fault : refused.faults()) {
        text += fmt::format("{} {}\n", painted("unreadable:", "\x1b[1;31m", coloured), ane::text(fault));
    }
    return text;
}

} // namespace command

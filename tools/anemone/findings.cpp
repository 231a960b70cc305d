#include "findings.hpp"

#include "../app/target_names.hpp"
#include "terminal_text.hpp"
#include <anemone/report/cost_text.hpp>
#include <anemone/report/terminal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace command {

const char* shared_finding::level() const {
    return first.is_error ? "error" : first.severity == ane::severity::note ? "note" : "warning";
}

bool shared_finding::follows() const { return !first.is_error && first.got >= ane::no_bound; }

const char* level_of(const ane::aside& o) {
    return o.level == ane::severity::reject ? "error" : o.level == ane::severity::note ? "note" : "warning";
}

std::vector<shared_finding> shared_findings(const ane::verdict_table& verdicts) {
    std::map<std::tuple<int, ane::rule, bool, std::int64_t, std::int64_t, const void*>, std::size_t> places;
    std::vector<shared_finding> all;
    for (std::size_t r = 0; r < verdicts.rows().size(); ++r) {
        const ane::target_verdict& row = verdicts.rows()[r];
        for (std::size_t i = 0; i < row.found.size(); ++i) {
            const ane::violation& v = row.found[i];
            const auto [place, is_new] =
                places.try_emplace({v.node, v.rule, v.is_error, v.got, v.limit, v.after}, all.size());
            if (is_new) {
                all.push_back({v, verdicts.sentence(r, i), {}});
            }
            if (all[place->second].targets.empty() || all[place->second].targets.back() != row.target) {
                all[place->second].targets.push_back(row.target);
            }
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const shared_finding& a, const shared_finding& b) {
        const auto rank = [](const shared_finding& f) { // errors, warnings, notes
            return f.first.is_error ? 0 : f.first.severity == ane::severity::note ? 2 : 1;
        };
        return rank(a) != rank(b) ? rank(a) < rank(b) : a.first.node < b.first.node;
    });
    return all;
}

std::size_t operation_count(const ane::graph_view& g) {
    return static_cast<std::size_t>(
        std::count_if(g.nodes.begin(), g.nodes.end(), [](const ane::node& n) { return !ane::is_source(n.kind); }));
}

namespace {

/// Layers of an exported model break the same few rules again and again.
constexpr std::size_t shown_of_a_rule = 3;

/// What bounds a run on each target, what it moves, and how much of the memories it uses.
std::string resources_text(const ane::verdict_table& verdicts) {
    std::string text = fmt::format("{:>9}  {:>9}  {:>9}  {:>9}  {:>9}  {:>8}  {:>6}  targets\n", "bound", "traffic",
                                   "largest", "alive", "weights", "streamed", "wasted");
    std::vector<std::pair<std::string, std::vector<ane::target>>> rows; // of chips that do alike, once
    for (const ane::target_verdict& row : verdicts.rows()) {
        const ane::residency_summary& s = row.residency;
        const auto bytes = [](std::int64_t count) { return ane::detail::scaled(static_cast<double>(count), "B"); };
        const std::string line = fmt::format("{:>9}  {:>9}  {:>9}  {:>9}  {:>9}  {:>8}  {:>4.0f} %",
                                             row.seconds ? ane::name(row.limit) : "-",
                                             row.traffic > 0 ? bytes(row.traffic) : "-", bytes(s.largest.bytes),
                                             bytes(s.peak.bytes), bytes(s.kernel_bytes), s.streamed, 100 * s.wasted());
        const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == line; });
        if (same == rows.end()) {
            rows.push_back({line, {row.target}});
        } else {
            same->second.push_back(row.target);
        }
    }
    for (const auto& [line, targets] : rows) {
        text += fmt::format("{}  {}\n", line, app::names_of(targets, verdicts.rows().size()));
    }
    return text;
}

std::string place_of(const ane::aside& o) {
    return o.file.empty() ? "" : o.line > 0 ? fmt::format("{}:{}: ", o.file, o.line) : o.file + ": ";
}

} // namespace

std::string findings_text(const std::string& path, const ane::graph_view& g, const ane::verdict_table& verdicts,
                          std::span<const ane::aside> observed, bool quiet, bool all, bool coloured) {
    using ane::detail::painted;
    std::string text = fmt::format("{}: {} operations\n", one_line(path), operation_count(g));
    text += verdicts.str(coloured);
    if (quiet) {
        return text;
    }
    text += resources_text(verdicts);
    for (const ane::aside& each : observed) {
        text += fmt::format("{} {}{} [{}]\n",
                            painted(fmt::format("{}:", level_of(each)),
                                    ane::detail::colour_of(each.level, each.level == ane::severity::reject), coloured),
                            one_line(place_of(each)), one_line(each.text), each.kind.id);
    }
    std::size_t following = 0;
    std::map<ane::rule, std::vector<int>> more; // layers that are not listed one by one
    std::map<ane::rule, std::size_t> told;
    for (const shared_finding& each : shared_findings(verdicts)) {
        const ane::violation& v = each.first;
        if (each.follows()) {
            ++following;
        } else if (!all && !v.is_error && ++told[v.rule] > shown_of_a_rule) {
            more[v.rule].push_back(v.node);
        } else {
            text += fmt::format(
                "{} {} ({})\n",
                painted(fmt::format("{}:", each.level()), ane::detail::colour_of(v.severity, v.is_error), coloured),
                one_line(each.sentence), app::names_of(each.targets, verdicts.rows().size()));
        }
    }
    for (const auto& [rule, layers] : more) {
        const std::size_t listed = std::min<std::size_t>(layers.size(), 8);
        text += fmt::format("{} more of {} [{}]: #{}{}\n", layers.size(), ane::name(rule), ane::record_of(rule).fact,
                            fmt::join(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(listed), " #"),
                            listed < layers.size() ? " ...; --all lists them" : "");
    }
    if (following > 0) {
        text += fmt::format("{} more {} of which no bound is known any longer, after those above\n", following,
                            following == 1 ? "layer" : "layers");
    }
    return text;
}

} // namespace command

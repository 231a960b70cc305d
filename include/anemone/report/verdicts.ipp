#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_verdicts_hpp);

#include "../base/cancellation.hpp"
#include "../base/formatted.hpp"
#include "../cost/cost.hpp"
#include "../forms/written.hpp"
#include "../io/json.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "../rules/acceptance.hpp"
#include "../rules/phrases.hpp"
#include "../version.hpp"
#include "cost_text.hpp"
#include "terminal.hpp"
#include "verdicts.hpp"
#include "weight_list.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// The first error of a row, null where it has none but those of its file.
ANEMONE_INLINE const violation* blocker_of(const target_verdict& row) {
    const auto at = std::find_if(row.found.begin(), row.found.end(), [](const violation& v) { return v.is_error; });
    return at == row.found.end() ? nullptr : &*at;
}
/// Whether two rows that are refused are so for the same reason.
ANEMONE_INLINE bool stopped_alike(const target_verdict& one, const target_verdict& other) {
    const violation* a = blocker_of(one);
    const violation* b = blocker_of(other);
    if (a == nullptr || b == nullptr) {
        return a == b && one.first_blocker == other.first_blocker;
    }
    return a->node == b->node && a->rule == b->rule && a->got == b->got && a->limit == b->limit;
}
/// The first row that is stopped as this one.
ANEMONE_INLINE std::size_t first_with(const std::vector<target_verdict>& rows, const target_verdict& wanted) {
    std::size_t i = 0;
    while (rows[i].accepted() || !stopped_alike(rows[i], wanted)) {
        ++i;
    }
    return i;
}

ANEMONE_INLINE std::optional<lowered_graph> try_lower(const graph_view& g) {
    try {
        return lower(g);
    } catch (const error&) {
        return std::nullopt; // the rules say why; there is no cost
    }
}

ANEMONE_INLINE std::string time_of(const target_verdict& r) {
    return !r.accepted() ? "-"
           : r.seconds   ? formatted("{} ({})", milliseconds(*r.seconds),
                                   r.seconds_mark == mark::measured ? "measured fit" : name(r.seconds_mark))
                         : "not known";
}

ANEMONE_INLINE void write_violation(json_writer& j, const violation& v, const std::string& label,
                                    const std::string& message, const std::vector<std::string>& suggestions,
                                    const std::optional<target>& first) {
    const rule_record& r = record_of(v.rule);
    j.object().member("rule", name(v.rule)).member("fact", r.fact).member("level", name(level_of(v)));
    j.member("severity", name(v.severity)).member("operation", name(v.operation)).member("node", v.node);
    j.member("label", label).member("file", v.file).member("line", v.line);
    j.member("got", v.got)
        .member("limit", v.limit)
        .member("mark", name(evidence_on(r, describe(v.target))))
        .member("message", message);
    j.key("suggestions").array();
    for (const std::string& suggestion : suggestions) {
        j.value(suggestion);
    }
    j.end();
    if (asks_elsewhere(v)) {
        j.key("first_target");
        first ? j.value(runtime_architecture(*first)) : j.null();
    }
    j.member("page", "docs/rules/" + std::string(name(v.rule)) + ".md").end();
}

ANEMONE_INLINE void write_aside(json_writer& j, const aside& o) {
    j.object().member("id", o.kind.id).member("level", name(level_of(o.level))).member("message", o.text);
    j.member("file", o.file).member("line", o.line).member("page", o.kind.page).end();
}

/// What a run costs, and how much of the memories it uses.
ANEMONE_INLINE void write_resources(json_writer& j, const target_verdict& r) {
    j.key("seconds");
    r.seconds ? j.value(*r.seconds) : j.null();
    if (r.seconds) {
        j.member("at_least", r.interval.at_least).member("at_most", r.interval.at_most).member("joules", r.joules);
        j.member("seconds_mark", name(r.seconds_mark)).member("bound", name(r.limit)).member("traffic", r.traffic);
    }
    const residency_summary& s = r.residency;
    j.key("residency").object().member("largest", s.largest.bytes).member("streamed", s.streamed);
    j.member("alive", s.peak.bytes).member("partitioned", s.partitioned).member("kernels", s.kernel_bytes);
    j.member("extra_layers", s.extra_layers).member("wasted", s.wasted()).end();
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF verdict_table::verdict_table(const graph_view& g, const target_set& targets, const report_policy& p) {
    validate(g);
    const std::optional<lowered_graph> lowered = detail::try_lower(g);
    const node_acceptance elsewhere(g, macs, detail::verdict_policy(p));
    for (detail::remark& remark : detail::remarks_on_shared_weights(g)) {
        remarks_.push_back(std::move(remark.text));
    }
    for (const target t : targets) {
        detail::stop_if_cancelled();
        target_verdict row;
        row.target = t;
        row.found = detail::reported_violations(g, t, p);
        auto& sites = sites_.emplace_back();
        for (const violation& v : row.found) {
            detail::stop_if_cancelled();
            const bool asks = detail::asks_elsewhere(v);
            const std::optional<target> first = asks ? elsewhere.first_for(v.node) : std::nullopt;
            sites.push_back({std::string(detail::label(g, v.node)),
                             format(v, g, describe(t), asks ? detail::remedy_phrase(first) : std::string()),
                             detail::suggestions_of(v, g, describe(t)), first});
            if (v.is_error && row.counts.errors == 0) {
                const bool unwritten = v.rule == rule::operation_is_not_written;
                row.first_blocker = unwritten
                                        ? format(v, g, describe(t), detail::remedy_phrase(elsewhere.first_for(v.node)))
                                        : sites.back().message;
            }
            row.counts.add(v);
        }
        row.counts.notes += remarks_.size();
        row.held = held_forms_of(g, describe(t), p.rules.route);
        if (lowered && row.accepted()) {
            const cost c = estimate(lowered->view(), describe(t), row.held);
            row.seconds = c.seconds;
            row.interval = c.clock;
            row.joules = c.joules;
            row.seconds_mark = c.roof ? c.roof->known_by : mark::predicted;
            row.limit = c.limit;
            row.traffic = c.bytes;
        }
        const graph_view as_run = lowered ? lowered->view() : g;
        row.residency = summarize(residency(as_run, describe(t), row.held), t);
        rows_.push_back(std::move(row));
    }
}

ANEMONE_BODY void verdict_table::refuse_file(target t, const std::string& reason) {
    for (target_verdict& row : rows_) {
        if (row.target == t) {
            row.first_blocker = row.counts.errors == 0 ? reason : row.first_blocker;
            ++row.counts.errors;
            row.of_file.push_back(reason);
            row.seconds.reset();
        }
    }
}

ANEMONE_BODY bool verdict_table::ok() const noexcept {
    return std::all_of(rows_.begin(), rows_.end(), [](const target_verdict& r) { return r.accepted(); });
}
ANEMONE_BODY int verdict_table::exit_code() const noexcept { return ok() ? 0 : 1; }

ANEMONE_BODY std::string verdict_table::str(bool coloured) const {
    std::size_t products = 7;
    for (const target_verdict& r : rows_) {
        products = std::max(products, detail::display_width(describe(r.target).product));
    }
    std::string text = formatted("{:<6}  {:<{}}  {:<8}  {:>6}  {:>8}  {:>5}  {}\n", "target", "product", products,
                                 "verdict", "errors", "warnings", "notes", "estimate");
    for (const target_verdict& r : rows_) {
        const std::string_view colour = r.accepted() ? "\x1b[32m" : "\x1b[1;31m";
        text += formatted("{:<6}  {}  {}  {:>6}  {:>8}  {:>5}  {}\n", runtime_architecture(r.target),
                          detail::padded(describe(r.target).product, products),
                          detail::painted(r.accepted() ? "accepted" : "refused ", colour, coloured), r.counts.errors,
                          r.counts.warnings, r.counts.notes, detail::time_of(r));
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!rows_[i].accepted() && detail::first_with(rows_, rows_[i]) == i) {
            std::string names;
            for (std::size_t k = i; k < rows_.size(); ++k) {
                const bool stopped = !rows_[k].accepted() && detail::stopped_alike(rows_[k], rows_[i]);
                names += stopped ? (k == i ? "" : ", ") + std::string(runtime_architecture(rows_[k].target)) : "";
            }
            text += formatted("{}: {}\n", detail::painted(names, "\x1b[1m", coloured), rows_[i].first_blocker);
        }
    }
    for (const std::string& remark : remarks_) {
        text += detail::painted(name(severity::note), detail::colour_of(severity::note, false), coloured);
        text += formatted(": {}\n", remark);
    }
    return text;
}

ANEMONE_BODY std::string verdict_table::json(std::string_view model, std::span<const aside> observed) const {
    json_writer j;
    j.object().member("tool", "Anemone").member("version", version).member("model", model).member("accepted", ok());
    j.key("remarks").array();
    for (const std::string& remark : remarks_) {
        j.value(remark);
    }
    j.end();
    j.key("observations").array();
    for (const aside& o : observed) {
        detail::write_aside(j, o);
    }
    j.end();
    j.key("verdicts").array();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const target_verdict& r = rows_[i];
        j.object().member("target", runtime_architecture(r.target)).member("product", describe(r.target).product);
        j.member("accepted", r.accepted()).member("errors", r.counts.errors);
        j.member("warnings", r.counts.warnings).member("notes", r.counts.notes);
        detail::write_resources(j, r);
        j.key("violations").array();
        for (std::size_t k = 0; k < r.found.size(); ++k) {
            const site_text& site = sites_[i][k];
            detail::write_violation(j, r.found[k], site.label, site.message, site.suggestions, site.first);
        }
        j.end().end();
    }
    j.end().end();
    return j.str();
}

ANEMONE_BODY void verdict_table::print(std::FILE* to) const { detail::write_text(to, str(detail::wants_colour(to))); }
ANEMONE_BODY_OF std::ostream& operator<<(std::ostream& to, const verdict_table& v) { return to << v.str(); }

ANEMONE_BODY_OF verdict_table verdicts(const graph_view& g, const target_set& targets, const report_policy& p) {
    return verdict_table(g, targets, p);
}

} // namespace ane::inline ANEMONE_WAY

#pragma once

#include "../passes/cost.hpp"
#include "../passes/lowering.hpp"
#include "../version.hpp"
#include "../way.hpp"
#include "cost_report.hpp"
#include "findings.hpp"
#include "json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

/// The verdict of every target of a set on one model.
namespace ane::inline ANEMONE_WAY {

/// What one target says of a model.
struct target_verdict {
    ane::target target = target::h13;
    detail::finding_counts counts{};
    std::string first_blocker{};     ///< the sentence of the first error; empty where the target accepts
    std::optional<double> seconds{}; ///< estimated time of one dispatch, where the target accepts and its cost is known
    mark seconds_mark = mark::predicted; ///< of `seconds`: a fit to measurements, or a prediction
    std::vector<violation> found{};

    bool accepted() const noexcept { return counts.errors == 0; }
};

/// A row for each target of a set, in its order. Keeps its own text: the graph may go away.
class verdict_table {
public:
    explicit verdict_table(const graph_view& g, const target_set& targets = macs, const policy& p = {}) {
        const std::optional<lowered_graph> lowered = try_lower(g);
        const node_acceptance elsewhere(g, macs, p);
        for (const target t : targets) {
            target_verdict row;
            row.target = t;
            row.found = violations(g, t, p);
            for (const violation& v : row.found) {
                if (v.is_error && row.counts.errors == 0) {
                    row.first_blocker = format(v, g, describe(t), detail::remedy_phrase(elsewhere.first_for(v.node)));
                }
                row.counts.add(v);
            }
            if (lowered && row.accepted()) {
                const cost c = estimate(lowered->view(), t);
                row.seconds = c.seconds;
                row.seconds_mark = c.roof ? c.roof->known_by : mark::predicted;
            }
            rows_.push_back(std::move(row));
            sites_.push_back(sites_of(g, rows_.back().found));
        }
    }

    const std::vector<target_verdict>& rows() const noexcept { return rows_; }
    /// Whether every target accepts.
    bool ok() const noexcept {
        return std::all_of(rows_.begin(), rows_.end(), [](const target_verdict& r) { return r.accepted(); });
    }
    /// For a program that ends with it: 0 where every target accepts, 1 otherwise.
    int exit_code() const noexcept { return ok() ? 0 : 1; }

    /// A line for each target, then each distinct blocker once, with the targets that it stops.
    std::string str(bool coloured = false) const {
        std::size_t products = 7;
        for (const target_verdict& r : rows_) {
            products = std::max(products, detail::display_width(describe(r.target).product));
        }
        std::string text = fmt::format("{:<6}  {:<{}}  {:<8}  {:>6}  {:>8}  {:>5}  {}\n", "target", "product", products,
                                       "verdict", "errors", "warnings", "notes", "estimate");
        for (const target_verdict& r : rows_) {
            const std::string_view colour = r.accepted() ? "\x1b[32m" : "\x1b[1;31m";
            text += fmt::format("{:<6}  {}  {}  {:>6}  {:>8}  {:>5}  {}\n", runtime_architecture(r.target),
                                detail::padded(describe(r.target).product, products),
                                detail::painted(r.accepted() ? "accepted" : "refused ", colour, coloured),
                                r.counts.errors, r.counts.warnings, r.counts.notes, time_of(r));
        }
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (!rows_[i].accepted() && first_with(blocker(i)) == i) {
                std::string names;
                for (std::size_t k = i; k < rows_.size(); ++k) {
                    const bool stopped = !rows_[k].accepted() && same(blocker(k), blocker(i));
                    names += stopped ? (k == i ? "" : ", ") + std::string(runtime_architecture(rows_[k].target)) : "";
                }
                text += fmt::format("{}: {}\n", detail::painted(names, "\x1b[1m", coloured), rows_[i].first_blocker);
            }
        }
        return text;
    }

    /// The same as JSON, with every violation: version, accepted, verdicts of the targets. `model` is the name shown.
    std::string json(std::string_view model = {}) const {
        json_writer j;
        j.object().member("tool", "Anemone").member("version", version).member("model", model).member("accepted", ok());
        j.key("verdicts").array();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const target_verdict& r = rows_[i];
            j.object().member("target", runtime_architecture(r.target)).member("product", describe(r.target).product);
            j.member("accepted", r.accepted()).member("errors", r.counts.errors);
            j.member("warnings", r.counts.warnings).member("notes", r.counts.notes);
            j.key("seconds");
            r.seconds ? j.value(*r.seconds) : j.null();
            if (r.seconds) {
                j.member("seconds_mark", name(r.seconds_mark));
            }
            j.key("violations").array();
            for (std::size_t k = 0; k < r.found.size(); ++k) {
                write(j, r.found[k], sites_[i][k]);
            }
            j.end().end();
        }
        j.end().end();
        return j.str();
    }

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    void print(std::FILE* to = stdout) const { detail::write_text(to, str(detail::wants_colour(to))); }
    friend std::ostream& operator<<(std::ostream& to, const verdict_table& v) { return to << v.str(); }

private:
    /// What a violation needs of its graph: its label and its sentence.
    struct site_text {
        std::string label, message;
    };

    /// The first error of a row that has one.
    const violation& blocker(std::size_t row) const {
        const auto& found = rows_[row].found;
        return *std::find_if(found.begin(), found.end(), [](const violation& v) { return v.is_error; });
    }
    static bool same(const violation& a, const violation& b) {
        return a.node == b.node && a.rule == b.rule && a.got == b.got && a.limit == b.limit;
    }
    /// The first row that this stops.
    std::size_t first_with(const violation& wanted) const {
        std::size_t i = 0;
        while (rows_[i].accepted() || !same(blocker(i), wanted)) {
            ++i;
        }
        return i;
    }

    static std::optional<lowered_graph> try_lower(const graph_view& g) {
        try {
            return lower(g);
        } catch (const error&) {
            return std::nullopt; // the rules say why; there is no cost
        }
    }
    static std::vector<site_text> sites_of(const graph_view& g, const std::vector<violation>& found) {
        std::vector<site_text> all;
        all.reserve(found.size());
        for (const violation& v : found) {
            all.push_back({std::string(detail::label(g, v.node)), format(v, g)});
        }
        return all;
    }
    static std::string time_of(const target_verdict& r) {
        return !r.accepted() ? "-"
               : r.seconds   ? fmt::format("{} ({})", detail::milliseconds(*r.seconds),
                                         r.seconds_mark == mark::measured ? "measured fit" : name(r.seconds_mark))
                             : "not known";
    }
    static void write(json_writer& j, const violation& v, const site_text& s) {
        const rule_record& r = record_of(v.rule);
        j.object().member("rule", name(v.rule)).member("fact", r.fact).member("level", name(detail::level_of(v)));
        j.member("severity", name(v.severity)).member("operation", name(v.operation)).member("node", v.node);
        j.member("label", s.label).member("file", v.file).member("line", v.line);
        j.member("got", v.got).member("limit", v.limit).member("mark", name(r.evidence)).member("message", s.message);
        j.key("suggestions").array();
        for (const std::string& suggestion : detail::suggestions_of(r)) {
            j.value(suggestion);
        }
        j.end().member("page", "docs/rules/" + std::string(name(v.rule)) + ".md").end();
    }

    std::vector<target_verdict> rows_;
    std::vector<std::vector<site_text>> sites_; ///< for each row and violation
};

/// What every target of a set says of a model: `verdicts(model).print();`
ANEMONE_INLINE verdict_table verdicts(const graph_view& g, const target_set& targets = macs, const policy& p = {}) {
    return verdict_table(g, targets, p);
}

} // namespace ane::inline ANEMONE_WAY

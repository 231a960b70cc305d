#include "html_report.hpp"

#include "../app/target_names.hpp"
#include "findings.hpp"
#include "html_page.hpp"
#include <anemone/drawing/drawing.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/report/cost_report.hpp>
#include <anemone/report/cost_text.hpp>
#include <anemone/report/roofline_drawing.hpp>
#include <anemone/rules/phrases.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace command {

namespace {

using html::cell;
using html::number;

std::string count(std::size_t n) { return number(static_cast<double>(n), fmt::format("{}", n)); }
std::string bytes(std::int64_t n) {
    return number(static_cast<double>(n), ane::detail::scaled(static_cast<double>(n), "B"));
}

std::string verdict_rows(const ane::verdict_table& verdicts) {
    std::string rows;
    for (const ane::target_verdict& row : verdicts.rows()) {
        const ane::target_description& d = ane::describe(row.target);
        const ane::residency_summary& s = row.residency;
        rows += "<tr>" + cell(d.runtime) + cell(d.product) +
                cell(row.accepted() ? "accepted" : "refused", row.accepted() ? "accepted" : "error") +
                count(row.counts.errors) + count(row.counts.warnings) + count(row.counts.notes) +
                (row.seconds ? number(*row.seconds, ane::detail::milliseconds(*row.seconds)) +
                                   number(row.interval.at_most, ane::detail::between(row.interval)) +
                                   number(row.joules, ane::detail::millijoules(row.joules)) +
                                   cell(ane::name(row.limit)) + cell(ane::name(row.seconds_mark))
                             : cell("") + cell("") + cell("") + cell("") + cell("")) +
                bytes(s.largest.bytes) + bytes(s.peak.bytes) + bytes(s.kernel_bytes) +
                count(static_cast<std::size_t>(s.streamed)) +
                number(s.wasted(), fmt::format("{:.0f} %", 100 * s.wasted())) + "</tr>\n";
    }
    return rows;
}

std::string finding_rows(const ane::verdict_table& verdicts, const std::vector<shared_finding>& all) {
    std::string rows;
    for (const shared_finding& each : all) {
        rows += "<tr>" + cell(each.level(), each.level()) +
                number(each.first.node, fmt::format("#{}", each.first.node)) + cell(each.sentence, "text") +
                html::named(ane::name(each.first.rule)) + cell(app::names_of(each.targets, verdicts.rows().size())) +
                "</tr>\n";
    }
    return rows;
}

std::string observation_rows(std::span<const ane::aside> observed) {
    std::string rows;
    for (const ane::aside& o : observed) {
        rows += "<tr>" + cell(level_of(o), level_of(o)) + cell(o.text, "text") + cell(o.kind.id) +
                cell(o.line > 0 ? fmt::format("{}:{}", o.file, o.line) : o.file) + "</tr>\n";
    }
    return rows;
}

/// Every layer with the targets that take it.
std::string layer_rows(const ane::graph_view& g, const ane::verdict_table& verdicts) {
    struct told {
        std::size_t findings = 0;
        std::vector<ane::target> refusing;
    };
    std::vector<told> layers(g.nodes.size());
    for (const ane::target_verdict& row : verdicts.rows()) {
        for (const ane::violation& v : row.found) {
            told& layer = layers[static_cast<std::size_t>(v.node)];
            ++layer.findings;
            if (v.is_error && (layer.refusing.empty() || layer.refusing.back() != row.target)) {
                layer.refusing.push_back(row.target);
            }
        }
    }
    std::string rows;
    for (int i = 0; i < g.size(); ++i) {
        const ane::node& n = g[i];
        if (ane::is_source(n.kind)) {
            continue;
        }
        const told& layer = layers[static_cast<std::size_t>(i)];
        const auto flops = static_cast<double>(ane::work_of(g, n).flops());
        rows += "<tr>" + number(i, fmt::format("#{}", i)) + cell(ane::name(n.kind)) + cell(ane::detail::label(g, i)) +
                cell(ane::print(n.type, n.shape)) + number(flops, ane::detail::scaled(flops, "FLOP")) +
                (layer.refusing.empty()
                     ? cell("legal", "accepted")
                     : cell("refused by " + app::names_of(layer.refusing, verdicts.rows().size()), "error")) +
                count(layer.findings) + "</tr>\n";
    }
    return rows;
}

/// A roofline for each chip that takes the model and whose rates are known; chips of equal rates have one.
std::string rooflines_of(const ane::graph_view& g, const ane::verdict_table& verdicts) {
    if (std::none_of(verdicts.rows().begin(), verdicts.rows().end(), [](const auto& row) { return row.seconds; })) {
        return {};
    }
    const ane::lowered_graph lowered = ane::lower(g);
    std::vector<ane::roofline> drawn;
    std::string text;
    for (const ane::target_verdict& row : verdicts.rows()) {
        const ane::cost c = ane::estimate(lowered.graph, ane::describe(row.target), row.held);
        const auto same = [&](const ane::roofline& r) {
            return r.peak == c.roof->peak && r.bandwidth == c.roof->bandwidth &&
                   r.port_bandwidth == c.roof->port_bandwidth;
        };
        const bool has_layers = std::any_of(c.layers.begin(), c.layers.end(), [](const ane::layer_cost& l) {
            return l.work.flops() > 0 && l.bytes() > 0 && l.seconds() > 0;
        });
        if (row.seconds && c.roof && has_layers && std::none_of(drawn.begin(), drawn.end(), same)) {
            drawn.push_back(*c.roof);
            text += "<figure>" +
                    ane::draw_roofline(lowered.graph, c,
                                       {.id = fmt::format("roofline-{}", ane::runtime_architecture(row.target))}) +
                    "</figure>\n";
        }
    }
    return text.empty() ? "" : "<h2>Rooflines</h2>\n<div class=\"plots\">\n" + text + "</div>\n";
}

} // namespace

std::string html_report(const std::string& path, const ane::graph_view& g, const ane::verdict_table& verdicts,
                        std::span<const ane::aside> observed) {
    std::vector<shared_finding> all = shared_findings(verdicts);
    const auto following = std::stable_partition(all.begin(), all.end(), [](const auto& f) { return !f.follows(); });
    const auto rest = static_cast<std::size_t>(all.end() - following);
    all.erase(following, all.end());

    std::string text = fmt::format("<h1>{}</h1>\n<p class=\"{}\">{} operations; {}</p>\n", html::escaped(path),
                                   verdicts.ok() ? "accepted" : "error", operation_count(g),
                                   verdicts.ok() ? "every chip takes it" : "not every chip takes it");
    text += "<h2>Verdicts</h2>\n" +
            html::table({"target", "chip", "verdict", "errors", "warnings", "notes", "estimate", "nine of ten between",
                         "energy", "bound", "known by", "largest tensor", "alive", "weights", "streamed", "wasted"},
                        verdict_rows(verdicts));
    text += "<h2>Findings</h2>\n" +
            (all.empty() ? "<p>None.</p>\n"
                         : html::table({"level", "layer", "finding", "rule", "targets"}, finding_rows(verdicts, all)));
    if (rest > 0) {
        text +=
            fmt::format("<p class=\"note\">Of {} more no bound is known any longer, after those above.</p>\n", rest);
    }
    for (const std::string& remark : verdicts.remarks()) {
        text += fmt::format("<p class=\"note\">{}</p>\n", html::escaped(remark));
    }
    if (!observed.empty()) {
        text += "<h2>Observed</h2>\n" + html::table({"level", "what", "kind", "place"}, observation_rows(observed));
    }
    text += rooflines_of(g, verdicts);
    text += "<h2>Drawing</h2>\n<figure>" +
            ane::draw_svg(g, {.title = path, .id = "model", .depth = ane::readable_depth}) + "</figure>\n";
    text += "<h2>Layers</h2>\n" +
            html::details("every layer, and which targets take it",
                          html::table({"layer", "operation", "name", "result", "work", "verdict", "findings"},
                                      layer_rows(g, verdicts)),
                          g.size() <= 60);
    text += "<footer>anemone check; rules with their marks, never run on Apple silicon</footer>\n";
    return html::page(path, text);
}

} // namespace command

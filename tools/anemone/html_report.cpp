#include "html_report.hpp"

#include "findings.hpp"
#include <anemone/drawing/drawing.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/cost_report.hpp>
#include <anemone/report/roofline_drawing.hpp>
#include <anemone/rules/violation_text.hpp>

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace command {

namespace {

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --line: #8885; --error: #c62828; --warning: #b26a00; --note: #00789a; --well: #2e7d32; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem; vertical-align: top;
border-bottom: 1px solid var(--line); overflow-wrap: anywhere; } th { cursor: pointer; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.error { color: var(--error); font-weight: 600; } .warning { color: var(--warning); } .note { color: var(--note); }
.accepted { color: var(--well); } figure { margin: 1rem 0; overflow-x: auto; } footer { margin-top: 3rem; opacity: .7; }
</style>
)";

/// Sorts a table by the column whose head is clicked: by number where both cells are numbers.
constexpr std::string_view script = R"(<script>
for (const th of document.querySelectorAll("th")) th.addEventListener("click", () => {
  const body = th.closest("table").tBodies[0], column = th.cellIndex, back = th.dataset.up === "1";
  th.dataset.up = back ? "0" : "1";
  const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const order = (a, b) => { const x = value(a), y = value(b), n = Number(x) - Number(y);
    return Number.isNaN(n) ? x.localeCompare(y) : n; };
  body.append(...[...body.rows].sort((a, b) => back ? order(b, a) : order(a, b)));
});
</script>
)";

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        default: result += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
        }
    }
    return result;
}

std::string cell(std::string_view text, std::string_view kind = {}) {
    return fmt::format("<td{}>{}</td>", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), escaped(text));
}
std::string number(double value, std::string_view shown) {
    return fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", value, escaped(shown));
}

std::string table(std::initializer_list<std::string_view> heads, const std::string& rows) {
    std::string text = "<table><thead><tr>";
    for (const std::string_view each : heads) {
        text += fmt::format("<th>{}</th>", escaped(each));
    }
    return text + "</tr></thead><tbody>\n" + rows + "</tbody></table>\n";
}

std::string verdict_rows(const ane::verdict_table& verdicts) {
    std::string rows;
    for (const ane::target_verdict& row : verdicts.rows()) {
        const ane::target_description& d = ane::describe(row.target);
        rows += "<tr>" + cell(d.runtime) + cell(d.product) +
                cell(row.accepted() ? "accepted" : "refused", row.accepted() ? "accepted" : "error") +
                number(static_cast<double>(row.counts.errors), fmt::format("{}", row.counts.errors)) +
                number(static_cast<double>(row.counts.warnings), fmt::format("{}", row.counts.warnings)) +
                (row.seconds ? number(*row.seconds,
                                      fmt::format("{:.3g} ms ({})", 1e3 * *row.seconds, ane::name(row.seconds_mark)))
                             : cell("")) +
                cell(row.first_blocker) + "</tr>\n";
    }
    return rows;
}

std::string finding_rows(const ane::graph_view& g, const ane::verdict_table& verdicts) {
    std::string rows;
    for (const shared_finding& each : shared_findings(verdicts)) {
        rows += "<tr>" + cell(each.level(), each.level()) +
                number(each.first.node, fmt::format("{}", each.first.node)) +
                cell(ane::format(each.first, g, ane::describe(each.first.target))) + cell(ane::name(each.first.rule)) +
                cell(names_of(each.targets, verdicts.rows().size())) + "</tr>\n";
    }
    return rows;
}

/// The roofline of the first chip that takes the model and whose rates are known.
std::string roofline_of(const ane::graph_view& g, const ane::verdict_table& verdicts) {
    const ane::lowered_graph lowered = ane::lower(g);
    for (const ane::target_verdict& row : verdicts.rows()) {
        const ane::cost c = ane::estimate(lowered.graph, row.target);
        if (row.accepted() && c.roof && c.seconds) {
            return fmt::format("<h2>Cost</h2>\n<p>{}</p>\n<figure>{}</figure>\n", escaped(ane::cost_line(c)),
                               ane::draw_roofline(lowered.graph, c));
        }
    }
    return {};
}

} // namespace

std::string html_report(const std::string& path, const ane::read_model& model, const ane::verdict_table& verdicts) {
    const ane::graph_view g = model.graph;
    std::string text(head);
    text += fmt::format("<title>{0}</title>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{1} operations; {2}</p>\n",
                        escaped(path), g.size(), verdicts.ok() ? "every chip takes it" : "not every chip takes it");
    text +=
        "<h2>Verdicts</h2>\n" +
        table({"target", "chip", "verdict", "errors", "warnings", "estimate", "first blocker"}, verdict_rows(verdicts));
    text += "<h2>Findings</h2>\n" + table({"level", "layer", "finding", "rule", "targets"}, finding_rows(g, verdicts));
    for (const std::string& note : model.notes) {
        text += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
    }
    for (const ane::read_fault& doubt : model.doubts) {
        text += fmt::format("<p class=\"warning\">{}</p>\n", escaped(ane::text(doubt)));
    }
    text += roofline_of(g, verdicts);
    text += "<h2>Drawing</h2>\n<figure>" + ane::draw_svg(g) + "</figure>\n";
    text += "<footer>anemone check; rules with their marks, never run on Apple silicon</footer>\n";
    text += script;
    return text + "</body>\n</html>\n";
}

} // namespace command

#include "html_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace command::html {

namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --error: #c62828; --warning: #9a5b00; --note: #00708f;
  --well: #2e7d32; }
@media (prefers-color-scheme: dark) {
  :root { --error: #ff8a80; --warning: #ffb74d; --note: #6fd3ec; --well: #8bd18f; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 86rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.4rem; }
table { border-collapse: collapse; width: 100%; font-size: 14px; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: .35rem .5rem; vertical-align: top; border-bottom: 1px solid var(--line); }
td { overflow-wrap: break-word; } td.text { min-width: 20rem; overflow-wrap: anywhere; } tbody tr:hover { background: var(--soft); }
.sorts th { cursor: pointer; }
th[aria-sort]::after { content: " \\25BE"; } th[aria-sort=descending]::after { content: " \\25B4"; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.name { font-size: 13px; } table.many { font-size: 13px; } .many th, .many td { padding: .3rem .35rem; }
td.error, td.warning, td.note, td.accepted, p.error, p.accepted { font-weight: 600; white-space: nowrap; }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--note); }
.accepted { color: var(--well); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(32rem, 1fr)); gap: 1rem; }
figure { margin: 1rem 0; overflow-x: auto; } figure svg { display: block; margin: 0 auto; }
.plots figure { margin: 0; } .plots svg { width: 100%; height: auto; }
summary { cursor: pointer; padding: .4rem 0; } footer { margin-top: 3rem; opacity: .7; font-size: 13px; }
@media (max-width: 48rem) { /* a phone: each row is a list of its cells, with the head beside each */
  body { margin: 1rem auto; padding: 0 .8rem; } thead { display: none; }
  table, tbody, tr, td { display: block; width: auto; } tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td, .many td, td.number { display: flex; gap: .8rem; border: 0; padding: .1rem 0; text-align: left; white-space: normal; }
  td.text { min-width: 0; } td:empty { display: none; } .plots { grid-template-columns: 1fr; }
  td::before { content: attr(data-head); flex: 0 0 8.5rem; opacity: .7; font-weight: 400; color: CanvasText; } }
)";

/// Sorts a table by the column whose head is clicked: by number where both cells are numbers.
constexpr std::string_view script = R"(
for (const th of document.querySelectorAll("th")) {
  th.closest("table").classList.add("sorts");
  th.addEventListener("click", () => {
    const body = th.closest("table").tBodies[0], column = th.cellIndex;
    const back = th.getAttribute("aria-sort") === "ascending";
    for (const other of th.parentNode.cells) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", back ? "descending" : "ascending");
    const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => { const x = value(a), y = value(b), n = Number(x) - Number(y);
      return x === "" || y === "" || Number.isNaN(n) ? x.localeCompare(y) : n; };
    body.append(...[...body.rows].sort((a, b) => back ? order(b, a) : order(a, b)));
  });
}
)";

} // namespace

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&#39;"; break;
        default: result += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
        }
    }
    return result;
}

std::string cell(std::string_view text, std::string_view kind) {
    return fmt::format("<td{}>{}</td>", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), escaped(text));
}
std::string named(std::string_view name) {
    std::string text = escaped(name);
    for (std::size_t at = text.find('_'); at != std::string::npos; at = text.find('_', at + 6)) {
        text.insert(at + 1, "<wbr>");
    }
    return "<td class=\"name\">" + text + "</td>";
}
std::string number(double value, std::string_view shown) {
    return fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", value, escaped(shown));
}

namespace {

/// The head of its column in each cell, which a narrow page shows beside it. What a cell says has no '<'.
std::string with_heads(std::initializer_list<std::string_view> heads, const std::string& rows) {
    std::string text;
    std::size_t column = 0;
    for (std::size_t at = 0; at < rows.size();) {
        const std::size_t tag = std::min(rows.find('<', at), rows.size());
        text.append(rows, at, tag - at);
        at = tag;
        const std::string_view rest = std::string_view(rows).substr(tag);
        if (rest.starts_with("<tr>")) {
            column = 0;
        } else if (rest.starts_with("<td") && column < heads.size()) {
            text += fmt::format("<td data-head=\"{}\"", escaped(heads.begin()[column++]));
            at += 3;
            continue;
        }
        text.append(rows, at, 1);
        at += at < rows.size() ? 1 : 0;
    }
    return text;
}

} // namespace

std::string table(std::initializer_list<std::string_view> heads, const std::string& rows) {
    constexpr std::size_t many = 10; // columns, which stand closer to each other
    std::string text =
        fmt::format("<div class=\"wide\"><table{}><thead><tr>", heads.size() > many ? " class=\"many\"" : "");
    for (const std::string_view each : heads) {
        text += fmt::format("<th>{}</th>", escaped(each));
    }
    return text + "</tr></thead><tbody>\n" + with_heads(heads, rows) + "</tbody></table></div>\n";
}

std::string details(std::string_view summary, const std::string& content, bool open) {
    return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "", escaped(summary),
                       content);
}

std::string page(std::string_view title, const std::string& body) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}<script>{}</script>\n</body>\n"
                       "</html>\n",
                       escaped(title), style, body, script);
}

} // namespace command::html

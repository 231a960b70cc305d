#pragma once

#include "../base/formatted.hpp"
#include "../drawing/text.hpp"
#include "../passes/print.hpp"
#include "../rules/phrases.hpp"
#include "neighbourhood.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_BODY bool tells_an_extent(std::string_view sentence) {
    const std::size_t at = sentence.find("{got}");
    if (at == std::string_view::npos) {
        return false;
    }
    for (const std::string_view word : {"axis ", "operand ", "rank ", "code ", "tier ", "up to "}) {
        if (sentence.substr(0, at).ends_with(word)) {
            return false;
        }
    }
    return true;
}

/// The places of a whole number in a text.
ANEMONE_INLINE std::vector<marked_line::stretch> places_of(std::int64_t number, std::string_view text) {
    const std::string wanted = std::to_string(number);
    const auto digit = [&text](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    std::vector<marked_line::stretch> found;
    for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
        const bool begins = at == 0 || (!digit(at - 1) && text[at - 1] != '.' && text[at - 1] != '-');
        if (begins && !digit(at + wanted.size())) {
            found.push_back({at, wanted.size()});
        }
    }
    return found;
}

/// At most this many operands and readers are drawn, the rest is counted.
inline constexpr std::size_t drawn_neighbours = 6;

/// A line before it is laid out.
struct neighbourhood_row {
    std::string gutter, kind, name, value;
    bool marked;
};

ANEMONE_INLINE neighbourhood_row row_of(const graph_view& g, int index, std::string gutter, bool marked) {
    const node& n = g[index];
    const std::string_view given = label(g, index);
    const std::string attributes = drawing::attribute_text(g, n);
    return {std::move(gutter), std::string(name(n.kind)),
            given.empty() ? formatted("#{}", index) : formatted("\"{}\"", printable(given)),
            print(n.type, n.shape) + (attributes.empty() ? "" : "  " + attributes), marked};
}

/// The rows as columns, with the places of the numbers in them.
ANEMONE_INLINE std::vector<marked_line> lay_out(const std::vector<neighbourhood_row>& rows,
                                                const std::vector<std::int64_t>& offending) {
    std::vector<marked_line> lines;
    std::size_t kinds = 0;
    std::size_t names = 0;
    for (const neighbourhood_row& r : rows) {
        if (!r.value.empty()) {
            kinds = std::max(kinds, display_width(r.kind));
            names = std::max(names, display_width(r.name));
        }
    }
    for (const neighbourhood_row& r : rows) {
        marked_line line;
        line.text = r.gutter + padded(r.kind, kinds) + "  " + padded(r.name, names);
        const std::size_t start = line.text.size() + 2;
        line.text += "  " + r.value;
        for (std::size_t i = 0; r.marked && i < offending.size(); ++i) {
            for (const auto& place : places_of(offending[i], r.value)) {
                line.marks.push_back({start + place.first, place.size});
            }
        }
        std::sort(line.marks.begin(), line.marks.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        line.marks.erase(std::unique(line.marks.begin(), line.marks.end(),
                                     [](const auto& a, const auto& b) { return a.first == b.first; }),
                         line.marks.end());
        line.text.erase(line.text.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY neighbourhood::neighbourhood(const graph_view& g, const reader_lists& readers, int index,
                                          const std::vector<std::int64_t>& offending) {
    std::vector<detail::neighbourhood_row> rows;
    const auto operands = g.operands(index);
    for (std::size_t i = 0; i < operands.size() && i < detail::drawn_neighbours; ++i) {
        rows.push_back(detail::row_of(g, operands[i], "|   ", true));
    }
    if (operands.size() > detail::drawn_neighbours) {
        rows.push_back({"|   ", formatted("and {} more", operands.size() - detail::drawn_neighbours), "", "", false});
    }
    rows.push_back(detail::row_of(g, index, "+=> ", true));
    std::vector<int> below(readers.of(index).begin(), readers.of(index).end());
    below.erase(std::unique(below.begin(), below.end()), below.end());
    for (std::size_t i = 0; i < below.size() && i < detail::drawn_neighbours; ++i) {
        rows.push_back(detail::row_of(g, below[i], "+-> ", false));
    }
    if (below.size() > detail::drawn_neighbours) {
        rows.push_back({"+-> ", formatted("and {} more", below.size() - detail::drawn_neighbours), "", "", false});
    }
    for (const output_port& port : g.outputs) {
        if (port.node == index) {
            rows.push_back(
                {"+-> ", "output", formatted("\"{}\"", detail::printable(g.called(g.name(port)))), "", false});
        }
    }
    lines_ = detail::lay_out(rows, offending);
}

ANEMONE_BODY std::string neighbourhood::str(bool coloured) const {
    std::string text;
    for (const detail::marked_line& line : lines_) {
        std::string shown;
        std::size_t done = 0;
        std::string under;
        for (const auto& m : line.marks) {
            const std::string_view before = std::string_view(line.text).substr(done, m.first - done);
            under += std::string(detail::display_width(before), ' ') + std::string(m.size, '^');
            shown += before;
            shown += detail::painted(std::string_view(line.text).substr(m.first, m.size), "\x1b[1;31m", coloured);
            done = m.first + m.size;
        }
        text += "      " + shown + line.text.substr(done) + "\n";
        if (!coloured && !line.marks.empty()) {
            under[0] = '|';
            text += "      " + under + "\n";
        }
    }
    return text;
}

ANEMONE_BODY neighbourhood draw_neighbourhood(const graph_view& g, const violation& v) {
    const bool extent = detail::tells_an_extent(record_of(v.rule).sentence);
    return {g, reader_lists(g), v.node, extent ? std::vector<std::int64_t>{v.got} : std::vector<std::int64_t>{}};
}

} // namespace ane::inline ANEMONE_WAY

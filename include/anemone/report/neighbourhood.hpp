#pragma once

#include "../graph/drawing_text.hpp"
#include "../print.hpp"
#include "../way.hpp"
#include "findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A node with what it reads and what reads it, as text.
namespace ane::inline ANEMONE_WAY {

/// For each node of a graph the nodes that read it; found once for many drawings.
class reader_lists {
public:
    explicit reader_lists(const graph_view& g) : first_(g.nodes.size() + 1, 0) {
        for (const int o : used_operands(g)) {
            ++first_[static_cast<std::size_t>(o) + 1];
        }
        for (std::size_t i = 1; i < first_.size(); ++i) {
            first_[i] += first_[i - 1];
        }
        readers_.resize(first_.back());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (int i = 0; i < g.size(); ++i) {
            for (const int o : g.operands(i)) {
                readers_[next[static_cast<std::size_t>(o)]++] = i;
            }
        }
    }
    /// In execution order; a node that reads a value twice stands there twice.
    std::span<const int> of(int index) const {
        const auto i = static_cast<std::size_t>(index);
        return std::span<const int>(readers_).subspan(first_[i], first_[i + 1] - first_[i]);
    }

private:
    static std::vector<int> used_operands(const graph_view& g) {
        std::vector<int> all;
        for (int i = 0; i < g.size(); ++i) {
            all.insert(all.end(), g.operands(i).begin(), g.operands(i).end());
        }
        return all;
    }
    std::vector<std::size_t> first_;
    std::vector<int> readers_;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// A line of a drawing and the stretches of it to be marked, in bytes.
struct marked_line {
    struct stretch {
        std::size_t first, size;
    };
    std::string text;
    std::vector<stretch> marks{};
};

/// Whether the {got} of a sentence is an extent that a shape shows, and not the number of an axis or an operand.
ANEMONE_INLINE bool tells_an_extent(std::string_view sentence) {
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

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// The neighbourhood of a node: a line for each operand above it and for each reader below it, with their shapes.
///
///       |   input   "x"            fp16 [1, 16, 32, 32]
///       |   weight  "stem.weight"  fp16 [16, 16, 3, 14]
///       |                                          ^^
///       +=> conv2d  "stem"         fp16 [1, 16, 30, 19]  kernel 3x14
///       |                                                         ^^
///       +-> relu    "y"            fp16 [1, 16, 30, 19]
class neighbourhood {
public:
    /// `offending`: numbers to be marked in the shapes of the node and of its operands.
    neighbourhood(const graph_view& g, const reader_lists& readers, int index,
                  const std::vector<std::int64_t>& offending = {}) {
        std::vector<row> rows;
        const auto operands = g.operands(index);
        for (std::size_t i = 0; i < operands.size() && i < detail::drawn_neighbours; ++i) {
            rows.push_back(row_of(g, operands[i], "|   ", true));
        }
        if (operands.size() > detail::drawn_neighbours) {
            rows.push_back(
                {"|   ", fmt::format("and {} more", operands.size() - detail::drawn_neighbours), "", "", false});
        }
        rows.push_back(row_of(g, index, "+=> ", true));
        std::vector<int> below(readers.of(index).begin(), readers.of(index).end());
        below.erase(std::unique(below.begin(), below.end()), below.end());
        for (std::size_t i = 0; i < below.size() && i < detail::drawn_neighbours; ++i) {
            rows.push_back(row_of(g, below[i], "+-> ", false));
        }
        if (below.size() > detail::drawn_neighbours) {
            rows.push_back(
                {"+-> ", fmt::format("and {} more", below.size() - detail::drawn_neighbours), "", "", false});
        }
        for (const output_port& port : g.outputs) {
            if (port.node == index) {
                rows.push_back({"+-> ", "output", fmt::format("\"{}\"", detail::printable(g.name(port))), "", false});
            }
        }
        lay_out(rows, offending);
    }

    /// The lines, indented by six columns. The marked numbers are red with `coloured` and underlined with carets
    /// without.
    std::string str(bool coloured = false) const {
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

private:
    struct row {
        std::string gutter, kind, name, value;
        bool marked;
    };

    static row row_of(const graph_view& g, int index, std::string gutter, bool marked) {
        const node& n = g[index];
        const std::string_view given = detail::label(g, index);
        const std::string attributes = drawing::attribute_text(g, n);
        return {std::move(gutter), std::string(name(n.kind)),
                given.empty() ? fmt::format("#{}", index) : fmt::format("\"{}\"", detail::printable(given)),
                print(n.type, n.shape) + (attributes.empty() ? "" : "  " + attributes), marked};
    }

    void lay_out(const std::vector<row>& rows, const std::vector<std::int64_t>& offending) {
        std::size_t kinds = 0;
        std::size_t names = 0;
        for (const row& r : rows) {
            if (!r.value.empty()) {
                kinds = std::max(kinds, detail::display_width(r.kind));
                names = std::max(names, detail::display_width(r.name));
            }
        }
        for (const row& r : rows) {
            detail::marked_line line;
            line.text = r.gutter + detail::padded(r.kind, kinds) + "  " + detail::padded(r.name, names);
            const std::size_t start = line.text.size() + 2;
            line.text += "  " + r.value;
            for (std::size_t i = 0; r.marked && i < offending.size(); ++i) {
                for (const auto& place : detail::places_of(offending[i], r.value)) {
                    line.marks.push_back({start + place.first, place.size});
                }
            }
            std::sort(line.marks.begin(), line.marks.end(),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
            line.marks.erase(std::unique(line.marks.begin(), line.marks.end(),
                                         [](const auto& a, const auto& b) { return a.first == b.first; }),
                             line.marks.end());
            line.text.erase(line.text.find_last_not_of(' ') + 1);
            lines_.push_back(std::move(line));
        }
    }

    std::vector<detail::marked_line> lines_;
};

/// The drawing of what a violation is about.
ANEMONE_INLINE neighbourhood draw_neighbourhood(const graph_view& g, const violation& v) {
    const bool extent = detail::tells_an_extent(record_of(v.rule).sentence);
    return {g, reader_lists(g), v.node, extent ? std::vector<std::int64_t>{v.got} : std::vector<std::int64_t>{}};
}

} // namespace ane::inline ANEMONE_WAY

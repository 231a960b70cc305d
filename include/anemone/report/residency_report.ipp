#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_residency_report_hpp);

#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "../passes/validate.hpp"
#include "cost_text.hpp"
#include "residency_report.hpp"
#include "terminal.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::string residency_bytes(std::int64_t bytes) { return scaled(static_cast<double>(bytes), "B"); }
ANEMONE_INLINE std::string residency_percent(double share) { return formatted("{:.1f} %", 100 * share); }

ANEMONE_INLINE std::string residency_target(const target_description& t) {
    return t.product[0] == '\0' ? std::string(t.runtime) : formatted("{} ({})", t.runtime, t.product);
}

/// What else the compiler does with a node.
ANEMONE_INLINE std::string residency_remarks(const node_residency& r) {
    std::string text;
    const auto remark = [&text](bool holds, std::string_view words) {
        if (holds) {
            text += formatted("{}{}", text.empty() ? "" : ", ", words);
        }
    };
    remark(r.place == residence::edge, "above the nominal size");
    remark(r.right_operand_streams, "right operand streams");
    remark(r.split.stride, "stride decomposed");
    remark(r.split.dilation, "dilation decomposed");
    remark(r.split.groups, "groups decomposed");
    remark(r.groups.step, "a further pass in part");
    return text;
}

/// The saving, or the condition that a 3x3 convolution fails; nothing for others.
ANEMONE_INLINE std::string winograd_text(const node_residency& r) {
    const winograd_gate gate = r.winograd.gate;
    if (gate == winograd_gate::not_a_convolution || gate == winograd_gate::kernel) {
        return "";
    }
    return gate == winograd_gate::open ? formatted("{:.2f}x", r.winograd.factor()) : formatted("no: {}", name(gate));
}

/// The columns of a row, in the order of `residency_titles`.
ANEMONE_INLINE std::vector<residency_cell> residency_cells(const graph_view& g, const node_residency& r,
                                                           const target_description& t) {
    const bool contracts = r.kernel.any();
    const bool convolves = r.groups.group > 0;
    return {
        {print(g, r.node), false},
        {print(g[r.node].shape), false},
        {residency_bytes(r.largest.bytes), r.place == residence::streamed},
        {residency_bytes(r.live), r.live > t.memory.working_set_nominal},
        {contracts ? residency_bytes(r.kernel.demand) : "", r.kernel.exceeds()},
        {contracts ? formatted("{}", r.kernel.splits()) : "", r.kernel.exceeds()},
        {residency_percent(r.lanes.wasted()), false},
        {formatted("{}", r.banks.depth), false},
        {convolves ? formatted("{}", r.groups.passes) : "", r.groups.step},
        {winograd_text(r), false},
        {r.branches > 1 ? formatted("{}", r.branches) : "", r.branches >= slow_fan_in},
        {residency_remarks(r), false},
    };
}

inline constexpr std::string_view residency_titles[] = {"operation", "result",   "largest",  "alive",
                                                        "kernel",    "split",    "wasted",   "banks",
                                                        "passes",    "winograd", "branches", ""};
/// Columns of words stand on the left, those of figures on the right.
constexpr bool is_word_column(std::size_t column) { return column < 2 || column == std::size(residency_titles) - 1; }

ANEMONE_INLINE std::string residency_line(const std::vector<residency_cell>& row, const std::vector<std::size_t>& width,
                                          bool coloured) {
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string shown = row[c].text + (row[c].over ? "!" : "");
        const std::string space(width[c] - shown.size(), ' ');
        const std::string cell = row[c].over && coloured ? formatted("\x1b[1;31m{}\x1b[0m", shown) : shown;
        text += (c == 0 ? "" : "  ") + (is_word_column(c) ? cell + space : space + cell);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

ANEMONE_INLINE std::string residency_head(const target_description& t) {
    const std::string knee =
        t.memory.working_set_measured > 0
            ? formatted(", streamed above {} (measured)", residency_bytes(t.memory.working_set_measured))
            : "";
    const std::int64_t dense = kernel_capacity(false, t);
    const std::int64_t streamed = kernel_capacity(true, t);
    return formatted("residency on {}: on-chip memory {}{}, kernel memory {}{}\n", residency_target(t),
                     residency_bytes(t.memory.working_set_nominal), knee, residency_bytes(dense),
                     streamed == dense ? "" : formatted(" ({} streamed)", residency_bytes(streamed)));
}

/// The lines below the table.
ANEMONE_INLINE std::vector<residency_cell> residency_totals(const graph_view& g, const target_description& t,
                                                            const residency_summary& s, std::size_t operations) {
    std::vector<residency_cell> lines;
    const auto at = [&g](int node) { return node < 0 ? std::string("nothing") : ane::print(g, node); };
    const auto add = [&lines](std::string text, bool over = false) { lines.push_back({std::move(text), over}); };
    add(formatted("{} operations, {} with an operand that is streamed; the largest is {} ({})", operations, s.streamed,
                  residency_bytes(s.largest.bytes), at(s.largest.node)),
        s.streamed > 0);
    add(formatted("at most {} alive ({}){}", residency_bytes(s.peak.bytes), at(s.peak.node),
                  s.partitioned ? ": the schedule is cut into partitions" : ""),
        s.partitioned);
    add(formatted("weights of {} in kernel memory{}", residency_bytes(s.kernel_bytes),
                  s.extra_layers > 0 ? formatted(", split into at least {} more layers", s.extra_layers) : ""),
        s.extra_layers > 0);
    add(formatted("results of {} stored as {}: {} of the lanes wasted; rows of {} collide in the banks",
                  residency_bytes(s.needed), residency_bytes(s.stored), residency_percent(s.wasted()), s.colliding));
    if (s.winograd > 0) {
        add(formatted("Winograd gate open for {}: {:.2f} times fewer multiplications in all convolutions", s.winograd,
                      static_cast<double>(s.direct) / static_cast<double>(s.transformed)));
    }
    if (s.widest > 1) {
        add(formatted("at most {} branches meet ({})", s.widest, at(s.widest_node)), s.widest >= slow_fan_in);
    }
    add(formatted("known by: working set {}, kernel memory, lanes, banks and the Winograd gate decompiled, "
                  "interleave factor, order of the schedule and passes predicted",
                  name(working_set_mark(t))));
    return lines;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF residency_report::residency_report(const graph_view& g, const target_description& t)
    : rows_(residency(validated(g), t)), summary_(summarize(rows_, t)), head_(detail::residency_head(t)),
      totals_(detail::residency_totals(g, t, summary_, rows_.size())) {
    for (const node_residency& r : rows_) {
        cells_.push_back(detail::residency_cells(g, r, t));
    }
}
ANEMONE_BODY_OF residency_report::residency_report(const graph_view& g, target t) : residency_report(g, describe(t)) {}

ANEMONE_BODY std::string residency_report::str(bool coloured) const {
    constexpr std::size_t columns = std::size(detail::residency_titles);
    std::vector<std::size_t> width(columns);
    for (std::size_t c = 0; c < columns; ++c) {
        width[c] = detail::residency_titles[c].size();
        for (const auto& row : cells_) {
            const std::size_t size = row[c].text.size() + (row[c].over ? 1 : 0);
            width[c] = size > width[c] ? size : width[c];
        }
    }
    std::string text = head_;
    std::vector<detail::residency_cell> titles;
    for (const std::string_view title : detail::residency_titles) {
        titles.push_back({std::string(title), false});
    }
    text += detail::residency_line(titles, width, false);
    for (const auto& row : cells_) {
        text += detail::residency_line(row, width, coloured);
    }
    for (const detail::residency_cell& total : totals_) {
        text += total.over && coloured ? formatted("\x1b[1;31m{}\x1b[0m\n", total.text) : total.text + "\n";
    }
    return text;
}

ANEMONE_BODY void residency_report::print(std::FILE* to) const {
    detail::write_text(to, str(detail::wants_colour(to)));
}
ANEMONE_BODY_OF std::ostream& operator<<(std::ostream& to, const residency_report& r) { return to << r.str(); }

} // namespace ane::inline ANEMONE_WAY

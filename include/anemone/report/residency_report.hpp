#pragma once

#include "../passes/residency.hpp"
#include "../print.hpp"
#include "../way.hpp"
#include "cost_report.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

/// The memories and lanes that a model takes of a target, as a table for people.
namespace ane::detail::inline ANEMONE_WAY {

/// One cell: its text, and whether its figure passes a limit.
struct residency_cell {
    std::string text;
    bool over = false;
};

ANEMONE_INLINE std::string residency_bytes(std::int64_t bytes) { return scaled(static_cast<double>(bytes), "B"); }
ANEMONE_INLINE std::string residency_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

ANEMONE_INLINE std::string residency_target(const target_description& t) {
    return t.product[0] == '\0' ? std::string(t.runtime) : fmt::format("{} ({})", t.runtime, t.product);
}

/// What else the compiler does with a node.
ANEMONE_INLINE std::string residency_remarks(const node_residency& r) {
    std::string text;
    const auto remark = [&text](bool holds, std::string_view words) {
        if (holds) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", words);
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
    return gate == winograd_gate::open ? fmt::format("{:.2f}x", r.winograd.factor())
                                       : fmt::format("no: {}", name(gate));
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
        {contracts ? fmt::format("{}", r.kernel.splits()) : "", r.kernel.exceeds()},
        {residency_percent(r.lanes.wasted()), false},
        {fmt::format("{}", r.banks.depth), false},
        {convolves ? fmt::format("{}", r.groups.passes) : "", r.groups.step},
        {winograd_text(r), false},
        {r.branches > 1 ? fmt::format("{}", r.branches) : "", r.branches >= slow_fan_in},
        {residency_remarks(r), false},
    };
}

inline constexpr std::string_view residency_titles[] = {"operation", "result",   "largest",  "alive",
                                                        "kernel",    "split",    "wasted",   "banks",
                                                        "passes",    "winograd", "branches", ""};
/// Columns of words stand on the left, those of figures on the right.
constexpr bool is_word_column(std::size_t column) { return column < 2 || column == std::size(residency_titles) - 1; }

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// What each node of a graph takes of a target's memories and lanes: a row for each operation, then the totals and how
/// the figures are known. The graph is taken as it is: give `lower(model).view()` for the layers of the engine.
///
///     ane::residency_report(model, ane::h13).print();
class residency_report {
public:
    residency_report(const graph_view& g, const target_description& t) : rows_(residency(g, t)) {
        summary_ = summarize(rows_, t);
        for (const node_residency& r : rows_) {
            cells_.push_back(detail::residency_cells(g, r, t));
        }
        head_ = head(t);
        totals(g, t);
    }
    residency_report(const graph_view& g, target t) : residency_report(g, describe(t)) {}

    const sequence<node_residency>& rows() const noexcept { return rows_; }
    const residency_summary& summary() const noexcept { return summary_; }

    /// The table. A figure over its limit has an exclamation mark, and with `coloured` stands out on a terminal.
    std::string str(bool coloured = false) const {
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
        text += line(titles, width, false);
        for (const auto& row : cells_) {
            text += line(row, width, coloured);
        }
        for (const detail::residency_cell& total : totals_) {
            text += total.over && coloured ? fmt::format("\x1b[1;31m{}\x1b[0m\n", total.text) : total.text + "\n";
        }
        return text;
    }

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    void print(std::FILE* to = stdout) const { detail::write_text(to, str(detail::wants_colour(to))); }
    friend std::ostream& operator<<(std::ostream& to, const residency_report& r) { return to << r.str(); }

private:
    static std::string line(const std::vector<detail::residency_cell>& row, const std::vector<std::size_t>& width,
                            bool coloured) {
        std::string text;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string shown = row[c].text + (row[c].over ? "!" : "");
            const std::string space(width[c] - shown.size(), ' ');
            const std::string cell = row[c].over && coloured ? fmt::format("\x1b[1;31m{}\x1b[0m", shown) : shown;
            text += (c == 0 ? "" : "  ") + (detail::is_word_column(c) ? cell + space : space + cell);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text + "\n";
    }

    static std::string head(const target_description& t) {
        const std::string knee =
            t.memory.working_set_measured > 0
                ? fmt::format(", streamed above {} (measured)", detail::residency_bytes(t.memory.working_set_measured))
                : "";
        const std::int64_t dense = kernel_capacity(false, t);
        const std::int64_t streamed = kernel_capacity(true, t);
        return fmt::format("residency on {}: on-chip memory {}{}, kernel memory {}{}\n", detail::residency_target(t),
                           detail::residency_bytes(t.memory.working_set_nominal), knee, detail::residency_bytes(dense),
                           streamed == dense ? "" : fmt::format(" ({} streamed)", detail::residency_bytes(streamed)));
    }

    void totals(const graph_view& g, const target_description& t) {
        const residency_summary& s = summary_;
        const auto at = [&g](int node) { return node < 0 ? std::string("nothing") : ane::print(g, node); };
        const auto add = [this](std::string text, bool over = false) { totals_.push_back({std::move(text), over}); };
        add(fmt::format("{} operations, {} with an operand that is streamed; the largest is {} ({})", rows_.size(),
                        s.streamed, detail::residency_bytes(s.largest.bytes), at(s.largest.node)),
            s.streamed > 0);
        add(fmt::format("at most {} alive ({}){}", detail::residency_bytes(s.peak.bytes), at(s.peak.node),
                        s.partitioned ? ": the schedule is cut into partitions" : ""),
            s.partitioned);
        add(fmt::format("weights of {} in kernel memory{}", detail::residency_bytes(s.kernel_bytes),
                        s.extra_layers > 0 ? fmt::format(", split into at least {} more layers", s.extra_layers) : ""),
            s.extra_layers > 0);
        add(fmt::format("results of {} stored as {}: {} of the lanes wasted; rows of {} collide in the banks",
                        detail::residency_bytes(s.needed), detail::residency_bytes(s.stored),
                        detail::residency_percent(s.wasted()), s.colliding));
        if (s.winograd > 0) {
            add(fmt::format("Winograd gate open for {}: {:.2f} times fewer multiplications in all convolutions",
                            s.winograd, static_cast<double>(s.direct) / static_cast<double>(s.transformed)));
        }
        if (s.widest > 1) {
            add(fmt::format("at most {} branches meet ({})", s.widest, at(s.widest_node)), s.widest >= slow_fan_in);
        }
        add(fmt::format("known by: working set {}, kernel memory, lanes, banks and the Winograd gate decompiled, "
                        "interleave factor, order of the schedule and passes predicted",
                        name(working_set_mark(t))));
    }

    sequence<node_residency> rows_;
    residency_summary summary_;
    std::vector<std::vector<detail::residency_cell>> cells_;
    std::string head_;
    std::vector<detail::residency_cell> totals_;
};

} // namespace ane::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_calibration_report_hpp);

#include "../base/formatted.hpp"
#include "calibration_report.hpp"

#include <algorithm>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::string end_text(double v) {
    return v >= unbounded ? "inf" : (v <= -unbounded ? "-inf" : formatted("{:.4g}", v));
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::vector<looseness> compare(const graph_view& g, std::span<const interval> bounds,
                                               std::span<const measured_range> measured) {
    std::vector<looseness> all;
    for (int i = 0; i < g.size(); ++i) {
        const measured_range& m = measured[static_cast<std::size_t>(i)];
        if (!m.measured) {
            continue;
        }
        const interval& b = bounds[static_cast<std::size_t>(i)];
        const double seen = std::max(detail::magnitude(m.low), detail::magnitude(m.high));
        all.push_back({i, b, m, seen > 0 ? std::min(b.magnitude(), unbounded) / seen : 0});
    }
    return all;
}

ANEMONE_BODY_OF tightness summarise(const graph_view& g, std::span<const looseness> all) {
    tightness t;
    std::vector<double> ratios;
    for (const looseness& l : all) {
        if (is_source(g[l.node].kind) || l.ratio <= 0) {
            continue;
        }
        if (!l.bound.bounded()) {
            ++t.unbounded_nodes;
            continue;
        }
        ratios.push_back(l.ratio);
    }
    std::sort(ratios.begin(), ratios.end());
    t.nodes = static_cast<int>(ratios.size());
    if (!ratios.empty()) {
        t.median = ratios[ratios.size() / 2];
        t.worst = ratios.back();
    }
    return t;
}

ANEMONE_BODY_OF std::string calibration_table(const graph_view& g, std::span<const interval> bounds,
                                              std::span<const measured_range> measured, double loose) {
    std::string text =
        formatted("{:>5}  {:<18} {:>24}  {:>24}  {:>9}\n", "node", "operation", "static bound", "measured", "ratio");
    const std::vector<looseness> all = compare(g, bounds, measured);
    for (const looseness& l : all) {
        const std::string bound = formatted("[{}, {}]", detail::end_text(l.bound.low), detail::end_text(l.bound.high));
        const std::string seen = formatted("[{:.4g}, {:.4g}]", l.measured.low, l.measured.high);
        const std::string ratio = !l.bound.bounded() ? "inf" : formatted("{:.3g}", l.ratio);
        text += formatted("{:>5}  {:<18} {:>24}  {:>24}  {:>9}{}{}\n", l.node, name(g[l.node].kind), bound, seen, ratio,
                          l.ratio >= loose ? "  loose" : "",
                          l.measured.infinities > 0 ? formatted("  {} infinite", l.measured.infinities) : "");
    }
    const tightness t = summarise(g, all);
    return text + formatted("median {:.3g}, worst {:.3g} over {} nodes; {} without a bound\n", t.median, t.worst,
                            t.nodes, t.unbounded_nodes);
}

} // namespace ane::inline ANEMONE_WAY

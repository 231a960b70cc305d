#ifndef ANEMONE_REPORT_CALIBRATION_REPORT_HPP
#define ANEMONE_REPORT_CALIBRATION_REPORT_HPP

#include "../analysis/ranges.hpp"
#include "../base/way.hpp"

#include <span>
#include <string>
#include <vector>

/// Static bounds against measured ranges, as a table.
namespace ane::inline ANEMONE_WAY {

/// How wide a bound is: the static interval's magnitude over the measured one's; 0 where either is not known.
struct looseness {
    int node = 0;
    interval bound;
    measured_range measured;
    double ratio = 0;
};

/// One entry for each node that was measured. A bound that nothing limits has the ratio of `unbounded`.
ANEMONE_API_OF(anemone_report_calibration_report_hpp)
std::vector<looseness> compare(const graph_view& g, std::span<const interval> bounds,
                               std::span<const measured_range> measured);

/// The median and the largest ratio of the computed nodes whose bound is finite.
struct tightness {
    double median = 0;
    double worst = 0;
    int nodes = 0;
    int unbounded_nodes = 0;
};

ANEMONE_API_OF(anemone_report_calibration_report_hpp)
tightness summarise(const graph_view& g, std::span<const looseness> all);

/// A table: node, operation, static bound, measured range, ratio. Rows with a ratio of at least `loose` end in "loose":
/// there a narrower contract, or `within` on an input, says more.
ANEMONE_API_OF(anemone_report_calibration_report_hpp)
std::string calibration_table(const graph_view& g, std::span<const interval> bounds,
                              std::span<const measured_range> measured, double loose = 16);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "calibration_report.ipp"
#endif

#ifndef ANEMONE_REPORT_TIMELINE_REPORT_HPP
#define ANEMONE_REPORT_TIMELINE_REPORT_HPP

#include "../base/way.hpp"
#include "../cost/batch_sweep.hpp"
#include "../cost/timeline.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// Simulated dispatches as text.
namespace ane::inline ANEMONE_WAY {

struct timeline_text_options {
    std::vector<std::string> names{}; ///< of the programs; their numbers where it is empty
    std::size_t rows = 24;            ///< of the table, the first requests; 0: the summary alone
};

/// A table with a row for each request, and what they add up to: throughput, latencies, the engine's share, energy, what
/// the figures rest on. Throws `error` (errc::argument) for fewer names than programs.
ANEMONE_API_OF(anemone_report_timeline_report_hpp)
std::string timeline_text(const timeline& t, const timeline_text_options& options = {});

/// A table of a sweep over batches.
ANEMONE_API_OF(anemone_report_timeline_report_hpp) std::string batch_text(std::span<const batch_point> points);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "timeline_report.ipp"
#endif

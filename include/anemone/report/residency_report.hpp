#ifndef ANEMONE_REPORT_RESIDENCY_REPORT_HPP
#define ANEMONE_REPORT_RESIDENCY_REPORT_HPP

#include "../analysis/residency.hpp"
#include "../base/way.hpp"

#include <cstdio>
#include <iosfwd>
#include <string>
#include <vector>

/// How much of a target's memories and lanes a model uses, as a table for people.
namespace ane::detail::inline ANEMONE_WAY {

/// One cell: its text, and whether its figure passes a limit.
struct residency_cell {
    std::string text;
    bool over = false;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// How much of a target's memories and lanes each node of a graph uses: a row per operation, then the totals and how
/// the figures are known. The graph is taken as it is: pass `lower(model).view()` for the layers of the engine.
///
///     ane::residency_report(model, ane::h13).print();
class residency_report {
public:
    ANEMONE_API_OF(anemone_report_residency_report_hpp)
    residency_report(const graph_view& g, const target_description& t);
    ANEMONE_API_OF(anemone_report_residency_report_hpp) residency_report(const graph_view& g, target t);

    const sequence<node_residency>& rows() const noexcept { return rows_; }
    const residency_summary& summary() const noexcept { return summary_; }

    /// The table. A figure over its limit has an exclamation mark, and with `coloured` stands out on a terminal.
    ANEMONE_API std::string str(bool coloured = false) const;

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    ANEMONE_API void print(std::FILE* to = stdout) const;

private:
    sequence<node_residency> rows_;
    residency_summary summary_;
    std::vector<std::vector<detail::residency_cell>> cells_; ///< of each row
    std::string head_;
    std::vector<detail::residency_cell> totals_; ///< a line each
};

ANEMONE_API_OF(anemone_report_residency_report_hpp)
std::ostream& operator<<(std::ostream& to, const residency_report& r);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "residency_report.ipp"
#endif

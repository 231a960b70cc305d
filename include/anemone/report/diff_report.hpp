#ifndef ANEMONE_REPORT_DIFF_REPORT_HPP
#define ANEMONE_REPORT_DIFF_REPORT_HPP

#include "../base/way.hpp"
#include "../diff/diff.hpp"

#include <cstdio>
#include <iosfwd>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// A model's differences as a table: a row a node, with the largest distances as a whole and of the operation alone,
/// the histogram of the distances, and the rule of the arithmetic behind it.
class diff_report {
public:
    ANEMONE_API_OF(anemone_report_diff_report_hpp) diff_report(const graph_view& model, const model_difference& found);

    const model_difference& found() const noexcept { return found_; }

    /// The report as text, with the escapes of a terminal if coloured.
    ANEMONE_API std::string str(bool coloured = false) const;

    /// Prints to a stream of the C library, in colours on a terminal.
    ANEMONE_API void print(std::FILE* to = stdout) const;

private:
    model_difference found_;
    std::vector<std::string> names_;
    std::string first_;
};

ANEMONE_API_OF(anemone_report_diff_report_hpp) std::ostream& operator<<(std::ostream& to, const diff_report& r);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "diff_report.ipp"
#endif

#ifndef ANEMONE_REPORT_WIDE_DIFF_REPORT_HPP
#define ANEMONE_REPORT_WIDE_DIFF_REPORT_HPP

#include "../base/way.hpp"
#include "../diff/remedies.hpp"
#include "../diff/wide_diff.hpp"
#include "../drawing/options.hpp"

#include <cstdio>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Which layer of a model breaks, against double precision: a row a layer with its error from the inputs on and alone, the
/// first layer beyond the bound with its cause, how many samples are affected, and what helps, where that was tried.
class wide_diff_report {
public:
    ANEMONE_API_OF(anemone_report_wide_diff_report_hpp)
    wide_diff_report(const graph_view& model, const wide_difference& found,
                     const std::optional<remedy_search>& remedies = std::nullopt);

    const wide_difference& found() const noexcept { return found_; }

    /// The report as text, with the escapes of a terminal if coloured.
    ANEMONE_API std::string str(bool coloured = false) const;
    /// The same for programs; null for what is not finite.
    ANEMONE_API std::string json() const;
    /// Prints to a stream of the C library, in colours on a terminal.
    ANEMONE_API void print(std::FILE* to = stdout) const;

private:
    std::vector<std::string> names_;  ///< by node
    std::vector<std::string> places_; ///< where each was written, if that is known
    std::vector<std::string> outputs_;
    wide_difference found_;
    std::optional<remedy_search> remedies_;
};

ANEMONE_API_OF(anemone_report_wide_diff_report_hpp)
std::ostream& operator<<(std::ostream& to, const wide_diff_report& r);

struct wide_diff_drawing_options {
    std::string title{}; ///< "Errors of each layer" where it is empty
    drawing::theme theme = drawing::theme::automatic;
};

/// A picture of the errors: a row a layer, a bar for its error from the inputs on and one for its own, in powers of ten of
/// the bound, which is a line.
ANEMONE_API_OF(anemone_report_wide_diff_report_hpp)
std::string draw_wide_diff(const graph_view& model, const wide_difference& found,
                           const wide_diff_drawing_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "wide_diff_report.ipp"
#endif

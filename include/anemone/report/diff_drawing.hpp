#ifndef ANEMONE_REPORT_DIFF_DRAWING_HPP
#define ANEMONE_REPORT_DIFF_DRAWING_HPP

#include "../base/way.hpp"
#include "../diff/diff.hpp"
#include "../drawing/options.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

struct diff_drawing_options {
    std::string title{}; ///< "Differences, node by node" where it is empty
    drawing::theme theme = drawing::theme::automatic;
};

/// A picture of a diff: a row a node, its histogram of ulp distances as a strip (darker: more elements), and the cause
/// of what the operation adds. Read from top to bottom it shows where the two backends part.
ANEMONE_API_OF(anemone_report_diff_drawing_hpp)
std::string draw_diff(const graph_view& model, const model_difference& found, const diff_drawing_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "diff_drawing.ipp"
#endif

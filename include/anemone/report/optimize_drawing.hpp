#ifndef ANEMONE_REPORT_OPTIMIZE_DRAWING_HPP
#define ANEMONE_REPORT_OPTIMIZE_DRAWING_HPP

#include "../base/way.hpp"
#include "../drawing/options.hpp"
#include "../rewrites/optimize.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

struct optimize_drawing_options {
    std::string title{}; ///< "A model and what became of it" where it is empty
    drawing::theme theme = drawing::theme::automatic;
    int depth = readable_depth; ///< see `drawing_options::depth`
};

/// A model at the left and what `optimize` made of it at the right, under the steps and the times of a dispatch before
/// and after. All ids begin with `before` and `after`.
ANEMONE_API_OF(anemone_report_optimize_drawing_hpp)
std::string draw_optimized(const graph_view& model, const optimized& found,
                           const optimize_drawing_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "optimize_drawing.ipp"
#endif

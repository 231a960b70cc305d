#pragma once

#include "../base/way.hpp"
#include "../cost/cost.hpp"
#include "../drawing/options.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

struct roofline_options {
    std::string title{}; ///< "Roofline of h13 (M1)" where it is empty
    std::string id{};    ///< of several drawings in one page, see `drawing_options`
    drawing::theme theme = drawing::theme::automatic;
    double width = 720, height = 440; ///< of the plot, pixels
};

/// A log-log plot of the two ceilings of a target and of a program's layers below them: a dot at its arithmetic
/// intensity and the rate that the model gives it, its area by its share of the time, its colour by what it does.
/// Layers without work or without traffic are left out. Throws `error` where the target's rates are not known.
ANEMONE_API std::string draw_roofline(const graph_view& lowered, const cost& c, const roofline_options& options = {});

/// The same for a model, which is lowered first.
ANEMONE_API std::string draw_roofline(const graph_view& model, const target_description& d,
                                      const roofline_options& options = {});
ANEMONE_API std::string draw_roofline(const graph_view& model, target t, const roofline_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "roofline_drawing.ipp"
#endif

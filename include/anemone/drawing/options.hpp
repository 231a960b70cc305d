#pragma once

#include "../base/way.hpp"

#include <cstdint>
#include <string>

namespace ane::drawing::inline ANEMONE_WAY {

/// The colours of a drawing; automatic follows the reader's light or dark setting.
enum class theme : std::uint8_t { automatic, light, dark };

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

struct drawing_options {
    std::string title{}; ///< "Graph" where it is empty
    drawing::theme theme = drawing::theme::automatic;
    bool fold_weights = true; ///< weights and constants as lines in their readers' boxes instead of boxes
    bool legend = true;
    double widest_text = 250; ///< pixels; longer texts end in an ellipsis, with the whole text as the tooltip
};

} // namespace ane::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"

#include <cstdint>
#include <string>

namespace ane::drawing::inline ANEMONE_WAY {

/// The colours of a drawing; automatic follows the reader's light or dark setting.
enum class theme : std::uint8_t { automatic, light, dark };

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// How deep names are followed (`drawing_options::depth`): all boxes, or as many as one can read.
inline constexpr int every_operation = 0;
inline constexpr int readable_depth = -1;

struct drawing_options {
    std::string title{}; ///< "Graph" where it is empty
    /// Of several drawings in one page: the id of this one, with which all its ids begin, and to which its style is
    /// confined. Letters, digits, '-' and '_'.
    std::string id{};
    drawing::theme theme = drawing::theme::automatic;
    bool fold_weights = true; ///< weights and constants as lines in their readers' boxes instead of boxes
    bool legend = true;
    /// Operations whose names have more than so many parts in common (`encoder/layers.3` has three) are one box.
    /// `readable_depth` finds the depth by itself: everything is drawn where that is little; else the first of several
    /// equal blocks in full and the others as one box, and blocks by their names where that does not suffice.
    int depth = every_operation;
    double widest_text = 250; ///< pixels; longer texts end in an ellipsis, with the whole text as the tooltip
};

} // namespace ane::inline ANEMONE_WAY

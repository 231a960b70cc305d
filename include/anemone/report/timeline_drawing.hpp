#ifndef ANEMONE_REPORT_TIMELINE_DRAWING_HPP
#define ANEMONE_REPORT_TIMELINE_DRAWING_HPP

#include "../base/way.hpp"
#include "../cost/timeline.hpp"
#include "../drawing/options.hpp"

#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

struct timeline_drawing_options {
    std::string title{};              ///< "Dispatches on h13 (M1)" where it is empty
    std::vector<std::string> names{}; ///< of the programs; their numbers where it is empty
    std::string id{};                 ///< of several drawings in one page, see `drawing_options`
    drawing::theme theme = drawing::theme::automatic;
    double width = 860;         ///< of the time axis, pixels
    double from = 0, until = 0; ///< s, what is drawn; everything where both are 0
};

/// Requests over time, in three rows: the host, the queue, the engine. A colour for each program; on the engine pale
/// while the firmware goes to it and back, broken while it wakes. Requests that overlap lie below each other. Throws
/// `error` (errc::argument) where there is nothing to draw.
ANEMONE_API_OF(anemone_report_timeline_drawing_hpp)
std::string draw_timeline(const timeline& t, const timeline_drawing_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "timeline_drawing.ipp"
#endif

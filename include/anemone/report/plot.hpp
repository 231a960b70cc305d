#ifndef ANEMONE_REPORT_PLOT_HPP
#define ANEMONE_REPORT_PLOT_HPP

#include "../base/way.hpp"
#include "../drawing/options.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Charts of lines and points, as SVG text.
namespace ane::inline ANEMONE_WAY {

struct plot_axis {
    std::string label;
    bool logarithmic = true;
    std::vector<double> ticks{}; ///< chosen from the data where empty
};

enum class plot_style : std::uint8_t {
    line,   ///< a line through the points
    dashed, ///< the same, broken
    dots,   ///< a filled dot for each point
    rings   ///< a ring for each point, in the colour of text: what others published
};

struct plot_series {
    std::string label;
    plot_style style = plot_style::line;
    std::vector<std::pair<double, double>> points; ///< infinite values stand in a row of their own, above or below
};

struct plot {
    std::string title;
    std::string note; ///< one line below the title
    plot_axis x, y;
    std::vector<plot_series> series;
    drawing::theme theme = drawing::theme::automatic;
    double width = 640, height = 380; ///< of the area of the data, pixels
};

/// The plot as SVG. Values that an axis cannot hold (not positive on a logarithmic one, NaN) are left out. Throws
/// `error` (errc::argument) where no value is left.
ANEMONE_API_OF(anemone_report_plot_hpp) std::string draw_plot(const plot& p);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "plot.ipp"
#endif

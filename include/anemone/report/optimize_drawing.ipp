#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_optimize_drawing_hpp);

#include "../base/formatted.hpp"
#include "../drawing/drawing.hpp"
#include "../drawing/style.hpp"
#include "../drawing/svg.hpp"
#include "optimize_drawing.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// A drawing inside another: its own size, and a place.
struct inner_drawing {
    std::string svg;
    double width = 0, height = 0;

    ANEMONE_INLINE explicit inner_drawing(std::string drawn)
        : svg(std::move(drawn)), width(number_after("width=\"")), height(number_after("height=\"")) {}

    ANEMONE_INLINE std::string at(double x, double y) const {
        constexpr std::string_view begin = "<svg ";
        return std::string(begin) + formatted(R"(x="{:.0f}" y="{:.0f}" )", x, y) + svg.substr(begin.size());
    }

private:
    ANEMONE_INLINE double number_after(std::string_view attribute) const {
        return std::strtod(svg.c_str() + svg.find(attribute) + attribute.size(), nullptr);
    }
};

ANEMONE_INLINE std::string steps_line(const optimized& found) {
    std::vector<std::string> steps;
    for (const rewrite_step& step : found.steps) {
        steps.push_back(formatted("{} ({})", step.record().id, step.places));
    }
    return steps.empty() ? "no rewrite pays" : joined(steps);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string draw_optimized(const graph_view& model, const optimized& found,
                                           const optimize_drawing_options& options) {
    using drawing::size;
    const bool timed = found.before > 0;
    const auto part = [&](const graph_view& g, const char* id, double seconds) {
        const std::string time = timed ? formatted(", {:.0f} us", seconds * 1e6) : std::string();
        return detail::inner_drawing(draw_svg(g, {.title = (std::string(id) == "before" ? "Before" : "After") + time,
                                                  .id = id,
                                                  .theme = options.theme,
                                                  .depth = options.depth}));
    };
    const detail::inner_drawing before = part(model, "before", found.before);
    const detail::inner_drawing after = part(found.graph, "after", found.after);
    const std::string title = options.title.empty() ? "A model and what became of it" : options.title;
    const std::string gain =
        timed ? formatted("{:.2f} times as fast, by the cost model: ", found.gain()) : std::string();
    const std::string note = gain + detail::steps_line(found);
    const double top = size::margin + size::heading_height;
    const double width = std::max({before.width + after.width, drawing::text_width(note, size::text) + 2 * size::margin,
                                   drawing::text_width(title, size::heading, true) + 2 * size::margin});
    const double height = top + std::max(before.height, after.height);
    return formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                     "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
                     "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\"/>\n"
                     "<text class=\"heading\" x=\"{4:.0f}\" y=\"{5:.0f}\">{2}</text>\n"
                     "<text class=\"note\" x=\"{4:.0f}\" y=\"{6:.0f}\">{7}</text>\n",
                     width, height, drawing::escape(title), drawing::style_sheet(options.theme), size::margin,
                     size::margin + 14, size::margin + 33, drawing::escape(note)) +
           before.at(0, top) + after.at(before.width, top) + "</svg>\n";
}

} // namespace ane::inline ANEMONE_WAY

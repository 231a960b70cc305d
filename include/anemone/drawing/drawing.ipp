#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_drawing_drawing_hpp);

#include "../base/formatted.hpp"
#include "../passes/validate.hpp"
#include "drawing.hpp"
#include "picture.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string draw_svg(const graph_view& g, const drawing_options& options) {
    validate(g);
    using namespace drawing;
    const picture p = arrange(g, options);
    const std::string title = options.title.empty() ? "Graph" : options.title;
    const std::string note = drawing::detail::subtitle(g);
    const double heading = std::max(text_width(title, size::heading, true), text_width(note, size::text));
    const bool skips = std::any_of(p.edges.begin(), p.edges.end(), [](const auto& e) { return e.crosses_layers; });
    std::vector<bool> used(kind_count, false);
    for (const label& l : p.labels) {
        used[static_cast<std::size_t>(l.colour)] = true;
    }
    const double inner = std::max({p.width, heading, 300.0});
    const legend_rows legend = options.legend ? make_legend(used, skips, inner) : legend_rows{};
    const double width = inner + 2 * size::margin;
    const double top = size::margin + size::heading_height;
    const double height = top + p.height + legend.height + size::margin;

    std::string out =
        formatted("<svg xmlns=\"http://www.w3.org/2000/svg\"{4} width=\"{0:.0f}\" height=\"{1:.0f}\" "
                  "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
                  "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\"/>\n",
                  width, height, escape(title), style_sheet(options.theme, options.id), id_attribute(options.id));
    out += formatted("<text class=\"heading\" x=\"{0:.0f}\" y=\"{1:.0f}\">{2}</text>\n"
                     "<text class=\"note\" x=\"{0:.0f}\" y=\"{3:.0f}\">{4}</text>\n",
                     size::margin, size::margin + 14, escape(title), size::margin + 33, escape(note));
    out += formatted("<g transform=\"translate({:.1f} {:.1f})\">\n", size::margin + (inner - p.width) / 2, top);
    for (const edge& e : p.edges) {
        out += drawing::detail::draw_edge(e, p, options.id);
    }
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
        out += drawing::detail::draw_box(p.labels[i], p.boxes[i], options.id);
    }
    out += "</g>\n" + draw_legend(legend, size::margin, top + p.height);
    return out + "</svg>\n";
}

} // namespace ane::inline ANEMONE_WAY

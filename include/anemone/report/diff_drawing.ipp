#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_diff_drawing_hpp);

#include "../base/formatted.hpp"
#include "../drawing/style.hpp"
#include "../drawing/svg.hpp"
#include "../rules/phrases.hpp"
#include "diff_drawing.hpp"
#include "diff_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {

/// The colour class of a cause: grave ones as reductions are drawn (red), tables and sums as activations (yellow), the
/// rest as contractions (blue).
constexpr std::string_view class_of(difference_cause cause) noexcept {
    return cause == difference_cause::none                                                 ? "movement"
           : cause <= difference_cause::special_value                                      ? "reduction"
           : cause == difference_cause::rounding || cause == difference_cause::fixed_point ? "contraction"
                                                                                           : "activation";
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string draw_diff(const graph_view& model, const model_difference& found,
                                      const diff_drawing_options& options) {
    constexpr double row = 24, cell = 26, names = 250, top = 112, left = 28, cause_width = 150;
    constexpr auto bins = static_cast<double>(ulp_histogram::bins);
    const double strip = left + names;
    const double causes = strip + cell * bins + 16;
    const double width = causes + cause_width + 190;
    const double height = top + row * static_cast<double>(found.nodes.size()) + 28;
    const std::string title = options.title.empty() ? "Differences, node by node" : options.title;
    std::string out = formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                                "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
                                "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\"/>\n",
                                width, height, drawing::escape(title), drawing::style_sheet(options.theme));
    out += formatted("<text class=\"heading\" x=\"28\" y=\"42\">{}</text>\n<text class=\"note\" x=\"28\" "
                     "y=\"61\">Each strip: how many fp16 values lie between the two results of an element. At the "
                     "right: what the operation alone adds, and by which rule.</text>\n",
                     drawing::escape(title));
    for (std::size_t bin = 0; bin < ulp_histogram::bins; ++bin) {
        const std::string label = bin == 0                         ? "0"
                                  : bin == ulp_histogram::bins - 1 ? "inf"
                                  : bin > 10                       ? formatted("{}k", (1U << (bin - 1)) / 1024)
                                                                   : std::to_string(1U << (bin - 1));
        out += formatted("<text class=\"note\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                         strip + cell * (static_cast<double>(bin) + 0.5), top - 10, label);
    }
    out += formatted("<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">alone</text><text class=\"note\" x=\"{:.1f}\" "
                     "y=\"{:.1f}\">max abs, ulp</text>\n",
                     causes, top - 10, causes + cause_width, top - 10);
    double y = top;
    for (const node_difference& n : found.nodes) {
        const std::string phrase = detail::node_phrase(model, n.node, model[n.node].kind);
        const std::string_view shade = detail::class_of(n.cause);
        const bool first = n.node == found.first_divergent;
        out += formatted("<g class=\"box {}\"><title>{}: {} of {} elements differ, at most {} ulp, {}</title>"
                         "<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>",
                         shade, drawing::escape(phrase), n.histogram.total() - n.histogram.counts[0],
                         n.histogram.total(), detail::ulp_text(n.whole.max_ulp), name(n.cause), left, y + 16,
                         first ? " font-weight=\"bold\"" : "",
                         drawing::escape(drawing::shortened(phrase, drawing::size::text + 2, names - 10, first)));
        for (std::size_t bin = 0; bin < ulp_histogram::bins; ++bin) {
            const std::int64_t count = n.histogram.counts[bin];
            if (count == 0) {
                continue;
            }
            // A hundred-thousandth is still seen.
            const double share = static_cast<double>(count) / static_cast<double>(n.histogram.total());
            const double opacity = std::max(0.18, 1 + std::log10(share) / 5);
            out += formatted("<path class=\"rule\" style=\"stroke-width:{:.0f};stroke-opacity:1\" opacity=\"{:.2f}\" "
                             "d=\"M{:.1f} {:.1f}V{:.1f}\"/>",
                             cell - 2, opacity, strip + cell * (static_cast<double>(bin) + 0.5), y + 3, y + row - 3);
        }
        if (n.cause != difference_cause::none) {
            out += formatted("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text><text class=\"small\" x=\"{:.1f}\" "
                             "y=\"{:.1f}\">{}, {}</text>",
                             causes, y + 16, name(n.cause), causes + cause_width, y + 16,
                             detail::distance_text(n.alone.max_abs), detail::ulp_text(n.alone.max_ulp));
        }
        out += "</g>\n";
        y += row;
    }
    return out + "</svg>\n";
}

} // namespace ane::inline ANEMONE_WAY

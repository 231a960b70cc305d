#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../drawing/style.hpp"
#include "../drawing/svg.hpp"
#include "../forms/written.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "cost_report.hpp"
#include "cost_text.hpp"
#include "roofline_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Maps decades to pixels.
struct log_scale {
    double low, high; ///< exponents of ten, whole numbers
    double from, to;  ///< pixels

    ANEMONE_INLINE double operator()(double value) const {
        return from + (std::log10(value) - low) / (high - low) * (to - from);
    }
};

ANEMONE_INLINE std::string decade(int exponent, std::string_view unit) {
    constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    if (exponent < 0) {
        return formatted("{:g}{}{}", std::pow(10.0, exponent), unit.empty() ? "" : " ", unit);
    }
    const std::size_t step = std::min<std::size_t>(static_cast<std::size_t>(exponent) / 3, std::size(prefixes) - 1);
    return formatted("{:.0f}{}{}{}", std::pow(10.0, exponent - 3 * static_cast<int>(step)), unit.empty() ? "" : " ",
                     prefixes[step], unit);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string draw_roofline(const graph_view& lowered, const cost& c, const roofline_options& options) {
    validate(lowered);
    if (!c.roof) {
        throw error(errc::argument, std::string(c.target), "no roofline to draw: its rates are not known");
    }
    const roofline& roof = *c.roof;
    double low_x = 1, high_x = roof.ridge() * 10, low_y = roof.peak / 1000, total = 0;
    const auto drawn = [](const layer_cost& l) { return l.work.flops() > 0 && l.bytes() > 0 && l.seconds() > 0; };
    for (const layer_cost& l : c.layers) {
        if (drawn(l)) {
            low_x = std::min(low_x, l.intensity());
            high_x = std::max(high_x, l.intensity());
            low_y = std::min(low_y, static_cast<double>(l.work.flops()) / l.seconds());
            total += l.seconds();
        }
    }
    constexpr double left = 84, top = 84, bottom = 84, right = 28;
    const double end_x = left + options.width, end_y = top + options.height;
    const detail::log_scale x{std::floor(std::log10(low_x)), std::ceil(std::log10(high_x)), left, end_x};
    const detail::log_scale y{std::floor(std::log10(low_y)), std::ceil(std::log10(roof.peak * 1.01)), end_y, top};

    const std::string title =
        options.title.empty() ? formatted("Roofline of {}", detail::device_name(c)) : options.title;
    std::string out = formatted("<svg xmlns=\"http://www.w3.org/2000/svg\"{4} width=\"{0:.0f}\" height=\"{1:.0f}\" "
                                "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
                                "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\"/>\n",
                                end_x + right, end_y + bottom, drawing::escape(title),
                                drawing::style_sheet(options.theme, options.id), drawing::id_attribute(options.id));
    out += formatted(
        "<text class=\"heading\" x=\"28\" y=\"42\">{}</text>\n<text class=\"note\" x=\"28\" y=\"61\">{}</text>\n",
        drawing::escape(title), drawing::escape(cost_line(c)));
    for (int e = static_cast<int>(x.low); e <= static_cast<int>(x.high); ++e) {
        const double at = x(std::pow(10.0, e));
        out += formatted("<path class=\"edge\" stroke-opacity=\".22\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>"
                         "<text class=\"note\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
                         at, top, end_y, end_y + 17, detail::decade(e, ""));
    }
    for (int e = static_cast<int>(y.low); e <= static_cast<int>(y.high); ++e) {
        const double at = y(std::pow(10.0, e));
        out += formatted("<path class=\"edge\" stroke-opacity=\".22\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/>"
                         "<text class=\"note end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
                         left, at, end_x, left - 8, at + 4, detail::decade(e, "FLOP/s"));
    }
    out += formatted("<text class=\"note\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">arithmetic intensity, "
                     "FLOP/byte</text>\n",
                     (left + end_x) / 2, end_y + 36);
    // The slope starts where it enters the plot: at the left edge, or at the bottom.
    const double start = std::max(std::pow(10.0, x.low), std::pow(10.0, y.low) / roof.bandwidth);
    out += formatted("<path class=\"edge skip\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}\"/>\n", x(start),
                     y(start * roof.bandwidth), x(roof.ridge()), y(roof.peak), end_x);
    const double ports = std::max(std::pow(10.0, x.low), std::pow(10.0, y.low) / roof.port_bandwidth);
    const double reach = std::min(std::pow(10.0, x.high), roof.peak / roof.port_bandwidth);
    out += formatted(
        "<path class=\"edge skip\" stroke-opacity=\".45\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"><title>inputs and "
        "outputs, {}</title></path>\n",
        x(ports), y(ports * roof.port_bandwidth), x(reach), y(reach * roof.port_bandwidth),
        detail::scaled(roof.port_bandwidth, "B/s"));
    out += formatted("<text class=\"note end\" x=\"{:.1f}\" y=\"{:.1f}\">{}, {}, ridge {:.0f} FLOP/byte</text>\n",
                     end_x - 4, std::max(y(roof.peak) - 18, top - 6), detail::scaled(roof.peak, "FLOP/s"),
                     detail::scaled(roof.bandwidth, "B/s"), roof.ridge());
    const sequence<fusion> fused = fuse(lowered);
    std::vector<bool> used(drawing::kind_count, false);
    for (const layer_cost& l : c.layers) {
        if (!drawn(l)) {
            continue;
        }
        const drawing::kind k = drawing::kind_of(lowered[l.node].kind);
        used[static_cast<std::size_t>(k)] = true;
        const double side = 9 + 22 * std::sqrt(l.seconds() / total); // a rounded square: the style sheet colours boxes
        out +=
            formatted("<g class=\"box {}\"><title>{}: {:.1f} us, {:.1f} FLOP/byte, {}-bound</title><rect x=\"{:.1f}\" "
                      "y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\" fill-opacity=\".75\"/></g>\n",
                      drawing::name(k), drawing::escape(detail::layer_name(lowered, l, fused)), l.seconds() * 1e6,
                      l.intensity(), name(l.limit), x(l.intensity()) - side / 2,
                      y(static_cast<double>(l.work.flops()) / l.seconds()) - side / 2, side, side, side / 2);
    }
    const drawing::legend_rows legend = drawing::make_legend(used, false, options.width);
    return out + drawing::draw_legend(legend, left, end_y + 28) + "</svg>\n";
}

ANEMONE_BODY std::string draw_roofline(const graph_view& model, const target_description& d,
                                       const roofline_options& options) {
    const lowered_graph lowered = lower(validated(model));
    return draw_roofline(lowered.view(), estimate(lowered.view(), d, held_forms_of(model, d)), options);
}
ANEMONE_BODY std::string draw_roofline(const graph_view& model, target t, const roofline_options& options) {
    return draw_roofline(model, describe(t), options);
}

} // namespace ane::inline ANEMONE_WAY

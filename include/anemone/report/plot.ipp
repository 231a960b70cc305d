#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_plot_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../drawing/style.hpp"
#include "../drawing/svg.hpp"
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {

/// One axis of a plot: values to pixels.
struct plot_scale {
    bool logarithmic;
    double low, high, from, to;

    ANEMONE_INLINE double place(double value) const { return logarithmic ? std::log10(value) : value; }
    ANEMONE_INLINE double operator()(double value) const {
        return from + (place(value) - place(low)) / (place(high) - place(low)) * (to - from);
    }
};

/// 1, 2 or 5 times a power of ten: the smallest that is not below `value`.
ANEMONE_INLINE double round_step(double value) {
    const double decade = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * decade >= value * (1 - 1e-9)) {
            return factor * decade;
        }
    }
    return 10 * decade;
}

/// Whether a value has a place on an axis.
ANEMONE_INLINE bool holds(const plot_axis& axis, double value) {
    return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

ANEMONE_INLINE std::vector<double> plot_ticks(const plot_axis& axis, double low, double high) {
    std::vector<double> ticks;
    if (!axis.ticks.empty()) {
        std::copy_if(axis.ticks.begin(), axis.ticks.end(), std::back_inserter(ticks),
                     [&axis](double tick) { return holds(axis, tick); });
        return ticks;
    }
    // Counts steps, because repeatedly adding a small step to a large double may not change it.
    if (axis.logarithmic) {
        const bool short_range = high / low < 300;
        const auto first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
        const auto last = static_cast<int>(std::floor(std::log10(high) + 1e-3));
        for (int exponent = first; exponent <= last; ++exponent) {
            const double decade = std::pow(10.0, exponent);
            for (const double factor : {1.0, 2.0, 5.0}) {
                const double tick = factor * decade;
                if ((factor == 1.0 || short_range) && tick >= low * 0.999 && tick <= high * 1.001) {
                    ticks.push_back(tick);
                }
            }
        }
        return ticks;
    }
    const double step = round_step((high - low) / 6);
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; (first + i) * step <= high + step * 1e-6; ++i) {
        ticks.push_back((first + i) * step + 0.0); // no negative zero
    }
    return ticks;
}

/// Bounds of the finite values, widened to whole ticks or by a margin.
ANEMONE_INLINE plot_scale plot_scale_of(const plot& p, bool horizontal, double from, double to) {
    const plot_axis& axis = horizontal ? p.x : p.y;
    double low = HUGE_VAL, high = -HUGE_VAL;
    const auto widen = [&](double value) {
        if (holds(axis, value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    };
    for (const plot_series& s : p.series) {
        for (const auto& [x, y] : s.points) {
            widen(horizontal ? x : y);
        }
    }
    for (const double tick : axis.ticks) {
        widen(tick);
    }
    if (low > high) {
        throw error(errc::argument, "plot", "no value to draw on the " + std::string(horizontal ? "x" : "y") + " axis");
    }
    if (axis.logarithmic) {
        const double margin = horizontal ? 1.12 : 1.3;
        low /= margin;
        high = std::min(high * margin, std::numeric_limits<double>::max());
    } else {
        const double margin = high > low ? (high - low) * 0.06 : std::max(1.0, std::fabs(high) * 0.1);
        low -= margin;
        high += margin;
    }
    return {axis.logarithmic, low, high, from, to};
}

/// Colours of the first, second, ... series that are not rings, on light and on dark pages.
ANEMONE_INLINE std::string plot_colours(drawing::theme wanted) {
    constexpr std::string_view light[] = {"#3f72d6", "#cf5f2b", "#1f8f7b", "#8752c4", "#c4860f"};
    constexpr std::string_view dark[] = {"#6b9bf2", "#ec8c5c", "#3fb8a2", "#b48be6", "#dba63a"};
    const auto rules = [](const std::string_view(&colours)[5], std::string_view ink) {
        std::string css = formatted(".ring{{stroke:{}}}", ink);
        for (std::size_t i = 0; i < 5; ++i) {
            css += formatted(".line{0}{{stroke:{1}}}.dot{0}{{fill:{1}}}", i, colours[i]);
        }
        return css + "\n";
    };
    std::string css = "<style>\n.curve{fill:none;stroke-width:2}.broken{stroke-dasharray:6 4}"
                      ".ring{fill:none;stroke-width:1.6}\n";
    css += wanted == drawing::theme::dark ? rules(dark, "#e8ecf1") : rules(light, "#1d242c");
    if (wanted == drawing::theme::automatic) {
        css += "@media (prefers-color-scheme:dark){\n" + rules(dark, "#e8ecf1") + "}\n";
    }
    return css + "</style>\n";
}

ANEMONE_INLINE std::string plot_mark(plot_style style, std::size_t colour, double x, double y) {
    return style == plot_style::rings
               ? formatted("<circle class=\"ring\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>\n", x, y)
               : formatted("<circle class=\"dot{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\"/>\n", colour, x, y);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string draw_plot(const plot& p) {
    constexpr double left = 84, right = 28;
    bool above = false, below = false;
    for (const plot_series& s : p.series) {
        for (const auto& point : s.points) {
            above = above || point.second == HUGE_VAL;
            below = below || point.second == -HUGE_VAL;
        }
    }
    const double top = above ? 128 : 98, end_x = left + p.width, end_y = top + p.height;
    const double below_row = below ? 28 : 0, axis_y = end_y + below_row;
    const detail::plot_scale x = detail::plot_scale_of(p, true, left, end_x);
    const detail::plot_scale y = detail::plot_scale_of(p, false, end_y, top);
    const double bottom = axis_y + 56 + 20 * static_cast<double>(p.series.size());

    std::string out = formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                                "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}{4}"
                                "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\"/>\n",
                                end_x + right, bottom, drawing::escape(p.title), drawing::style_sheet(p.theme),
                                detail::plot_colours(p.theme));
    out += formatted("<text class=\"heading\" x=\"28\" y=\"42\">{}</text>\n"
                     "<text class=\"note\" x=\"28\" y=\"61\">{}</text>\n",
                     drawing::escape(drawing::shortened(p.title, drawing::size::heading, p.width + 56, true)),
                     drawing::escape(drawing::shortened(p.note, drawing::size::text, p.width + 56)));
    for (const double tick : detail::plot_ticks(p.x, x.low, x.high)) {
        out += formatted("<path class=\"edge\" stroke-opacity=\".22\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>"
                         "<text class=\"note\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4:g}</text>\n",
                         x(tick), top, axis_y, axis_y + 17, tick);
    }
    const auto level = [&](double at, const std::string& label) {
        out += formatted("<path class=\"edge\" stroke-opacity=\".22\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/>"
                         "<text class=\"note end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
                         left, at, end_x, left - 8, at + 4, label);
    };
    for (const double tick : detail::plot_ticks(p.y, y.low, y.high)) {
        level(y(tick), formatted("{:g}", tick));
    }
    if (above) {
        level(top - 18, "infinity");
    }
    if (below) {
        level(end_y + 18, "-infinity");
    }
    out += formatted("<text class=\"note\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n"
                     "<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                     (left + end_x) / 2, axis_y + 36, drawing::escape(p.x.label), left - 56, top - (above ? 34 : 12),
                     drawing::escape(p.y.label));

    const auto height_of = [&](double value) {
        return value == HUGE_VAL ? top - 18 : (value == -HUGE_VAL ? end_y + 18 : y(value));
    };
    const auto drawable = [&](const std::pair<double, double>& point) {
        return detail::holds(p.x, point.first) && (std::isinf(point.second) || detail::holds(p.y, point.second));
    };
    std::size_t colour = 0;
    double key = axis_y + 56;
    for (const plot_series& s : p.series) {
        const bool curve = s.style == plot_style::line || s.style == plot_style::dashed;
        const std::string_view broken = s.style == plot_style::dashed ? " broken" : "";
        std::string path;
        for (const auto& point : s.points) {
            if (!drawable(point)) {
                continue;
            }
            const double at_x = x(point.first), at_y = height_of(point.second);
            if (curve) {
                path += formatted("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x, at_y);
            } else {
                out += detail::plot_mark(s.style, colour, at_x, at_y);
            }
        }
        if (curve) {
            out += formatted("<path class=\"curve line{}{}\" d=\"{}\"/>\n", colour, broken, path);
            out += formatted("<path class=\"curve line{}{}\" d=\"M{:.1f} {:.1f}h22\"/>\n", colour, broken, left, key);
        } else {
            out += detail::plot_mark(s.style, colour, left + 11, key);
        }
        out += formatted("<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + 32, key + 4,
                         drawing::escape(drawing::shortened(s.label, drawing::size::text, p.width - 32)));
        key += 20;
        colour = s.style == plot_style::rings ? colour : (colour + 1) % 5;
    }
    return out + "</svg>\n";
}

} // namespace ane::inline ANEMONE_WAY

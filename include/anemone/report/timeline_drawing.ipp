#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_timeline_drawing_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../drawing/style.hpp"
#include "../drawing/svg.hpp"
#include "timeline_drawing.hpp"
#include "timeline_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// A stretch of one request in one row.
struct timeline_bar {
    double from, until; ///< s
    std::size_t request;
    std::string_view style; ///< "" for full colour, "trip", "wake", "wait"
    std::string_view what;
    std::size_t lane = 0;
};

/// One of the three rows: its bars, those that overlap below each other.
struct timeline_row {
    std::string_view name;
    std::vector<timeline_bar> bars;
    std::size_t lanes = 1;
    double top = 0, height = 0, lane_height = 0;
};

/// The kinds whose colours the first programs have.
inline constexpr drawing::kind timeline_kinds[] = {
    drawing::kind::contraction,   drawing::kind::attention, drawing::kind::elementwise, drawing::kind::activation,
    drawing::kind::normalization, drawing::kind::pooling,   drawing::kind::reduction,   drawing::kind::movement};
inline constexpr int timeline_kind_count = static_cast<int>(std::size(timeline_kinds));

/// The style of a program: the first eight have a colour of the drawings, the others one of their own.
ANEMONE_INLINE std::string timeline_colour(int program) {
    return program < timeline_kind_count ? std::string(drawing::name(timeline_kinds[program]))
                                         : formatted("program{}", program);
}

ANEMONE_INLINE std::string timeline_style(int programs, drawing::theme wanted, const std::string& id) {
    const auto rules = [programs](bool dark) {
        std::string css;
        for (int p = 0; p < programs; ++p) {
            if (p < timeline_kind_count) {
                const drawing::detail::colours& c =
                    drawing::detail::palette[static_cast<std::size_t>(timeline_kinds[p])];
                css += formatted(".{}.full rect{{fill:{}}}\n", timeline_colour(p), dark ? c.dark_line : c.light_line);
                continue;
            }
            const double hue = std::fmod(137.508 * p, 360.0); // steps of the golden angle: far from those before
            const std::string line = formatted("hsl({:.0f},50%,{}%)", hue, dark ? 62 : 40);
            css += formatted(
                ".program{0} rect{{fill:hsl({1:.0f},45%,{2}%);stroke:{3}}}.program{0}.full rect{{fill:{3}}}\n", p, hue,
                dark ? 22 : 88, line);
        }
        return css;
    };
    std::string css = ".trip rect{fill-opacity:.6}.wait rect{fill-opacity:.25;stroke-opacity:.45}"
                      ".wake rect{fill-opacity:.15;stroke-dasharray:3 2}\n";
    css += rules(wanted == drawing::theme::dark);
    if (wanted == drawing::theme::automatic) {
        css += "@media (prefers-color-scheme:dark){\n" + rules(true) + "}\n";
    }
    return "<style>\n" + (id.empty() ? css : drawing::confined(css, id)) + "</style>\n";
}

ANEMONE_INLINE void add_bar(timeline_row& row, const timeline_bar& bar, double from, double until) {
    timeline_bar seen = bar;
    seen.from = std::max(bar.from, from);
    seen.until = std::min(bar.until, until);
    if (seen.until > seen.from) {
        row.bars.push_back(seen);
    }
}

/// Puts the bars that overlap into lanes, each into the first that is free. Bars of one request that touch share one.
ANEMONE_INLINE void lay_out(timeline_row& row) {
    std::stable_sort(row.bars.begin(), row.bars.end(),
                     [](const timeline_bar& a, const timeline_bar& b) { return a.from < b.from; });
    std::vector<double> free;
    for (timeline_bar& bar : row.bars) {
        std::size_t lane = 0;
        while (lane < free.size() && free[lane] > bar.from) {
            ++lane;
        }
        if (lane == free.size()) {
            free.push_back(0);
        }
        free[lane] = bar.until;
        bar.lane = lane;
    }
    row.lanes = std::max<std::size_t>(free.size(), 1);
    row.lane_height = std::max(2.0, std::min(22.0, 176.0 / static_cast<double>(row.lanes)));
    row.height = row.lane_height * static_cast<double>(row.lanes);
}

ANEMONE_INLINE std::vector<timeline_row> timeline_rows(const timeline& t, double from, double until) {
    std::vector<timeline_row> rows(3);
    rows[0].name = "host";
    rows[1].name = "queue";
    rows[2].name = "engine";
    for (std::size_t i = 0; i < t.requests.size(); ++i) {
        const served_request& s = t.requests[i];
        add_bar(rows[0], {s.arrival, s.ready, i, "", "the caller"}, from, until);
        add_bar(rows[1], {s.ready, s.queued, i, "wake", "held back: 127 of its program are outstanding"}, from, until);
        add_bar(rows[1], {s.queued, s.start, i, "wait", "waits for its turn"}, from, until);
        add_bar(rows[0], {s.start, s.engine, i, "", "binding, request, doorbell"}, from, until);
        const double woken = s.engine + s.wake;
        add_bar(rows[2], {s.engine, woken, i, "wake", name(s.cause)}, from, until);
        add_bar(rows[2], {woken, s.engine_end - s.work, i, "trip", "to the engine and back"}, from, until);
        add_bar(rows[2], {std::max(woken, s.engine_end - s.work), s.engine_end, i, "full", "work"}, from, until);
        add_bar(rows[0], {s.engine_end, s.end, i, "", "completion"}, from, until);
    }
    for (timeline_row& row : rows) {
        lay_out(row);
    }
    return rows;
}

/// 1, 2 or 5 times a power of ten, for about eight ticks.
ANEMONE_INLINE double timeline_step(double span) {
    const double decade = std::pow(10.0, std::floor(std::log10(span / 8)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * decade >= span / 8) {
            return factor * decade;
        }
    }
    return 10 * decade;
}

ANEMONE_INLINE std::string timeline_axis(double from, double until, double left, double width, double top, double end) {
    const bool micro = until - from < 2e-3, milli = until - from < 2;
    const double unit = micro ? 1e-6 : milli ? 1e-3 : 1;
    const double step = timeline_step((until - from) / unit);
    const double first = std::ceil(from / unit / step - 1e-9);
    std::string out;
    for (int i = 0; i < 16 && (first + i) * step * unit <= until + step * unit * 1e-6; ++i) {
        const double value = (first + i) * step + 0.0;
        out += formatted("<path class=\"edge\" stroke-opacity=\".22\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>"
                         "<text class=\"note\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4:.9g}</text>\n",
                         left + (value * unit - from) / (until - from) * width, top, end, end + 17, value);
    }
    return out + formatted("<text class=\"note\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">time, {}</text>\n",
                           left + width / 2, end + 36,
                           micro   ? "us"
                           : milli ? "ms"
                                   : "s");
}

struct timeline_entry {
    std::string style, text;
};

/// What is drawn, and how: programs, then the kinds of bars in the colour of the first. Returns the height too.
ANEMONE_INLINE std::pair<std::string, double> timeline_legend(const std::vector<timeline_entry>& entries, double left,
                                                              double top, double width) {
    std::string out;
    double x = 0, y = 0;
    for (const timeline_entry& e : entries) {
        const std::string text = drawing::shortened(e.text, drawing::size::text, width - 24);
        const double needed = 24 + drawing::text_width(text, drawing::size::text) + 14;
        if (x > 0 && x + needed > width) {
            x = 0;
            y += drawing::size::legend_line;
        }
        out += formatted("<g class=\"box {}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"12\" rx=\"2\"/></g>"
                         "<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                         e.style, left + x, top + y, left + x + 24, top + y + 10, drawing::escape(text));
        x += needed;
    }
    return {out, y + drawing::size::legend_line};
}

ANEMONE_INLINE std::vector<timeline_entry> timeline_entries(const timeline& t, const std::vector<timeline_row>& rows,
                                                            const std::vector<std::string>& names) {
    std::vector<bool> used(static_cast<std::size_t>(t.programs), false);
    std::vector<std::pair<std::string_view, std::string_view>> kinds{{"full", "the engine works"},
                                                                     {"trip", "to the engine and back"},
                                                                     {"wait", "waits"},
                                                                     {"wake", "wakes, is held back"}};
    std::vector<bool> drawn(kinds.size(), false);
    for (const timeline_row& row : rows) {
        for (const timeline_bar& bar : row.bars) {
            used[static_cast<std::size_t>(t.requests[bar.request].program)] = true;
            for (std::size_t k = 0; k < kinds.size(); ++k) {
                drawn[k] = drawn[k] || kinds[k].first == bar.style;
            }
        }
    }
    std::vector<timeline_entry> entries;
    for (int p = 0; p < t.programs; ++p) {
        if (used[static_cast<std::size_t>(p)]) {
            entries.push_back({timeline_colour(p), program_name(names, p)});
        }
    }
    const std::string colour = entries.empty() ? "" : entries[0].style;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        if (drawn[k]) {
            entries.push_back({formatted("{} {}", colour, kinds[k].first), std::string(kinds[k].second)});
        }
    }
    return entries;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::string draw_timeline(const timeline& t, const timeline_drawing_options& options) {
    detail::require_names(t, options.names);
    const bool whole = options.from == 0 && options.until == 0;
    const double from = whole ? t.from : options.from, until = whole ? t.until : options.until;
    if (t.requests.empty() || !(until > from) || !std::isfinite(until - from)) {
        throw error(errc::argument, "timeline",
                    formatted("nothing to draw from {:g} to {:g} s, of {}", from, until,
                              detail::counted(t.requests.size(), "request")));
    }
    if (!(options.width >= 100 && options.width <= 1e5)) {
        throw error(errc::argument, "width", formatted("{:g} pixels, it must be 100 to 100000", options.width));
    }
    std::vector<detail::timeline_row> rows = detail::timeline_rows(t, from, until);
    constexpr double left = 84, right = 28, top = 84, gap = 20;
    double y = top + 8;
    for (detail::timeline_row& row : rows) {
        row.top = y;
        y += row.height + gap;
    }
    const double end_x = left + options.width, end_y = y - gap + 8;
    const auto [legend, legend_height] =
        detail::timeline_legend(detail::timeline_entries(t, rows, options.names), left, end_y + 54, options.width);

    const std::string title =
        options.title.empty() ? formatted("Dispatches on {}", detail::device_name(t)) : options.title;
    std::string out =
        formatted("<svg xmlns=\"http://www.w3.org/2000/svg\"{5} width=\"{0:.0f}\" height=\"{1:.0f}\" "
                  "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}{4}"
                  "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\"/>\n",
                  end_x + right, end_y + 54 + legend_height + 12, drawing::escape(title),
                  drawing::style_sheet(options.theme, options.id),
                  detail::timeline_style(t.programs, options.theme, options.id), drawing::id_attribute(options.id));
    out += formatted(
        "<text class=\"heading\" x=\"28\" y=\"42\">{}</text>\n<text class=\"note\" x=\"28\" "
        "y=\"61\">{}</text>\n",
        drawing::escape(drawing::shortened(title, drawing::size::heading, options.width + 56, true)),
        drawing::escape(drawing::shortened(
            formatted("{} in {}, {:.4g} a second; half within {}, 99 % within {}; engine busy {:.0f} % ({})",
                      detail::counted(t.requests.size(), "request"), detail::milliseconds(t.seconds()), t.throughput(),
                      detail::milliseconds(t.latency(50)), detail::milliseconds(t.latency(99)), t.utilisation() * 100,
                      t.known_by == mark::measured ? "simulated from measured constants" : "simulated, predicted"),
            drawing::size::text, options.width + 56)));
    out += detail::timeline_axis(from, until, left, options.width, top, end_y);
    const double scale = options.width / (until - from);
    for (const detail::timeline_row& row : rows) {
        out += formatted("<text class=\"title end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left - 12,
                         row.top + row.height / 2 + 4, row.name);
        for (const detail::timeline_bar& bar : row.bars) {
            const served_request& s = t.requests[bar.request];
            out += formatted("<g class=\"box {} {}\"><title>request {}, {}: {}, {:.1f} us from {:.3f} ms</title><rect "
                             "x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/></g>\n",
                             detail::timeline_colour(s.program), bar.style, bar.request,
                             drawing::escape(detail::program_name(options.names, s.program)), bar.what,
                             (bar.until - bar.from) * 1e6, bar.from * 1e3, left + (bar.from - from) * scale,
                             row.top + static_cast<double>(bar.lane) * row.lane_height, (bar.until - bar.from) * scale,
                             row.lane_height - (row.lane_height > 6 ? 2 : 0));
        }
    }
    return out + legend + "</svg>\n";
}

} // namespace ane::inline ANEMONE_WAY

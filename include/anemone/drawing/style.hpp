#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "options.hpp"
#include "svg.hpp"
#include "text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Colours, measures and the legend of drawings.
namespace ane::drawing::inline ANEMONE_WAY {

/// Pixels.
struct size {
    static constexpr double title = 13, text = 11, small = 10, heading = 17;
    static constexpr double title_line = 17, text_line = 15, small_line = 13.5;
    static constexpr double side = 12, pill_side = 18, above = 7, weights_gap = 6, number_gap = 14;
    static constexpr double margin = 28, heading_height = 56, legend_line = 22;
};

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::drawing::detail::inline ANEMONE_WAY {

struct colours {
    std::string_view light_fill, light_line, dark_fill, dark_line;
};

inline constexpr colours palette[kind_count] = {
    {"#2b3440", "#2b3440", "#dfe5ec", "#dfe5ec"}, // port
    {"#f7f4ea", "#a3987a", "#2b2921", "#8f8566"}, // constant
    {"#e4edff", "#3f72d6", "#1b2b4b", "#6b9bf2"}, // contraction
    {"#e1f4f0", "#1f8f7b", "#123530", "#3fb8a2"}, // elementwise
    {"#fff2d8", "#c4860f", "#3a2c10", "#dba63a"}, // activation
    {"#e9f5df", "#5b9733", "#21331a", "#86c25c"}, // pooling
    {"#f0e7fb", "#8752c4", "#2e2143", "#b48be6"}, // normalization
    {"#fde7ed", "#c5476c", "#401f2a", "#e57d9c"}, // reduction
    {"#eef1f4", "#7b8796", "#252b33", "#8a97a8"}, // movement
    {"#ffe8dc", "#cf5f2b", "#41241a", "#ec8c5c"}, // attention
    {"#f4f6f8", "#2b3440", "#1c2229", "#dfe5ec"}, // block
};

ANEMONE_INLINE std::string rules(bool dark) {
    const auto pick = [dark](std::string_view light, std::string_view night) { return dark ? night : light; };
    std::string css =
        formatted(".page{{fill:{}}}text{{fill:{}}}.small,.note{{fill:{}}}.edge{{stroke:{}}}.head{{fill:{}}}"
                  ".edge.skip{{stroke:{}}}.head.skip{{fill:{}}}.port text{{fill:{}}}.port .small{{fill:{}}}\n",
                  pick("#ffffff", "#14181d"), pick("#1d242c", "#e8ecf1"), pick("#55606d", "#a9b4c0"),
                  pick("#7d8896", "#8390a0"), pick("#7d8896", "#8390a0"), pick("#d0467f", "#f178aa"),
                  pick("#d0467f", "#f178aa"), pick("#ffffff", "#14181d"), pick("#bcc6d2", "#4a5563"));
    for (std::size_t i = 0; i < kind_count; ++i) {
        const colours& c = palette[i];
        css += formatted(".{0} rect{{fill:{1};stroke:{2}}}.{0} .rule{{stroke:{2}}}\n", name(static_cast<kind>(i)),
                         pick(c.light_fill, c.dark_fill), pick(c.light_line, c.dark_line));
    }
    return css;
}

} // namespace ane::drawing::detail::inline ANEMONE_WAY

namespace ane::drawing::inline ANEMONE_WAY {

/// The rules of a style sheet for what is below one element alone. The sheet has no comments, no strings with braces,
/// and `@media` as the only rule with rules in it.
ANEMONE_INLINE std::string confined(const std::string& css, const std::string& id) {
    std::string out;
    bool in_selector = true;
    for (std::size_t i = 0; i < css.size(); ++i) {
        const char c = css[i];
        const bool begins = in_selector && c != '\n' && c != '}' && c != '@';
        if (begins) {
            const std::size_t end = css.find_first_of(",{", i);
            out.append("#").append(id).append(" ").append(css, i, end - i + 1);
            in_selector = css[end] == ',';
            i = end;
            continue;
        }
        if (c == '@') { // up to its brace, after which selectors follow
            const std::size_t end = css.find('{', i);
            out += css.substr(i, end - i + 1);
            i = end;
            continue;
        }
        in_selector = in_selector || c == '}';
        out += c;
    }
    return out;
}

/// `id` is that of the drawing in a page with several; empty: the sheet is for its whole document.
ANEMONE_INLINE std::string style_sheet(theme wanted, const std::string& id = {}) {
    std::string css = "text{font-family:'Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;"
                      "font-size:11px}.title{font-size:13px;font-weight:600}.small{font-size:10px}"
                      ".heading{font-size:17px;font-weight:600}.end{text-anchor:end}\n"
                      ".box rect{stroke-width:1.2}.constant rect{stroke-dasharray:4 3}.rule{stroke-opacity:.35}"
                      ".edge{fill:none;stroke-width:1.4}.edge.skip{stroke-width:1.8}\n";
    css += detail::rules(wanted == theme::dark);
    if (wanted == theme::automatic) {
        css += "@media (prefers-color-scheme:dark){\n" + detail::rules(true) + "}\n";
    }
    return "<style>\n" + (id.empty() ? css : confined(css, id)) + "</style>\n";
}

/// ` id="model"`, or nothing.
ANEMONE_INLINE std::string id_attribute(const std::string& id) {
    return id.empty() ? "" : formatted(" id=\"{}\"", escape(id));
}

/// The entries of a legend in rows that fit a width.
struct legend_rows {
    struct entry {
        std::string text;
        std::string_view style;
        double left = 0, top = 0;
    };
    std::vector<entry> entries;
    double height = 0;
};

ANEMONE_INLINE legend_rows make_legend(const std::vector<bool>& used, bool skips, double width) {
    legend_rows rows;
    double left = 0, top = size::legend_line;
    const auto add = [&](std::string text, std::string_view style) {
        const double needed = 24 + text_width(text, size::text) + 14;
        if (left > 0 && left + needed > width) {
            left = 0;
            top += size::legend_line;
        }
        rows.entries.push_back({std::move(text), style, left, top});
        left += needed;
    };
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) {
            const kind k = static_cast<kind>(i);
            add(k == kind::port    ? "input, output"
                : k == kind::block ? "several operations"
                                   : std::string(name(k)),
                name(k));
        }
    }
    if (skips) {
        add("skips layers", "skip");
    }
    rows.height = rows.entries.empty() ? 0 : top + size::legend_line;
    return rows;
}

ANEMONE_INLINE std::string draw_legend(const legend_rows& rows, double left, double top) {
    std::string out;
    for (const legend_rows::entry& e : rows.entries) {
        const double x = left + e.left;
        const double y = top + e.top;
        out += e.style == "skip"
                   ? formatted("<path class=\"edge skip\" d=\"M{:.1f} {:.1f}h18\"/>\n", x, y + 6)
                   : formatted("<g class=\"box {}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"12\" "
                               "rx=\"{}\"/></g>\n",
                               e.style, x, y, e.style == "port" ? 6 : 3);
        out += formatted("<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 24, y + 10, escape(e.text));
    }
    return out;
}

} // namespace ane::drawing::inline ANEMONE_WAY

#pragma once

#include "../diff/diff.hpp"
#include "../way.hpp"
#include "findings.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// ` .:-=+*#%@`: a histogram in one line, a character a bin: `@` from a share of one half on, each one before it a
/// quarter of that.
ANEMONE_INLINE std::string bar_of(const ulp_histogram& h) {
    constexpr std::string_view shades = " .:-=+*#%@";
    const auto total = static_cast<double>(h.total());
    std::string bar;
    for (const std::int64_t count : h.counts) {
        double share = static_cast<double>(count) / total;
        std::size_t shade = count == 0 ? 0 : shades.size() - 1;
        for (; shade > 1 && share < 0.5; --shade) {
            share *= 4;
        }
        bar += shades[shade];
    }
    return bar;
}

/// "0.0021", "inf"
ANEMONE_INLINE std::string distance_text(double value) { return fmt::format("{:.2g}", value); }
ANEMONE_INLINE std::string ulp_text(int ulp) { return ulp > 65535 ? "NaN" : std::to_string(ulp); }

constexpr std::string_view colour_of(difference_cause cause) noexcept {
    return cause == difference_cause::none       ? "\x1b[2m"
           : cause <= difference_cause::overflow ? "\x1b[1;31m"
           : cause == difference_cause::rounding ? "\x1b[36m"
                                                 : "\x1b[33m";
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// A model's differences as a table: a row a node, with the largest distances as a whole and of the operation alone,
/// the histogram of the distances, and the rule of the arithmetic behind it.
class diff_report {
public:
    diff_report(const graph_view& model, const model_difference& found) : found_(found) {
        for (const node_difference& n : found_.nodes) {
            names_.push_back(detail::node_phrase(model, n.node, model[n.node].kind));
        }
        if (!found_.identical()) {
            const node& n = model[found_.first_divergent];
            first_ = detail::node_phrase(model, found_.first_divergent, n.kind);
            if (n.where.line > 0) {
                first_ += fmt::format(" ({}:{})", detail::base_name(n.where.file), n.where.line);
            }
        }
    }

    const model_difference& found() const noexcept { return found_; }

    std::string str(bool coloured = false) const {
        std::size_t width = 4;
        for (const std::string& n : names_) {
            width = std::max(width, detail::display_width(n));
        }
        std::string text = fmt::format("{:>{}}  the two runs, each on its own values      alone, on the same operands\n"
                                       "{:<{}}  {:>9} {:>6} {:>7}  {:<{}}  {:>9} {:>6}  cause\n",
                                       "", width, "node", width, "max abs", "ulp", "differ", "0 1 2 4 .. ulp",
                                       ulp_histogram::bins, "max abs", "ulp");
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const node_difference& n = found_.nodes[i];
            const bool equal = n.whole.max_ulp == 0;
            text += fmt::format("{}  {:>9} {:>6} {:>5.1f} %  {}  {:>9} {:>6}  {}\n", detail::padded(names_[i], width),
                                detail::distance_text(n.whole.max_abs), detail::ulp_text(n.whole.max_ulp),
                                100 * n.histogram.differing(), detail::bar_of(n.histogram),
                                detail::distance_text(n.alone.max_abs), detail::ulp_text(n.alone.max_ulp),
                                equal && n.cause == difference_cause::none
                                    ? "same"
                                    : detail::painted(name(n.cause), detail::colour_of(n.cause), coloured));
        }
        return text + (found_.identical() ? std::string("no node differs\n")
                                          : fmt::format("first divergent node: {}\n", first_));
    }
    /// Prints to a stream of the C library, in colours on a terminal.
    void print(std::FILE* to = stdout) const { detail::write_text(to, str(detail::wants_colour(to))); }
    friend std::ostream& operator<<(std::ostream& to, const diff_report& r) { return to << r.str(); }

private:
    model_difference found_;
    std::vector<std::string> names_;
    std::string first_;
};

} // namespace ane::inline ANEMONE_WAY

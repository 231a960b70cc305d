#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../diff/cause.hpp"
#include "../diff/histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Differences as text.
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
ANEMONE_INLINE std::string distance_text(double value) { return formatted("{:.2g}", value); }
ANEMONE_INLINE std::string ulp_text(int ulp) { return ulp > 65535 ? "NaN" : std::to_string(ulp); }

constexpr std::string_view colour_of(difference_cause cause) noexcept {
    return cause == difference_cause::none       ? "\x1b[2m"
           : cause <= difference_cause::overflow ? "\x1b[1;31m"
           : cause == difference_cause::rounding ? "\x1b[36m"
                                                 : "\x1b[33m";
}

} // namespace ane::detail::inline ANEMONE_WAY

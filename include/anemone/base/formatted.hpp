#pragma once

#include "way.hpp"

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// fmt::format for the bodies of this library. In the compiled library every format string is checked at compile time.
/// Header-only, none is, since that would check, and instantiate, the format strings of functions that are never called.
#if defined(ANEMONE_COMPILED)
template <class... Values> std::string formatted(fmt::format_string<const Values&...> format, const Values&... values) {
    return fmt::vformat(format, fmt::make_format_args(values...));
}
#else
template <class... Values> std::string formatted(fmt::string_view format, const Values&... values) {
    return fmt::vformat(format, fmt::make_format_args(values...));
}
#endif

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// "a, b, c"
ANEMONE_INLINE std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        text += (text.empty() ? "" : ", ") + part;
    }
    return text;
}

/// "1 error", "2 errors"
template <std::integral Count> std::string counted(Count count, std::string_view thing) {
    return std::to_string(count).append(" ").append(thing).append(count == 1 ? "" : "s");
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"

#include <string_view>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// Throws `error` (errc::argument) for an option of a value that is not within its limits. `is_possible` is false for NaN, too.
template <class Number>
void require_option(bool is_possible, const char* option, Number value, std::string_view limits) {
    if (!is_possible) {
        throw error(errc::argument, option, formatted("is {}, must be {}", value, limits));
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

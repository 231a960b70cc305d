#pragma once

#include "../base/way.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

/// Numbers as XML property lists have them. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Decimal, or hexadecimal behind 0x, with a sign or without; nothing where it is none, or has no room in 64 bits.
ANEMONE_INLINE std::optional<std::int64_t> parse_plist_integer(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    text.remove_prefix(hexadecimal ? 2 : 0);
    std::uint64_t size = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), size, hexadecimal ? 16 : 10);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (text.empty() || failure != std::errc() || end != text.data() + text.size() ||
        size > most + (negative ? 1 : 0)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(negative ? 0 - size : size);
}

/// Decimal with a point, an exponent, both or neither; inf, infinity and nan in any case.
ANEMONE_INLINE std::optional<double> parse_plist_real(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const bool negative = lower.starts_with('-');
    const std::string_view number = std::string_view(lower).substr(negative || lower.starts_with('+') ? 1 : 0);
    if (number == "inf" || number == "infinity") {
        return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
    if (number == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const std::size_t exponent = number.find('e');
    const std::string_view mantissa = number.substr(0, exponent);
    std::string_view power = exponent == std::string_view::npos ? "0" : number.substr(exponent + 1);
    power.remove_prefix(power.starts_with('-') || power.starts_with('+') ? 1 : 0);
    const auto digits = [](std::string_view part) { return part.find_first_not_of("0123456789") == part.npos; };
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::string_view fraction = mantissa.substr(std::min(point + 1, mantissa.size()));
    if (!digits(mantissa.substr(0, point)) || !digits(fraction) || point + fraction.size() == 0 || power.empty() ||
        !digits(power) || number.size() > 4096) {
        return std::nullopt;
    }
    std::istringstream stream{std::string(number)}; // libc++ 16 has no std::from_chars of reals
    stream.imbue(std::locale::classic());
    double value = 0;
    stream >> value; // beyond the range: the largest double, or 0
    if (stream.fail() && value >= std::numeric_limits<double>::max()) {
        value = std::numeric_limits<double>::infinity();
    }
    return negative ? -value : value;
}

} // namespace ane::readers::inline ANEMONE_WAY

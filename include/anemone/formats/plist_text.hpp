#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "plist.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Data and dates as XML property lists have them. Only bodies include this header.
namespace ane::formats::detail::inline ANEMONE_WAY {

inline constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

ANEMONE_INLINE std::string base64(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(bytes.size() - i, 3);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8U | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? base64_digits[group >> (18U - 6U * k) & 63U] : '=';
        }
    }
    return text;
}

/// White space is skipped; nothing where the text is no base64.
ANEMONE_INLINE std::optional<plist_data> parse_base64(std::string_view text) {
    plist_data result;
    std::uint32_t group = 0;
    std::size_t digits = 0;
    std::size_t fillers = 0;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            continue;
        }
        const std::size_t digit = base64_digits.find(c);
        if (c == '=' ? digits % 4 + fillers < 2 || digits % 4 + fillers > 3
                     : digit == std::string_view::npos || fillers > 0) {
            return std::nullopt;
        }
        if (c == '=') {
            ++fillers;
            continue;
        }
        group = group << 6U | static_cast<std::uint32_t>(digit);
        if (++digits % 4 != 1) {
            const std::uint32_t held = digits % 4 == 2 ? 4 : (digits % 4 == 3 ? 2 : 0); // bits of the next byte
            result.bytes.push_back(static_cast<std::byte>(group >> held & 0xFFU));
        }
    }
    return digits % 4 == 1 || (digits + fillers) % 4 != 0 ? std::nullopt : std::optional(std::move(result));
}

inline constexpr std::int64_t seconds_of_a_day = 86400;

/// Days from the begin of 2001 to a date of the Gregorian calendar, in which a year begins with March.
constexpr std::int64_t days_from_date(std::int64_t year, std::int64_t month, std::int64_t day) {
    const std::int64_t y = month < 3 ? year - 1 : year;
    const std::int64_t of_year = (153 * (month < 3 ? month + 9 : month - 3) + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 730791;
}

constexpr int days_in_month(int year, int month) {
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/// "2001-01-01T00:00:00Z"
ANEMONE_INLINE std::string date_text(const plist_date& date) {
    const double earliest = static_cast<double>(days_from_date(1, 1, 1) * seconds_of_a_day);
    const double end = static_cast<double>(days_from_date(10000, 1, 1) * seconds_of_a_day);
    if (!(date.seconds >= earliest && date.seconds < end)) {
        throw error(errc::argument, "property list date",
                    formatted("{} seconds from 2001 is not in the years 1 to 9999", date.seconds));
    }
    const auto seconds = static_cast<std::int64_t>(std::floor(date.seconds));
    const std::int64_t of_day = (seconds % seconds_of_a_day + seconds_of_a_day) % seconds_of_a_day;
    const std::int64_t days = (seconds - of_day) / seconds_of_a_day;
    auto year = static_cast<int>(2001 + days / 366 - (days < 0 ? 2 : 0));
    while (days_from_date(year + 1, 1, 1) <= days) {
        ++year;
    }
    while (days_from_date(year, 1, 1) > days) {
        --year;
    }
    int month = 1;
    std::int64_t day = days - days_from_date(year, 1, 1);
    for (; day >= days_in_month(year, month); ++month) {
        day -= days_in_month(year, month);
    }
    return formatted("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day + 1, of_day / 3600, of_day / 60 % 60,
                     of_day % 60);
}

ANEMONE_INLINE std::optional<plist_date> parse_date(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    int fields[6] = {};
    std::size_t field = 0;
    if (text.size() != form.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] != '0' ? text[i] != form[i] : !digit) {
            return std::nullopt;
        }
        if (digit) {
            fields[field] = fields[field] * 10 + (text[i] - '0');
        } else {
            ++field;
        }
    }
    const auto [year, month, day, hour, minute, second] = fields;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 ||
        minute > 59 || second > 59) {
        return std::nullopt;
    }
    return plist_date{
        static_cast<double>(days_from_date(year, month, day) * seconds_of_a_day + hour * 3600 + minute * 60 + second)};
}

} // namespace ane::formats::detail::inline ANEMONE_WAY

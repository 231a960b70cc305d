#pragma once

#include "../base/way.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

/// Numbers as C writes them, whatever the locale. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Where the number ends that begins at `at`: letters, digits and points, and signs behind an exponent's letter.
ANEMONE_INLINE std::size_t number_end(std::string_view text, std::size_t at) {
    std::size_t i = at + (text[at] == '-' || text[at] == '+' ? 1 : 0);
    const bool hex = i + 1 < text.size() && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X');
    for (; i < text.size(); ++i) {
        const char c = text[i];
        const bool sign = (c == '-' || c == '+') && i > at;
        const char before = i > at ? text[i - 1] : '\0';
        const bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
        if (!letter && !(sign && exponent)) {
            break;
        }
    }
    return i;
}

/// Any decimal number, by the standard library.
ANEMONE_INLINE bool parse_long_decimal(std::string_view text, double& value) {
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    in >> value;
    return in.eof() && (!in.fail() || std::isinf(value) || std::abs(value) == std::numeric_limits<double>::max());
}

ANEMONE_INLINE bool parse_exponent(std::string_view text, int& exponent) {
    const bool minus = !text.empty() && text[0] == '-';
    text.remove_prefix(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
    exponent = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return false;
        }
        exponent = exponent < 100'000 ? exponent * 10 + (c - '0') : exponent;
    }
    exponent = minus ? -exponent : exponent;
    return !text.empty();
}

/// C99 hexadecimal floats and integers; up to 64 bits of the mantissa count.
ANEMONE_INLINE bool parse_hexadecimal(std::string_view text, double& value) {
    std::uint64_t mantissa = 0;
    int scale = 0;
    bool point = false;
    bool digits = false;
    std::size_t i = 0;
    for (; i < text.size() && text[i] != 'p' && text[i] != 'P'; ++i) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (digit < 0) {
            return false;
        }
        digits = true;
        if (mantissa >> 60U == 0) {
            mantissa = mantissa * 16 + static_cast<unsigned>(digit);
            scale -= point ? 4 : 0;
        } else {
            mantissa |= digit != 0 ? 1U : 0U; // what is cut off decides a tie
            scale += point ? 0 : 4;
        }
    }
    int exponent = 0;
    if (!digits || (i < text.size() && !parse_exponent(text.substr(i + 1), exponent))) {
        return false;
    }
    value = std::ldexp(static_cast<double>(mantissa), scale + exponent);
    return true;
}

/// Decimal numbers; those of up to 15 digits and small exponents exactly by one operation.
ANEMONE_INLINE bool parse_decimal(std::string_view text, double& value) {
    std::uint64_t mantissa = 0;
    int scale = 0;
    int count = 0;
    bool point = false;
    std::size_t i = 0;
    for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '.' && !point) {
            point = true;
        } else if (text[i] < '0' || text[i] > '9') {
            return false;
        } else if (++count <= 15) {
            mantissa = mantissa * 10 + static_cast<unsigned>(text[i] - '0');
            scale -= point ? 1 : 0;
        }
    }
    int exponent = 0;
    if (count == 0 || (i < text.size() && !parse_exponent(text.substr(i + 1), exponent))) {
        return false;
    }
    const int power = scale + exponent;
    if (count > 15 || power < -22 || power > 22) {
        return parse_long_decimal(text, value);
    }
    double ten = 1;
    for (int k = 0; k < std::abs(power); ++k) {
        ten *= 10; // exact up to 10^22
    }
    value = power < 0 ? static_cast<double>(mantissa) / ten : static_cast<double>(mantissa) * ten;
    return true;
}

/// "-0x1.8p+3", "1e-5", "42", "inf", "nan": false for anything else.
ANEMONE_INLINE bool parse_number(std::string_view text, double& value) {
    const bool minus = !text.empty() && text[0] == '-';
    text.remove_prefix(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
    bool good = true;
    if (text == "inf" || text == "infinity") {
        value = std::numeric_limits<double>::infinity();
    } else if (text == "nan") {
        value = std::numeric_limits<double>::quiet_NaN();
    } else if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        good = parse_hexadecimal(text.substr(2), value);
    } else {
        good = parse_decimal(text, value);
    }
    value = minus ? -value : value;
    return good;
}

} // namespace ane::readers::inline ANEMONE_WAY

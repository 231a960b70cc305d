#pragma once

#include "../base/way.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

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
#if defined(__cpp_lib_to_chars) // libc++ 16 has no std::from_chars of reals
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure == std::errc() && end == text.data() + text.size()) {
        return true;
    }
#endif
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
    const int power = scale + exponent;
    const auto whole = static_cast<double>(mantissa);
    value = power >= -900 && power <= 900 // by one exact product, which is quicker
                ? whole * std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52U)
                : std::ldexp(whole, power);
    return true;
}

/// Where the hexadecimal number ends that begins at `at` with 0x, of up to 53 bits and an exponent of up to 3 digits, which is exact by
/// one product; 0 for another.
ANEMONE_INLINE std::size_t plain_hexadecimal(std::string_view text, std::size_t at, double& value) {
    static constexpr auto digit_of = [] {
        std::array<signed char, 256> digits{};
        digits.fill(-1);
        for (int d = 0; d < 16; ++d) {
            digits[static_cast<unsigned char>("0123456789abcdef"[d])] = static_cast<signed char>(d);
            digits[static_cast<unsigned char>("0123456789ABCDEF"[d])] = static_cast<signed char>(d);
        }
        return digits;
    }();
    std::uint64_t mantissa = 0;
    std::size_t i = at + 2;
    const auto take_digits = [&] {
        const std::size_t first = i;
        for (; i < text.size() && digit_of[static_cast<unsigned char>(text[i])] >= 0; ++i) {
            mantissa = mantissa * 16 + static_cast<std::uint64_t>(digit_of[static_cast<unsigned char>(text[i])]);
        }
        return i - first;
    };
    const std::size_t whole = take_digits();
    i += i < text.size() && text[i] == '.' ? 1 : 0;
    const std::size_t behind = text[i - 1] == '.' ? take_digits() : 0;
    if (whole + behind == 0 || whole + behind > 16 || mantissa >> 53U != 0) {
        return 0;
    }
    int power = 0;
    if (i < text.size() && (text[i] == 'p' || text[i] == 'P')) {
        ++i;
        const bool minus = i < text.size() && text[i] == '-';
        i += i < text.size() && (text[i] == '-' || text[i] == '+') ? 1 : 0;
        const std::size_t first = i;
        for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && i - first < 3; ++i) {
            power = power * 10 + (text[i] - '0');
        }
        if (i == first) {
            return 0;
        }
        power = minus ? -power : power;
    }
    power -= 4 * static_cast<int>(behind);
    if (power < -900 || power > 900) {
        return 0;
    }
    value = static_cast<double>(mantissa) * std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52U);
    return i;
}

/// Where the decimal number ends that begins at `at`, of up to 15 digits and a small power of ten, which is exact by one
/// operation; 0 for another. Nearly all numbers of long lists are of this kind.
ANEMONE_INLINE std::size_t plain_decimal(std::string_view text, std::size_t at, double& value) {
    static constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    std::uint64_t mantissa = 0;
    int digits = 0;
    int scale = 0;
    bool point = false;
    std::size_t i = at;
    for (; i < text.size(); ++i) {
        const auto digit = static_cast<unsigned>(text[i] - '0');
        if (digit <= 9) {
            mantissa = mantissa * 10 + digit;
            scale -= point ? 1 : 0;
            if (++digits > 15) {
                return 0;
            }
        } else if (text[i] == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        const bool minus = i < text.size() && text[i] == '-';
        i += i < text.size() && (text[i] == '-' || text[i] == '+') ? 1 : 0;
        int exponent = 0;
        const std::size_t first = i;
        for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && i - first < 4; ++i) {
            exponent = exponent * 10 + (text[i] - '0');
        }
        if (i == first) {
            return 0;
        }
        scale += minus ? -exponent : exponent;
    }
    if (digits == 0 || scale < -22 || scale > 22) {
        return 0;
    }
    const auto whole = static_cast<double>(mantissa);
    value = scale < 0 ? whole / tens[-scale] : whole * tens[scale];
    return i;
}

ANEMONE_INLINE bool parse_decimal(std::string_view text, double& value) {
    if (plain_decimal(text, 0, value) == text.size()) {
        return !text.empty();
    }
    int digits = 0;
    bool point = false;
    std::size_t i = 0;
    for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '.' && !point) {
            point = true;
        } else if (text[i] < '0' || text[i] > '9') {
            return false;
        } else {
            digits = 1;
        }
    }
    int exponent = 0;
    if (digits == 0 || (i < text.size() && !parse_exponent(text.substr(i + 1), exponent))) {
        return false;
    }
    return parse_long_decimal(text, value);
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

#pragma once

#include "packed_codes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The table and the codes of a matrix of at most 16 values, empty for more.
ANEMONE_INLINE std::vector<std::uint8_t> palette_of(const half* values, std::int64_t count, packed_codes& to) {
    std::vector<std::uint16_t> known;
    std::vector<std::uint8_t> codes;
    codes.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = std::find(known.begin(), known.end(), values[i].bits);
        if (at == known.end() && known.size() == 16) {
            return {};
        }
        codes.push_back(static_cast<std::uint8_t>(at - known.begin()));
        if (at == known.end()) {
            known.push_back(values[i].bits);
        }
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
        to.table[i] = static_cast<float>(half::from_bits(known[i]));
    }
    return codes;
}

/// The scale of which all values of a column are multiples by -127 to 127, or 0.
template <class Value> float scale_of_column(std::int64_t terms, int bits, const Value& value) {
    double most = 0;
    for (std::int64_t t = 0; t < terms; ++t) {
        most = std::max(most, std::abs(static_cast<double>(value(t))));
    }
    const int last = (1 << (bits - 1)) - 1;
    const half nearest(most / last);
    for (const int away : {0, 1, -1, 2, -2}) {
        const int pattern = nearest.bits + away;
        if (pattern <= 0 || pattern >= 0x7C00) {
            continue;
        }
        const half scale = half::from_bits(static_cast<std::uint16_t>(pattern));
        std::int64_t t = 0;
        for (; t < terms; ++t) {
            const double q = std::nearbyint(static_cast<double>(value(t)) / static_cast<double>(scale));
            if (!(std::abs(q) <= 127) || half(q * static_cast<double>(scale)).bits != value(t).bits) {
                break;
            }
        }
        if (t == terms) {
            return static_cast<float>(scale);
        }
    }
    return 0;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY packed_codes pack_codes(const kernel_table& table, const matmul_shape& s, const half* b,
                                     const compression& form) {
    packed_codes result;
    const product_kernels& kernels = table.products;
    const bool integers = form.form == weight_form::affine && !form.zero_point;
    if (kernels.few_coded == nullptr || s.k == 0 || s.n == 0 || !(integers || form.form == weight_form::palette)) {
        return {};
    }
    result.k = s.k;
    result.columns = kernels.columns;
    const auto value = [&](std::int64_t t, std::int64_t c) { return s.transpose_b ? b[c * s.k + t] : b[t * s.n + c]; };
    const std::int64_t panels = (s.n + result.columns - 1) / result.columns;
    std::vector<std::uint8_t> of_values;
    if (integers) {
        result.scales.assign(static_cast<std::size_t>(panels * result.columns), 0.0F);
        for (std::int64_t c = 0; c < s.n; ++c) {
            const float scale = detail::scale_of_column(s.k, form.bits, [&](std::int64_t t) { return value(t, c); });
            if (scale == 0) {
                return {};
            }
            result.scales[static_cast<std::size_t>(c)] = scale;
        }
        for (const float scale : result.scales) {
            result.splitters.push_back(scale * 0x2001P0F);
        }
    } else {
        result.nibbles = true;
        of_values = detail::palette_of(b, s.k * s.n, result);
        if (of_values.empty()) {
            return {};
        }
    }
    result.codes.assign(static_cast<std::size_t>(panels * s.k * result.term_bytes()), 0);
    const std::int64_t half_panel = result.columns / 2;
    for (std::int64_t c = 0; c < s.n; ++c) {
        const std::int64_t inside = c % result.columns;
        for (std::int64_t t = 0; t < s.k; ++t) {
            const std::int64_t line = c / result.columns * s.k + t;
            if (integers) {
                const double q =
                    static_cast<double>(value(t, c)) / static_cast<double>(result.scales[static_cast<std::size_t>(c)]);
                result.codes[static_cast<std::size_t>(line * result.columns + inside)] =
                    static_cast<std::uint8_t>(static_cast<std::int8_t>(std::nearbyint(q)));
            } else {
                const std::uint8_t code =
                    of_values[static_cast<std::size_t>(s.transpose_b ? c * s.k + t : t * s.n + c)];
                result.codes[static_cast<std::size_t>(line * half_panel + inside % half_panel)] |=
                    static_cast<std::uint8_t>(inside < half_panel ? code : code << 4);
            }
        }
    }
    // What the loops make of the codes is compared with what they stand for.
    std::vector<float> wide(static_cast<std::size_t>(s.k * result.columns));
    for (std::int64_t c = 0; c < s.n; ++c) {
        if (c % result.columns == 0) {
            kernels.widen_coded(result.panels(c, 0), s.k, wide.data());
        }
        for (std::int64_t t = 0; t < s.k; ++t) {
            const float got = wide[static_cast<std::size_t>(t * result.columns + c % result.columns)];
            const float want = static_cast<float>(value(t, c));
            if (got != want || std::signbit(got) != std::signbit(want)) {
                return {};
            }
        }
    }
    return result;
}

} // namespace ane::cpu::inline ANEMONE_WAY

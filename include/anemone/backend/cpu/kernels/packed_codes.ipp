#pragma once

#include "packed_codes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
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

/// The values of one column, as fp16 and as fp32, and what is found of them.
class coded_column {
public:
    ANEMONE_INLINE coded_column(const kernel_table& table, std::int64_t terms)
        : table_(table), values_(static_cast<std::size_t>(terms)), wide_(values_.size()), codes_(values_.size()),
          products_(values_.size()), rounded_(values_.size()) {}

    ANEMONE_INLINE void read(const matmul_shape& s, const half* b, std::int64_t column) {
        for (std::int64_t t = 0; t < s.k; ++t) {
            values_[static_cast<std::size_t>(t)] = s.transpose_b ? b[column * s.k + t] : b[t * s.n + column];
        }
        table_.to_float(values_.data(), wide_.data(), s.k);
    }

    /// Finds the codes of `count` values from `first` on, and the scale of which they are multiples by -127 to 127, each
    /// rounded to fp16. False where there is none near the largest value divided by the largest code.
    ANEMONE_INLINE bool find(std::size_t first, std::size_t count, int largest_code, half& scale) {
        const float* const wide = wide_.data() + first;
        float most = 0;
        for (std::size_t i = 0; i < count; ++i) {
            most = std::max(most, std::abs(wide[i]));
        }
        const half nearest(static_cast<double>(most) / largest_code);
        for (const int away : {0, 1, -1, 2, -2}) {
            const int pattern = nearest.bits + away;
            if (pattern <= 0 || pattern >= 0x7C00) {
                continue;
            }
            scale = half::from_bits(static_cast<std::uint16_t>(pattern));
            if (divides(first, count, static_cast<float>(scale))) {
                return true;
            }
        }
        return false;
    }
    /// Of the last blocks that were found.
    std::int8_t code(std::int64_t term) const { return codes_[static_cast<std::size_t>(term)]; }

private:
    /// A quotient by a scale is not exact, but nearer to its code than to another. Beside 1.5 * 2^23 there is no room for a
    /// fraction, so that the addition rounds.
    ANEMONE_INLINE bool divides(std::size_t first, std::size_t count, float scale) {
        constexpr float no_fraction = 0x1.8p23F;
        const float* const wide = wide_.data() + first;
        float* const products = products_.data() + first;
        std::int8_t* const codes = codes_.data() + first;
        bool fits = true;
        for (std::size_t i = 0; i < count; ++i) {
            const float q = (wide[i] / scale + no_fraction) - no_fraction;
            fits = fits && std::abs(q) <= 127; // which a NaN is not
            products[i] = q * scale;
        }
        if (!fits) {
            return false;
        }
        table_.to_half(products, rounded_.data() + first, static_cast<std::int64_t>(count));
        if (std::memcmp(rounded_.data() + first, values_.data() + first, count * sizeof(half)) != 0) {
            return false; // a zero with a sign as well, and what is not finite
        }
        for (std::size_t i = 0; i < count; ++i) {
            codes[i] = static_cast<std::int8_t>((wide[i] / scale + no_fraction) - no_fraction);
        }
        return true;
    }

    const kernel_table& table_;
    std::vector<half> values_;
    std::vector<float> wide_;
    std::vector<std::int8_t> codes_;
    std::vector<float> products_;
    std::vector<half> rounded_;
};

/// Fills in codes and scales of a weight of integers. False where it is none.
ANEMONE_INLINE bool pack_integers(const kernel_table& table, const matmul_shape& s, const half* b, int largest_code,
                                  packed_codes& to) {
    const std::int64_t panels = (s.n + to.columns - 1) / to.columns;
    coded_column column(table, s.k);
    for (std::int64_t c = 0; c < s.n; ++c) {
        column.read(s, b, c);
        const std::int64_t inside = c % to.columns;
        for (std::int64_t t = 0; t < s.k; t += to.block) {
            half found;
            if (!column.find(static_cast<std::size_t>(t), static_cast<std::size_t>(std::min(to.block, s.k - t)),
                             largest_code, found)) {
                return false;
            }
            if (to.codes.empty()) { // most weights are none, which the first block says
                to.codes.assign(static_cast<std::size_t>(panels * s.k * to.columns), 0);
                to.scales.assign(static_cast<std::size_t>(panels * to.blocks() * to.columns), half());
            }
            to.scales[static_cast<std::size_t>((c / to.columns * to.blocks() + t / to.block) * to.columns + inside)] =
                found;
        }
        std::uint8_t* code = to.codes.data() + c / to.columns * s.k * to.columns + inside;
        for (std::int64_t t = 0; t < s.k; ++t, code += to.columns) {
            *code = static_cast<std::uint8_t>(column.code(t) + coded_zero);
        }
    }
    return true;
}

/// The same of a weight of at most 16 values.
ANEMONE_INLINE bool pack_nibbles(const matmul_shape& s, const half* b, packed_codes& to) {
    const std::vector<std::uint8_t> of_values = palette_of(b, s.k * s.n, to);
    if (of_values.empty()) {
        return false;
    }
    const std::int64_t panels = (s.n + to.columns - 1) / to.columns;
    const std::int64_t half_panel = to.columns / 2;
    to.codes.assign(static_cast<std::size_t>(panels * s.k * to.term_bytes()), 0);
    for (std::int64_t c = 0; c < s.n; ++c) {
        const std::int64_t inside = c % to.columns;
        for (std::int64_t t = 0; t < s.k; ++t) {
            const std::int64_t line = c / to.columns * s.k + t;
            const std::uint8_t code = of_values[static_cast<std::size_t>(s.transpose_b ? c * s.k + t : t * s.n + c)];
            to.codes[static_cast<std::size_t>(line * half_panel + inside % half_panel)] |=
                static_cast<std::uint8_t>(inside < half_panel ? code : code << 4);
        }
    }
    return true;
}

/// Whether the loops make of the codes what they stand for, bit by bit.
ANEMONE_INLINE bool stands_for(const kernel_table& table, const packed_codes& codes, const matmul_shape& s,
                               const half* b) {
    const product_kernels& kernels = table.products;
    const std::int64_t columns = codes.columns;
    const std::int64_t terms = std::min(product_terms, s.k);
    std::vector<float> got(static_cast<std::size_t>(terms * columns));
    std::vector<float> want(got.size());
    for (std::int64_t c = 0; c < s.n; c += columns) {
        const std::int64_t count = std::min(columns, s.n - c);
        for (std::int64_t t = 0; t < s.k; t += terms) {
            const std::int64_t some = std::min(terms, s.k - t);
            (s.transpose_b ? kernels.widen_turned : kernels.widen)(b + (s.transpose_b ? c * s.k + t : t * s.n + c),
                                                                   s.transpose_b ? s.k : s.n, some, count, want.data(),
                                                                   columns, columns);
            kernels.widen_coded(codes.panels(c, t), some, got.data());
            for (std::int64_t r = 0; r < some; ++r) { // behind the last column a palette has its first value
                if (std::memcmp(got.data() + r * columns, want.data() + r * columns,
                                static_cast<std::size_t>(count) * sizeof(float)) != 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY packed_codes pack_codes(const kernel_table& table, const matmul_shape& s, const half* b,
                                     const compression& form) {
    packed_codes result;
    const bool by_block = form.form == weight_form::blockwise && form.block > 0 && s.transpose_b;
    const bool integers = (form.form == weight_form::affine || by_block) && !form.zero_point;
    if (table.products.few_coded == nullptr || s.k == 0 || s.n == 0 ||
        !(integers || form.form == weight_form::palette)) {
        return {};
    }
    result.k = s.k;
    result.columns = table.products.columns;
    result.nibbles = !integers;
    result.block = !integers ? 0 : by_block ? form.block : s.k;
    if (!(integers ? detail::pack_integers(table, s, b, (1 << (form.bits - 1)) - 1, result)
                   : detail::pack_nibbles(s, b, result))) {
        return {};
    }
    return detail::stands_for(table, result, s, b) ? result : packed_codes{};
}

} // namespace ane::cpu::inline ANEMONE_WAY

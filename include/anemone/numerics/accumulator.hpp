#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"
#include "rounding.hpp"

#include <cstdint>

namespace ane::numerics::inline ANEMONE_WAY {

/// An operand as the multiplier reads it: (-1)^negative * significand * 2^(exponent - 10).
struct operand {
    bool negative;
    std::uint32_t significand; ///< below 2^11; at least 2^10 unless subnormal
    int exponent;              ///< -14 .. 16
};

/// Exponent 31 is an ordinary exponent to the multiplier: infinity is 2^16, and a NaN is (1 + f/1024) * 2^16 with its
/// quiet bit set first, or infinity (datapath::mac_nan). Subnormals have exponent -14. Measured M4, M6
/// (numerics-datapath, section 1, rule 1).
constexpr operand decode_operand(half value, nan_rule nan = nan_rule::ordinary_exponent,
                                 bool keep_subnormals = true) noexcept {
    if (nan == nan_rule::infinity && is_nan(value)) {
        return {false, 0x400U, 16};
    }
    const bool negative = (value.bits & 0x8000U) != 0;
    const int biased = (value.bits >> 10U) & 0x1F;
    std::uint32_t fraction = value.bits & 0x3FFU;
    if (biased == 0) {
        return {negative, keep_subnormals ? fraction : 0U, -14};
    }
    if (biased == 31 && fraction != 0) {
        fraction |= 0x200U;
    }
    return {negative, 0x400U | fraction, biased - 15};
}

/// The register behind a matrix product or a convolution: fixed point with 16 fraction bits, 32 bits wide.
///
/// A product counts if the operands' exponents add up to at least -16; it is rounded half away from zero to 2^-16 and
/// added. Once the sum reaches 2^15 in magnitude the result is infinity of that sign and stays so. The bias is the
/// first value of the sum, rounded the same way. Measured M4 and M6 in every probe of the study; it reproduces the
/// published error against K on M1 and M5 (N160-N165, N180-N182), so one model serves M1 to M6 (inferred).
class accumulator {
public:
    static constexpr int fraction_bits = 16;
    /// 2^15 in units of 2^-16.
    static constexpr std::int64_t limit = std::int64_t{1} << 31;

    constexpr explicit accumulator(const datapath& path, half bias = half{}) noexcept : path_(path) {
        const operand b = decode_operand(bias, path_.mac_nan);
        add(b.negative, b.significand, b.exponent - 10 + fraction_bits);
    }

    /// Adds x * w.
    constexpr void multiply_add(half x, half w) noexcept {
        const operand a = decode_operand(x, path_.mac_nan, path_.mac_keeps_subnormals);
        const operand b = decode_operand(w, path_.mac_nan, path_.mac_keeps_subnormals);
        if (a.exponent + b.exponent >= path_.mac_exponent_floor) {
            add(a.negative != b.negative, std::uint64_t{a.significand} * b.significand,
                a.exponent + b.exponent - 20 + fraction_bits);
        }
    }

    /// True once the sum has reached the ceiling; never reset.
    constexpr bool overflowed() const noexcept { return overflow_ != 0; }
    /// The sum in units of 2^-16. Frozen once it overflows.
    constexpr std::int64_t raw() const noexcept { return sum_; }

    constexpr half result() const noexcept {
        if (overflow_ != 0) {
            return half::from_bits(overflow_ < 0 ? 0xFC00U : 0x7C00U);
        }
        return round_fixed(sum_, fraction_bits, path_.mac_ties);
    }

private:
    /// Adds magnitude * 2^shift units, rounded half away from zero.
    constexpr void add(bool negative, std::uint64_t magnitude, int shift) noexcept {
        std::uint64_t units = 0;
        if (shift >= 0) {
            units = magnitude << static_cast<unsigned>(shift);
        } else if (shift > -64) {
            units = detail::shift_right_rounded(magnitude, static_cast<unsigned>(-shift), tie_rule::half_away);
        }
        if (overflow_ != 0) {
            return;
        }
        sum_ += negative ? -static_cast<std::int64_t>(units) : static_cast<std::int64_t>(units);
        // Without the ceiling, the register need only be wide enough to exceed fp16.
        const std::int64_t bound = path_.mac_ceiling ? limit : std::int64_t{1} << 61;
        if (sum_ >= bound || sum_ <= -bound) {
            overflow_ = sum_ < 0 ? -1 : 1;
        }
    }

    datapath path_;
    std::int64_t sum_ = 0;
    int overflow_ = 0;
};

/// A sum of integers below 2^31 times a scale, plus a bias, rounded once. The product is exact in double for a scale of
/// 22 bits, as the product of two fp16 scales is.
constexpr half scaled_sum(const datapath& path, std::int64_t sum, float scale, half bias = {}) noexcept {
    const double scaled = static_cast<double>(sum) * static_cast<double>(scale);
    const bool finite = scaled - scaled == 0.0 && is_finite(bias);
    const auto start = static_cast<double>(bias);
    return round_to_half(finite ? add_to_odd(scaled, start) : scaled + start, path.mac_ties);
}

/// The register behind a product of int8 activations and int8 weights: 32-bit integers, infinity from 2^31 on, one
/// scale at the end. Measured M6 (numerics-datapath, section 5). That the bias is added after it is inferred (N203).
class integer_accumulator {
public:
    constexpr void multiply_add(std::int8_t x, std::int8_t w) noexcept {
        if (overflow_ != 0) {
            return;
        }
        sum_ += std::int64_t{x} * w;
        if (sum_ >= (std::int64_t{1} << 31) || sum_ <= -(std::int64_t{1} << 31)) {
            overflow_ = sum_ < 0 ? -1 : 1;
        }
    }

    constexpr bool overflowed() const noexcept { return overflow_ != 0; }
    constexpr std::int64_t raw() const noexcept { return sum_; }

    constexpr half result(const datapath& path, float scale, half bias = {}) const noexcept {
        if (overflow_ != 0) {
            return half::from_bits((overflow_ < 0) != (scale < 0) ? 0xFC00U : 0x7C00U);
        }
        return scaled_sum(path, sum_, scale, bias);
    }

private:
    std::int64_t sum_ = 0;
    int overflow_ = 0;
};

} // namespace ane::numerics::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "contraction_tile.hpp"

#include <cstdint>
#include <cstring>

/// fp16 numbers in the lanes of vectors: patterns as 32-bit integers, values as fp32. Written without intrinsics, the
/// same bits at every width and whether or not the compiler fuses a product with a sum. Vectors are returned through
/// references: the convention of a call that never happens is warned about all the same.
namespace ane::numerics::detail::inline ANEMONE_WAY {

template <int Width> struct lane_vectors : tile_vectors<Width> {
    // NOLINTNEXTLINE(modernize-use-using): g++ takes the attribute on a typedef
    typedef std::uint16_t patterns __attribute__((vector_size(2 * Width)));
};

template <int Width> struct lanes {
    using v = lane_vectors<Width>;
    using real = typename v::real;
    using whole = typename v::whole;
    using natural = typename v::natural;

    ANEMONE_CPU_INLINE static void load(const half* from, natural& x) {
        typename v::patterns bits;
        std::memcpy(&bits, from, sizeof bits);
        x = __builtin_convertvector(bits, natural);
    }
    /// The same number in every lane if the step is 0.
    ANEMONE_CPU_INLINE static void load(const half* from, std::int64_t i, std::int64_t step, natural& x) {
        if (step == 0) {
            x = natural{} + std::uint32_t{from->bits};
        } else {
            load(from + i, x);
        }
    }
    ANEMONE_CPU_INLINE static void store(const natural& x, half* to) {
        const typename v::patterns bits = __builtin_convertvector(x, typename v::patterns);
        std::memcpy(static_cast<void*>(to), &bits, sizeof bits);
    }

    /// NaN is +infinity. A zero keeps its sign: what is computed of it does not depend on it, see `round`.
    ANEMONE_CPU_INLINE static void enter(natural& x) { x = (x & 0x7FFFU) > 0x7C00U ? natural{} + 0x7C00U : x; }
    /// The value, with exponent 31 as an ordinary one.
    ANEMONE_CPU_INLINE static void ordinary(const natural& x, real& y) {
        const natural magnitude = x & 0x7FFFU;
        const natural shifted = magnitude << 13U;
        // A subnormal becomes the fraction of 2^-14 (1 + f); the implicit one is then subtracted exactly.
        const auto subnormal = reinterpret_cast<natural>(reinterpret_cast<real>(shifted + (113U << 23U)) - 0x1p-14F);
        const natural finite = magnitude < 0x400U ? subnormal : shifted + (112U << 23U);
        y = reinterpret_cast<real>(finite | (x & 0x8000U) << 16U);
    }
    /// The value of what has entered.
    ANEMONE_CPU_INLINE static void value(const natural& x, real& y) {
        ordinary(x, y);
        const auto number = reinterpret_cast<natural>(y);
        y = reinterpret_cast<real>((x & 0x7FFFU) == 0x7C00U ? (number & 0x80000000U) | 0x7F800000U : number);
    }

    /// The fp16 pattern nearest to a value that is exact, or whose last bit is set because it is not, or that is a sum
    /// of two fp16 numbers: see round_to_half. NaN, the difference of infinities, is +0, as every zero is.
    ANEMONE_CPU_INLINE static void round(const real& y, bool half_away, natural& x) {
        const auto bits = reinterpret_cast<natural>(y);
        const natural magnitude = bits & 0x7FFFFFFFU;
        // Half away: the last bit makes a tie larger than one, and no other number crosses one.
        const natural above = reinterpret_cast<natural>(magnitude >= 0x00800000U) & (half_away ? 1U : 0U);
        const natural m = magnitude | above;
        const natural normal = (m + 0xFFFU + ((m >> 13U) & 1U) - (112U << 23U)) >> 13U;
        const natural bounded = normal < 0x7C00U ? normal : natural{} + 0x7C00U;
        // Adding 0.5, whose ulp in fp32 is the smallest fp16 subnormal, lets the addition do the rounding.
        const natural subnormal = reinterpret_cast<natural>(reinterpret_cast<real>(m) + 0.5F) - 0x3F000000U;
        const natural finite = m < (113U << 23U) ? subnormal : bounded;
        const natural kept = finite & reinterpret_cast<natural>(magnitude <= 0x7F800000U);
        x = kept | (reinterpret_cast<natural>(kept != 0U) & ((bits >> 16U) & 0x8000U));
    }

    /// Whole numbers that order as the values do.
    ANEMONE_CPU_INLINE static void key(const natural& x, whole& k) {
        const auto magnitude = reinterpret_cast<whole>(x & 0x7FFFU);
        const whole negative = (x & 0x8000U) != 0U;
        k = (magnitude ^ negative) - negative;
    }
    ANEMONE_CPU_INLINE static void pattern(const whole& k, natural& x) {
        const whole negative = k < 0;
        x = reinterpret_cast<natural>((k ^ negative) - negative) | (reinterpret_cast<natural>(negative) & 0x8000U);
    }

    /// One addition of the narrow register with 12 significant bits (add_aligned): the smaller operand loses what lies
    /// below the last of the larger one's. A sum of four fp16 numbers made of these has fewer than 24 bits.
    ANEMONE_CPU_INLINE static void add_aligned_lanes(const real& b, real& sum) {
        const auto bits_a = reinterpret_cast<natural>(sum);
        const auto bits_b = reinterpret_cast<natural>(b);
        const whole first = (bits_a & 0x7FFFFFFFU) >= (bits_b & 0x7FFFFFFFU);
        const natural large = first ? bits_a : bits_b;
        const natural small = first ? bits_b : bits_a;
        const natural distance = ((large >> 23U) & 0xFFU) - ((small >> 23U) & 0xFFU);
        const whole reaches = distance < 12U;
        const natural dropped = (distance + 12U) & reinterpret_cast<natural>(reaches);
        const natural kept = ((small >> dropped) << dropped) & reinterpret_cast<natural>(reaches);
        sum = reinterpret_cast<real>(large) + reinterpret_cast<real>(kept);
    }
};

} // namespace ane::numerics::detail::inline ANEMONE_WAY

#pragma once

#include "../../../base/way.hpp"
#include "../simd/isa.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

ANEMONE_CPU_UNFUSED_BEGIN

/// Elementary functions that go through double, number by number; those over vectors are in elementary.inl.
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// condition ? a : b on bits: g++ does not turn a float ?: into vector code, because the comparison may trap.
ANEMONE_CPU_INLINE float select(bool condition, float a, float b) {
    const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & mask) | (std::bit_cast<std::uint32_t>(b) & ~mask));
}

/// Adding this rounds a number below 2^22 to an integer, which the low bits of the sum then contain.
inline constexpr float rounding_shift = 0x1.8p23F;

/// sin(x + quarters pi / 2) for |x| <= 2^17. The multiple of pi / 2 nearest to x is taken off in double, because what
/// is left may be as small as 2^-17 of it; the polynomials are Cephes' sinf and cosf.
ANEMONE_CPU_INLINE float sine(float x, std::uint32_t quarters) {
    const float shifted = x * 0.636619772F + rounding_shift;
    const auto n = static_cast<double>(shifted - rounding_shift);
    // pi / 2 in two parts, the first short enough for an exact product.
    const double rest = (static_cast<double>(x) - n * 0x1.921fb544p0) - n * 0x1.0b4611a626331p-34;
    const auto r = static_cast<float>(rest);
    const float z = r * r;
    float odd = -1.9515295891e-4F;
    odd = odd * z + 8.3321608736e-3F;
    odd = odd * z - 1.6666654611e-1F;
    odd = (odd * z + 1.0F) * r; // a product as the last step keeps -0
    float even = 2.443315711809948e-5F;
    even = even * z - 1.388731625493765e-3F;
    even = even * z + 4.166664568298827e-2F;
    even = (even * z) * z - 0.5F * z + 1.0F;
    const std::uint32_t quadrant = std::bit_cast<std::uint32_t>(shifted) + quarters;
    const float value = select((quadrant & 1U) != 0, even, odd);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ ((quadrant & 2U) << 30U));
}

ANEMONE_CPU_INLINE float power(float a, float b) {
    return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
}

/// In double, a quotient of fp16 numbers just below an integer does not round up to it.
ANEMONE_CPU_INLINE float floored_ratio(float a, float b) {
    return static_cast<float>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

ANEMONE_CPU_UNFUSED_END

#pragma once

#include "../../../base/way.hpp"
#include "isa.hpp"

#include <bit>
#include <cstdint>
#include <limits>

ANEMONE_CPU_UNFUSED_BEGIN

/// Elementary functions in fp32 without branches, so that loops over them become vector code. They stay within 2^-20
/// of the exact value, relatively, far inside half an ulp of fp16 (2^-12). NaN in, NaN out.
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// condition ? a : b on bits: g++ does not turn a float ?: into vector code, because the comparison may trap.
ANEMONE_CPU_INLINE float select(bool condition, float a, float b) {
    const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & mask) | (std::bit_cast<std::uint32_t>(b) & ~mask));
}

ANEMONE_CPU_INLINE float magnitude(float x) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7FFFFFFFU);
}

ANEMONE_CPU_INLINE float with_sign_of(float x, float sign) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) & 0x7FFFFFFFU) |
                                (std::bit_cast<std::uint32_t>(sign) & 0x80000000U));
}

/// Adding this rounds a number below 2^22 to an integer, which the low bits of the sum then contain.
inline constexpr float integer_shift = 0x1.8p23F;

/// e^r - 1 for |r| <= ln 2 / 2; the polynomial is Cephes' expf.
ANEMONE_CPU_INLINE float small_exponential(float r) {
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    return (p * r) * r + r;
}

/// power 2^n, where shifted = n + integer_shift and |n| <= 151.
ANEMONE_CPU_INLINE float times_power_of_two(float power, float shifted) {
    // Two factors, because 2^n alone leaves the range of fp32 at both ends.
    const auto whole =
        static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(integer_shift));
    const std::int32_t first = whole >> 1;
    const float scale_first = std::bit_cast<float>((static_cast<std::uint32_t>(first) + 127U) << 23U);
    const float scale_rest = std::bit_cast<float>((static_cast<std::uint32_t>(whole - first) + 127U) << 23U);
    return (power * scale_first) * scale_rest;
}

/// e^x = 2^n e^r with n = round(x / ln 2) and |r| <= ln 2 / 2.
ANEMONE_CPU_INLINE float exponential(float x) {
    x = select(x < -104.0F, -104.0F, x); // below this the result is zero
    x = select(x > 89.0F, 89.0F, x);     // above this it is infinite
    const float shifted = x * 1.44269504F + integer_shift;
    const float n = shifted - integer_shift;
    const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    return times_power_of_two(small_exponential(r) + 1.0F, shifted);
}

/// 2^x = 2^n e^(r ln 2) with n = round(x).
ANEMONE_CPU_INLINE float binary_exponential(float x) {
    x = select(x < -150.0F, -150.0F, x);
    x = select(x > 129.0F, 129.0F, x);
    const float shifted = x + integer_shift;
    const float r = (x - (shifted - integer_shift)) * 0.693147181F;
    return times_power_of_two(small_exponential(r) + 1.0F, shifted);
}

/// e^x - 1, without the cancellation near zero.
ANEMONE_CPU_INLINE float exponential_less_one(float x) {
    return select(magnitude(x) < 0.34F, small_exponential(x), exponential(x) - 1.0F);
}

/// 2 artanh(s) = ln((1 + s) / (1 - s)) for |s| <= 1/3, as its series.
ANEMONE_CPU_INLINE float twice_artanh(float s) {
    const float z = s * s;
    float p = 1.0F / 13.0F;
    p = p * z + 1.0F / 11.0F;
    p = p * z + 1.0F / 9.0F;
    p = p * z + 1.0F / 7.0F;
    p = p * z + 1.0F / 5.0F;
    p = p * z + 1.0F / 3.0F;
    const float twice = s + s;
    return (p * z) * twice + twice;
}

/// ln x = n ln 2 + ln m with m from sqrt(1/2) to sqrt 2; -infinity at zero, NaN below.
ANEMONE_CPU_INLINE float logarithm(float x) {
    constexpr std::uint32_t root_of_half = 0x3F3504F3U;
    const bool tiny = x < 0x1p-126F; // a subnormal of fp32
    const std::uint32_t shifted = std::bit_cast<std::uint32_t>(x * select(tiny, 0x1p23F, 1.0F)) - root_of_half;
    const float n = static_cast<float>(static_cast<std::int32_t>(shifted) >> 23) - select(tiny, 23.0F, 0.0F);
    const float m = std::bit_cast<float>((shifted & 0x7FFFFFU) + root_of_half);
    const float finite = n * 0.693359375F + (n * -2.12194440e-4F + twice_artanh((m - 1.0F) / (m + 1.0F)));
    const float infinity = std::numeric_limits<float>::infinity();
    const float special = select(x == 0, -infinity, std::numeric_limits<float>::quiet_NaN());
    return select(x > 0, select(x < infinity, finite, x), special);
}

/// ln(1 + e^x) = max(x, 0) + ln(1 + t), t = e^-|x| <= 1.
ANEMONE_CPU_INLINE float softened_relu(float x) {
    const float t = exponential(-magnitude(x));
    return select(x > 0, x, 0.0F) + twice_artanh(t / (2.0F + t));
}

/// tanh: an odd polynomial (Cephes' tanhf) near zero, where 1 - 2 / (e^2x + 1) cancels.
ANEMONE_CPU_INLINE float hyperbolic_tangent(float x) {
    const float a = magnitude(x);
    const float far = 1.0F - 2.0F / (exponential(2.0F * a) + 1.0F);
    const float z = a * a;
    float p = -5.70498872745e-3F;
    p = p * z + 2.06390887954e-2F;
    p = p * z - 5.37397155531e-2F;
    p = p * z + 1.33314422036e-1F;
    p = p * z - 3.33332819422e-1F;
    const float near = (p * z) * a + a;
    return with_sign_of(select(a < 0.625F, near, far), x);
}

/// e^(z^2) erfc(z) of z >= 0 is t P(t), t = 1 / (1 + z / 2); P interpolates at Chebyshev nodes over 0 <= z <= 9 within
/// 5e-8.
ANEMONE_CPU_INLINE float scaled_error_complement(float half_z) {
    const float t = 1.0F / (1.0F + half_z);
    float p = -0.0588653445F;
    p = p * t + 0.283710352F;
    p = p * t - 0.485665277F;
    p = p * t + 0.276581441F;
    p = p * t - 0.0257642138F;
    p = p * t + 0.202376684F;
    p = p * t + 0.243173114F;
    p = p * t + 0.282366254F;
    p = p * t + 0.282086953F;
    return t * p;
}

/// x Phi(x) = x erfc(-x / sqrt 2) / 2. Using erfc of |x| keeps the negative tail free of cancellation.
ANEMONE_CPU_INLINE float gaussian_error_linear(float x) {
    const float a = magnitude(x);
    const float tail = 0.5F * exponential(-0.5F * (a * a)) * scaled_error_complement(0.353553391F * a);
    return x * select(x < 0, tail, 1.0F - tail);
}

/// erf: its series near zero, where 1 - erfc cancels.
ANEMONE_CPU_INLINE float error_function(float x) {
    const float a = magnitude(x);
    const float far = 1.0F - exponential(-(a * a)) * scaled_error_complement(0.5F * a);
    const float z = a * a;
    float p = 1.0F / 9360.0F;
    p = p * z - 1.0F / 1320.0F;
    p = p * z + 1.0F / 216.0F;
    p = p * z - 1.0F / 42.0F;
    p = p * z + 1.0F / 10.0F;
    p = p * z - 1.0F / 3.0F;
    const float near = 1.12837917F * ((p * z) * a + a);
    return with_sign_of(select(a < 0.5F, near, far), x);
}

/// sin(x + quarters pi / 2) for |x| <= 2^17. The multiple of pi / 2 nearest to x is taken off in double, because what
/// is left may be as small as 2^-17 of it; the polynomials are Cephes' sinf and cosf.
ANEMONE_CPU_INLINE float sine(float x, std::uint32_t quarters) {
    const float shifted = x * 0.636619772F + integer_shift;
    const auto n = static_cast<double>(shifted - integer_shift);
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

/// atan x = pi / 2 - atan(1 / x) = pi / 4 + atan((x - 1) / (x + 1)); the polynomial is Cephes' atanf.
ANEMONE_CPU_INLINE float arc_tangent(float x) {
    const float a = magnitude(x);
    const bool middle = a > 0.414213562F;
    const bool far = a > 2.41421356F;
    const float r = select(far, -1.0F, select(middle, a - 1.0F, a)) / select(far, a, select(middle, a + 1.0F, 1.0F));
    const float base = select(far, 1.57079633F, select(middle, 0.785398163F, 0.0F));
    const float z = r * r;
    float p = 8.05374449538e-2F;
    p = p * z - 1.38776856032e-1F;
    p = p * z + 1.99777106478e-1F;
    p = p * z - 3.33329491539e-1F;
    return with_sign_of(base + ((p * z) * r + r), x);
}

/// The nearest integer, half to even; the sign stays, also of a zero.
ANEMONE_CPU_INLINE float rounded(float x) {
    const float a = magnitude(x);
    return with_sign_of(select(a < 0x1p23F, (a + 0x1p23F) - 0x1p23F, a), x);
}
ANEMONE_CPU_INLINE float rounded_down(float x) {
    const float nearest = rounded(x);
    return with_sign_of(select(nearest > x, nearest - 1.0F, nearest), x);
}
ANEMONE_CPU_INLINE float rounded_up(float x) {
    const float nearest = rounded(x);
    return with_sign_of(select(nearest < x, nearest + 1.0F, nearest), x);
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

ANEMONE_CPU_UNFUSED_END

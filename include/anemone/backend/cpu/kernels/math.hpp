#pragma once

#include "../../../graph/op.hpp"
#include "isa.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

/// Scalar fp32 functions without branches, so that loops over them become vector code. All elementary functions stay
/// within a few fp32 ulp (2^-20 relative) of the exact value, far inside half an ulp of fp16 (2^-12).
namespace ane::cpu::detail {

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

/// e^x = 2^n e^r with n = round(x / ln 2) and |r| <= ln 2 / 2; the polynomial is Cephes' expf. NaN in, NaN out.
ANEMONE_CPU_INLINE float exponential(float x) {
    constexpr float shift = 0x1.8p23F;   // adding it rounds to an integer, which its low bits then hold
    x = select(x < -104.0F, -104.0F, x); // below, the result is zero
    x = select(x > 89.0F, 89.0F, x);     // above, it is infinite
    const float shifted = x * 1.44269504F + shift;
    const float n = shifted - shift;
    const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    const float power = (p * r) * r + r + 1.0F;
    // Two factors, because 2^n alone leaves the range of fp32 at both ends.
    const auto whole =
        static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(shift));
    const std::int32_t first = whole >> 1;
    const float scale_first = std::bit_cast<float>((static_cast<std::uint32_t>(first) + 127U) << 23U);
    const float scale_rest = std::bit_cast<float>((static_cast<std::uint32_t>(whole - first) + 127U) << 23U);
    return (power * scale_first) * scale_rest;
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

/// x Phi(x) = x erfc(-x / sqrt 2) / 2, with erfc(z) = e^(-z^2) t P(t), t = 1 / (1 + z / 2); P interpolates at Chebyshev
/// nodes over 0 <= z <= 9 within 5e-8. Using erfc of |x| keeps the negative tail free of cancellation.
ANEMONE_CPU_INLINE float gaussian_error_linear(float x) {
    const float a = magnitude(x);
    const float t = 1.0F / (1.0F + 0.353553391F * a);
    float p = -0.0588653445F;
    p = p * t + 0.283710352F;
    p = p * t - 0.485665277F;
    p = p * t + 0.276581441F;
    p = p * t - 0.0257642138F;
    p = p * t + 0.202376684F;
    p = p * t + 0.243173114F;
    p = p * t + 0.282366254F;
    p = p * t + 0.282086953F;
    const float tail = 0.5F * exponential(-0.5F * (a * a)) * (t * p);
    return x * select(x < 0, tail, 1.0F - tail);
}

/// One operand; the parameters are those of `op`: leaky_relu slope p0; clamp from p0 to p1; log and rsqrt epsilon p0,
/// added to x. A NaN stays a NaN everywhere.
template <op Kind> struct unary_function {
    float p0 = 0;
    float p1 = 0;

    ANEMONE_CPU_INLINE float operator()(float x) const {
        if constexpr (Kind == op::relu) {
            return select(x < 0, 0.0F, x);
        } else if constexpr (Kind == op::relu6) {
            const float low = select(x < 0, 0.0F, x);
            return select(low > 6.0F, 6.0F, low);
        } else if constexpr (Kind == op::leaky_relu) {
            return x * select(x < 0, p0, 1.0F);
        } else if constexpr (Kind == op::clamp) {
            const float low = select(x < p0, p0, x);
            return select(low > p1, p1, low);
        } else if constexpr (Kind == op::sigmoid) {
            return 1.0F / (1.0F + exponential(-x));
        } else if constexpr (Kind == op::tanh) {
            return hyperbolic_tangent(x);
        } else if constexpr (Kind == op::gelu) {
            return gaussian_error_linear(x);
        } else if constexpr (Kind == op::silu) {
            return x / (1.0F + exponential(-x));
        } else if constexpr (Kind == op::exp) {
            return exponential(x);
        } else if constexpr (Kind == op::log) {
            return std::log(x + p0);
        } else if constexpr (Kind == op::sqrt) {
            return std::sqrt(x);
        } else if constexpr (Kind == op::rsqrt) {
            return 1.0F / std::sqrt(x + p0);
        } else {
            static_assert(Kind == op::abs, "not an elementwise operation of one operand");
            return magnitude(x);
        }
    }
};

/// Two operands. minimum and maximum give NaN when either operand is NaN, as PyTorch and NumPy do.
template <op Kind> struct binary_function {
    ANEMONE_CPU_INLINE float operator()(float a, float b) const {
        if constexpr (Kind == op::add) {
            return a + b;
        } else if constexpr (Kind == op::sub) {
            return a - b;
        } else if constexpr (Kind == op::mul) {
            return a * b;
        } else if constexpr (Kind == op::div) {
            return a / b;
        } else if constexpr (Kind == op::minimum) {
            const float least = select(a < b, a, b); // b when unordered
            return select(a != a, a, least);
        } else {
            static_assert(Kind == op::maximum, "not an elementwise operation of two operands");
            const float most = select(a > b, a, b);
            return select(a != a, a, most);
        }
    }
};

} // namespace ane::cpu::detail

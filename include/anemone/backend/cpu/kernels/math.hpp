#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/op.hpp"
#include "elementary.hpp"

#include <cmath>
#include <cstdint>

ANEMONE_CPU_UNFUSED_BEGIN

/// The elementwise operations in fp32. Comparisons and selections are without branches (elementary.hpp says why).
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// One operand; p0 and p1 are the operation's coefficients alpha and beta, or its epsilon. A NaN stays a NaN
/// everywhere.
template <op Kind> struct unary_function {
    float p0 = 0;
    float p1 = 0;

    ANEMONE_CPU_INLINE float operator()(float x) const {
        if constexpr (Kind == op::relu) {
            return select(x < 0, 0.0F, x);
        } else if constexpr (Kind == op::relu6) {
            return held(x, 0.0F, 6.0F);
        } else if constexpr (Kind == op::leaky_relu) {
            return x * select(x < 0, p0, 1.0F);
        } else if constexpr (Kind == op::clamp) {
            return held(x, p0, p1);
        } else if constexpr (Kind == op::thresholded_relu) {
            return select(x < p0, 0.0F, x);
        } else if constexpr (Kind == op::clamped_relu) {
            const float scaled = x * select(x < 0, p0, 1.0F);
            return select(scaled > p1, p1, scaled);
        } else if constexpr (Kind == op::elu) {
            return select(x < 0, p0 * exponential_less_one(x), x);
        } else if constexpr (Kind == op::sigmoid) {
            return 1.0F / (1.0F + exponential(-x));
        } else if constexpr (Kind == op::hard_sigmoid) {
            // In double the product is exact: the sum may cancel.
            const double line = static_cast<double>(p0) * static_cast<double>(x) + static_cast<double>(p1);
            return held(static_cast<float>(line), 0.0F, 1.0F);
        } else if constexpr (Kind == op::tanh) {
            return hyperbolic_tangent(x);
        } else if constexpr (Kind == op::scaled_tanh) {
            return p0 * hyperbolic_tangent(p1 * x);
        } else if constexpr (Kind == op::gelu) {
            return gaussian_error_linear(x);
        } else if constexpr (Kind == op::gelu_sigmoid) {
            return x / (1.0F + exponential(-1.702F * x));
        } else if constexpr (Kind == op::silu) {
            return x / (1.0F + exponential(-x));
        } else if constexpr (Kind == op::softplus) {
            return softened_relu(x);
        } else if constexpr (Kind == op::parametric_softplus) {
            return p0 * softened_relu(p1 * x);
        } else if constexpr (Kind == op::softsign) {
            return x / (1.0F + magnitude(x));
        } else if constexpr (Kind == op::erf) {
            return error_function(x);
        } else if constexpr (Kind == op::exp) {
            return exponential(x);
        } else if constexpr (Kind == op::exp2) {
            return binary_exponential(x);
        } else if constexpr (Kind == op::log2) {
            return logarithm(x) * 1.44269504F;
        } else if constexpr (Kind == op::log) {
            return logarithm(x + p0);
        } else if constexpr (Kind == op::sqrt) {
            return std::sqrt(x);
        } else if constexpr (Kind == op::rsqrt) {
            return 1.0F / std::sqrt(x + p0);
        } else if constexpr (Kind == op::inverse) {
            return 1.0F / (x + p0);
        } else if constexpr (Kind == op::square) {
            return x * x;
        } else if constexpr (Kind == op::abs) {
            return magnitude(x);
        } else if constexpr (Kind == op::sign) {
            const float one = select(x > 0, 1.0F, -1.0F);
            return select(x == 0, 0.0F, select(x == x, one, x));
        } else if constexpr (Kind == op::ceil) {
            return rounded_up(x);
        } else if constexpr (Kind == op::floor) {
            return rounded_down(x);
        } else if constexpr (Kind == op::round) {
            return rounded(x);
        } else if constexpr (Kind == op::sin) {
            return sine(x, 0);
        } else if constexpr (Kind == op::cos) {
            return sine(x, 1);
        } else {
            static_assert(Kind == op::atan, "not an elementwise operation of one operand");
            return arc_tangent(x);
        }
    }

private:
    ANEMONE_CPU_INLINE static float held(float x, float low, float high) {
        const float raised = select(x < low, low, x);
        return select(raised > high, high, raised);
    }
};

/// Two operands. minimum and maximum give NaN when either operand is NaN, as PyTorch and NumPy do. A comparison gives 1
/// or 0; with a NaN only not_equal is true.
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
        } else if constexpr (Kind == op::maximum) {
            const float most = select(a > b, a, b);
            return select(a != a, a, most);
        } else if constexpr (Kind == op::pow) {
            return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
        } else if constexpr (Kind == op::floor_div) {
            // In double, a quotient of fp16 numbers just below an integer does not round up to it.
            return static_cast<float>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
        } else if constexpr (Kind == op::equal) {
            return truth(a == b);
        } else if constexpr (Kind == op::not_equal) {
            return truth(a != b);
        } else if constexpr (Kind == op::greater) {
            return truth(a > b);
        } else if constexpr (Kind == op::greater_equal) {
            return truth(a >= b);
        } else if constexpr (Kind == op::less) {
            return truth(a < b);
        } else {
            static_assert(Kind == op::less_equal, "not an elementwise operation of two operands");
            return truth(a <= b);
        }
    }

private:
    ANEMONE_CPU_INLINE static float truth(bool holds) { return select(holds, 1.0F, 0.0F); }
};

} // namespace ane::cpu::detail::inline ANEMONE_WAY

ANEMONE_CPU_UNFUSED_END

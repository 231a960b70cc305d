#pragma once

#include "../base/way.hpp"
#include "../graph/op.hpp"

#include <cmath>

/// Operations in double precision, without a rounding to fp16: what folded constants and the wide reference
/// (backend/wide) compute with. A NaN stays a NaN; infinities follow IEEE 754.
namespace ane::numerics::inline ANEMONE_WAY {

/// A function of two numbers. minimum and maximum are NaN where either operand is, as PyTorch and NumPy have it.
template <op Kind> double wide_binary(double a, double b) {
    if constexpr (Kind == op::add) {
        return a + b;
    } else if constexpr (Kind == op::sub) {
        return a - b;
    } else if constexpr (Kind == op::mul) {
        return a * b;
    } else if constexpr (Kind == op::div) {
        return a / b;
    } else if constexpr (Kind == op::pow) {
        return std::pow(a, b);
    } else if constexpr (Kind == op::floor_div) {
        return std::floor(a / b);
    } else if constexpr (Kind == op::minimum) {
        return std::isnan(a) || a < b ? a : b;
    } else {
        static_assert(Kind == op::maximum, "an operation of two operands has no arithmetic in double precision");
        return std::isnan(a) || a > b ? a : b;
    }
}

/// A comparison, or a function of two truth values. With a NaN only not_equal holds.
template <op Kind, class Number> bool wide_condition(Number a, Number b) {
    if constexpr (Kind == op::equal) {
        return a == b;
    } else if constexpr (Kind == op::not_equal || Kind == op::logical_xor) {
        return a != b;
    } else if constexpr (Kind == op::greater) {
        return a > b;
    } else if constexpr (Kind == op::greater_equal) {
        return a >= b;
    } else if constexpr (Kind == op::less) {
        return a < b;
    } else if constexpr (Kind == op::less_equal) {
        return a <= b;
    } else if constexpr (Kind == op::logical_and) {
        return a && b;
    } else {
        static_assert(Kind == op::logical_or, "a condition has no arithmetic in double precision");
        return a || b;
    }
}

/// ln(1 + e^x).
ANEMONE_INLINE double wide_softplus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

/// A function of one number; `first` and `second` are the numbers of its attributes: slope, ends of a clamp, epsilon.
template <op Kind> double wide_unary(double x, double first = 0, double second = 0) {
    const auto at_least = [](double low, double value) { return value < low ? low : value; };
    const auto at_most = [](double high, double value) { return value > high ? high : value; };
    if constexpr (Kind == op::relu) {
        return at_least(0, x);
    } else if constexpr (Kind == op::relu6) {
        return at_most(6, at_least(0, x));
    } else if constexpr (Kind == op::leaky_relu) {
        return x < 0 ? first * x : x;
    } else if constexpr (Kind == op::clamp) {
        return at_most(second, at_least(first, x));
    } else if constexpr (Kind == op::thresholded_relu) {
        return x < first ? 0 : x;
    } else if constexpr (Kind == op::clamped_relu) {
        return at_most(second, x < 0 ? first * x : x);
    } else if constexpr (Kind == op::elu) {
        return x < 0 ? first * std::expm1(x) : x;
    } else if constexpr (Kind == op::sigmoid) {
        return 1 / (1 + std::exp(-x));
    } else if constexpr (Kind == op::hard_sigmoid) {
        return at_most(1, at_least(0, first * x + second));
    } else if constexpr (Kind == op::tanh) {
        return std::tanh(x);
    } else if constexpr (Kind == op::scaled_tanh) {
        return first * std::tanh(second * x);
    } else if constexpr (Kind == op::gelu) {
        return x * (std::erfc(-x * 0x1.6a09e667f3bcdp-1) / 2); // 1 / sqrt(2); 1 + erf would cancel
    } else if constexpr (Kind == op::gelu_sigmoid) {
        return x / (1 + std::exp(-1.702 * x));
    } else if constexpr (Kind == op::silu) {
        return x / (1 + std::exp(-x));
    } else if constexpr (Kind == op::softplus) {
        return wide_softplus(x);
    } else if constexpr (Kind == op::softsign) {
        return x / (1 + std::fabs(x));
    } else if constexpr (Kind == op::erf) {
        return std::erf(x);
    } else if constexpr (Kind == op::exp) {
        return std::exp(x);
    } else if constexpr (Kind == op::exp2) {
        return std::exp2(x);
    } else if constexpr (Kind == op::log2) {
        return std::log2(x);
    } else if constexpr (Kind == op::log) {
        return std::log(x + first);
    } else if constexpr (Kind == op::sqrt) {
        return std::sqrt(x);
    } else if constexpr (Kind == op::rsqrt) {
        return 1 / std::sqrt(x + first);
    } else if constexpr (Kind == op::inverse) {
        return 1 / (x + first);
    } else if constexpr (Kind == op::square) {
        return x * x;
    } else if constexpr (Kind == op::abs) {
        return std::fabs(x);
    } else if constexpr (Kind == op::sign) {
        return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
    } else if constexpr (Kind == op::ceil) {
        return std::ceil(x);
    } else if constexpr (Kind == op::floor) {
        return std::floor(x);
    } else if constexpr (Kind == op::round) {
        return std::nearbyint(x); // halves to even
    } else if constexpr (Kind == op::sin) {
        return std::sin(x);
    } else if constexpr (Kind == op::cos) {
        return std::cos(x);
    } else {
        static_assert(Kind == op::atan, "an operation of one operand has no arithmetic in double precision");
        return std::atan(x);
    }
}

/// A sum whose error does not grow with the number of its terms (Neumaier 1974): within two roundings of the exact one,
/// beside n^2 2^-106 of the magnitudes.
class wide_sum {
public:
    void add(double x) {
        const double next = total_ + x;
        lost_ += std::fabs(total_) >= std::fabs(x) ? (total_ - next) + x : (x - next) + total_;
        total_ = next;
    }
    double result() const { return std::isfinite(total_) ? total_ + lost_ : total_; }

private:
    double total_ = 0;
    double lost_ = 0;
};

} // namespace ane::numerics::inline ANEMONE_WAY

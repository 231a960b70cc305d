#pragma once

#include "../base/way.hpp"

/// Elementary functions in double for constant expressions, to sample the knots of the tables. Each is good to about
/// 1e-15 on the range the tables need; nothing else should use them.
namespace ane::numerics::detail::inline ANEMONE_WAY {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double log2_e = 1.44269504088896340736;
inline constexpr double ln_2 = 0.69314718055994530942;

constexpr double power_of_two(int exponent) noexcept {
    double value = 1.0;
    for (int i = 0; i < exponent; ++i) {
        value *= 2.0;
    }
    for (int i = 0; i > exponent; --i) {
        value *= 0.5;
    }
    return value;
}

/// e^x for |x| < 700: whole powers of two, and the series for the rest.
constexpr double sample_exp(double x) noexcept {
    const int whole = static_cast<int>(x * log2_e + (x < 0 ? -0.5 : 0.5));
    const double rest = x - whole * ln_2;
    double term = 1.0;
    double sum = 1.0;
    for (int i = 1; i < 22; ++i) {
        term *= rest / i;
        sum += term;
    }
    return sum * power_of_two(whole);
}

constexpr double sample_exp2(double x) noexcept { return sample_exp(x * ln_2); }

/// ln x for x in [0.25, 4]: 2 artanh((x - 1) / (x + 1)).
constexpr double sample_log(double x) noexcept {
    const double z = (x - 1.0) / (x + 1.0);
    double power = z;
    double sum = 0.0;
    for (int i = 1; i < 90; i += 2) {
        sum += power / i;
        power *= z * z;
    }
    return 2.0 * sum;
}

constexpr double sample_log2(double x) noexcept { return sample_log(x) * log2_e; }

constexpr double sample_sqrt(double x) noexcept {
    double root = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 60; ++i) {
        root = 0.5 * (root + x / root);
    }
    return root;
}

/// sin x for |x| <= pi.
constexpr double sample_sin(double x) noexcept {
    double term = x;
    double sum = x;
    for (int i = 1; i < 16; ++i) {
        term *= -x * x / ((2.0 * i) * (2.0 * i + 1.0));
        sum += term;
    }
    return sum;
}

/// erf x for |x| <= 4: 2/sqrt(pi) e^(-x^2) times a series of positive terms.
constexpr double sample_erf(double x) noexcept {
    double term = x;
    double sum = x;
    for (int i = 1; i < 120; ++i) {
        term *= 2.0 * x * x / (2.0 * i + 1.0);
        sum += term;
    }
    return 2.0 / sample_sqrt(pi) * sample_exp(-x * x) * sum;
}

/// arctan x for |x| <= 1: x / (1 + x^2) times a series of positive terms (Euler).
constexpr double sample_atan_of_fraction(double x) noexcept {
    const double ratio = x * x / (1.0 + x * x);
    double term = x / (1.0 + x * x);
    double sum = term;
    for (int i = 1; i < 50; ++i) {
        term *= ratio * (2.0 * i) / (2.0 * i + 1.0);
        sum += term;
    }
    return sum;
}
/// arctan x for x >= 0.
constexpr double sample_atan(double x) noexcept {
    return x > 1.0 ? 0.5 * pi - sample_atan_of_fraction(1.0 / x) : sample_atan_of_fraction(x);
}

constexpr double sample_elu_below(double t) noexcept { return sample_exp(-t) - 1.0; }
constexpr double sample_sigmoid(double x) noexcept { return 1.0 / (1.0 + sample_exp(-x)); }
constexpr double sample_tanh(double x) noexcept { return 2.0 * sample_sigmoid(2.0 * x) - 1.0; }
constexpr double sample_rsqrt(double x) noexcept { return 1.0 / sample_sqrt(x); }
constexpr double sample_inverse(double x) noexcept { return 1.0 / x; }

} // namespace ane::numerics::detail::inline ANEMONE_WAY

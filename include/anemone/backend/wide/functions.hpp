#pragma once

#include "../../base/way.hpp"
#include "../../folding/functions.hpp"

#include <cmath>

/// Functions in double precision: those that constants are folded with, and the others. A NaN stays a NaN; infinities
/// follow IEEE 754.
namespace ane::wide_reference::inline ANEMONE_WAY {

/// The larger and the smaller of two numbers; NaN where either is.
ANEMONE_INLINE double larger(double a, double b) { return folding::arithmetic<double>()[op::maximum](a, b); }
ANEMONE_INLINE double smaller(double a, double b) { return folding::arithmetic<double>()[op::minimum](a, b); }

/// ln(1 + e^x).
ANEMONE_INLINE double softplus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

ANEMONE_INLINE double at_least(double low, double x) { return x < low ? low : x; }
ANEMONE_INLINE double at_most(double high, double x) { return x > high ? high : x; }

/// A function of one number; `first` and `second` are the numbers of its attributes: slope, ends of a clamp, epsilon.
using function = double (*)(double x, double first, double second);

/// One that constants are folded with too; those with a stabilizer add it.
template <op Kind> double folded_function(double x, double first, double) {
    constexpr bool shifts = signature(Kind).attributes == attribute_kind::stabilizer;
    return folding::functions<double>()[Kind](shifts ? x + first : x);
}

/// A row for each operation of one operand.
ANEMONE_INLINE const op_facet<function>& functions() {
    static constexpr op_facet<function> rows{
        {op::sqrt, folded_function<op::sqrt>},
        {op::rsqrt, folded_function<op::rsqrt>},
        {op::inverse, folded_function<op::inverse>},
        {op::exp, folded_function<op::exp>},
        {op::log, folded_function<op::log>},
        {op::sin, folded_function<op::sin>},
        {op::cos, folded_function<op::cos>},
        {op::abs, folded_function<op::abs>},
        {op::sign, folded_function<op::sign>},
        {op::floor, folded_function<op::floor>},
        {op::ceil, folded_function<op::ceil>},
        {op::relu, [](double x, double, double) { return at_least(0, x); }},
        {op::relu6, [](double x, double, double) { return at_most(6, at_least(0, x)); }},
        {op::leaky_relu, [](double x, double first, double) { return x < 0 ? first * x : x; }},
        {op::clamp, [](double x, double first, double second) { return at_most(second, at_least(first, x)); }},
        {op::thresholded_relu, [](double x, double first, double) { return x < first ? 0.0 : x; }},
        {op::clamped_relu,
         [](double x, double first, double second) { return at_most(second, x < 0 ? first * x : x); }},
        {op::elu, [](double x, double first, double) { return x < 0 ? first * std::expm1(x) : x; }},
        {op::sigmoid, [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
        {op::hard_sigmoid,
         [](double x, double first, double second) { return at_most(1, at_least(0, first * x + second)); }},
        {op::tanh, [](double x, double, double) { return std::tanh(x); }},
        {op::scaled_tanh, [](double x, double first, double second) { return first * std::tanh(second * x); }},
        {op::gelu,
         [](double x, double, double) {
             return x * (std::erfc(-x * 0x1.6a09e667f3bcdp-1) / 2);
         }}, // 1 / sqrt(2); 1 + erf would cancel
        {op::gelu_sigmoid, [](double x, double, double) { return x / (1 + std::exp(-1.702 * x)); }},
        {op::silu, [](double x, double, double) { return x / (1 + std::exp(-x)); }},
        {op::softplus, [](double x, double, double) { return softplus(x); }},
        {op::softsign, [](double x, double, double) { return x / (1 + std::fabs(x)); }},
        {op::erf, [](double x, double, double) { return std::erf(x); }},
        {op::exp2, [](double x, double, double) { return std::exp2(x); }},
        {op::log2, [](double x, double, double) { return std::log2(x); }},
        {op::square, [](double x, double, double) { return x * x; }},
        {op::round, [](double x, double, double) { return std::nearbyint(x); }}, // halves to even
        {op::atan, [](double x, double, double) { return std::atan(x); }},
    };
    static_assert(rows.kinds() == ops_of(op_group::unary),
                  "an operation of one operand has no row in backend/wide/functions.hpp");
    return rows;
}

/// A sum whose error does not grow with the number of its terms (Neumaier 1974): within two roundings of the exact one,
/// beside n^2 2^-106 of the magnitudes.
class exact_sum {
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

} // namespace ane::wide_reference::inline ANEMONE_WAY

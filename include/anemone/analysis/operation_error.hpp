#pragma once

#include "../catalogue/engine_path.hpp"
#include "../graph/op_facet.hpp"
#include "../numerics/products_with_ones.hpp"
#include "product_error.hpp"

#include <cstdint>
#include <span>

/// How far one operation of a lowered graph may be from exact arithmetic on its fp16 operands, by generation, before its
/// result is rounded to fp16. From published figures and closed forms, not from the arithmetic that the oracle runs:
/// what holds the oracle to double precision must not be taken from it.
namespace ane {

namespace detail {

/// The worst error of a function: `absolute`, and so many units in the last place of its result; that of M1's tables where
/// it is published apart; what depends on more than the result.
struct stated_function_error {
    double absolute = 0;
    double units = 0;
    double absolute_of_m1 = 0; ///< 0: as elsewhere
    double (*further)(const node& n, double x, double size, const numerics::datapath& path) = nullptr;
};

inline constexpr double unit_of_fp16 = 0x1p-10;        ///< of a normal number, relative to it, at most
inline constexpr double units_of_exponential = 9.1;    ///< measured M6
inline constexpr double error_of_logarithm = 6.638e-3; ///< measured M6, for 1e-3 to 1e3
inline constexpr double units_of_mantissa_line = 2;    ///< half a unit between knots of 1/64, knots and steps 1.5

/// A series up to x^7 where there is no table: its first missing term, angle^9 / 9!, which is 0.082 at the seam (N120 M1: 0.04
/// to 0.12), and 1e-3 (N205).
constexpr double error_of_sine(const node& n, double x, double, const numerics::datapath& path) {
    if (path.sine == numerics::sine_rule::table) {
        return 6.329e-4; // measured M6
    }
    constexpr double turn = 6.283185307179586;
    double angle = n.kind == op::cos ? (x < 0 ? -x : x) + turn / 4 : x;
    angle -= turn * static_cast<double>(static_cast<std::int64_t>(angle / turn + (angle < 0 ? -0.5 : 0.5)));
    double missing = 1;
    for (int k = 1; k <= 9; ++k) {
        missing *= (angle < 0 ? -angle : angle) / k;
    }
    return missing + 1e-3;
}

/// The difference to the maximum is rounded, at most -ln y; then an exponential, a narrow sum, a reciprocal, a product.
constexpr double error_of_share(const node&, double, double size, const numerics::datapath& path) {
    double depth = 0;
    for (double rest = size; rest < 1 && depth < 16; rest *= 2) {
        depth += 0.6931471805599453;
    }
    return (depth / 2 + (path.reduction_tile - 1) * 0.5) * unit_of_fp16 * size;
}

inline constexpr op_facet<stated_function_error> function_errors{
    {op::sigmoid, {.absolute = 3.355e-3, .absolute_of_m1 = 3.4e-3}},
    {op::tanh, {.absolute = 1.613e-3, .absolute_of_m1 = 1.7e-3}},
    {op::erf, {.absolute = 8.642e-4}},
    {op::gelu, {.absolute = 6.159e-3}},
    {op::silu, {.absolute = 1.491e-2}},
    {op::exp, {.units = units_of_exponential}},
    {op::exp2, {.units = units_of_mantissa_line}}, // without the product by log2 e
    {op::log, {.absolute = error_of_logarithm}},
    {op::log2, {.absolute = error_of_logarithm}},
    {op::sqrt, {.units = 1.2}},
    {op::rsqrt, {.units = 2.1}},
    {op::inverse, {.units = units_of_mantissa_line}},
    {op::div, {.units = units_of_mantissa_line + 0.5}},
    {op::softsign, {.units = units_of_mantissa_line + 1}},
    {op::softplus, {.absolute = (units_of_exponential + 0.5) * unit_of_fp16 + error_of_logarithm}},
    {op::softmax, {.units = units_of_exponential + units_of_mantissa_line + 1, .further = error_of_share}},
    {op::sin, {.further = error_of_sine}},
    {op::cos, {.further = error_of_sine}},
    {op::atan, // a step of 1/2, squared, / 8, times 0.65 (N206 M5); beyond the last knot it ends
     {.further = [](const node&, double x, double,
                    const numerics::datapath&) { return x < -16 || x > 16 ? 0.063 : 0.0203; }}},
    {op::elu, // a step of 1/4, squared, / 8
     {.further = [](const node& n, double, double, const numerics::datapath&) {
         const auto alpha = static_cast<double>(n.get<saturation>().alpha);
         return 0x1p-7 * (alpha < 0 ? -alpha : alpha);
     }}}};

} // namespace detail

/// What is stated of an operation.
enum class error_form : std::uint8_t {
    rounding, ///< none but the rounding of the result
    products, ///< a sum in the register of products: `error_of_products`
    sum,      ///< a sum in the narrow register: `error_of_narrow_sum`
    function, ///< a function by its table: `error_of_function`
    nothing   ///< nothing is stated: sampling of images, int8, functions without a published figure
};

constexpr error_form error_form_of(const graph_view& g, const node& n, const numerics::datapath& path) {
    using numerics::arithmetic_path;
    const arithmetic_path by = engine_path_of(n.kind).path;
    if (by == arithmetic_path::movement || by == arithmetic_path::elementwise) {
        return error_form::rounding;
    }
    if (is_contraction(n.kind)) {
        const bool sums = path.products_with_ones == numerics::ones_rule::reduction;
        return sums && detail::is_product_with_ones(g, n) ? error_form::sum : error_form::products;
    }
    if (by == arithmetic_path::reduction) {
        return error_form::sum;
    }
    return detail::function_errors.kinds().contains(n.kind) ? error_form::function : error_form::nothing;
}

/// The values of an operand by binades. Zeros are left out: their products are exact.
constexpr binade_moments moments_of(std::span<const double> values) {
    binade_moments result;
    const double share = 1 / static_cast<double>(values.empty() ? 1 : values.size());
    for (const double x : values) {
        const double magnitude = x < 0 ? -x : x;
        if (magnitude > 0) {
            int i = 0;
            for (double end = 0x1p-14; i < binade_moments::count - 1 && magnitude >= end; end *= 2) {
                ++i;
            }
            binade_moments::moments& m = result.place[static_cast<std::size_t>(i)];
            m.mass += share;
            m.first += share * x;
            m.second += share * x * x;
        }
    }
    return result;
}

/// The root mean square error of an element of a contraction in the Q15.16 register, over elements of operands of these
/// values: products are off by up to half of 2^-16, and those below the gate are lost (measured M4, M6; it gives the
/// published errors against K of M1 and M5, N160-N165, N180-N182, so it is taken for every generation). M1 takes
/// subnormal operands as zero (N107).
constexpr double error_of_products(const graph_view& g, const node& n, std::span<const double> x,
                                   std::span<const double> w, const numerics::datapath& path) {
    const auto terms = static_cast<double>(contraction_terms(g, n));
    const product_error one = error_of_product(moments_of(x), moments_of(w), path);
    const double lost = terms * one.mean;
    const double spread = one.square - one.mean * one.mean;
    return detail::positive_root(terms * (spread > 0 ? spread : 0) + lost * lost);
}

/// The largest error of a sum on the reduction path, whose terms' magnitudes add up to `magnitudes` (of a mean, to the
/// mean of them): each addition within a tile loses less than one unit of `reduction_significand_bits` of the larger
/// operand, and tiles are added exactly (N001-N005 M1; elsewhere inferred).
constexpr double error_of_narrow_sum(double magnitudes, const numerics::datapath& path) {
    double unit = 2;
    for (int bit = 0; bit < path.reduction_significand_bits; ++bit) {
        unit /= 2;
    }
    return (path.reduction_tile - 1) * unit * magnitudes;
}

/// The largest error of a function whose operand is `x` (of several, the first) and whose exact value is `y`: published worst
/// errors where there are any (measured M6; N117-N119 M1), closed forms of a straight line between knots elsewhere. 0 for an
/// operation of which nothing is stated.
constexpr double error_of_function(const node& n, double x, double y, const numerics::datapath& path) {
    const detail::stated_function_error& e = detail::function_errors[n.kind];
    const double size = y < 0 ? -y : y;
    const bool is_m1 = path.tables == numerics::table_variant::m1 && e.absolute_of_m1 > 0;
    constexpr double least = 0x1p-24; // the last digit of a subnormal number
    return (is_m1 ? e.absolute_of_m1 : e.absolute) + (e.units > 0 ? e.units * detail::unit_of_fp16 * size + least : 0) +
           (e.further != nullptr ? e.further(n, x, size, path) : 0);
}

} // namespace ane

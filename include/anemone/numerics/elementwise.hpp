#pragma once

#include "../error.hpp"
#include "../graph/op.hpp"
#include "../half.hpp"
#include "../way.hpp"
#include "activation.hpp"
#include "datapath.hpp"
#include "planar.hpp"
#include "power.hpp"
#include "reduction.hpp"
#include "rounding.hpp"
#include "whole.hpp"

#include <cstdint>
#include <string>

/// Operations on single elements, by kind.
namespace ane::numerics::detail::inline ANEMONE_WAY {
/// fp16(1 / b), the division exact: what the compiler makes of a constant divisor.
constexpr half constant_reciprocal(const datapath& path, half b) noexcept {
    const half v = entered(b);
    if (v.bits == 0) {
        return half_infinity;
    }
    return is_infinite(v) ? half{} : round_to_half(1.0 / static_cast<double>(v), path.elementwise_ties);
}
} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// a / b = a times the reciprocal of b, both rounded: inferred from the reciprocal's table, decompiled before A13
/// (`division_rule`).
constexpr half divide(const datapath& path, half a, half b) noexcept {
    return multiply(path, a,
                    path.division == division_rule::reciprocal_table ? reciprocal(path, b)
                                                                     : detail::constant_reciprocal(path, b));
}

/// floor(a / b): of the rounded quotient, which repairs 6 fp16(1/3) = 1.9995 to 2; before A13 of the exact product, so
/// 6 / 3 gives 1 there (N123, decompiled).
constexpr half floor_divide(const datapath& path, half a, half b) noexcept {
    if (path.division == division_rule::reciprocal_table) {
        return floor_of(divide(path, a, b));
    }
    const half x = detail::entered(a);
    const half inverse = detail::constant_reciprocal(path, b);
    const half rounded = multiply(path, x, inverse);
    if (!is_finite(x) || !is_finite(inverse) || !is_finite(rounded)) {
        return floor_of(rounded);
    }
    const double exact = static_cast<double>(x) * static_cast<double>(inverse);
    const auto toward_zero = static_cast<double>(static_cast<std::int64_t>(exact));
    return round_to_half(toward_zero > exact ? toward_zero - 1.0 : toward_zero, path.elementwise_ties);
}

/// add, sub, mul, div, minimum, maximum, pow or floor_div of two values. Subnormals are kept (N106), NaN enters as
/// +infinity (N080), a zero result is +0. Rounding measured on M6 (half away) and M1 (half to even).
constexpr half binary(const datapath& path, op kind, half a, half b) {
    switch (kind) {
    case op::add: return add(path, a, b);
    case op::sub: return subtract(path, a, b);
    case op::mul: return multiply(path, a, b);
    case op::div: return divide(path, a, b);
    case op::minimum:
    case op::maximum: {
        const half x = detail::entered(a);
        const half y = detail::entered(b);
        return (kind == op::minimum ? y < x : y > x) ? y : x;
    }
    case op::pow: return power(path, a, b);
    case op::floor_div: return floor_divide(path, a, b);
    default: throw error(errc::argument, std::string(name(kind)), "is not an elementwise operation of two values");
    }
}

/// equal, not_equal, greater, greater_equal, less or less_equal of two values as they enter: NaN is +infinity and
/// equals it, the zeros are equal. The planar engine has a unit for each (netplist facts, 1.0 or 0.0); no rounding.
constexpr bool compare([[maybe_unused]] const datapath& path, op kind, half a, half b) {
    const half x = detail::entered(a);
    const half y = detail::entered(b);
    switch (kind) {
    case op::equal: return x.bits == y.bits;
    case op::not_equal: return x.bits != y.bits;
    case op::greater: return x > y;
    case op::greater_equal: return !(x < y);
    case op::less: return x < y;
    case op::less_equal: return !(x > y);
    default: throw error(errc::argument, std::string(name(kind)), "is not a comparison");
    }
}

/// a where the condition holds, else b, as they enter.
constexpr half select([[maybe_unused]] const datapath& path, bool condition, half a, half b) noexcept {
    return detail::entered(condition ? a : b);
}

/// x from 0 on, slope x below, one rounding (inferred, as relu and mul).
constexpr half prelu(const datapath& path, half x, half slope) noexcept {
    const half v = detail::entered(x);
    return detail::is_negative(v) ? multiply(path, v, slope) : v;
}

/// x: at inference nothing is dropped, whatever rate the model was trained with (rate 0 measured by ANEForge; that a
/// rate above 0 changes nothing at inference is the definition of the layer, inferred for the engine).
constexpr half dropout([[maybe_unused]] const datapath& path, half x) noexcept { return detail::entered(x); }

/// Any elementwise operation of one value. p0 and p1 are its coefficients alpha and beta, or p0 its epsilon; they are
/// rounded to fp16 first, as the engine holds them.
constexpr half unary(const datapath& path, op kind, half x, float p0 = 0.0F, float p1 = 0.0F) {
    const half v = detail::entered(x);
    const half a = round_to_half(static_cast<double>(p0), path.elementwise_ties);
    const half b = round_to_half(static_cast<double>(p1), path.elementwise_ties);
    const auto least = [&](half s, half t) { return binary(path, op::minimum, s, t); };
    const auto most = [&](half s, half t) { return binary(path, op::maximum, s, t); };
    switch (kind) {
    case op::relu: return most(v, half{});
    case op::relu6: return least(most(v, half{}), half(6.0));
    case op::leaky_relu: return prelu(path, v, a);
    case op::clamp: return least(most(v, a), b);
    case op::thresholded_relu: return v < a ? half{} : v;
    case op::clamped_relu: return least(b, prelu(path, v, a));
    case op::elu: return elu(path, v, a);
    case op::sigmoid: return sigmoid(path, v);
    case op::hard_sigmoid: return least(most(scale_offset(path, v, a, b), half{}), half(1.0));
    case op::tanh: return hyperbolic_tangent(path, v);
    case op::scaled_tanh: return scaled_tanh(path, v, a, b);
    case op::gelu: return gelu(path, v);
    case op::gelu_sigmoid: return gelu_sigmoid(path, v);
    case op::silu: return silu(path, v);
    case op::softplus: return softplus(path, v);
    case op::softsign: return softsign(path, v);
    case op::erf: return error_function(path, v);
    case op::exp: return exponential(path, v);
    case op::exp2: return exponential_base_2(path, v);
    case op::log: return logarithm(path, v, static_cast<double>(a));
    case op::sqrt: return square_root(path, v);
    case op::rsqrt: return reciprocal_square_root(path, v, static_cast<double>(a));
    case op::inverse: return reciprocal(path, v, static_cast<double>(a));
    case op::square: return multiply(path, v, v);
    case op::abs: return detail::magnitude(v);
    case op::sign: return sign_of(v);
    case op::ceil: return ceil_of(v);
    case op::floor: return floor_of(v);
    case op::round: return round_of(path, v);
    case op::sin: return sine(path, v);
    case op::cos: return cosine(path, v);
    case op::atan: return arc_tangent(path, v);
    default: throw error(errc::argument, std::string(name(kind)), "is not an elementwise operation of one value");
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY

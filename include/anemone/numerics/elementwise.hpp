#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/op_table.hpp"
#include "../values/half.hpp"
#include "activation.hpp"
#include "comparison.hpp"
#include "datapath.hpp"
#include "planar.hpp"
#include "power.hpp"
#include "reduction.hpp"
#include "rounding.hpp"
#include "whole.hpp"

#include <cstddef>
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

/// Throws `error` (errc::argument) for an operation without a function.
template <class Table> constexpr auto function_of(const Table& functions, op kind, const char* wanted) {
    const auto f = functions[static_cast<std::size_t>(kind)];
    return f != nullptr ? f : throw error(errc::argument, std::string(name(kind)), wanted);
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

/// Any arithmetic operation of two values. Subnormals are kept (N106), NaN enters as +infinity (N080), a zero result is
/// +0. Rounding measured on M6 (half away) and M1 (half to even).
template <op Kind> constexpr half binary(const datapath& path, half a, half b) {
    if constexpr (Kind == op::add) {
        return add(path, a, b);
    } else if constexpr (Kind == op::sub) {
        return subtract(path, a, b);
    } else if constexpr (Kind == op::mul) {
        return multiply(path, a, b);
    } else if constexpr (Kind == op::div) {
        return divide(path, a, b);
    } else if constexpr (Kind == op::minimum || Kind == op::maximum) {
        const half x = detail::entered(a);
        const half y = detail::entered(b);
        return (Kind == op::minimum ? y < x : y > x) ? y : x;
    } else if constexpr (Kind == op::pow) {
        return power(path, a, b);
    } else {
        static_assert(Kind == op::floor_div, "the operation has no arithmetic of the engine: numerics/elementwise.hpp");
        return floor_divide(path, a, b);
    }
}

/// equal, not_equal, greater, greater_equal, less or less_equal of two values as they enter the engine: a NaN is
/// +infinity and equals it, the zeros are equal. The planar engine has a unit for each (netplist facts, 1.0 or 0.0); no
/// rounding.
template <op Kind> constexpr bool compare([[maybe_unused]] const datapath& path, half a, half b) {
    const half x = detail::entered(a);
    const half y = detail::entered(b);
    return holds(Kind, x.bits == y.bits ? 0 : x < y ? -1 : 1);
}

/// a where the condition holds, else b, with both read as they enter the engine (`planar.hpp`).
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
template <op Kind> constexpr half unary(const datapath& path, half x, float p0 = 0.0F, float p1 = 0.0F) {
    const half v = detail::entered(x);
    [[maybe_unused]] const half a = round_to_half(static_cast<double>(p0), path.elementwise_ties);
    [[maybe_unused]] const half b = round_to_half(static_cast<double>(p1), path.elementwise_ties);
    [[maybe_unused]] const auto least = [&](half s, half t) { return binary<op::minimum>(path, s, t); };
    [[maybe_unused]] const auto most = [&](half s, half t) { return binary<op::maximum>(path, s, t); };
    if constexpr (Kind == op::relu) {
        return most(v, half{});
    } else if constexpr (Kind == op::relu6) {
        return least(most(v, half{}), half(6.0));
    } else if constexpr (Kind == op::leaky_relu) {
        return prelu(path, v, a);
    } else if constexpr (Kind == op::clamp) {
        return least(most(v, a), b);
    } else if constexpr (Kind == op::thresholded_relu) {
        return v < a ? half{} : v;
    } else if constexpr (Kind == op::clamped_relu) {
        return least(b, prelu(path, v, a));
    } else if constexpr (Kind == op::elu) {
        return elu(path, v, a);
    } else if constexpr (Kind == op::sigmoid) {
        return sigmoid(path, v);
    } else if constexpr (Kind == op::hard_sigmoid) {
        return least(most(scale_offset(path, v, a, b), half{}), half(1.0));
    } else if constexpr (Kind == op::tanh) {
        return hyperbolic_tangent(path, v);
    } else if constexpr (Kind == op::scaled_tanh) {
        return scaled_tanh(path, v, a, b);
    } else if constexpr (Kind == op::gelu) {
        return gelu(path, v);
    } else if constexpr (Kind == op::gelu_sigmoid) {
        return gelu_sigmoid(path, v);
    } else if constexpr (Kind == op::silu) {
        return silu(path, v);
    } else if constexpr (Kind == op::softplus) {
        return softplus(path, v);
    } else if constexpr (Kind == op::softsign) {
        return softsign(path, v);
    } else if constexpr (Kind == op::erf) {
        return error_function(path, v);
    } else if constexpr (Kind == op::exp) {
        return exponential(path, v);
    } else if constexpr (Kind == op::exp2) {
        return exponential_base_2(path, v);
    } else if constexpr (Kind == op::log2) {
        return logarithm_base_2(path, v);
    } else if constexpr (Kind == op::log) {
        return logarithm(path, v, static_cast<double>(a));
    } else if constexpr (Kind == op::sqrt) {
        return square_root(path, v);
    } else if constexpr (Kind == op::rsqrt) {
        return reciprocal_square_root(path, v, static_cast<double>(a));
    } else if constexpr (Kind == op::inverse) {
        return reciprocal(path, v, static_cast<double>(a));
    } else if constexpr (Kind == op::square) {
        return multiply(path, v, v);
    } else if constexpr (Kind == op::abs) {
        return detail::magnitude(v);
    } else if constexpr (Kind == op::sign) {
        return sign_of(v);
    } else if constexpr (Kind == op::ceil) {
        return ceil_of(v);
    } else if constexpr (Kind == op::floor) {
        return floor_of(v);
    } else if constexpr (Kind == op::round) {
        return round_of(path, v);
    } else if constexpr (Kind == op::sin) {
        return sine(path, v);
    } else if constexpr (Kind == op::cos) {
        return cosine(path, v);
    } else if constexpr (Kind == op::atan) {
        return arc_tangent(path, v);
    } else {
        static_assert(Kind == op::relu, "the function has no arithmetic of the engine: numerics/elementwise.hpp");
    }
}

// The same for operations that are known when the program runs. They throw `error` (errc::argument) for one of another kind.

using unary_function = half (*)(const datapath& path, half x, float p0, float p1);
using binary_function = half (*)(const datapath& path, half a, half b);
using comparison_function = bool (*)(const datapath& path, half a, half b);

inline constexpr auto unary_functions =
    op_table<unary_function, ops_of(op_group::unary)>([]<op Kind>() -> unary_function { return unary<Kind>; });
inline constexpr auto binary_functions =
    op_table<binary_function, ops_of(op_group::binary)>([]<op Kind>() -> binary_function { return binary<Kind>; });
inline constexpr auto comparison_functions = op_table<comparison_function, ops_of(op_group::comparison)>(
    []<op Kind>() -> comparison_function { return compare<Kind>; });

constexpr half unary(const datapath& path, op kind, half x, float p0 = 0.0F, float p1 = 0.0F) {
    return detail::function_of(unary_functions, kind, "is not an elementwise operation of one value")(path, x, p0, p1);
}
constexpr half binary(const datapath& path, op kind, half a, half b) {
    return detail::function_of(binary_functions, kind, "is not an elementwise operation of two values")(path, a, b);
}
constexpr bool compare(const datapath& path, op kind, half a, half b) {
    return detail::function_of(comparison_functions, kind, "is not a comparison")(path, a, b);
}

} // namespace ane::numerics::inline ANEMONE_WAY

#pragma once

#include "../error.hpp"
#include "../graph/op.hpp"
#include "../half.hpp"
#include "activation.hpp"
#include "datapath.hpp"
#include "reduction.hpp"
#include "rounding.hpp"

#include <string>

namespace ane::numerics {

/// The product of the elementwise path: exact, then one rounding. 0 * infinity is +0 (N092); full fp16 range (N045).
constexpr half multiply(const datapath& path, half a, half b) noexcept {
    const half x = detail::entered(a);
    const half y = detail::entered(b);
    if (x.bits == 0 || y.bits == 0) {
        return half{};
    }
    return round_to_half(static_cast<double>(x) * static_cast<double>(y), path.elementwise_ties);
}

/// The sum of the elementwise path: exact, then one rounding. inf - inf is +0 (N091).
constexpr half add(const datapath& path, half a, half b) noexcept {
    const half x = detail::entered(a);
    const half y = detail::entered(b);
    if (is_infinite(x) && is_infinite(y) && x.bits != y.bits) {
        return half{};
    }
    return round_to_half(static_cast<double>(x) + static_cast<double>(y), path.elementwise_ties);
}

/// add, sub, mul, div, minimum or maximum of two values. Subnormals are kept (N106), NaN enters as +infinity (N080),
/// a zero result is +0. Rounding measured on M6 (half away) and M1 (half to even).
/// div is a * reciprocal(b), both rounded: inferred from the reciprocal table; only the division by a constant of the
/// oldest parts is decompiled (N123).
constexpr half binary(const datapath& path, op kind, half a, half b) {
    switch (kind) {
    case op::add: return add(path, a, b);
    case op::sub: return add(path, a, is_nan(b) ? half::from_bits(0xFC00U) : -b);
    case op::mul: return multiply(path, a, b);
    case op::div: return multiply(path, a, reciprocal(path, b));
    case op::minimum:
    case op::maximum: {
        const half x = detail::entered(a);
        const half y = detail::entered(b);
        return (kind == op::minimum ? y < x : y > x) ? y : x;
    }
    default: throw error(errc::argument, std::string(name(kind)), "is not an elementwise operation of two values");
    }
}

/// x * scale + offset with one rounding: the gain-offset control behind a layer (N203). Infinities as in `multiply` and
/// `add`.
constexpr half scale_offset(const datapath& path, half x, half scale, half offset) noexcept {
    const half v = detail::entered(x);
    const half s = detail::entered(scale);
    const half o = detail::entered(offset);
    if (is_finite(v) && is_finite(s) && is_finite(o)) {
        return round_to_half(add_to_odd(static_cast<double>(v) * static_cast<double>(s), static_cast<double>(o)),
                             path.elementwise_ties);
    }
    return add(path, multiply(path, v, s), o);
}

/// relu, relu6, leaky_relu (slope p0), clamp (to [p0, p1]), sigmoid, tanh, gelu, silu, exp, log (epsilon p0), sqrt,
/// rsqrt (epsilon p0) or abs of one value. Parameters are rounded to fp16 first, as the engine holds them.
constexpr half unary(const datapath& path, op kind, half x, float p0 = 0.0F, float p1 = 0.0F) {
    const half v = detail::entered(x);
    const half a = round_to_half(static_cast<double>(p0), path.elementwise_ties);
    const half b = round_to_half(static_cast<double>(p1), path.elementwise_ties);
    const bool negative = (v.bits & 0x8000U) != 0;
    switch (kind) {
    case op::relu: return negative ? half{} : v;
    case op::relu6: return binary(path, op::minimum, negative ? half{} : v, half(6.0));
    case op::leaky_relu: return negative ? multiply(path, v, a) : v;
    case op::clamp: return binary(path, op::minimum, binary(path, op::maximum, v, a), b);
    case op::sigmoid: return sigmoid(path, v);
    case op::tanh: return hyperbolic_tangent(path, v);
    case op::gelu: return gelu(path, v);
    case op::silu: return silu(path, v);
    case op::exp: return exponential(path, v);
    case op::log: return logarithm(path, v, static_cast<double>(a));
    case op::sqrt: return square_root(path, v);
    case op::rsqrt: return reciprocal_square_root(path, v, static_cast<double>(a));
    case op::abs: return half::from_bits(static_cast<std::uint16_t>(v.bits & 0x7FFFU));
    default: throw error(errc::argument, std::string(name(kind)), "is not an elementwise operation of one value");
    }
}

} // namespace ane::numerics

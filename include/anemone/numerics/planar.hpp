#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"
#include "rounding.hpp"

/// Sums and products of the elementwise path: exact, then one rounding.
namespace ane::numerics::detail::inline ANEMONE_WAY {

inline constexpr half half_infinity = half::from_bits(0x7C00U);

/// What enters the engine: NaN is +infinity (measured M1, N080), a zero has no sign (measured M1, N105).
constexpr half entered(half value) noexcept {
    if (is_nan(value)) {
        return half_infinity;
    }
    return (value.bits & 0x7FFFU) == 0 ? half{} : value;
}

/// What leaves the engine: a NaN that was only moved is +infinity too (measured M1: no NaN comes out, N080).
constexpr half left(half value) noexcept { return is_nan(value) ? half_infinity : value; }

constexpr bool is_negative(half x) noexcept { return (x.bits & 0x8000U) != 0; }
constexpr half magnitude(half x) noexcept { return half::from_bits(static_cast<std::uint16_t>(x.bits & 0x7FFFU)); }

/// A factor of a product, in double: an infinity counts as 2^16 where exponent 31 is an ordinary one.
constexpr double factor(const datapath& path, half x) noexcept {
    if (is_infinite(x) && path.infinite_factor == infinity_rule::ordinary_exponent) {
        return is_negative(x) ? -0x1p16 : 0x1p16;
    }
    return static_cast<double>(x);
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// a b, one rounding. 0 * infinity is +0 (N092); the full fp16 range (N045). See `infinite_factor` for infinities.
constexpr half multiply(const datapath& path, half a, half b) noexcept {
    const half x = detail::entered(a);
    const half y = detail::entered(b);
    if (x.bits == 0 || y.bits == 0) {
        return half{};
    }
    return round_to_half(detail::factor(path, x) * detail::factor(path, y), path.elementwise_ties);
}

/// a + b, one rounding. inf - inf is +0 (N091).
constexpr half add(const datapath& path, half a, half b) noexcept {
    const half x = detail::entered(a);
    const half y = detail::entered(b);
    if (is_infinite(x) && is_infinite(y) && x.bits != y.bits) {
        return half{};
    }
    return round_to_half(static_cast<double>(x) + static_cast<double>(y), path.elementwise_ties);
}

/// a - b, one rounding. A NaN counts as +infinity before its sign turns.
constexpr half subtract(const datapath& path, half a, half b) noexcept { return add(path, a, -detail::entered(b)); }

/// x scale + offset with one rounding: the gain-offset control behind a layer (N203). Infinities as in `multiply` and
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

} // namespace ane::numerics::inline ANEMONE_WAY

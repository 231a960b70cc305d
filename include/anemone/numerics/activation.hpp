#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "activation_table.hpp"
#include "datapath.hpp"
#include "exponential.hpp"
#include "fitted_tables.hpp"
#include "planar.hpp"
#include "rounding.hpp"
#include "trigonometry.hpp"

/// The activation functions: a table, or steps around one. NaN enters as +infinity (N080).
namespace ane::numerics::inline ANEMONE_WAY {

/// 1 / (1 + e^-x). Worst error 3.355e-3 (measured M6), 0.0034 (measured M1, N117).
constexpr half sigmoid(const datapath& path, half x) noexcept {
    return sigmoid_table.at(static_cast<double>(detail::entered(x)), path.elementwise_ties);
}

/// Worst error 1.613e-3 (measured M6), 0.0017 (measured M1, N118).
constexpr half hyperbolic_tangent(const datapath& path, half x) noexcept {
    return tanh_table.odd(detail::entered(x), path.elementwise_ties);
}

/// Worst error 8.642e-4 for |x| <= 2 (measured M6).
constexpr half error_function(const datapath& path, half x) noexcept {
    return erf_table.odd(detail::entered(x), path.elementwise_ties);
}

} // namespace ane::numerics::inline ANEMONE_WAY

namespace ane::numerics::detail::inline ANEMONE_WAY {
/// A table around 0 for a function that becomes x on one side and 0 on the other (the clamps are inferred).
constexpr half gated(const activation_table& table, half x, tie_rule ties) noexcept {
    const half v = entered(x);
    const double value = static_cast<double>(v);
    if (value > table.last()) {
        return v;
    }
    return value < table.first ? half{} : table.at(value, ties);
}
} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// x * Phi(x), identical in both modes (measured M6). Fitted table (inferred). Not 0 at 0: -0.000543 on M1 (N113),
/// -0.000753 on M6, -0.0007538795 on M5 (N209). Worst error 0.0059 on M1 (N119), 6.159e-3 on M6.
constexpr half gelu(const datapath& path, half x) noexcept {
    return detail::gated(gelu_table(path.tables), x, path.elementwise_ties);
}

/// x * sigmoid(1.702 x): a mode of its own in the compiler's list (decompiled), fitted as gelu is (inferred).
constexpr half gelu_sigmoid(const datapath& path, half x) noexcept {
    return detail::gated(gelu_sigmoid_table(path.tables), x, path.elementwise_ties);
}

/// x * sigmoid(x), also called swish. Fitted table (inferred). Not 0 at 0: -0.001259 on M1 (N114), -0.001702 on M6.
constexpr half silu(const datapath& path, half x) noexcept {
    return detail::gated(silu_table(path.tables), x, path.elementwise_ties);
}

/// ln(1 + e^x) by the tables of exp and log: 0 from 11.09 on (measured M5), as e^x is infinite and ln(inf) is +0; so is
/// softplus(inf) (N098). The steps are inferred.
constexpr half softplus(const datapath& path, half x) noexcept {
    return logarithm(path, add(path, half(1.0), exponential(path, x)));
}

/// alpha ln(1 + e^(beta x)), each product rounded (inferred).
constexpr half parametric_softplus(const datapath& path, half x, half alpha, half beta) noexcept {
    return multiply(path, alpha, softplus(path, multiply(path, beta, x)));
}

/// x times the reciprocal of 1 + |x|: 0 at infinity, as 1 / inf is +0 (N099). The netplist form has these steps (facts:
/// netplist composites); that the operation of MIL has them too is inferred.
constexpr half softsign(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    return multiply(path, v, reciprocal(path, add(path, half(1.0), detail::magnitude(v))));
}

/// x from 0 on, alpha times a table of e^x - 1 below (inferred).
constexpr half elu(const datapath& path, half x, half alpha) noexcept {
    const half v = detail::entered(x);
    if (!detail::is_negative(v)) {
        return v;
    }
    return multiply(path, alpha, elu_table.at(-static_cast<double>(v), path.elementwise_ties));
}

/// alpha tanh(beta x), each product rounded (inferred).
constexpr half scaled_tanh(const datapath& path, half x, half alpha, half beta) noexcept {
    return multiply(path, alpha, hyperbolic_tangent(path, multiply(path, beta, x)));
}

} // namespace ane::numerics::inline ANEMONE_WAY

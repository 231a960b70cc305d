#pragma once

#include "../base/way.hpp"
#include "cause.hpp"
#include "wide_error.hpp"
#include "wide_walk.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Why a layer on its own is beyond the bound.
namespace ane::detail::inline ANEMONE_WAY {

/// Whether a number is finite and what fp16 makes of it is not.
ANEMONE_INLINE bool leaves_fp16(double x) { return std::isfinite(x) && !is_finite(half(x)); }
/// Whether fp16 keeps fewer digits of a number than of others: it is subnormal there, or zero.
ANEMONE_INLINE bool fades_in_fp16(double x) {
    return x != 0 && std::fabs(x) < 0x1p-14 && static_cast<double>(half(x)) != x;
}

/// Whether numbers are whole, with some among them that fp16 does not have.
ANEMONE_INLINE bool are_large_integers(std::span<const double> numbers) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [](double x) { return x == std::floor(x) && std::isfinite(x); }) &&
           std::any_of(numbers.begin(), numbers.end(),
                       [](double x) { return std::fabs(x) > 2048 && static_cast<double>(half(x)) != x; });
}

/// From here on down a number masks: the readers write masks of truth values as -40000.
inline constexpr double mask_value = -10000;

template <class Walk, class Holds> bool any_operand(const Walk& walk, int node, const Holds& holds) {
    bool found = false;
    walk.for_each_operand(
        node, [&](int operand, std::span<const double> numbers) { found = found || holds(operand, numbers); });
    return found;
}

/// Whether only what a mask made very small leaves fp16: such values are below zero, and an operand has elements as a
/// mask has.
template <class Walk> bool overflows_by_mask(const Walk& walk, int node, const numbers_view& expected) {
    for (std::int64_t i = 0; i < expected.count(); ++i) {
        if (leaves_fp16(expected[i]) && expected[i] > 0) {
            return false;
        }
    }
    return any_operand(walk, node, [](int, std::span<const double> numbers) {
        return std::any_of(numbers.begin(), numbers.end(), [](double x) { return x <= mask_value; }) &&
               std::any_of(numbers.begin(), numbers.end(), [](double x) { return x == 0; });
    });
}

/// The cause of what `alone` is off, by `error`: what leaves fp16 first, then what the rounding of the operands does, then
/// the rule of the arithmetic. None where an operand does not fit into fp16, which is another layer's error.
template <class Layers>
difference_cause cause_of_layer(const graph_view& model, int node, wide_walk<Layers>& walk, Layers& layers,
                                const std::vector<std::byte>& alone, const wide_error& error,
                                const error_bound& bound) {
    const numbers_view expected = walk.expected(node);
    if (any_operand(walk, node, [&](int, std::span<const double> numbers) {
            return std::any_of(numbers.begin(), numbers.end(), [](double x) { return leaves_fp16(x); });
        })) {
        return difference_cause::none;
    }
    bool overflows = false;
    bool fades = false;
    for (std::int64_t i = 0; i < expected.count(); ++i) {
        overflows = overflows || leaves_fp16(expected[i]);
        fades = fades || (i == error.worst && fades_in_fp16(expected[i]));
    }
    if (overflows) {
        return overflows_by_mask(walk, node, expected) ? difference_cause::mask : difference_cause::overflow;
    }
    if (model[node].type == dtype::f16 &&
        error_of(expected, {dtype::f16, rounded(walk.wide_numbers(node))}, bound).beyond > 0) {
        return fades ? difference_cause::flush : difference_cause::rounding; // fp16 has no nearer number
    }
    const std::vector<double> by_operands = walk.on_rounded_operands(node);
    const wide_error operands = error_of(expected, numbers_view(by_operands), bound);
    if (operands.beyond > 0 && 2 * operands.excess >= error.excess) {
        if (any_operand(walk, node, [](int, std::span<const double> numbers) { return are_large_integers(numbers); })) {
            return difference_cause::integer;
        }
        const bool faded = any_operand(walk, node, [](int, std::span<const double> numbers) {
            return std::any_of(numbers.begin(), numbers.end(), [](double x) { return fades_in_fp16(x); });
        });
        return faded ? difference_cause::flush : difference_cause::cancellation;
    }
    if (model[node].type != dtype::f16) {
        return difference_cause::rounding;
    }
    std::vector<half> wanted;
    for (std::int64_t i = 0; i < expected.count(); ++i) {
        wanted.emplace_back(expected[i]);
    }
    const difference_cause by_rule = layers.cause(node, walk.rounded_operands(), wanted, as_halves(alone));
    return by_rule == difference_cause::rounding && fades ? difference_cause::flush : by_rule;
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "../graph/op_facet.hpp"
#include "../graph/uses.hpp"
#include "record.hpp"

/// Values beyond fp16 that only functions with ends read: of infinity these make what they make of the exact value.
namespace ane::rules::detail {

/// The magnitude from which a function stays at its end as fp16, on both sides; 0 for those that have none.
inline constexpr op_facet<double> saturation_ends{
    {op::tanh, 9.0}, {op::sigmoid, 18.0}, {op::erf, 4.0}, {op::relu6, 6.0}};

constexpr double saturates_from(const node& n) {
    if (signature(n.kind).attributes == attribute_kind::clip_range) {
        const clip_range& c = n.get<clip_range>();
        const double low = c.min < 0 ? -static_cast<double>(c.min) : static_cast<double>(c.min);
        const double high = c.max < 0 ? -static_cast<double>(c.max) : static_cast<double>(c.max);
        return low > high ? low : high;
    }
    return saturation_ends[n.kind];
}

/// The operand of an odd power, which has its sign; -1 for all else.
constexpr int odd_power_of(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind != op::pow || g.operand(n, 1).kind != op::constant || g.operand(n, 1).shape.count() != 1) {
        return -1;
    }
    const float exponent = g.values(g.operand(n, 1))[0];
    return exponent == 3 || exponent == 5 || exponent == 7 ? g.operands(n)[0] : -1;
}

/// Whether all that reads a node of at least this magnitude is such a function, through factors and offsets. Node `alike`
/// has the sign of this one, so that it takes nothing off a sum; -1: none has.
constexpr bool saturates(const subject& s, int index, double least, int alike, int depth = 4) {
    if (depth == 0 || s.is_output(index) || s.uses[static_cast<std::size_t>(index)] == 0) {
        return false;
    }
    return every_reader(s.g, index, s.uses, [&](int reader, int position) {
        const node& n = s.g[reader];
        if (n.kind != op::mul && n.kind != op::add) {
            const double end = saturates_from(n);
            return end > 0 && least >= end;
        }
        const int other = s.g.operands(n)[static_cast<std::size_t>(1 - position)];
        const interval& b = s.value_ranges[static_cast<std::size_t>(other)];
        const bool adds = n.kind == op::add && other == alike;
        const double bound =
            n.kind == op::mul ? least * ane::detail::least_magnitude(b) : least - (adds ? 0 : b.magnitude());
        const bool keeps_sign = n.kind == op::add || b.low > 0;
        return other != index && b.bounded() && bound > 0 &&
               saturates(s, reader, bound, keeps_sign ? alike : -1, depth - 1);
    });
}

} // namespace ane::rules::detail

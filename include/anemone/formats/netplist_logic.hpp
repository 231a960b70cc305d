#pragma once

#include "../base/way.hpp"
#include "netplist_elementwise.hpp"

#include <algorithm>

/// Comparisons, masks and what else takes two operands as netplist units. A boolean is 1 or 0 as fp16.
namespace ane::formats::inline ANEMONE_WAY {

ANEMONE_INLINE netplist_value write_comparison(netplist_writer& w, int index, const netplist_form& form) {
    const extents& shape = w.at(index).shape;
    const netplist_value a = broadcast_operand(w, w.operand(index, 0), shape);
    return w.simple(form.unit, form.variant, {a, broadcast_operand(w, w.operand(index, 1), shape)});
}

/// The larger of "greater" (or "less") and "equal".
ANEMONE_INLINE netplist_value write_comparison_or_equal(netplist_writer& w, int index, const netplist_form& form) {
    const extents& shape = w.at(index).shape;
    const netplist_value a = broadcast_operand(w, w.operand(index, 0), shape);
    const netplist_value b = broadcast_operand(w, w.operand(index, 1), shape);
    const netplist_value strict = w.simple(form.unit, form.variant, {a, b});
    return w.simple(form.unit, "Max", {strict, w.simple(form.unit, "Equal", {a, b})});
}

/// 1 - x
ANEMONE_INLINE netplist_value negated(netplist_writer& w, const netplist_value& x) {
    return w.then_offset(w.scale(x, half(-1)), half(1));
}
ANEMONE_INLINE netplist_value write_not(netplist_writer& w, int index, const netplist_form&) {
    return negated(w, w.value(w.operand(index, 0)));
}

ANEMONE_INLINE bool is_filled_with(const netplist_writer& w, int operand, half number) {
    return w.known(operand) && !w.values(operand).empty() &&
           std::all_of(w.values(operand).begin(), w.values(operand).end(),
                       [&](half v) { return v.bits == number.bits; });
}

/// mask a + (1 - mask) b: exact for finite operands, up to the sign of a zero. Between 1 and 0 the mask itself.
ANEMONE_INLINE netplist_value write_select(netplist_writer& w, int index, const netplist_form& form) {
    const extents& shape = w.at(index).shape;
    netplist_value mask = broadcast_operand(w, w.operand(index, 0), shape);
    const int a = w.operand(index, 1);
    const int b = w.operand(index, 2);
    if (is_filled_with(w, a, half(1)) && is_filled_with(w, b, half(0))) {
        return mask;
    }
    const netplist_value yes = w.simple(form.unit, "Mult", {mask, broadcast_operand(w, a, shape)});
    const netplist_value no = w.simple(form.unit, "Mult", {negated(w, mask), broadcast_operand(w, b, shape)});
    return w.simple(form.unit, "Add", {yes, no});
}

/// The value itself: a boolean is an fp16 number already, and an identity changes nothing.
ANEMONE_INLINE netplist_value write_nothing(netplist_writer& w, int index, const netplist_form&) {
    return w.value(w.operand(index, 0));
}

/// A whole power by products; forms::whole_exponent says of which.
ANEMONE_INLINE netplist_value write_pow(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    netplist_value x = broadcast_operand(w, w.operand(index, 0), n.shape);
    switch (forms::whole_exponent(w.graph(), w.at(w.operand(index, 1)))) {
    case 2: return w.simple(form.unit, form.variant, {x, x});
    case 3: return w.simple(form.unit, form.variant, {w.simple(form.unit, form.variant, {x, x}), x});
    case -1: return neuron(w, "Inv", x);
    default: return x;
    }
}

/// floor(a (1 / b)), as a builder writes it.
ANEMONE_INLINE netplist_value write_floor_div(netplist_writer& w, int index, const netplist_form& form) {
    return neuron(w, form.variant, write_div(w, index, {op::div, "ElementWise", "Mult", form.evidence}));
}

} // namespace ane::formats::inline ANEMONE_WAY

#pragma once

#include "../folding/arithmetic.hpp"
#include "../folding/movement.hpp"
#include "shapes.hpp"

/// Arithmetic on constants, computed while reading (folding/): what ONNX says of operands and attributes. Only bodies
/// include this header.
namespace ane::onnx::inline ANEMONE_WAY {

using folding::function_of_one;
using folding::function_of_two;
using folding::reduction;

ANEMONE_INLINE results fold_function(node_call& c, const function_of_one& f, element_type type) {
    return {folding::mapped(c.room(), f, c.known(0), type)};
}
ANEMONE_INLINE results fold_function(node_call& c, const function_of_one& f) { return fold_function(c, f, c.type(0)); }
ANEMONE_INLINE results fold_pair(node_call& c, const function_of_two& f, element_type type) {
    c.require(c.opset() >= 7 || !c.has_attribute("axis"), "broadcasts as before version 7");
    const known_tensor& a = c.known(0);
    return {folding::paired(c.room(), f, a, c.known(1), type)};
}
ANEMONE_INLINE results fold_pair(node_call& c, const function_of_two& f) { return fold_pair(c, f, c.type(0)); }
ANEMONE_INLINE results fold_several(node_call& c, const function_of_two& f) {
    known_tensor all = c.known(0);
    for (int i = 1; i < c.operand_count(); ++i) {
        all = folding::paired(c.room(), f, all, c.known(i), all.type);
    }
    return {all};
}
template <op Kind> results fold_one(node_call& c) { return fold_function(c, folding::function_of(Kind)); }
template <op Kind> results fold_two(node_call& c) { return fold_pair(c, folding::pair_function_of(Kind)); }
template <op Kind> results fold_condition(node_call& c) {
    return fold_pair(c, folding::pair_function_of(Kind), element_type::boolean);
}

ANEMONE_INLINE results fold_modulo(node_call& c) {
    return fold_pair(c, c.integer("fmod", 0) != 0 ? folding::remainder() : folding::modulo());
}
/// The type is that of the base; of an integer and an exponent that is none the power is cut off.
ANEMONE_INLINE results fold_power(node_call& c) {
    const function_of_two f = folding::pair_function_of(op::pow);
    if (is_integer(c.type(0)) && !is_integer(c.type(1))) {
        const known_tensor& base = c.known(0);
        const known_tensor real = folding::paired(c.room(), f, base, c.known(1), element_type::f64);
        return {folding::cast(c.room(), real, c.type(0))};
    }
    return fold_pair(c, f);
}
ANEMONE_INLINE results fold_where(node_call& c) {
    const known_tensor& condition = c.known(0);
    const known_tensor& a = c.known(1);
    return {folding::chosen(c.room(), condition, a, c.known(2))};
}

/// The type that Cast and CastLike give.
ANEMONE_INLINE element_type cast_type(node_call& c) {
    if (c.name() == "CastLike") {
        return c.type(1);
    }
    const std::int64_t to = c.needed_integer("to");
    c.require(element_of(to) != element_type::undefined, formatted("casts to {}", type_name(to)));
    return element_of(to);
}
ANEMONE_INLINE results fold_cast(node_call& c) {
    const known_tensor& x = c.known(0);
    return {folding::cast(c.room(), x, cast_type(c))};
}

/// The axes that a reduction takes: none at all where it leaves its operand alone.
ANEMONE_INLINE indices reduction_axes(node_call& c) {
    const int rank = c.rank(0);
    const std::optional<indices> given = axes_of(c, 1, rank);
    if (given && given->rank > 0) {
        return *given;
    }
    return c.integer("noop_with_empty_axes", 0) != 0 ? indices() : axis_range(0, rank);
}
ANEMONE_INLINE extents reduced_shape(const extents& x, const indices& over, bool keep) {
    extents shape;
    for (int i = 0; i < x.rank; ++i) {
        if (!contains(over, i)) {
            shape.append(x[i]);
        } else if (keep) {
            shape.append(1);
        }
    }
    return shape;
}
ANEMONE_INLINE results fold_reduction(node_call& c, const reduction& f, bool mean = false) {
    const known_tensor& x = c.known(0);
    axes over;
    over.list = reduction_axes(c);
    const known_tensor kept = folding::reduced(c.room(), f, x, over, mean);
    return {kept.reshaped(reduced_shape(x.shape, over.list, c.integer("keepdims", 1) != 0))};
}

} // namespace ane::onnx::inline ANEMONE_WAY

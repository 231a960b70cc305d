#pragma once

#include "append.hpp"

/// Integers between operations, and weights that are stored smaller than fp16. Guide chapters 7 and 25.
namespace ane {

namespace detail {

/// A scale or a zero point: one number, whatever the axis (ONNX), or one for each index of the axis.
constexpr inferred& require_scale(inferred& r, const quantization& q, const extents& x, const extents& scale) {
    r.require(scale.rank <= 1, fault::scale_must_be_one_number_or_a_vector, scale.rank, 1);
    if (r.ok() && scale.count() != 1) {
        const int along = normalized_axis(q.axis, x.rank);
        r.require(along >= 0 && along < x.rank, fault::axis_must_be_one_of_the_tensor, q.axis, x.rank);
        r.require(!r.ok() || scale.count() == x[along], fault::scale_must_have_one_value_for_each_index_of_the_axis,
                  scale.count(), r.ok() ? x[along] : 1);
    }
    return r;
}
constexpr quantization resolve(quantization q, const extents& x) {
    q.axis = normalized_axis(q.axis, x.rank);
    return q;
}

/// A quantity between 0 and 1 as an integer of shape faults; what does not fit counts as far outside.
constexpr std::int64_t thousandths(double value) {
    return value > -1e9 && value < 1e9 ? static_cast<std::int64_t>(value * 1000) : -1'000'000'000'000;
}

} // namespace detail

constexpr inferred quantize_rule(const quantization& q, const extents& x, const extents& scale) {
    inferred r;
    r.shape = x;
    r.require(q.type == dtype::int8 || q.type == dtype::uint8, fault::quantized_type_must_be_int8_or_uint8,
              static_cast<int>(q.type), static_cast<int>(dtype::int8));
    return detail::require_scale(r, q, x, scale);
}
constexpr inferred quantize_rule(const quantization& q, const extents& x, const extents& scale, const extents& zero) {
    inferred r = quantize_rule(q, x, scale);
    return detail::require_scale(r, q, x, zero);
}

constexpr inferred dequantize_rule(const quantization& q, const extents& x, const extents& scale) {
    inferred r;
    r.shape = x;
    r.require(q.type == dtype::int8 || q.type == dtype::uint8 || q.type == dtype::int4,
              fault::quantized_type_must_be_int8_or_uint8, static_cast<int>(q.type), static_cast<int>(dtype::int8));
    return detail::require_scale(r, q, x, scale);
}
constexpr inferred dequantize_rule(const quantization& q, const extents& x, const extents& scale, const extents& zero) {
    inferred r = dequantize_rule(q, x, scale);
    return detail::require_scale(r, q, x, zero);
}

/// What no target stores is refused here; what single targets do not stream is a rule of theirs (R138 to R143).
constexpr inferred shape_rule(const compression& c, const extents& weight) {
    inferred r;
    r.shape = weight;
    r.require(weight.rank >= 1, fault::operand_must_have_an_axis, weight.rank, 1);
    const bool palette = c.form == weight_form::palette || c.form == weight_form::sparse_palette;
    const bool integers =
        c.form == weight_form::affine || c.form == weight_form::blockwise || c.form == weight_form::sparse_blockwise;
    const bool index_bits = (c.bits >= 1 && c.bits <= 4) || c.bits == 6 || c.bits == 8;
    r.require(!palette || index_bits, fault::stored_bits_must_be_1_2_3_4_6_or_8_R139, c.bits, 4);
    r.require(!integers || c.bits == 4 || c.bits == 8, fault::stored_bits_must_be_1_2_3_4_6_or_8_R139, c.bits, 8);
    r.require(!palette || c.vector == 1 || c.vector == 2 || c.vector == 4 || c.vector == 5,
              fault::palette_entry_must_stand_for_1_2_4_or_5_elements_R140, c.vector, 1);
    if (r.ok()) {
        const std::int64_t row = weight[0] > 0 ? weight.count() / weight[0] : 0;
        const bool blocks = c.block > 0 && row % c.block == 0;
        r.require(c.block == 0 || blocks, fault::block_must_divide_an_output_channel, row, c.block);
    }
    const std::int64_t zeros = detail::thousandths(c.zeros);
    r.require(c.zeros >= 0 && c.zeros <= 1, fault::zeros_must_be_a_fraction, zeros, 1000);
    return r;
}

namespace shapes {
/// Operand and parameters are fp16.
template <quantization Q> struct quantize {
    static constexpr inferred judge(const std::same_as<extents> auto&... operands) {
        return quantize_rule(Q, operands...);
    }
};
/// The operand says its own type; the parameters are fp16.
template <axis Axis> struct dequantize {
    static constexpr inferred judge(const detail::operand& q, const std::same_as<detail::operand> auto&... parameters) {
        inferred r = dequantize_rule({.type = q.type, .axis = Axis.index}, q.shape, parameters.shape...);
        (detail::require_arithmetic(r, parameters), ...);
        return r;
    }
};
} // namespace shapes

/// q = clamp(round(x / scale) + zero), to int8 or uint8. The scale is one number or a vector along the axis.
template <quantization Q = quantization{}, class X, class S>
    requires obeys<shapes::quantize<Q>, X, S>
constexpr auto quantize(X x, S scale, source_location where = here()) {
    return detail::append<shapes::quantize<Q>, Q.type>(op::quantize, detail::resolve(Q, X::extent), where, x, scale);
}
template <quantization Q = quantization{}, class X, class S,
          class Broken = breach<op::quantize, shapes::quantize<Q>, X, S>>
Broken quantize(X, S, ...);

/// The same with a zero point: fp16 whole numbers in the range of the integer type.
template <quantization Q = quantization{}, class X, class S, class Z>
    requires obeys<shapes::quantize<Q>, X, S, Z>
constexpr auto quantize(X x, S scale, Z zero, source_location where = here()) {
    return detail::append<shapes::quantize<Q>, Q.type>(op::quantize, detail::resolve(Q, X::extent), where, x, scale,
                                                       zero);
}
template <quantization Q = quantization{}, class X, class S, class Z,
          class Broken = breach<op::quantize, shapes::quantize<Q>, X, S, Z>>
Broken quantize(X, S, Z, ...);

/// x = scale (q - zero), in fp16. The engine folds it into the weight path of a following convolution.
template <axis Axis = axis{}, class X, class S>
    requires obeys<shapes::dequantize<Axis>, X, S>
constexpr auto dequantize(X q, S scale, source_location where = here()) {
    return detail::append<shapes::dequantize<Axis>>(
        op::dequantize, detail::resolve({.type = X::element, .axis = Axis.index}, X::extent), where, q, scale);
}
template <axis Axis = axis{}, class X, class S, class Broken = breach<op::dequantize, shapes::dequantize<Axis>, X, S>>
Broken dequantize(X, S, ...);

template <axis Axis = axis{}, class X, class S, class Z>
    requires obeys<shapes::dequantize<Axis>, X, S, Z>
constexpr auto dequantize(X q, S scale, Z zero, source_location where = here()) {
    return detail::append<shapes::dequantize<Axis>>(
        op::dequantize, detail::resolve({.type = X::element, .axis = Axis.index}, X::extent), where, q, scale, zero);
}
template <axis Axis = axis{}, class X, class S, class Z,
          class Broken = breach<op::dequantize, shapes::dequantize<Axis>, X, S, Z>>
Broken dequantize(X, S, Z, ...);

/// Indices into a table of 2^Bits values: 4 bits stream from A13 (2.37 times a 1x1 convolution stack, measured on M1).
template <int Bits, int Vector = 1>
inline constexpr compression palette{.form = weight_form::palette, .bits = Bits, .vector = Vector};
/// A mask and the values that are not zero: worth it from half of them zero (R142). Streams from A13.
inline constexpr compression sparse{.form = weight_form::sparse, .bits = 16};
/// int8 and one scale for each output channel. Streams from A14 on; A13 expands it before the program runs (R143).
inline constexpr compression affine_int8{.form = weight_form::affine, .bits = 8};
/// Integers and one scale for each block of `Block` elements. Streams from A15 on.
template <int Block = 32, int Bits = 8>
inline constexpr compression blockwise{.form = weight_form::blockwise, .bits = Bits, .block = Block};

/// A weight as it is stored and streamed: `compressed<palette<4>>(g.weight("w"_s, f16<64, 64, 3, 3>))`. Its value is
/// what the stored form expands to, in fp16.
template <compression Form, class W>
    requires obeys<shapes::of<Form>, W>
constexpr auto compressed(W weight, source_location where = here()) {
    if (weight.graph->nodes[static_cast<std::size_t>(weight.node)].kind != op::weight) {
        weight.graph->refuse(model_rule::only_a_weight_is_stored_compressed, "compressed", where);
    }
    return detail::append<shapes::of<Form>>(op::compressed, Form, where, weight);
}
template <compression Form, class W, class Broken = breach<op::compressed, shapes::of<Form>, W>>
Broken compressed(W, ...);

} // namespace ane

#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../passes/fusion.hpp"
#include "netplist_writer.hpp"

#include <numbers>

/// Elementwise operations as netplist units: Neuron for one operand, ElementWise for two, GOC for a constant operand.
namespace ane::formats::inline ANEMONE_WAY {

/// A Neuron unit. Only Rsqrt, Inv and Log2 have an `Epsilon`, which the graph gives them and the unit adds to the operand.
ANEMONE_INLINE netplist_value neuron(netplist_writer& w, std::string_view variant, const netplist_value& x,
                                     plist_dict params = {}) {
    params["Type"] = variant;
    return w.unit({"Neuron", params}, {x}, x.shape);
}

ANEMONE_INLINE plist_dict epsilon_params(const node& n) {
    const float epsilon = n.get<stabilizer>().epsilon;
    return epsilon == 0 ? plist_dict{} : plist_dict{{"Epsilon", fp16_pattern(half(epsilon))}};
}

/// A unit of one operand without parameters besides its variant: most Neurons, and ElementWise Abs.
ANEMONE_INLINE netplist_value write_unary(netplist_writer& w, int index, const netplist_form& form) {
    return w.simple(form.unit, form.variant, {w.value(w.operand(index, 0))});
}

ANEMONE_INLINE netplist_value write_stabilized(netplist_writer& w, int index, const netplist_form& form) {
    return neuron(w, form.variant, w.value(w.operand(index, 0)), epsilon_params(w.at(index)));
}

/// relu6 is the clamp between 0 and 6.
ANEMONE_INLINE netplist_value write_clamp(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const clip_range limits = n.kind == op::relu6 ? clip_range{0, 6} : n.get<clip_range>();
    return neuron(w, form.variant, w.value(w.operand(index, 0)),
                  {{"ReluMin", fp16_pattern(half(limits.min))}, {"ReluMax", fp16_pattern(half(limits.max))}});
}

/// `ReluOffset` is 0 in every known file.
ANEMONE_INLINE netplist_value write_leaky_relu(netplist_writer& w, int index, const netplist_form& form) {
    return neuron(w, form.variant, w.value(w.operand(index, 0)),
                  {{"ReluSlope", fp16_pattern(half(w.at(index).get<leakage>().alpha))}, {"ReluOffset", 0}});
}

/// x sigmoid(x)
ANEMONE_INLINE netplist_value write_silu(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    return w.simple("ElementWise", "Mult", {x, neuron(w, form.variant, x)});
}

/// 2^(x log2 e); log2 e is rounded to fp16.
ANEMONE_INLINE netplist_value write_exp(netplist_writer& w, int index, const netplist_form& form) {
    return neuron(w, form.variant, w.scale(w.value(w.operand(index, 0)), half(std::numbers::log2e)));
}

/// ln 2 log2(x + epsilon); ln 2 is rounded to fp16.
ANEMONE_INLINE netplist_value write_log(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    return w.scale(neuron(w, form.variant, x, epsilon_params(w.at(index))), half(std::numbers::ln2));
}

/// Whether an operand is a constant with one value, or with one for each channel of the result: what a GOC holds.
ANEMONE_INLINE bool is_channel_vector(const netplist_writer& w, int operand, const extents& result) {
    return w.known(operand) && forms::is_channel_vector(w.at(operand).shape, result);
}

/// An operand under the result's shape: repeated along its axes of extent 1.
ANEMONE_INLINE netplist_value broadcast_operand(netplist_writer& w, int operand, const extents& result) {
    return w.broadcast(w.value(operand), netplist_shape_of(result));
}

/// The GOC form of a sum, difference or product with a constant; false where there is none.
ANEMONE_INLINE bool write_gain_or_offset(netplist_writer& w, int index, netplist_value& result) {
    const node& n = w.at(index);
    for (const int position : {1, 0}) {
        const int vector = w.operand(index, position);
        const int other = w.operand(index, 1 - position);
        if (!is_channel_vector(w, vector, n.shape) || w.at(other).shape != n.shape) {
            continue;
        }
        const std::vector<half>& values = w.values(vector);
        const netplist_value x = w.value(other);
        if (n.kind == op::mul) {
            result = w.then_scale(x, values);
        } else if (n.kind == op::add) {
            result = w.then_offset(x, values);
        } else if (n.kind == op::sub && position == 1) {
            std::vector<half> negative;
            negative.reserve(values.size());
            for (const half v : values) {
                negative.push_back(-v);
            }
            result = w.then_offset(x, negative);
        } else if (n.kind == op::sub) {
            result = w.then_offset(w.scale(x, half(-1)), values);
        } else {
            continue;
        }
        return true;
    }
    return false;
}

/// A constant operand that is one number or runs along Channel goes into a GOC; a bias of a matrix product runs along
/// Width, so it is repeated by a Broadcast unit and added. The operands of ElementWise have equal shapes.
ANEMONE_INLINE netplist_value write_binary(netplist_writer& w, int index, const netplist_form& form) {
    netplist_value result;
    if (write_gain_or_offset(w, index, result)) {
        return result;
    }
    const extents& shape = w.at(index).shape;
    const netplist_value a = broadcast_operand(w, w.operand(index, 0), shape);
    return w.simple(form.unit, form.variant, {a, broadcast_operand(w, w.operand(index, 1), shape)});
}

/// a (1 / b)
ANEMONE_INLINE netplist_value write_div(netplist_writer& w, int index, const netplist_form& form) {
    const extents& shape = w.at(index).shape;
    const int numerator = w.operand(index, 0);
    const int denominator = w.operand(index, 1);
    const netplist_value inverse = w.broadcast(neuron(w, "Inv", w.value(denominator)), netplist_shape_of(shape));
    if (is_channel_vector(w, numerator, shape)) {
        return w.scale(inverse, w.values(numerator));
    }
    return w.simple(form.unit, form.variant, {broadcast_operand(w, numerator, shape), inverse});
}

} // namespace ane::formats::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"
#include "netplist_elementwise.hpp"

#include <numbers>

/// Functions of one operand as netplist units: most are a Neuron, the others a few units.
namespace ane::formats::inline ANEMONE_WAY {

/// A number as an operand of the shape of another.
ANEMONE_INLINE netplist_value filled(netplist_writer& w, half number, const netplist_shape& shape) {
    return w.broadcast(w.constant({}, std::span(&number, 1)), shape);
}

ANEMONE_INLINE netplist_value write_elu(netplist_writer& w, int index, const netplist_form& form) {
    return neuron(w, form.variant, w.value(w.operand(index, 0)),
                  {{"EluAlpha", fp16_pattern(half(w.at(index).get<saturation>().alpha))}});
}

/// min(max(alpha x + beta, 0), 1)
ANEMONE_INLINE netplist_value write_hard_sigmoid(netplist_writer& w, int index, const netplist_form& form) {
    const clamped_line& a = w.at(index).get<clamped_line>();
    const netplist_value line = w.then_offset(w.scale(w.value(w.operand(index, 0)), half(a.alpha)), half(a.beta));
    return neuron(w, form.variant, line, {{"ReluMin", fp16_pattern(half(0))}, {"ReluMax", fp16_pattern(half(1))}});
}

ANEMONE_INLINE netplist_value write_scaled_tanh(netplist_writer& w, int index, const netplist_form& form) {
    const tanh_scaling& a = w.at(index).get<tanh_scaling>();
    return w.scale(neuron(w, form.variant, w.scale(w.value(w.operand(index, 0)), half(a.beta))), half(a.alpha));
}

/// x sigmoid(1.702 x)
ANEMONE_INLINE netplist_value write_gelu_sigmoid(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    return w.simple("ElementWise", "Mult", {x, neuron(w, form.variant, w.scale(x, half(1.702)))});
}

/// x / (1 + |x|)
ANEMONE_INLINE netplist_value write_softsign(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    const netplist_value inverse = neuron(w, form.variant, w.offset(w.simple("ElementWise", "Abs", {x}), half(1)));
    return w.simple("ElementWise", "Mult", {x, inverse});
}

/// ln 2 log2(1 + 2^(x log2 e)): right below x = 10, which lowering sees to.
ANEMONE_INLINE netplist_value netplist_softplus(netplist_writer& w, const netplist_value& x) {
    const netplist_value power = neuron(w, "Exp2", w.scale(x, half(std::numbers::log2e)));
    return w.scale(neuron(w, "Log2", power, {{"Epsilon", fp16_pattern(half(1))}}), half(std::numbers::ln2));
}
ANEMONE_INLINE netplist_value write_softplus(netplist_writer& w, int index, const netplist_form&) {
    return netplist_softplus(w, w.value(w.operand(index, 0)));
}

/// Elements below alpha are raised to it before the mask takes them out, so that -infinity becomes 0.
ANEMONE_INLINE netplist_value write_thresholded_relu(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    const netplist_value alpha = filled(w, half(w.at(index).get<relu_threshold>().alpha), x.shape);
    const netplist_value above = w.simple("ElementWise", form.variant, {x, alpha});
    const netplist_value mask = w.simple("ElementWise", "Max", {above, w.simple("ElementWise", "Equal", {x, alpha})});
    return w.simple("ElementWise", "Mult", {w.simple("ElementWise", "Max", {x, alpha}), mask});
}

ANEMONE_INLINE netplist_value write_clamped_relu(netplist_writer& w, int index, const netplist_form& form) {
    const clamped_leakage& a = w.at(index).get<clamped_leakage>();
    const netplist_value leaky = neuron(w, form.variant, w.value(w.operand(index, 0)),
                                        {{"ReluSlope", fp16_pattern(half(a.alpha))}, {"ReluOffset", 0}});
    return w.simple("ElementWise", "Min", {leaky, filled(w, half(a.beta), leaky.shape)});
}

/// x times a vector [C] along axis 1 of the graph.
ANEMONE_INLINE netplist_value scale_along_channels(netplist_writer& w, const netplist_value& x, int vector, int rank) {
    const netplist_axis along = netplist_axis_of(1, rank);
    if (w.known(vector) && (along == netplist_axis::channel || w.values(vector).size() == 1)) {
        return w.scale(x, w.values(vector));
    }
    netplist_shape shape;
    shape[along] = x.shape[along];
    const netplist_value factors = w.broadcast(w.reshape(w.value(vector), shape), x.shape);
    return w.simple("ElementWise", "Mult", {x, factors});
}

/// max(x, 0) - slope max(-x, 0)
ANEMONE_INLINE netplist_value write_prelu(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    const netplist_value below = neuron(w, form.variant, w.scale(x, half(-1)));
    const netplist_value leak = scale_along_channels(w, below, w.operand(index, 1), w.at(index).shape.rank);
    return w.simple("ElementWise", "Sub", {neuron(w, form.variant, x), leak});
}

/// alpha softplus(z) of z = beta x, where softplus(z) = softplus(min(z, 10)) + max(z - 10, 0).
ANEMONE_INLINE netplist_value write_parametric_softplus(netplist_writer& w, int index, const netplist_form&) {
    const int rank = w.at(index).shape.rank;
    const netplist_value z = scale_along_channels(w, w.value(w.operand(index, 0)), w.operand(index, 2), rank);
    const netplist_value low = w.simple("ElementWise", "Min", {z, filled(w, half(10), z.shape)});
    const netplist_value straight = neuron(w, "ReLU", w.offset(z, half(-10)));
    const netplist_value sum = w.simple("ElementWise", "Add", {netplist_softplus(w, low), straight});
    return scale_along_channels(w, sum, w.operand(index, 1), rank);
}

} // namespace ane::formats::inline ANEMONE_WAY

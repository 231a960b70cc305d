#pragma once

#include "../base/way.hpp"
#include "netplist_unit.hpp"

/// Units that work on each element: Neuron, ElementWise, ScaledElementWise, GOC, DynamicGOC. Only bodies include this
/// header.
namespace ane::readers::inline ANEMONE_WAY {

/// One operand, no parameters but the variant.
ANEMONE_INLINE netplist_tensor read_function(netplist_unit_reader& u, op kind) {
    u.ready();
    return {u.graph.add(kind, {u.x().tensor}), u.x().shape};
}

ANEMONE_INLINE netplist_tensor read_stabilized(netplist_unit_reader& u, op kind) {
    const half epsilon = u.keys.pattern("Epsilon", half());
    u.ready();
    return {u.graph.add(kind, {u.x().tensor}, stabilizer{.epsilon = float(epsilon)}), u.x().shape};
}

/// log2(x + Epsilon), the sum rounded to fp16: the logarithm to base 2 has no epsilon in the graph.
ANEMONE_INLINE netplist_tensor read_log2(netplist_unit_reader& u, op kind) {
    const half epsilon = u.keys.pattern("Epsilon", half());
    u.ready();
    dynamic_tensor x = u.x().tensor;
    if (float(epsilon) != 0) {
        u.graph.note("Epsilon of Neuron Log2 is added by an operation of its own, which rounds to fp16");
        x = u.graph.add(op::add, {x, u.graph.number(epsilon)});
    }
    return {u.graph.add(kind, {x}), u.x().shape};
}

ANEMONE_INLINE netplist_tensor read_elu(netplist_unit_reader& u, op kind) {
    const half alpha = u.keys.pattern("EluAlpha");
    u.ready();
    return {u.graph.add(kind, {u.x().tensor}, saturation{float(alpha)}), u.x().shape};
}

/// `ReluOffset` is 0 in all known files, and what it does is not known.
ANEMONE_INLINE netplist_tensor read_leaky_relu(netplist_unit_reader& u, op kind) {
    const half slope = u.keys.pattern("ReluSlope");
    u.keys.only_number("ReluOffset", 0);
    u.ready();
    return {u.graph.add(kind, {u.x().tensor}, leakage{float(slope)}), u.x().shape};
}

ANEMONE_INLINE netplist_tensor read_clamped_relu(netplist_unit_reader& u, op kind) {
    const half low = u.keys.pattern("ReluMin");
    const half high = u.keys.pattern("ReluMax");
    u.ready();
    return {u.graph.add(kind, {u.x().tensor}, clip_range{float(low), float(high)}), u.x().shape};
}

/// sign(x) floor(|x|), which fp16 holds exactly.
ANEMONE_INLINE netplist_tensor read_trunc(netplist_unit_reader& u, op) {
    u.ready();
    const dynamic_tensor x = u.x().tensor;
    const dynamic_tensor size = u.graph.add(op::floor, {u.graph.add(op::abs, {x})});
    return {u.graph.add(op::mul, {u.graph.add(op::sign, {x}), size}), u.x().shape};
}

/// The shape of two operands together; equal, or 1 where the other has more.
ANEMONE_INLINE netplist_shape joined_shape(netplist_unit_reader& u) {
    netplist_shape result = u.x(0).shape;
    for (const netplist_axis a : netplist_axes) {
        const std::int64_t other = u.x(1).shape[a];
        if (result[a] == 1) {
            result[a] = other;
        } else if (other != 1 && other != result[a]) {
            u.refuse(formatted("reads operands of {} and {} along {}", result[a], other, name(a)));
        }
    }
    return result;
}

/// An operand beside one of rank 5: with its depth of 1 as an axis.
ANEMONE_INLINE dynamic_tensor beside(netplist_unit_reader& u, std::size_t i, const netplist_shape& result) {
    const dynamic_tensor x = u.x(i).tensor;
    const extents& s = x.shape();
    return result[netplist_axis::depth] != 1 && s.rank == 4 ? u.graph.reshape(x, {s[0], 1, s[1], s[2], s[3]}) : x;
}

ANEMONE_INLINE netplist_tensor read_binary(netplist_unit_reader& u, op kind) {
    u.ready(2);
    const netplist_shape shape = joined_shape(u);
    const dynamic_tensor a = beside(u, 0, shape);
    netplist_tensor result = u.value(u.graph.add(kind, {a, beside(u, 1, shape)}));
    result.shape = shape;
    return result;
}

/// 1 where the comparison with 0 holds, else 0.
ANEMONE_INLINE netplist_tensor read_comparison_with_zero(netplist_unit_reader& u, op kind) {
    u.ready();
    return {u.value(u.graph.add(kind, {u.x().tensor, u.graph.number(half())})).tensor, u.x().shape};
}

/// The engine ignores the scale of a product (ANEForge, measured).
ANEMONE_INLINE netplist_tensor read_scaled(netplist_unit_reader& u, op) {
    const half scale = u.keys.pattern("Scale", half(1.0F));
    u.ready(2);
    scaling s{.function = scaled_function::add, .scale = float(scale)};
    if (u.variant() == "Mult") {
        if (s.scale != 1) {
            u.graph.note("Scale of ScaledElementWise Mult is left out, as the engine does");
        }
        s = {.function = scaled_function::mul, .scale = 1};
    } else if (u.variant() != "Add") {
        s.function = u.variant() == "Max" ? scaled_function::maximum : scaled_function::minimum;
    }
    return u.value(u.graph.add(op::scaled_elementwise, {u.whole(0), u.whole(1)}, s));
}

/// One of the two vectors of a GOC: a number, a number for each channel, or nothing.
ANEMONE_INLINE std::optional<dynamic_tensor> channel_operand(netplist_unit_reader& u, std::string_view part,
                                                             netplist_keys* group, std::optional<half> scalar) {
    const std::string prefix(part);
    if (group == nullptr || !group->has(prefix + "Count")) {
        return scalar ? std::optional(u.graph.number(*scalar)) : std::nullopt;
    }
    const std::int64_t channels = u.x().shape[netplist_axis::channel];
    const std::string_view type = group->has(prefix + "Type") ? group->text(prefix + "Type") : "Float16";
    const std::int64_t count = group->extent(prefix + "Count");
    if (scalar) {
        u.refuse(formatted("has {0}Scalar and {0}Count", part));
    }
    if ((type != "Float16" && type != "Float32") || (count != channels && count != 1)) {
        u.refuse(formatted("has {0}Count {1} and {0}Type {2}; {3} numbers of Float16 or Float32 are read", part, count,
                           in_quotes(type), channels));
    }
    const std::int64_t index = group->integer(prefix + "Index", 0, most_netplist_extent);
    const std::int64_t offset = group->integer(prefix + "Offset", 0, std::int64_t{1} << 40U, 0);
    const bool deep = u.x().shape[netplist_axis::depth] != 1;
    return u.graph.weight(u.label(part == "Scale" ? "scale" : "bias"), index, offset, type,
                          deep ? extents{1, 1, count, 1, 1} : extents{1, count, 1, 1});
}

/// scale (x + bias), the bias first: netplist facts, surprise 1 (inferred from numbers). Each is rounded to fp16.
ANEMONE_INLINE netplist_tensor read_goc(netplist_unit_reader& u, op) {
    std::optional<half> scale;
    std::optional<half> bias;
    if (u.keys.has("ScaleScalar")) {
        scale = u.keys.pattern("ScaleScalar");
    }
    if (u.keys.has("BiasScalar")) {
        bias = u.keys.pattern("BiasScalar");
    }
    std::vector<std::string> complaints;
    netplist_keys group(u.keys.dictionary("BiasScaleGroupData", true), complaints);
    u.ready();
    netplist_keys* const vectors = u.keys.has("BiasScaleGroupData") ? &group : nullptr;
    dynamic_tensor y = u.x().tensor;
    const auto apply = [&](op kind, std::string_view part, const std::optional<half>& scalar) {
        if (const auto operand = channel_operand(u, part, vectors, scalar)) {
            if (!complaints.empty()) {
                u.refuse(complaints.front());
            }
            y = u.graph.add(kind, {y, *operand});
        }
    };
    group.only_flag("BiasMutable", false);
    group.only_flag("ScaleMutable", false);
    apply(op::add, "Bias", bias);
    apply(op::mul, "Scale", scale);
    group.require_no_others();
    if (!complaints.empty()) {
        u.refuse(complaints.front());
    }
    netplist_tensor result = u.value(y);
    for (const netplist_axis a : netplist_axes) { // what a Broadcast unit repeats stays so
        result.shape[a] = std::max(result.shape[a], u.x().shape[a]);
    }
    return result;
}

/// x + bias, where the bias is computed.
ANEMONE_INLINE netplist_tensor read_dynamic_goc(netplist_unit_reader& u, op kind) {
    const bool bias_only = u.keys.flag("BiasOnly", false);
    if (!bias_only) {
        u.refuse("has scale and bias as operands, whose order is not known");
    }
    return read_binary(u, kind);
}

} // namespace ane::readers::inline ANEMONE_WAY

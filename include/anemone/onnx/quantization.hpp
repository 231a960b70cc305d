#pragma once

#include "contraction.hpp"

#include <array>

/// Integers of eight bits. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// A parameter as the graph takes it: one number, or a vector along the axis.
ANEMONE_INLINE dynamic_tensor parameter(node_call& c, int i) {
    const dynamic_tensor t = c.x(i);
    return t.shape().count() == 1 ? c.reshape(t, {}) : c.reshape(t, {t.shape().count()});
}
ANEMONE_INLINE dtype byte_type(node_call& c, element_type type) {
    c.require(type == element_type::int8 || type == element_type::uint8,
              formatted("quantises to {}; the graph has int8 and uint8", type_name(type)));
    return type == element_type::int8 ? dtype::int8 : dtype::uint8;
}
ANEMONE_INLINE int quantized_axis(node_call& c, int rank) {
    c.require(c.integer("block_size", 0) == 0, "has scales for blocks of data");
    return rank == 0 || c.shape(1).count() == 1 ? 0 : c.axis("axis", 1, rank);
}
ANEMONE_INLINE results read_quantize(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const bool asked = !c.has(2) && c.integer("output_dtype", 0) != 0;
    const element_type otherwise = c.has(2) ? c.type(2) : element_type::uint8;
    const dtype type = byte_type(c, asked ? c.type("output_dtype", otherwise) : otherwise);
    std::vector<dynamic_tensor> operands{x, parameter(c, 1)};
    if (c.has(2)) {
        operands.push_back(parameter(c, 2));
    }
    return {c.add(op::quantize, operands, quantization{.type = type, .axis = quantized_axis(c, x.shape().rank)})};
}
/// Of bytes; integers of another size are fp16 in the graph: a difference and a product.
ANEMONE_INLINE results read_dequantize(node_call& c) {
    const dynamic_tensor q = c.raw(0);
    const int axis = quantized_axis(c, q.shape().rank);
    if (q.type() == dtype::int8 || q.type() == dtype::uint8) {
        std::vector<dynamic_tensor> operands{q, parameter(c, 1)};
        if (c.has(2)) {
            operands.push_back(parameter(c, 2));
        }
        return {{c.add(op::dequantize, operands, quantization{.type = q.type(), .axis = axis}), element_type::f32}};
    }
    const auto along = [&](int i) {
        const dynamic_tensor v = parameter(c, i);
        extents shape;
        for (int a = 0; v.shape().rank == 1 && a < q.shape().rank; ++a) {
            shape.append(a == axis ? v.shape()[0] : 1);
        }
        return c.reshape(v, shape);
    };
    const dynamic_tensor x = c.has(2) ? c.add(op::sub, {c.real(q), along(2)}) : c.real(q);
    return {{c.add(op::mul, {x, along(1)}), element_type::f32}};
}

/// Stored integers less their zero point: a constant, or `dequantize` with a scale of 1.
ANEMONE_INLINE dynamic_tensor shifted(node_call& c, int i, int zero) {
    if (c.is_known(i) && (!c.has(zero) || c.is_known(zero))) {
        const known_tensor& q = c.known(i);
        c.scope().expand(q, 0, c.operand(i).name);
        const known_tensor* const z = c.has(zero) ? &c.known(zero) : nullptr;
        c.require(z == nullptr || z->count() == 1 || (q.shape.rank > 0 && z->count() == q.shape[0] && z->count() > 0),
                  formatted("has {} zero points for {}", z == nullptr ? 0 : z->count(), print(q.shape)));
        const std::int64_t row = z == nullptr || z->count() == 1 ? q.count() : q.count() / z->count();
        return c.filled(q.shape, [&](std::int64_t e) { return q.at(e) - (z == nullptr ? 0 : z->at(e / row)); });
    }
    const dynamic_tensor q = c.bytes(i);
    std::vector<dynamic_tensor> operands{q, c.number_tensor(1)};
    if (c.has(zero)) {
        operands.push_back(parameter(c, zero));
    }
    return c.add(op::dequantize, operands, quantization{.type = q.type(), .axis = 0});
}
/// Two of them, in this order: that of arguments is the compiler's, and each may append nodes.
ANEMONE_INLINE std::array<dynamic_tensor, 2> both_shifted(node_call& c, std::array<int, 2> one,
                                                          std::array<int, 2> other) {
    const dynamic_tensor first = shifted(c, one[0], one[1]);
    return {first, shifted(c, other[0], other[1])};
}
ANEMONE_INLINE results read_conv_integer(node_call& c) {
    const auto [x, w] = both_shifted(c, {0, 2}, {1, 3});
    return {{convolved(c, x, w, 100), element_type::int32}};
}
ANEMONE_INLINE results read_matmul_integer(node_call& c) {
    const auto [a, b] = both_shifted(c, {0, 2}, {1, 3});
    return {{multiplied(c, a, b), element_type::int32}};
}
/// The product in steps of the result, whose zero point is input 7.
ANEMONE_INLINE results requantized(node_call& c, const dynamic_tensor& product) {
    const known_tensor& scales = c.known(4);
    c.require(scales.count() > 0, "has no scale of its weights");
    const quantization how{.type = byte_type(c, c.type(7)), .axis = 0}; // before the operands, which may be refused too
    const double factor = c.number(1) / c.number(6);
    dynamic_tensor steps;
    if (scales.count() == 1) {
        steps = c.add(op::mul, product, factor * scales.at(0));
    } else { // one for each channel
        extents shape{scales.count()};
        for (int i = 2; i < product.shape().rank; ++i) {
            shape.append(1);
        }
        steps = c.add(op::mul, {product, c.filled(shape, [&](std::int64_t i) { return factor * scales.at(i); })});
    }
    return {c.add(op::quantize, {steps, c.number_tensor(1), parameter(c, 7)}, how)};
}
ANEMONE_INLINE results read_qlinear_matmul(node_call& c) {
    const auto [a, b] = both_shifted(c, {0, 2}, {3, 5});
    return requantized(c, multiplied(c, a, b));
}
/// The bias has the scale of the product: it is added to it.
ANEMONE_INLINE results read_qlinear_conv(node_call& c) {
    const auto [x, w] = both_shifted(c, {0, 2}, {3, 5});
    return requantized(c, convolved(c, x, w, 8));
}
/// Scale and zero point from the extremes, which 0 is among.
ANEMONE_INLINE results read_dynamic_quantize(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const indices over = axis_range(0, x.shape().rank);
    const dynamic_tensor low = c.reshape(c.add(op::minimum, c.reduced(op::reduce_min, x, over), 0.0), {});
    const dynamic_tensor high = c.reshape(c.add(op::maximum, c.reduced(op::reduce_max, x, over), 0.0), {});
    const dynamic_tensor scale = c.add(op::div, c.add(op::sub, {high, low}), 255.0);
    const dynamic_tensor zero =
        c.add(op::clamp, {c.add(op::round, {c.add(op::div, {c.add(op::mul, low, -1.0), scale})})}, clip_range{0, 255});
    return {c.add(op::quantize, {x, scale, zero}, quantization{.type = dtype::uint8, .axis = 0}),
            scale,
            {zero, element_type::uint8}};
}

ANEMONE_INLINE void add_quantization(converter_table& t) {
    t.insert({
        {"QuantizeLinear", read_quantize},
        {"DequantizeLinear", read_dequantize},
        {"ConvInteger", read_conv_integer},
        {"MatMulInteger", read_matmul_integer},
        {"QLinearMatMul", read_qlinear_matmul},
        {"QLinearConv", read_qlinear_conv},
        {"DynamicQuantizeLinear", read_dynamic_quantize},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY

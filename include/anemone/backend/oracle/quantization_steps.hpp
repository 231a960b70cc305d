#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/integer_products.hpp"
#include "../../numerics/movement.hpp"
#include "../../numerics/quantization.hpp"
#include "../../weights/encode.hpp"
#include "../kernels/quantization.hpp"
#include "../node_shapes.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

/// The scale and the zero point of quantize and dequantize.
ANEMONE_INLINE kernels::scale_operands quantization_scales(const evaluation& e, int index) {
    const int along = e.at(index).get<quantization>().axis;
    const bool shifted = e.at(index).operands.count == 3;
    const extents& x = e.shape(index);
    return {e.input(index, 1), kernels::scale_places_of(x, along, e.operand_shape(index, 1)),
            shifted ? e.input(index, 2) : nullptr,
            shifted ? kernels::scale_places_of(x, along, e.operand_shape(index, 2)) : kernels::scale_places{}};
}

ANEMONE_INLINE void quantize(evaluation& e, int index) {
    const dtype type = e.at(index).type;
    kernels::quantize(e.input(index, 0), quantization_scales(e, index), e.count(index), e.result_bytes(index),
                      [&](half x, kernels::scale_of_element with) {
                          return numerics::quantize(e.arithmetic, x, with.scale, with.zero,
                                                    kernels::lowest_integer(type), kernels::highest_integer(type));
                      });
}

ANEMONE_INLINE void dequantize(evaluation& e, int index) {
    kernels::dequantize(e.operand_type(index, 0), e.bytes(index, 0), quantization_scales(e, index), e.count(index),
                        e.result(index), [&](half q, kernels::scale_of_element with) {
                            return numerics::dequantize(e.arithmetic, q, with.scale, with.zero);
                        });
}

/// Computes a product whose operands are both int8, with the bias that was folded into it (one value for each output
/// channel, or none), and says whether it was one.
ANEMONE_INLINE bool integer_product(evaluation& e, int index, std::span<const half> bias) {
    if (!e.arithmetic.int8_products) {
        return false;
    }
    const integer_operands from = integer_operands_of(e.graph, index);
    if (from.dequantized < 0) {
        return false;
    }
    const encoded_weight& stored = e.stored(from.weight);
    const auto activation_scale = static_cast<float>(e.input(from.dequantized, 1)[0]);
    std::vector<numerics::integer_scale> scales;
    for (std::int64_t c = 0; c < stored.shape[0]; ++c) {
        const auto weight_scale = static_cast<float>(weight_formats::half_at(stored.scales, c));
        scales.push_back({activation_scale * weight_scale, bias.empty() ? half{} : bias[static_cast<std::size_t>(c)]});
    }
    const auto* const x = reinterpret_cast<const std::int8_t*>(e.bytes(from.dequantized, 0));
    const auto* const w = reinterpret_cast<const std::int8_t*>(stored.data.data());
    const node& n = e.at(index);
    if (n.kind == op::conv2d) {
        numerics::integer_convolution(e.arithmetic, ane::detail::convolution_shape_of<conv>(e.graph, n), x, w,
                                      scales.data(), e.result(index));
        return true;
    }
    const numerics::matmul_shape shape = ane::detail::matmul_shape_of(e.graph, n);
    const std::int64_t step = n.shape.height() * n.shape.width();
    ane::detail::for_each_batch(n.shape, e.operand_shape(index, 0), e.operand_shape(index, 1),
                                [&](std::int64_t matrix, std::int64_t from_x, std::int64_t) {
                                    numerics::integer_matmul(e.arithmetic, shape, x + from_x, w, scales.data(),
                                                             e.result(index) + matrix * step);
                                });
    return true;
}

/// Before a weight of 8-bit integers an activation goes through the gain of N076. What overflows there makes every sum
/// infinite to which it contributes, however small its weight ("invariant to the scale of the weights"), unlike other
/// infinities, which the multiplier reads as 2^16. `compute(a, b, bias, out)` is the product: a second evaluation, over
/// signs alone, finds those sums and the signs of their infinities.
template <class Compute> void saturate_before_int8(evaluation& e, int index, const Compute& compute) {
    if (e.arithmetic.int8_activation_gain == 1 || !reads_int8_weight(e.graph, index)) {
        return;
    }
    const auto signs = [&](int position, double size, const auto& counts) {
        const half* const values = e.input(index, position);
        std::vector<half> result(static_cast<std::size_t>(e.count(e.operand(index, position))));
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (counts(values[i])) {
                const bool negative = (values[i].bits & 0x8000U) != 0 && !is_nan(values[i]);
                result[i] = half(negative ? -size : size);
            }
        }
        return result;
    };
    const half* const x = e.input(index, 0);
    const auto overflows = [&](half v) { return !is_finite(numerics::int8_activation(e.arithmetic, v)); };
    if (std::none_of(x, x + e.count(e.operand(index, 0)), overflows)) {
        return;
    }
    const std::vector<half> infinite = signs(0, 32768, overflows); // one reaches the ceiling
    const std::vector<half> unit = signs(1, 1, [&](half v) {
        return numerics::decode_operand(v, e.arithmetic.mac_nan, e.arithmetic.mac_keeps_subnormals).significand != 0;
    });
    std::vector<half> reached(static_cast<std::size_t>(e.count(index)));
    compute(infinite.data(), unit.data(), nullptr, reached.data());
    for (std::size_t i = 0; i < reached.size(); ++i) {
        if (reached[i].bits != 0) {
            e.result(index)[i] = half::from_bits(static_cast<std::uint16_t>((reached[i].bits & 0x8000U) | 0x7C00U));
        }
    }
}

/// Computes a product with a weight of codes whose scales follow the sum (datapath::weight_scale), with the bias that was
/// folded into it, and says whether it was one.
template <class Compute>
bool product_of_codes(evaluation& e, int index, std::span<const half> bias, const Compute& compute) {
    if (e.arithmetic.weight_scale == numerics::scale_rule::before_products ||
        !reads_codes(e.graph, index, e.codes_as_given)) {
        return false;
    }
    const encoded_weight& stored = e.stored(e.operand(index, 1));
    const std::optional<half> of_palette = scale_of_palette(stored);
    if (stored.form.form == weight_form::palette && !of_palette) {
        return false; // values, not codes
    }
    const double unit = numerics::code_unit(e.arithmetic, stored.form.bits);
    const std::vector<half> codes = decode_codes(stored, unit);
    compute(e.input(index, 0), codes.data(), nullptr, e.result(index));
    const int axis = ane::detail::channel_axis(e.at(index).kind);
    const std::int64_t channels = e.shape(index).from_last(axis);
    std::int64_t step = 1; // elements of a channel beside each other
    for (int i = 0; i < axis; ++i) {
        step *= e.shape(index).from_last(i);
    }
    half* const y = e.result(index);
    for (std::int64_t i = 0; i < e.count(index); ++i) {
        const std::int64_t c = i / step % channels;
        const auto scale = static_cast<double>(of_palette ? *of_palette : weight_formats::half_at(stored.scales, c));
        y[i] = numerics::scale_after_sum(e.arithmetic, y[i], scale / unit,
                                         bias.empty() ? half{} : bias[static_cast<std::size_t>(c)]);
    }
    return true;
}

/// Computes a product node: `compute(a, b, bias, out)` is that of fp16 operands. `Stored`: whether its operands may be
/// stored as integers. `bias` has one value for each output channel, or none.
template <bool Stored, class Compute>
void product_of(evaluation& e, int index, std::span<const half> bias, const Compute& compute) {
    if constexpr (Stored) {
        if (integer_product(e, index, bias)) {
            return;
        }
    }
    bool scaled = false;
    if constexpr (Stored) {
        scaled = product_of_codes(e, index, bias, compute);
    }
    if (!scaled) {
        compute(e.input(index, 0), e.input(index, 1), bias.empty() ? nullptr : bias.data(), e.result(index));
    }
    if constexpr (Stored) {
        saturate_before_int8(e, index, compute);
    }
}

} // namespace ane::oracle::inline ANEMONE_WAY

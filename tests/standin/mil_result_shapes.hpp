#pragma once

#include "mil_layer_shapes.hpp"
#include "mil_shapes.hpp"
#include "program.hpp"

#include <string>
#include <vector>

namespace ane::standin {

/// The element type of result `position` of a node whose arguments are resolved.
inline element result_type(const program& p, const node& n, std::size_t position) {
    switch (n.rule->act) {
    case action::comparison:
    case action::logical_not: return element::boolean;
    case action::quantize: return p.text(n, "output_dtype") == "uint8" ? element::uint8 : element::int8;
    case action::top_k: return position == 1 ? element::int32 : element::fp16;
    case action::sparse_palette_weight:
    case action::sparse_blockwise_weight: return position == 0 ? element::uint1 : element::fp16;
    default: return element::fp16;
    }
}

/// The shapes of the results of a node whose arguments are resolved.
inline std::vector<dimensions> result_shapes(const program& p, const node& n) {
    switch (n.rule->act) {
    case action::unary:
        if (n.rule->kind == op::gelu && p.text(n, "mode") != "EXACT" && p.text(n, "mode") != "TANH_APPROXIMATION" &&
            p.text(n, "mode") != "SIGMOID_APPROXIMATION") {
            shapes::bad(n,
                        "mode '" + p.text(n, "mode") + "' is not EXACT, TANH_APPROXIMATION or SIGMOID_APPROXIMATION");
        }
        return {p.shape(p.id(n, "x"))};
    case action::comparison:
    case action::binary: return {shapes::broadcast(n, p.shape(p.id(n, "x")), p.shape(p.id(n, "y")))};
    case action::convolution:
    case action::transposed_convolution: return {shapes::convolution(p, n)};
    case action::matmul: return {shapes::matmul(p, n)};
    case action::pool: return {shapes::pool(p, n)};
    case action::softmax:
        static_cast<void>(shapes::axis(n, p.integer(n, "axis"), p.shape(p.id(n, "x")).size()));
        return {p.shape(p.id(n, "x"))};
    case action::reduce: return {shapes::reduce(p, n)};
    case action::batch_norm: return {shapes::batch_norm(p, n)};
    case action::reshape: return {shapes::reshape(p, n)};
    case action::transpose: return {shapes::transpose(p, n)};
    case action::concat: return {shapes::concat(p, n)};
    case action::split: return shapes::split(p, n);
    case action::slice: return {shapes::slice(p, n)};
    case action::pad: return {shapes::pad(p, n)};
    case action::logical_not:
    case action::cast: return {p.shape(p.id(n, "x"))};
    case action::select: return {shapes::select(p, n)};
    case action::per_channel: return {shapes::per_channel(p, n)};
    case action::standardize:
    case action::response_norm: return {shapes::normalized(p, n)};
    case action::attention: return {shapes::attention(p, n)};
    case action::rearrange: return {shapes::rearranged(p, n)};
    case action::resize: return {shapes::resized(p, n)};
    case action::affine_map: return {shapes::mapped(p, n)};
    case action::quantize:
    case action::dequantize: return {shapes::quantized(p, n)};
    case action::top_k: return shapes::top_k(p, n);
    case action::affine_weight: return {p.shape(p.id(n, "quantized_data"))};
    case action::palette_weight: return {shapes::of_palette(p, n)};
    case action::sparse_palette_weight: return {p.shape(p.id(n, "indices_mask")), shapes::kept(p, n, "indices_mask")};
    case action::sparse_blockwise_weight: return {p.shape(p.id(n, "data_mask")), shapes::kept(p, n, "data_mask")};
    case action::sparse_weight: return {p.shape(p.id(n, "mask"))};
    case action::blockwise_weight: return {p.shape(p.id(n, "data"))};
    }
    return {};
}

} // namespace ane::standin

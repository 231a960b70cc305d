#pragma once

#include "../../base/way.hpp"
#include "../kernels/quantization.hpp"
#include "step.hpp"

#include <algorithm>
#include <cmath>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The scale and the zero point of a node in this run.
struct bound_scales {
    kernels::scale_places scale;
    kernels::scale_places zero;
    bool shifted;

    kernels::scale_operands in(const operands& o) const {
        return {o.input(1), scale, shifted ? o.input(2) : nullptr, zero};
    }
};

ANEMONE_INLINE bound_scales bind_scales(const binding_context& c, int index) {
    const int along = c.at(index).get<quantization>().axis;
    const bool shifted = c.at(index).operands.count == 3;
    const extents& x = c.shape(index);
    return {kernels::scale_places_of(x, along, c.operand_shape(index, 1)),
            shifted ? kernels::scale_places_of(x, along, c.operand_shape(index, 2)) : kernels::scale_places{}, shifted};
}

/// clamp(round(x / scale) + zero), halves to even (ONNX QuantizeLinear); a NaN becomes the zero point.
ANEMONE_INLINE bound_step bind_quantize(const binding_context& c, int index) {
    return [by = bind_scales(c, index), type = c.at(index).type, count = c.shape(index).count()](const operands& o) {
        kernels::quantize(o.input(0), by.in(o), count, o.result, [type](half x, kernels::scale_of_element with) {
            // Wide enough that the zero point moves what is clamped here back into the type's range.
            const float ratio = static_cast<float>(x) / static_cast<float>(with.scale);
            const float clamped = std::isnan(ratio) ? 0.0F : std::clamp(ratio, -0x1p20F, 0x1p20F);
            return kernels::saturated(static_cast<double>(std::nearbyint(clamped)) + static_cast<double>(with.zero),
                                      type);
        });
    };
}

/// (q - zero) scale, rounded once (ONNX DequantizeLinear).
ANEMONE_INLINE bound_step bind_dequantize(const binding_context& c, int index) {
    const dtype type = c.at(c.operand(index, 0)).type;
    return [by = bind_scales(c, index), type, count = c.shape(index).count()](const operands& o) {
        kernels::dequantize(type, o.inputs[0], by.in(o), count, o.output(), [](half q, kernels::scale_of_element with) {
            return half((static_cast<float>(q) - static_cast<float>(with.zero)) * static_cast<float>(with.scale));
        });
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "kernels/conv_transpose.hpp"
#include "step.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Constant weights are packed once, here; computed ones in each run.
ANEMONE_INLINE bound_step bind_conv2d(const binding_context& c, int index) {
    const convolution_shape shape = ane::detail::convolution_shape_of<conv>(c.graph, c.at(index));
    const bool biased = c.at(index).operands.count == 3;
    const half* const weight = c.constant(index, 1);
    const half* const bias = c.constant(index, 2);
    const kernel_table& kernels = c.kernels;
    if (weight != nullptr && (!biased || bias != nullptr)) {
        return [&kernels, packed = pack(kernels, shape, weight, bias)](const operands& o) {
            convolution(kernels, packed, o.input(0), o.output());
        };
    }
    return [&kernels, shape, biased](const operands& o) {
        convolution(kernels, shape, o.input(0), o.input(1), biased ? o.input(2) : nullptr, o.output());
    };
}

ANEMONE_INLINE bound_step bind_conv_transpose2d(const binding_context& c, int index) {
    const convolution_shape shape = ane::detail::convolution_shape_of<conv_transpose>(c.graph, c.at(index));
    const bool biased = c.at(index).operands.count == 3;
    const half* const weight = c.constant(index, 1);
    const half* const bias = c.constant(index, 2);
    const kernel_table& kernels = c.kernels;
    if (weight != nullptr && (!biased || bias != nullptr)) {
        return [&kernels, packed = pack_transposed(kernels, shape, weight, bias)](const operands& o) {
            transposed_convolution(kernels, packed, o.input(0), o.output());
        };
    }
    return [&kernels, shape, biased](const operands& o) {
        transposed_convolution(kernels, shape, o.input(0), o.input(1), biased ? o.input(2) : nullptr, o.output());
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

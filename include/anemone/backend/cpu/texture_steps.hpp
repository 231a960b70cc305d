#pragma once

#include "../../base/way.hpp"
#include "../kernels/grid_sample.hpp"
#include "../kernels/resize.hpp"
#include "step.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// What each sample of a resize reads is computed once, when the step is bound.
ANEMONE_INLINE bound_step bind_resize(const binding_context& c, int index) {
    const extents& x = c.operand_shape(index, 0);
    const sampling& s = c.at(index).get<sampling>();
    return [x, rows = kernels::resized_axis(s, x[2], s.extent.height),
            columns = kernels::resized_axis(s, x[3], s.extent.width)](const operands& o) {
        kernels::sample_planes(kernels::plain_arithmetic{}, o.input(0), x[0] * x[1], x[2], x[3], rows, columns,
                               o.output());
    };
}

ANEMONE_INLINE bound_step bind_crop_resize(const binding_context& c, int index) {
    return [x = c.operand_shape(index, 0), boxes = c.operand_shape(index, 1)[0],
            s = c.at(index).get<sampling>()](const operands& o) {
        kernels::crop_resize(kernels::plain_arithmetic{}, s, o.input(0), x, o.input(1), boxes, o.output());
    };
}

ANEMONE_INLINE bound_step bind_resample(const binding_context& c, int index) {
    return [x = c.operand_shape(index, 0), grid = c.operand_shape(index, 1),
            s = c.at(index).get<sampling>()](const operands& o) {
        kernels::resample(kernels::plain_arithmetic{}, s, o.input(0), x, o.input(1), grid, o.output());
    };
}

ANEMONE_INLINE bound_step bind_gather_hw(const binding_context& c, int index) {
    return [x = c.operand_shape(index, 0), places = c.operand_shape(index, 1)](const operands& o) {
        kernels::resample(kernels::plain_arithmetic{}, kernels::gather_sampling(places), o.input(0), x, o.input(1),
                          places, o.output());
    };
}

ANEMONE_INLINE bound_step bind_affine(const binding_context& c, int index) {
    return [x = c.operand_shape(index, 0), matrices = c.operand_shape(index, 1)[0],
            s = c.at(index).get<sampling>()](const operands& o) {
        kernels::affine(kernels::plain_arithmetic{}, s, o.input(0), x, o.input(1), matrices, o.output());
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

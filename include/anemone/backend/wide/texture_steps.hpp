#pragma once

#include "../../base/way.hpp"
#include "../kernels/grid_sample.hpp"
#include "../kernels/resize.hpp"
#include "step.hpp"
#include "wide_arithmetic.hpp"

namespace ane::wide_reference::inline ANEMONE_WAY {

ANEMONE_INLINE void resize(evaluation& e, int index) {
    const extents& x = e.operand_shape(index, 0);
    const sampling& s = e.at(index).get<sampling>();
    kernels::sample_planes(wide_arithmetic{}, e.input(index, 0), x[0] * x[1], x[2], x[3],
                           kernels::resized_axis(s, x[2], s.extent.height),
                           kernels::resized_axis(s, x[3], s.extent.width), e.result(index));
}

ANEMONE_INLINE void crop_resize(evaluation& e, int index) {
    kernels::crop_resize(wide_arithmetic{}, e.at(index).get<sampling>(), e.input(index, 0), e.operand_shape(index, 0),
                         e.input(index, 1), e.operand_shape(index, 1)[0], e.result(index));
}

ANEMONE_INLINE void resample(evaluation& e, int index) {
    kernels::resample(wide_arithmetic{}, e.at(index).get<sampling>(), e.input(index, 0), e.operand_shape(index, 0),
                      e.input(index, 1), e.operand_shape(index, 1), e.result(index));
}

ANEMONE_INLINE void gather_hw(evaluation& e, int index) {
    const extents& places = e.operand_shape(index, 1);
    kernels::resample(wide_arithmetic{}, kernels::gather_sampling(places), e.input(index, 0), e.operand_shape(index, 0),
                      e.input(index, 1), places, e.result(index));
}

ANEMONE_INLINE void affine(evaluation& e, int index) {
    kernels::affine(wide_arithmetic{}, e.at(index).get<sampling>(), e.input(index, 0), e.operand_shape(index, 0),
                    e.input(index, 1), e.operand_shape(index, 1)[0], e.result(index));
}

} // namespace ane::wide_reference::inline ANEMONE_WAY

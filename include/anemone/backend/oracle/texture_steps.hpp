#pragma once

#include "../../base/way.hpp"
#include "../kernels/grid_sample.hpp"
#include "../kernels/resize.hpp"
#include "step.hpp"

namespace ane::oracle::inline ANEMONE_WAY {

ANEMONE_INLINE void resize(evaluation& e, int index) {
    const extents& x = e.operand_shape(index, 0);
    const sampling& s = e.at(index).get<sampling>();
    kernels::sample_planes(kernels::engine_arithmetic{e.arithmetic}, e.input(index, 0), x[0] * x[1], x[2], x[3],
                           kernels::resized_axis(s, x[2], s.extent.height),
                           kernels::resized_axis(s, x[3], s.extent.width), e.result(index));
}

ANEMONE_INLINE void crop_resize(evaluation& e, int index) {
    kernels::crop_resize(kernels::engine_arithmetic{e.arithmetic}, e.at(index).get<sampling>(), e.input(index, 0),
                         e.operand_shape(index, 0), e.input(index, 1), e.operand_shape(index, 1)[0], e.result(index));
}

ANEMONE_INLINE void resample(evaluation& e, int index) {
    kernels::resample(kernels::engine_arithmetic{e.arithmetic}, e.at(index).get<sampling>(), e.input(index, 0),
                      e.operand_shape(index, 0), e.input(index, 1), e.operand_shape(index, 1), e.result(index));
}

ANEMONE_INLINE void gather_hw(evaluation& e, int index) {
    const extents& places = e.operand_shape(index, 1);
    kernels::resample(kernels::engine_arithmetic{e.arithmetic}, kernels::gather_sampling(places), e.input(index, 0),
                      e.operand_shape(index, 0), e.input(index, 1), places, e.result(index));
}

ANEMONE_INLINE void affine(evaluation& e, int index) {
    kernels::affine(kernels::engine_arithmetic{e.arithmetic}, e.at(index).get<sampling>(), e.input(index, 0),
                    e.operand_shape(index, 0), e.input(index, 1), e.operand_shape(index, 1)[0], e.result(index));
}

} // namespace ane::oracle::inline ANEMONE_WAY

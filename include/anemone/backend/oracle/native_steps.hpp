#pragma once

#include "../../base/way.hpp"
#include "../../numerics/convolution.hpp"
#include "../kernels/distance.hpp"
#include "../kernels/response_norm.hpp"
#include "../kernels/scaled.hpp"
#include "../node_shapes.hpp"
#include "contraction_steps.hpp"
#include "step.hpp"

namespace ane::oracle::inline ANEMONE_WAY {

ANEMONE_INLINE void local_response_norm(evaluation& e, int index) {
    kernels::local_response_norm(kernels::engine_arithmetic{e.arithmetic}, e.at(index).get<response>(),
                                 e.input(index, 0), e.shape(index), e.result(index));
}

ANEMONE_INLINE void scaled_elementwise(evaluation& e, int index) {
    kernels::scaled_elementwise(kernels::engine_arithmetic{e.arithmetic}, e.at(index).get<scaling>(), e.input(index, 0),
                                e.input(index, 1), e.count(index), e.result(index));
}

/// A convolution whose kernel is the template.
ANEMONE_INLINE void cross_correlation(evaluation& e, int index) {
    numerics::convolution(e.arithmetic, ane::detail::correlation_shape_of(e.graph, e.at(index)), e.input(index, 0),
                          e.input(index, 1), nullptr, e.result(index), execution_of(e));
}

ANEMONE_INLINE void cross_product(evaluation& e, int index) {
    kernels::cross_product(kernels::engine_arithmetic{e.arithmetic}, e.input(index, 0), e.input(index, 1),
                           e.shape(index)[0], e.result(index));
}

ANEMONE_INLINE void cost_volume(evaluation& e, int index) {
    kernels::cost_volume(kernels::engine_arithmetic{e.arithmetic}, e.input(index, 0), e.operand_shape(index, 0),
                         e.input(index, 1), e.operand_shape(index, 1)[3], e.at(index).get<amount>().count,
                         e.result(index));
}

ANEMONE_INLINE void furthest_point_sampling(evaluation& e, int index) {
    kernels::furthest_point_sampling(kernels::engine_arithmetic{e.arithmetic}, e.input(index, 0),
                                     e.operand_shape(index, 0)[3], e.shape(index)[3], e.result(index));
}

ANEMONE_INLINE void radius_search(evaluation& e, int index) {
    kernels::radius_search(kernels::engine_arithmetic{e.arithmetic}, e.at(index).get<search_radius>().radius,
                           e.input(index, 0), e.operand_shape(index, 0)[3], e.input(index, 1),
                           e.operand_shape(index, 1)[3], e.result_bytes(index));
}

} // namespace ane::oracle::inline ANEMONE_WAY

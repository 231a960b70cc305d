#pragma once

#include "../../base/way.hpp"
#include "../kernels/distance.hpp"
#include "../kernels/response_norm.hpp"
#include "../kernels/scaled.hpp"
#include "../kernels/scan.hpp"
#include "../node_shapes.hpp"
#include "step.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_INLINE bound_step bind_cumsum(const binding_context& c, int index) {
    cumulation how = c.at(index).get<cumulation>();
    how.axis = normalized_axis(how.axis, c.shape(index).rank);
    return [how, shape = c.shape(index)](const operands& o) {
        kernels::cumulative_sum(kernels::plain_arithmetic{}, how, o.input(0), shape, o.output());
    };
}

ANEMONE_INLINE bound_step bind_local_response_norm(const binding_context& c, int index) {
    return [how = c.at(index).get<response_norm_shape>(), shape = c.shape(index)](const operands& o) {
        kernels::local_response_norm(kernels::plain_arithmetic{}, how, o.input(0), shape, o.output());
    };
}

ANEMONE_INLINE bound_step bind_scaled_elementwise(const binding_context& c, int index) {
    return [how = c.at(index).get<scaling>(), count = c.shape(index).count()](const operands& o) {
        kernels::scaled_elementwise(kernels::plain_arithmetic{}, how, o.input(0), o.input(1), count, o.output());
    };
}

ANEMONE_INLINE bound_step bind_cross_product(const binding_context& c, int index) {
    return [count = c.shape(index)[0]](const operands& o) {
        kernels::cross_product(kernels::plain_arithmetic{}, o.input(0), o.input(1), count, o.output());
    };
}

ANEMONE_INLINE bound_step bind_cost_volume(const binding_context& c, int index) {
    return [x = c.operand_shape(index, 0), width = c.operand_shape(index, 1)[3],
            planes = c.at(index).get<item_count>().count](const operands& o) {
        kernels::cost_volume(kernels::plain_arithmetic{}, o.input(0), x, o.input(1), width, planes, o.output());
    };
}

ANEMONE_INLINE bound_step bind_furthest_point_sampling(const binding_context& c, int index) {
    return [points = c.operand_shape(index, 0)[3], chosen = c.shape(index)[3]](const operands& o) {
        kernels::furthest_point_sampling(kernels::plain_arithmetic{}, o.input(0), points, chosen, o.output());
    };
}

ANEMONE_INLINE bound_step bind_radius_search(const binding_context& c, int index) {
    return [radius = c.at(index).get<search_radius>().radius, centroids = c.operand_shape(index, 0)[3],
            points = c.operand_shape(index, 1)[3]](const operands& o) {
        kernels::radius_search(kernels::plain_arithmetic{}, radius, o.input(0), centroids, o.input(1), points,
                               o.result);
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

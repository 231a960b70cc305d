#pragma once

#include "../../base/way.hpp"
#include "../../numerics/convolution.hpp"
#include "../../numerics/row_reduction.hpp"
#include "../kernels/distance.hpp"
#include "../kernels/response_norm.hpp"
#include "../kernels/scaled.hpp"
#include "../node_shapes.hpp"
#include "contraction_steps.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

ANEMONE_INLINE void local_response_norm(evaluation& e, int index) {
    kernels::local_response_norm(kernels::engine_arithmetic{e.arithmetic}, e.at(index).get<response_norm_shape>(),
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
                         e.input(index, 1), e.operand_shape(index, 1)[3], e.at(index).get<item_count>().count,
                         e.result(index));
}

/// kernels::squared_distance of every point [1, 3, 1, count] from point `index` of the others.
ANEMONE_INLINE void squared_distances(const numerics::datapath& path, const half* points, std::int64_t count,
                                      const half* others, std::int64_t other_count, std::int64_t index,
                                      std::vector<half>& squares, half* out) {
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    squares.resize(static_cast<std::size_t>(3 * count));
    for (std::int64_t c = 0; c < 3; ++c) {
        half* const row = squares.data() + c * count;
        kernels.subtract(path, {points + c * count, 1}, {others + c * other_count + index, 0}, row, count);
        kernels.multiply(path, {row, 1}, {row, 1}, row, count);
    }
    numerics::reduce_columns(kernels, path, op::reduce_sum, squares.data(), 3, count, count, out);
}

/// kernels::furthest_point_sampling by rows.
ANEMONE_INLINE void furthest_point_sampling(evaluation& e, int index) {
    const half* const points = e.input(index, 0);
    const std::int64_t count = e.operand_shape(index, 0)[3];
    const std::int64_t chosen = e.shape(index)[3];
    half* const out = e.result(index);
    if (!numerics::has_row_products(e.arithmetic)) {
        kernels::furthest_point_sampling(kernels::engine_arithmetic{e.arithmetic}, points, count, chosen, out);
        return;
    }
    std::vector<half> squares;
    std::vector<half> distances(static_cast<std::size_t>(count));
    std::vector<half> nearest(distances.size(), std::numeric_limits<half>::infinity());
    std::int64_t latest = 0;
    for (std::int64_t k = 0; k < chosen; ++k) {
        for (std::int64_t c = 0; c < 3; ++c) {
            out[c * chosen + k] = points[c * count + latest];
        }
        squared_distances(e.arithmetic, points, count, points, count, latest, squares, distances.data());
        numerics::best_row_kernels().minimum(e.arithmetic, {nearest.data(), 1}, {distances.data(), 1}, nearest.data(),
                                             count);
        const auto farthest = std::max_element( // none is negative: they order as their patterns do
            nearest.begin(), nearest.end(), [](half a, half b) { return a.bits < b.bits; });
        latest = farthest - nearest.begin();
    }
}

/// kernels::radius_search by rows.
ANEMONE_INLINE void radius_search(evaluation& e, int index) {
    const float radius = e.at(index).get<search_radius>().radius;
    const half* const centroids = e.input(index, 0);
    const half* const points = e.input(index, 1);
    const std::int64_t centroid_count = e.operand_shape(index, 0)[3];
    const std::int64_t point_count = e.operand_shape(index, 1)[3];
    const kernels::engine_arithmetic arithmetic{e.arithmetic};
    std::byte* out = e.result_bytes(index);
    if (!numerics::has_row_products(e.arithmetic)) {
        kernels::radius_search(arithmetic, radius, centroids, centroid_count, points, point_count, out);
        return;
    }
    const half bound = arithmetic.number(static_cast<double>(radius) * static_cast<double>(radius));
    std::vector<half> squares;
    std::vector<half> distances(static_cast<std::size_t>(centroid_count));
    std::vector<std::int8_t> order(distances.size());
    for (std::int64_t p = 0; p < point_count; ++p) {
        squared_distances(e.arithmetic, centroids, centroid_count, points, point_count, p, squares, distances.data());
        numerics::best_row_kernels().order({distances.data(), 1}, {&bound, 0}, order.data(), centroid_count);
        out = std::transform(order.begin(), order.end(), out,
                             [](std::int8_t above) { return above <= 0 ? std::byte{1} : std::byte{0}; });
    }
}

} // namespace ane::oracle::inline ANEMONE_WAY

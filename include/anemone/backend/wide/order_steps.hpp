#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/random.hpp"
#include "step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace ane::wide_reference::inline ANEMONE_WAY {

/// sort and top_k (values), arg_sort and top_k_indices (where they stood). A NaN is the largest, and equal elements keep
/// their order, ascending and descending alike.
ANEMONE_INLINE void rank(evaluation& e, int index) {
    const node& n = e.at(index);
    const selection& s = n.get<selection>();
    const extents& shape = e.operand_shape(index, 0);
    const bool places = n.kind == op::arg_sort || n.kind == op::top_k_indices;
    ane::detail::for_each_row(
        shape, normalized_axis(s.axis, shape.rank),
        [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t step) {
            const double* const x = e.input(index, 0) + begin;
            const auto less = [&](std::int64_t a, std::int64_t b) {
                return std::isnan(x[b * step]) ? !std::isnan(x[a * step]) : x[a * step] < x[b * step];
            };
            std::vector<std::int64_t> order(static_cast<std::size_t>(count));
            std::iota(order.begin(), order.end(), std::int64_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](std::int64_t a, std::int64_t b) { return s.ascending ? less(a, b) : less(b, a); });
            double* const to = e.result(index) + begin / (count * step) * s.k * step + begin % step;
            for (std::int64_t i = 0; i < s.k; ++i) {
                const std::int64_t from = order[static_cast<std::size_t>(i)];
                to[i * step] = places ? static_cast<double>(from) : x[from * step];
            }
        });
}

/// The numbers of every backend, which are fp16 by their definition.
ANEMONE_INLINE void random_uniform(evaluation& e, int index) {
    std::vector<half> drawn(static_cast<std::size_t>(e.count(index)));
    numerics::fill_uniform(e.at(index).get<uniform_range>(), numerics::random_stream(e.graph, index), drawn.data(),
                           e.count(index));
    std::copy(drawn.begin(), drawn.end(), e.result(index));
}

} // namespace ane::wide_reference::inline ANEMONE_WAY

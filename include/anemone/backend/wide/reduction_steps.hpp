#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/kernel_shapes.hpp"
#include "../kernels/scan.hpp"
#include "../node_shapes.hpp"
#include "functions.hpp"
#include "step.hpp"
#include "wide_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::wide_reference::inline ANEMONE_WAY {

/// What a reduction makes of the elements x[from[i]].
template <op Kind> double reduced(const double* x, const std::vector<std::int64_t>& from) {
    const auto sum = [&](const auto& apply) {
        exact_sum total;
        for (const std::int64_t i : from) {
            total.add(apply(x[i]));
        }
        return total.result();
    };
    const auto extreme = [&](double start, const auto& chosen) {
        for (const std::int64_t i : from) {
            start = chosen(start, x[i]);
        }
        return start;
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if constexpr (Kind == op::reduce_sum) {
        return sum([](double v) { return v; });
    } else if constexpr (Kind == op::reduce_mean) {
        return sum([](double v) { return v; }) / static_cast<double>(from.size());
    } else if constexpr (Kind == op::reduce_max) {
        return extreme(-infinity, [](double a, double b) { return larger(a, b); });
    } else if constexpr (Kind == op::reduce_min) {
        return extreme(infinity, [](double a, double b) { return smaller(a, b); });
    } else if constexpr (Kind == op::reduce_sum_square) {
        return sum([](double v) { return v * v; });
    } else if constexpr (Kind == op::reduce_l1_norm) {
        return sum([](double v) { return std::fabs(v); });
    } else if constexpr (Kind == op::reduce_l2_norm) {
        return std::sqrt(sum([](double v) { return v * v; }));
    } else if constexpr (Kind == op::reduce_log_sum) {
        return std::log(sum([](double v) { return v; }));
    } else {
        static_assert(Kind == op::reduce_log_sum_exp, "a reduction has no arithmetic in double precision");
        const double most = extreme(-infinity, [](double a, double b) { return larger(a, b); });
        const double center = std::isfinite(most) ? most : 0; // infinity - infinity is NaN
        return center + std::log(sum([center](double v) { return std::exp(v - center); }));
    }
}

template <op Kind> void reduce(evaluation& e, int index) {
    const double* const x = e.input(index, 0);
    double* const y = e.result(index);
    ane::detail::for_each_reduction(
        e.operand_shape(index, 0), e.at(index).get<axes>(),
        [&](std::int64_t to, const std::vector<std::int64_t>& from) { y[to] = reduced<Kind>(x, from); });
}

/// The index of the largest or smallest of a line, the first of equals; the first NaN before any.
template <bool Largest> void arg_reduce(evaluation& e, int index) {
    const extents& shape = e.operand_shape(index, 0);
    ane::detail::for_each_row(shape, normalized_axis(e.at(index).get<axis>().index, shape.rank),
                              [&](std::int64_t line, std::int64_t begin, std::int64_t count, std::int64_t step) {
                                  const double* const x = e.input(index, 0) + begin;
                                  std::int64_t best = 0;
                                  for (std::int64_t i = 1; i < count && !std::isnan(x[best * step]); ++i) {
                                      const double next = x[i * step];
                                      const double held = x[best * step];
                                      best = std::isnan(next) || (Largest ? next > held : next < held) ? i : best;
                                  }
                                  e.result(index)[line] = static_cast<double>(best);
                              });
}

ANEMONE_INLINE void cumsum(evaluation& e, int index) {
    cumulation how = e.at(index).get<cumulation>();
    how.axis = normalized_axis(how.axis, e.shape(index).rank);
    kernels::cumulative_sum(wide_arithmetic{}, how, e.input(index, 0), e.shape(index), e.result(index));
}

/// One window of a pooling, which begins at (top, left). The padding never is the largest, and adds nothing.
ANEMONE_INLINE double pooled(op kind, const numerics::pool_shape& s, const double* plane, std::int64_t top,
                             std::int64_t left) {
    double most = -std::numeric_limits<double>::infinity();
    exact_sum total;
    for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(top + s.kernel_height, s.in_height); ++y) {
        for (std::int64_t x = std::max<std::int64_t>(left, 0); x < std::min(left + s.kernel_width, s.in_width); ++x) {
            const double value = plane[y * s.in_width + x];
            most = larger(most, value);
            total.add(kind == op::l2_pool ? value * value : value);
        }
    }
    return kind == op::max_pool ? most : kind == op::l2_pool ? std::sqrt(total.result()) : total.result();
}

ANEMONE_INLINE void pool(evaluation& e, int index) {
    const op kind = e.at(index).kind;
    const numerics::pool_shape s = ane::detail::pool_shape_of(e.graph, e.at(index));
    double* to = e.result(index);
    for (std::int64_t plane = 0; plane < s.batch * s.channels; ++plane) {
        const double* const x = e.input(index, 0) + plane * s.in_height * s.in_width;
        for (std::int64_t i = 0; i < s.out_height; ++i) {
            for (std::int64_t j = 0; j < s.out_width; ++j) {
                *to = pooled(kind, s, x, i * s.stride_height - s.pad_top, j * s.stride_width - s.pad_left);
                if (kind == op::avg_pool) {
                    *to /= static_cast<double>(numerics::averaged_places(s, i, j));
                }
                ++to;
            }
        }
    }
}

} // namespace ane::wide_reference::inline ANEMONE_WAY

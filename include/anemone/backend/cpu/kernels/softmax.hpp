#pragma once

#include "../../../shape.hpp"
#include "table.hpp"

#include <cstdint>
#include <vector>

namespace ane::cpu {

namespace detail {

/// A shape seen from one axis: [outer, count, inner]. Throws errc::argument when there is no such axis (-1 is the
/// last).
struct axis_view {
    std::int64_t outer = 1;
    std::int64_t count = 1;
    std::int64_t inner = 1;
};

inline axis_view view_of_axis(const extents& shape, int axis) {
    const int own = normalized_axis(axis, shape.rank);
    if (own < 0 || own >= shape.rank) {
        throw error(errc::argument, "axis",
                    std::to_string(axis) + " is not an axis of rank " + std::to_string(shape.rank));
    }
    axis_view view;
    for (int i = 0; i < shape.rank; ++i) {
        (i < own ? view.outer : i == own ? view.count : view.inner) *= shape[i];
    }
    return view;
}

} // namespace detail

/// out = e^(x - max) / sum e^(x - max) along one axis, fp32 inside, rounded once. A row that holds NaN or +inf, or -inf
/// only, is all NaN. In place allowed. Throws errc::argument when there is no such axis.
inline void softmax(const kernel_table& table, const half* x, const extents& shape, int axis, half* out) {
    const detail::axis_view view = detail::view_of_axis(shape, axis);
    const std::int64_t size = view.count * view.inner;
    std::vector<float> values(static_cast<std::size_t>(size));
    std::vector<float> line(view.inner == 1 ? 0U : static_cast<std::size_t>(view.count));
    const auto normalize = [&](float* row) {
        table.affine(row, row, view.count, table.largest(row, view.count), 1.0F, 0.0F);
        table.unary(op::exp, row, row, view.count, 0.0F, 0.0F);
        const float total = table.sum(row, view.count);
        table.binary(op::div, row, 1, &total, 0, row, view.count);
    };
    for (std::int64_t o = 0; o < view.outer; ++o) {
        table.to_float(x + o * size, values.data(), size);
        if (view.inner == 1) {
            normalize(values.data());
        } else {
            for (std::int64_t i = 0; i < view.inner; ++i) {
                for (std::int64_t t = 0; t < view.count; ++t) {
                    line[static_cast<std::size_t>(t)] = values[static_cast<std::size_t>(t * view.inner + i)];
                }
                normalize(line.data());
                for (std::int64_t t = 0; t < view.count; ++t) {
                    values[static_cast<std::size_t>(t * view.inner + i)] = line[static_cast<std::size_t>(t)];
                }
            }
        }
        table.to_half(values.data(), out + o * size, size);
    }
}

} // namespace ane::cpu

#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../../values/shape.hpp"
#include "table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// A shape seen from one axis: [outer, count, inner]. Throws errc::argument when there is no such axis (-1 is the
/// last).
struct axis_view {
    std::int64_t outer = 1;
    std::int64_t count = 1;
    std::int64_t inner = 1;
};

ANEMONE_INLINE axis_view view_of_axis(const extents& shape, int axis) {
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

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Calls line(values), which changes `view_of_axis(shape, axis).count` fp32 values in place, for every line along one
/// axis of x, and rounds them into out; lines that are not contiguous are gathered first and scattered afterwards. In
/// place allowed. Throws errc::argument when there is no such axis.
template <class Line>
void along_axis(const kernel_table& table, const half* x, const extents& shape, int axis, half* out, const Line& line) {
    const detail::axis_view view = detail::view_of_axis(shape, axis);
    const std::int64_t size = view.count * view.inner;
    std::vector<float> values(static_cast<std::size_t>(size));
    std::vector<float> gathered(view.inner == 1 ? 0U : static_cast<std::size_t>(view.count));
    for (std::int64_t o = 0; o < view.outer; ++o) {
        table.to_float(x + o * size, values.data(), size);
        if (view.inner == 1) {
            line(values.data());
        } else {
            for (std::int64_t i = 0; i < view.inner; ++i) {
                for (std::int64_t t = 0; t < view.count; ++t) {
                    gathered[static_cast<std::size_t>(t)] = values[static_cast<std::size_t>(t * view.inner + i)];
                }
                line(gathered.data());
                for (std::int64_t t = 0; t < view.count; ++t) {
                    values[static_cast<std::size_t>(t * view.inner + i)] = gathered[static_cast<std::size_t>(t)];
                }
            }
        }
        table.to_half(values.data(), out + o * size, size);
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY

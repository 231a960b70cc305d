#pragma once

#include "elementwise.hpp"
#include "softmax.hpp"

#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace ane::cpu {

/// A set of axes, bit i for axis i.
using axis_set = unsigned;

/// The set of axes of a shape of that rank; negative ones count from the last. Throws errc::argument when one is not
/// there.
inline axis_set axes(std::initializer_list<int> list, int rank) {
    axis_set result = 0;
    for (const int axis : list) {
        const int own = normalized_axis(axis, rank);
        detail::require(own >= 0 && own < rank, "reduce", fmt::format("{} is not an axis of rank {}", axis, rank));
        result |= 1U << static_cast<unsigned>(own);
    }
    return result;
}

/// Sum, mean, maximum or minimum over a set of axes; `out` is dense over the axes that are left, in order (whether they
/// are kept as ones is the caller's shape). fp32 accumulation, one rounding; maximum and minimum propagate NaN. An
/// empty set copies. Throws errc::argument on another operation, an axis that is not there, or a maximum or minimum of
/// nothing.
inline void reduce(const kernel_table& table, op kind, const half* x, const extents& shape, axis_set reduced,
                   half* out) {
    detail::require(is_reduction(kind), "reduce", fmt::format("{} is not a reduction", name(kind)));
    detail::require(reduced >> static_cast<unsigned>(shape.rank) == 0, name(kind).data(),
                    fmt::format("the axis set {:#b} has an axis beyond rank {}", reduced, shape.rank));
    const bool adds = kind == op::reduce_sum || kind == op::reduce_mean;
    const bool largest = kind == op::reduce_max;
    extents out_strides = row_major_strides(shape);
    std::int64_t kept = 1;
    std::int64_t folded = 1;
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
        const bool folds = (reduced >> static_cast<unsigned>(axis) & 1U) != 0;
        out_strides[axis] = folds ? 0 : kept;
        (folds ? folded : kept) *= shape[axis];
    }
    detail::require(adds || folded > 0, name(kind).data(), "reduces no elements, which have no extreme");
    const auto nest = loop_nest<2>{shape, {row_major_strides(shape), out_strides}}.collapsed();
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> result(static_cast<std::size_t>(kept), adds ? 0.0F : largest ? -infinity : infinity);
    const auto fold = adds ? table.sum : largest ? table.largest : table.smallest;
    const op combine = adds ? op::add : largest ? op::maximum : op::minimum;
    nest.for_each_row([&](const auto& offsets) {
        float values[detail::chunk];
        for (std::int64_t i = 0; i < nest.row_count(); i += detail::chunk) {
            const std::int64_t count = std::min(detail::chunk, nest.row_count() - i);
            table.to_float(x + offsets[0] + i, values, count);
            if (nest.row_stride(1) == 0) {
                float* const to = result.data() + offsets[1];
                const float part = fold(values, count);
                table.binary(combine, to, 1, &part, 1, to, 1);
            } else {
                float* const to = result.data() + offsets[1] + i;
                table.binary(combine, to, 1, values, 1, to, count);
            }
        }
    });
    if (kind == op::reduce_mean) {
        const auto divisor = static_cast<float>(folded);
        table.binary(op::div, result.data(), 1, &divisor, 0, result.data(), kept);
    }
    table.to_half(result.data(), out, kept);
}

/// Index of the largest or smallest value along one axis, the first of equals; the first NaN wins. `Index` is an
/// integer type or half (which holds indices to 2048 exactly). Throws errc::argument on another operation, an axis that
/// is not there, an axis of extent zero, or one too long for an integer Index.
template <class Index> void arg_reduce(op kind, const half* x, const extents& shape, int axis, Index* out) {
    detail::require(is_arg_reduction(kind), "arg_reduce", fmt::format("{} gives no index", name(kind)));
    const detail::axis_view view = detail::view_of_axis(shape, axis);
    detail::require(view.count > 0, name(kind).data(), "the axis has extent 0");
    if constexpr (std::is_integral_v<Index>) {
        detail::require(std::in_range<Index>(view.count - 1), name(kind).data(),
                        fmt::format("the index type does not hold {}", view.count - 1));
    }
    for (std::int64_t o = 0; o < view.outer; ++o) {
        for (std::int64_t i = 0; i < view.inner; ++i) {
            const half* const row = x + o * view.count * view.inner + i;
            std::int64_t best = 0;
            for (std::int64_t t = 1; t < view.count && !is_nan(row[best * view.inner]); ++t) {
                const half value = row[t * view.inner];
                const half held = row[best * view.inner];
                if (is_nan(value) || (kind == op::arg_max ? value > held : value < held)) {
                    best = t;
                }
            }
            if constexpr (std::is_same_v<Index, half>) {
                out[o * view.inner + i] = half(static_cast<double>(best));
            } else {
                out[o * view.inner + i] = static_cast<Index>(best);
            }
        }
    }
}

} // namespace ane::cpu

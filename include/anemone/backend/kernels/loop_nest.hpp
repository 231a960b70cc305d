#pragma once

#include "../../base/way.hpp"
#include "../../values/shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::kernels::inline ANEMONE_WAY {

/// Nested loops over `shape` that advance N row-major or strided operands together (strides in elements, 0 repeats).
template <std::size_t N> struct loop_nest {
    extents shape;
    std::array<extents, N> strides;

    /// Drops axes of extent one and merges neighbouring axes that every operand traverses with a single stride; the
    /// rank stays at least one.
    constexpr loop_nest collapsed() const {
        loop_nest result;
        for (int axis = 0; axis < shape.rank; ++axis) {
            if (shape[axis] == 1) {
                continue;
            }
            const int last = result.shape.rank - 1;
            bool even = last >= 0;
            for (std::size_t n = 0; n < N && even; ++n) {
                even = result.strides[n][last] == strides[n][axis] * shape[axis];
            }
            if (even) {
                result.shape[last] *= shape[axis];
                for (std::size_t n = 0; n < N; ++n) {
                    result.strides[n][last] = strides[n][axis];
                }
            } else {
                result.append(shape[axis], *this, axis);
            }
        }
        if (result.shape.rank == 0) {
            result.shape.append(1);
            for (extents& stride : result.strides) {
                stride.append(1);
            }
        }
        return result;
    }

    /// Calls row(offsets) for every position of all axes but the last; nothing when an extent is zero.
    template <class Row> void for_each_row(Row row) const {
        if (shape.count() != 0) {
            for_rows(0, rows(), row);
        }
    }

    /// The number of rows: positions of all axes but the last.
    constexpr std::int64_t rows() const {
        std::int64_t count = 1;
        for (int axis = 0; axis < shape.rank - 1; ++axis) {
            count *= shape[axis];
        }
        return count;
    }

    /// Calls row(offsets) for rows first <= i < last of them, in order.
    template <class Row> void for_rows(std::int64_t first, std::int64_t last, Row row) const {
        std::array<std::int64_t, N> offsets{};
        std::array<std::int64_t, static_cast<std::size_t>(extents::capacity)> index{};
        std::int64_t rest = first;
        for (int axis = shape.rank - 2; axis >= 0 && rest != 0; --axis) {
            index[static_cast<std::size_t>(axis)] = rest % shape[axis];
            rest /= shape[axis];
            for (std::size_t n = 0; n < N; ++n) {
                offsets[n] += strides[n][axis] * index[static_cast<std::size_t>(axis)];
            }
        }
        for (std::int64_t i = first; i < last; ++i) {
            row(offsets);
            advance(offsets, index);
        }
    }

    /// Extent of the innermost loop and the stride of operand `n` in it.
    constexpr std::int64_t row_count() const { return shape[shape.rank - 1]; }
    constexpr std::int64_t row_stride(std::size_t n) const { return strides[n][shape.rank - 1]; }

private:
    /// The position after this one; after the last, the first.
    constexpr void advance(std::array<std::int64_t, N>& offsets,
                           std::array<std::int64_t, static_cast<std::size_t>(extents::capacity)>& index) const {
        for (int axis = shape.rank - 2; axis >= 0; --axis) {
            std::int64_t& i = index[static_cast<std::size_t>(axis)];
            ++i;
            for (std::size_t n = 0; n < N; ++n) {
                offsets[n] += strides[n][axis];
            }
            if (i < shape[axis]) {
                return;
            }
            i = 0;
            for (std::size_t n = 0; n < N; ++n) {
                offsets[n] -= strides[n][axis] * shape[axis];
            }
        }
    }

    constexpr void append(std::int64_t extent, const loop_nest& from, int axis) {
        shape.append(extent);
        for (std::size_t n = 0; n < N; ++n) {
            strides[n].append(from.strides[n][axis]);
        }
    }
};

} // namespace ane::kernels::inline ANEMONE_WAY

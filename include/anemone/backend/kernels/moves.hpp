#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes.hpp"
#include "../../values/dtype.hpp"
#include "../../values/half.hpp"
#include "../../values/shape.hpp"
#include "loop_nest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Moving elements without computing: written once, for every backend; they are fp16 or, in the reference, doubles.
namespace ane::kernels::inline ANEMONE_WAY {

/// A box of elements that go from an operand into a result: for all indices i within `shape`, the result's element at
/// to_first + sum of to[k] i[k] becomes the operand's element at from_first + sum of from[k] i[k]. Steps may be zero or
/// negative. Along an axis on which the operand's elements are not evenly spaced, tables[k][i[k]] replaces from[k]
/// i[k].
struct element_move {
    int operand = 0;
    extents shape{};
    std::int64_t to_first = 0;
    indices to{};
    std::int64_t from_first = 0;
    indices from{};
    std::array<std::vector<std::int64_t>, static_cast<std::size_t>(extents::capacity)> tables{};

    const std::vector<std::int64_t>& table(int axis) const { return tables[static_cast<std::size_t>(axis)]; }
    /// The outermost axis with more than one index, along which the move can be done in parts.
    int parted_axis() const {
        int axis = 0;
        while (axis < shape.rank - 1 && shape[axis] == 1) {
            ++axis;
        }
        return axis;
    }
    bool is_even() const {
        return std::all_of(tables.begin(), tables.end(), [](const auto& table) { return table.empty(); });
    }
};

/// The fp16 values of the 256 bytes of an 8-bit type, all exact: uint8, int8 (two's complement), and booleans.
ANEMONE_API std::array<half, 256> byte_values(dtype type);

/// Moves the elements: `x` is the operand's data, `y` the result's.
ANEMONE_API void move_elements(const element_move& m, const half* x, half* y);
ANEMONE_API void move_elements(const element_move& m, const double* x, double* y);
/// The part of a move with the indices first <= i < last of parted_axis().
ANEMONE_API void move_elements(const element_move& m, const half* x, half* y, std::int64_t first, std::int64_t last);

} // namespace ane::kernels::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "moves.ipp"
#endif

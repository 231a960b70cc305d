#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/row_kernels.hpp"
#include "../kernels/loop_nest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/// Walks over tensors row by row, for the loops of numerics/row_kernels.hpp.
namespace ane::oracle::inline ANEMONE_WAY {

/// Calls row(first element of the result, first elements of the operands, their steps, length) for rows of the result
/// along which every operand that broadcasts to it is dense (step 1) or one number (step 0).
template <std::size_t Operands, class Row>
void for_each_broadcast_row(const extents& result, const std::array<extents, Operands>& operands, const Row& row) {
    kernels::loop_nest<Operands + 1> nest{result, {}};
    nest.strides[0] = row_major_strides(result);
    for (std::size_t k = 0; k < Operands; ++k) {
        nest.strides[k + 1] = ane::detail::broadcast_strides(result, operands[k]);
    }
    nest = nest.collapsed();
    std::array<std::int64_t, Operands> steps{};
    for (std::size_t k = 0; k < Operands; ++k) {
        steps[k] = nest.row_count() == 1 ? 0 : nest.row_stride(k + 1);
    }
    nest.for_each_row([&](const auto& offsets) {
        std::array<std::int64_t, Operands> from{};
        std::copy(offsets.begin() + 1, offsets.end(), from.begin());
        row(offsets[0], from, steps, nest.row_count());
    });
}

/// A reduction as `outer` blocks of `count` rows of `inner` elements, each row an addend of as many results.
struct reduction_blocks {
    std::int64_t outer = 1;
    std::int64_t count = 1;
    std::int64_t inner = 1;
    bool regular = true; ///< false: the axes that are removed do not lie side by side
};

constexpr reduction_blocks reduction_blocks_of(const extents& shape, const axes& removed) {
    reduction_blocks blocks;
    int part = 0; // before, within or behind the axes that are removed
    for (int axis = 0; axis < shape.rank; ++axis) {
        bool is_removed = false;
        for (int i = 0; i < removed.list.rank; ++i) {
            is_removed = is_removed || removed.list[i] == axis;
        }
        if (shape[axis] == 1) {
            continue;
        }
        if (is_removed) {
            blocks.regular = blocks.regular && part < 2;
            part = 1;
            blocks.count *= shape[axis];
        } else {
            part = part == 0 ? 0 : 2;
            (part == 0 ? blocks.outer : blocks.inner) *= shape[axis];
        }
    }
    return blocks;
}

} // namespace ane::oracle::inline ANEMONE_WAY

#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes.hpp"
#include "../kernels/broadcast_rows.hpp"

#include <cstdint>

/// Walks over tensors row by row, for the loops of numerics/row_kernels.hpp.
namespace ane::oracle::inline ANEMONE_WAY {

using kernels::for_each_broadcast_row;

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

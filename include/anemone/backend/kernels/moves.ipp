#pragma once

#include "../../graph/attributes.hpp"
#include "../../values/dtype.hpp"
#include "../../values/half.hpp"
#include "../../values/shape.hpp"
#include "loop_nest.hpp"
#include "moves.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::kernels::detail::inline ANEMONE_WAY {

/// to[i to_step] = from[i from_step] for `count` indices i.
ANEMONE_INLINE void copy_row(const half* from, std::int64_t from_step, half* to, std::int64_t to_step,
                             std::int64_t count) {
    if (from_step == 1 && to_step == 1) {
        std::copy_n(from, count, to);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        to[i * to_step] = from[i * from_step];
    }
}

/// to[sum of to_steps[k] i[k]] = from[sum of from_steps[k] i[k]] for all indices i within `shape`, in runs where both
/// are dense.
ANEMONE_INLINE void strided_copy(const extents& shape, const half* from, const indices& from_steps, half* to,
                                 const indices& to_steps) {
    const auto nest = loop_nest<2>{shape, {from_steps, to_steps}}.collapsed();
    nest.for_each_row([&](const auto& offsets) {
        copy_row(from + offsets[0], nest.row_stride(0), to + offsets[1], nest.row_stride(1), nest.row_count());
    });
}

/// The part of a move from axis `axis` on, for fixed indices of the axes before it.
ANEMONE_INLINE void table_copy(const element_move& m, int axis, const half* from, half* to) {
    const std::int64_t count = m.shape[axis];
    const std::int64_t from_step = m.from[axis];
    const std::int64_t to_step = m.to[axis];
    const std::int64_t* const table = m.table(axis).empty() ? nullptr : m.table(axis).data();
    if (axis < m.shape.rank - 1) {
        for (std::int64_t i = 0; i < count; ++i) {
            table_copy(m, axis + 1, from + (table == nullptr ? i * from_step : table[i]), to + i * to_step);
        }
    } else if (table != nullptr) {
        for (std::int64_t i = 0; i < count; ++i) {
            to[i * to_step] = from[table[i]];
        }
    } else {
        copy_row(from, from_step, to, to_step, count);
    }
}

} // namespace ane::kernels::detail::inline ANEMONE_WAY

namespace ane::kernels::inline ANEMONE_WAY {

ANEMONE_BODY std::array<half, 256> byte_values(dtype type) {
    std::array<half, 256> values;
    for (int i = 0; i < 256; ++i) {
        const int number = type == dtype::int8 && i > 127 ? i - 256 : i;
        values[static_cast<std::size_t>(i)] = half(type == dtype::boolean && i != 0 ? 1 : number);
    }
    return values;
}

ANEMONE_BODY void move_elements(const element_move& m, const half* x, half* y) {
    if (m.is_even()) {
        detail::strided_copy(m.shape, x + m.from_first, m.from, y + m.to_first, m.to);
    } else {
        detail::table_copy(m, 0, x + m.from_first, y + m.to_first);
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY

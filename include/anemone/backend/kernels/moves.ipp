#pragma once

#include "../../graph/attributes.hpp"
#include "../../values/dtype.hpp"
#include "../../values/half.hpp"
#include "../../values/shape.hpp"
#include "loop_nest.hpp"
#include "moves.hpp"
#include "transpose.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace ane::kernels::detail::inline ANEMONE_WAY {

/// to[i to_step] = from[i from_step] for `count` indices i.
template <class Element>
void copy_row(const Element* from, std::int64_t from_step, Element* to, std::int64_t to_step, std::int64_t count) {
    if (from_step == 1 && to_step == 1) {
        std::copy_n(from, count, to);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        to[i * to_step] = from[i * from_step];
    }
}

/// The axis of a nest along which operand n is dense; -1 if there is none.
ANEMONE_INLINE int dense_axis(const loop_nest<2>& nest, std::size_t n) {
    for (int axis = nest.shape.rank - 1; axis >= 0; --axis) {
        if (nest.strides[n][axis] == 1) {
            return axis;
        }
    }
    return -1;
}

/// to[sum of to_steps[k] i[k]] = from[sum of from_steps[k] i[k]] for all indices i within `shape`: in runs where both
/// are dense, or of fp16 as transposes where they are dense along different axes.
template <class Element>
void strided_copy(const extents& shape, const Element* from, const indices& from_steps, Element* to,
                  const indices& to_steps) {
    const auto nest = loop_nest<2>{shape, {from_steps, to_steps}}.collapsed();
    if constexpr (std::is_same_v<Element, half>) {
        const int columns = dense_axis(nest, 0);
        const int rows = dense_axis(nest, 1);
        constexpr std::int64_t least = 4; // below this a plain loop is as fast
        if (columns >= 0 && rows >= 0 && rows != columns && nest.shape[rows] >= least && nest.shape[columns] >= least) {
            loop_nest<2> planes = nest; // each of its rows is one element: where a transpose begins
            planes.shape[rows] = 1;
            planes.shape[columns] = 1;
            planes.shape.append(1);
            planes.strides[0].append(1);
            planes.strides[1].append(1);
            planes.for_each_row([&](const auto& offsets) {
                transpose(from + offsets[0], nest.strides[0][rows], to + offsets[1], nest.strides[1][columns],
                          nest.shape[rows], nest.shape[columns]);
            });
            return;
        }
    }
    nest.for_each_row([&](const auto& offsets) {
        copy_row(from + offsets[0], nest.row_stride(0), to + offsets[1], nest.row_stride(1), nest.row_count());
    });
}

/// The part of a move from axis `axis` on, for fixed indices of the axes before it; of that axis the indices first <= i
/// < last.
template <class Element>
void table_copy(const element_move& m, int axis, std::int64_t first, std::int64_t last, const Element* from,
                Element* to) {
    const std::int64_t from_step = m.from[axis];
    const std::int64_t to_step = m.to[axis];
    const std::int64_t* const table = m.table(axis).empty() ? nullptr : m.table(axis).data();
    if (axis < m.shape.rank - 1) {
        for (std::int64_t i = first; i < last; ++i) {
            table_copy(m, axis + 1, 0, m.shape[axis + 1], from + (table == nullptr ? i * from_step : table[i]),
                       to + i * to_step);
        }
    } else if (table != nullptr) {
        for (std::int64_t i = first; i < last; ++i) {
            to[i * to_step] = from[table[i]];
        }
    } else {
        copy_row(from + first * from_step, from_step, to + first * to_step, to_step, last - first);
    }
}

/// move_elements, the part of a move.
template <class Element>
void moved_part(const element_move& m, const Element* x, Element* y, std::int64_t first, std::int64_t last) {
    const int axis = m.parted_axis();
    if (m.is_even()) {
        extents part = m.shape;
        part[axis] = last - first;
        strided_copy(part, x + m.from_first + first * m.from[axis], m.from, y + m.to_first + first * m.to[axis], m.to);
        return;
    }
    // The axes before it have one index each.
    const Element* from = x + m.from_first;
    for (int before = 0; before < axis; ++before) {
        from += m.table(before).empty() ? 0 : m.table(before)[0];
    }
    table_copy(m, axis, first, last, from, y + m.to_first);
}

template <class Element> void moved(const element_move& m, const Element* x, Element* y) {
    if (m.shape.rank == 0) {
        y[m.to_first] = x[m.from_first];
        return;
    }
    moved_part(m, x, y, 0, m.shape[m.parted_axis()]);
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

ANEMONE_BODY void move_elements(const element_move& m, const half* x, half* y) { detail::moved(m, x, y); }
ANEMONE_BODY void move_elements(const element_move& m, const double* x, double* y) { detail::moved(m, x, y); }
ANEMONE_BODY void move_elements(const element_move& m, const half* x, half* y, std::int64_t first, std::int64_t last) {
    detail::moved_part(m, x, y, first, last);
}

} // namespace ane::kernels::inline ANEMONE_WAY

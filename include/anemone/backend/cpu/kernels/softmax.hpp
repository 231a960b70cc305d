#pragma once

#include "../../../way.hpp"
#include "lines.hpp"

#include <cstdint>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The softmax of a row of fp32 values, in place.
ANEMONE_INLINE void softmax_row(const kernel_table& table, float* row, std::int64_t count) {
    table.affine(row, row, count, table.largest(row, count), 1.0F, 0.0F);
    table.unary(op::exp, row, row, count, 0.0F, 0.0F);
    const float total = table.sum(row, count);
    table.binary(op::div, row, 1, &total, 0, row, count);
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// out = e^(x - max) / sum e^(x - max) along one axis, fp32 inside, rounded once. A row that holds NaN or +inf, or -inf
/// only, is all NaN. In place allowed. Throws errc::argument when there is no such axis.
ANEMONE_INLINE void softmax(const kernel_table& table, const half* x, const extents& shape, int axis, half* out) {
    const std::int64_t count = detail::view_of_axis(shape, axis).count;
    along_axis(table, x, shape, axis, out, [&](float* row) { detail::softmax_row(table, row, count); });
}

} // namespace ane::cpu::inline ANEMONE_WAY

#pragma once

#include "lines.hpp"
#include "softmax.hpp"

#include <cstdint>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_BODY void softmax_row(const kernel_table& table, float* row, std::int64_t count) {
    table.affine(row, row, count, table.largest(row, count), 1.0F, 0.0F);
    table.unary(op::exp, row, row, count, 0.0F, 0.0F);
    const float total = table.sum(row, count);
    table.binary(op::div, row, 1, &total, 0, row, count);
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void softmax(const kernel_table& table, const half* x, const extents& shape, int axis, half* out) {
    const std::int64_t count = detail::view_of_axis(shape, axis).count;
    along_axis(table, x, shape, axis, out, [&](float* row) { detail::softmax_row(table, row, count); });
}

} // namespace ane::cpu::inline ANEMONE_WAY

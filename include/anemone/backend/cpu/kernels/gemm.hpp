#pragma once

#include "../../../kernel_shapes.hpp"
#include "../../../way.hpp"
#include "conv.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

using ane::matmul_shape;

/// A right operand in the order the tiles read it: panels of 32 columns, [k][32], the last one filled with zeros; one
/// matrix, or one for each batch.
struct packed_matrix {
    std::int64_t matrices = 0;
    std::int64_t k = 0;
    std::int64_t n = 0;
    std::vector<std::int64_t> offsets; ///< of each row of a panel
    std::vector<float> panels;

    std::int64_t panels_per_matrix() const { return (n + tile_columns - 1) / tile_columns; }
};

/// Prepares the right operand, [k, n] or with transpose_b [n, k], once. Throws errc::argument on a negative extent.
ANEMONE_INLINE packed_matrix pack(const kernel_table& table, const matmul_shape& s, const half* b) {
    detail::require(s.batch >= 0 && s.m >= 0 && s.n >= 0 && s.k >= 0, "matmul",
                    fmt::format("batch {}, m {}, n {} or k {} is negative", s.batch, s.m, s.n, s.k));
    packed_matrix packed;
    packed.matrices = s.b_batch_stride == 0 ? std::min<std::int64_t>(s.batch, 1) : s.batch;
    packed.k = s.k;
    packed.n = s.n;
    for (std::int64_t t = 0; t < s.k; ++t) {
        packed.offsets.push_back(t * tile_columns);
    }
    const std::int64_t size = packed.panels_per_matrix() * s.k * tile_columns;
    packed.panels.assign(static_cast<std::size_t>(packed.matrices * size), 0.0F);
    std::vector<float> line(static_cast<std::size_t>(std::max(s.n, s.k)));
    for (std::int64_t i = 0; i < packed.matrices; ++i) {
        const half* const matrix = b + i * s.b_batch_stride;
        float* const panels = packed.panels.data() + i * size;
        const auto place = [&](std::int64_t row, std::int64_t column) {
            return panels + (column / tile_columns * s.k + row) * tile_columns + column % tile_columns;
        };
        if (s.transpose_b) {
            for (std::int64_t column = 0; column < s.n; ++column) {
                table.to_float(matrix + column * s.k, line.data(), s.k);
                for (std::int64_t row = 0; row < s.k; ++row) {
                    *place(row, column) = line[static_cast<std::size_t>(row)];
                }
            }
        } else {
            for (std::int64_t row = 0; row < s.k; ++row) {
                for (std::int64_t column = 0; column < s.n; column += tile_columns) {
                    table.to_float(matrix + row * s.n + column, place(row, column),
                                   std::min<std::int64_t>(tile_columns, s.n - column));
                }
            }
        }
    }
    return packed;
}

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The product of one left matrix, in blocks of rows, and one packed matrix: hands line(row, first column, count, fp32
/// sums in the order of t) each finished stretch.
template <class Line>
void multiply(const kernel_table& table, std::int64_t rows, const std::vector<float>& blocks, const packed_matrix& b,
              const float* panels, Line line) {
    float sums[tile_rows * tile_columns];
    for (std::int64_t c = 0; c < b.n; c += tile_columns) {
        const std::int64_t columns = std::min<std::int64_t>(tile_columns, b.n - c);
        for (std::int64_t r0 = 0; r0 < rows; r0 += tile_rows) {
            const int count = static_cast<int>(std::min<std::int64_t>(tile_rows, rows - r0));
            table.tile(count, b.k, blocks.data() + r0 * b.k, panels + c / tile_columns * b.k * tile_columns,
                       b.offsets.data(), sums, columns);
            for (int r = 0; r < count; ++r) {
                line(r0 + r, c, columns, sums + r * tile_columns);
            }
        }
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// out[i, r, c] = bias[c] + sum over t of A[i, r, t] * B[i, t, c]; A is [m, k], or [k, m] with transpose_a; fp32 sums
/// in the order of t, then one rounding. Throws errc::argument when B was packed for another shape.
ANEMONE_INLINE void matmul(const kernel_table& table, const matmul_shape& s, const half* a, const packed_matrix& b,
                           const half* bias, half* out) {
    const std::int64_t needed = s.b_batch_stride == 0 ? std::min<std::int64_t>(s.batch, 1) : s.batch;
    detail::require(b.k == s.k && b.n == s.n && b.matrices >= needed, "matmul",
                    fmt::format("B is packed as {} of [{}, {}], the product needs {} of [{}, {}]", b.matrices, b.k, b.n,
                                needed, s.k, s.n));
    const std::vector<float> bias_values = detail::to_floats(table, bias, s.n);
    const std::int64_t matrix_size = b.panels_per_matrix() * s.k * tile_columns;
    std::vector<float> plain(static_cast<std::size_t>(s.m * s.k));
    std::vector<float> blocks;
    for (std::int64_t i = 0; i < s.batch; ++i) {
        if (i == 0 || s.a_batch_stride != 0) {
            table.to_float(a + i * s.a_batch_stride, plain.data(), s.m * s.k);
            blocks.clear();
            blocks.reserve(plain.size());
            const std::int64_t row_step = s.transpose_a ? 1 : s.k;
            const std::int64_t tap_step = s.transpose_a ? s.m : 1;
            detail::append_blocks(blocks, s.m, s.k, [&](std::int64_t r, std::int64_t t) {
                return plain[static_cast<std::size_t>(r * row_step + t * tap_step)];
            });
        }
        detail::multiply(table, s.m, blocks, b, b.panels.data() + (s.b_batch_stride == 0 ? 0 : i * matrix_size),
                         [&](std::int64_t r, std::int64_t c, std::int64_t columns, float* values) {
                             if (bias != nullptr) {
                                 table.binary(op::add, values, 1, bias_values.data() + c, 1, values, columns);
                             }
                             table.to_half(values, out + (i * s.m + r) * s.n + c, columns);
                         });
    }
}

/// As above with a right operand that is used once; bias per column, or nullptr.
ANEMONE_INLINE void matmul(const kernel_table& table, const matmul_shape& shape, const half* a, const half* b,
                           const half* bias, half* out) {
    matmul(table, shape, a, pack(table, shape, b), bias, out);
}

} // namespace ane::cpu::inline ANEMONE_WAY

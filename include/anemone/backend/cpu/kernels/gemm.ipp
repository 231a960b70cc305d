#pragma once

#include "../../../base/formatted.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "conv.hpp"
#include "gemm.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY packed_matrix pack(const kernel_table& table, const matmul_shape& s, const half* b) {
    detail::require(s.batch >= 0 && s.m >= 0 && s.n >= 0 && s.k >= 0, "matmul",
                    formatted("batch {}, m {}, n {} or k {} is negative", s.batch, s.m, s.n, s.k));
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

ANEMONE_BODY void matmul(const kernel_table& table, const matmul_shape& s, const half* a, const packed_matrix& b,
                         const half* bias, half* out) {
    const std::int64_t needed = s.b_batch_stride == 0 ? std::min<std::int64_t>(s.batch, 1) : s.batch;
    detail::require(b.k == s.k && b.n == s.n && b.matrices >= needed, "matmul",
                    formatted("B is packed as {} of [{}, {}], the product needs {} of [{}, {}]", b.matrices, b.k, b.n,
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

ANEMONE_BODY void matmul(const kernel_table& table, const matmul_shape& shape, const half* a, const half* b,
                         const half* bias, half* out) {
    matmul(table, shape, a, pack(table, shape, b), bias, out);
}

} // namespace ane::cpu::inline ANEMONE_WAY

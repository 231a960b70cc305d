#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "conv.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

using numerics::matmul_shape;

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
ANEMONE_API packed_matrix pack(const kernel_table& table, const matmul_shape& s, const half* b);

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
ANEMONE_API void matmul(const kernel_table& table, const matmul_shape& s, const half* a, const packed_matrix& b,
                        const half* bias, half* out);

/// As above with a right operand that is used once; bias per column, or nullptr.
ANEMONE_API void matmul(const kernel_table& table, const matmul_shape& shape, const half* a, const half* b,
                        const half* bias, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "gemm.ipp"
#endif

#pragma once

#include "../../base/way.hpp"
#include "../../values/half.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ane::kernels::detail::inline ANEMONE_WAY {

using eight_patterns = std::uint16_t __attribute__((vector_size(16)));

/// to[c to_pitch + r] = from[r from_pitch + c] for r, c below 8: three rounds of interleaving in registers.
ANEMONE_INLINE void transpose_8x8(const half* from, std::int64_t from_pitch, half* to, std::int64_t to_pitch) {
    eight_patterns a[8];
    eight_patterns b[8];
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
        std::memcpy(&a[r], from + r * from_pitch, sizeof a[r]);
    }
    const auto interleave = [](const eight_patterns(&in)[8], eight_patterns(&out)[8]) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            out[2 * i] = __builtin_shufflevector(in[i], in[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            out[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
    };
    interleave(a, b);
    interleave(b, a);
    interleave(a, b);
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
        std::memcpy(static_cast<void*>(to + c * to_pitch), &b[c], sizeof b[c]);
    }
}

} // namespace ane::kernels::detail::inline ANEMONE_WAY

namespace ane::kernels::inline ANEMONE_WAY {

/// to[c to_pitch + r] = from[r from_pitch + c] for r < rows and c < columns. The two must not overlap.
ANEMONE_INLINE void transpose(const half* from, std::int64_t from_pitch, half* to, std::int64_t to_pitch,
                              std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t strip = 256; // of rows: their cache lines are read four times, from the first cache
    const std::int64_t whole_rows = rows / 8 * 8;
    const std::int64_t whole_columns = columns / 8 * 8;
    for (std::int64_t first = 0; first < whole_rows; first += strip) {
        const std::int64_t last = std::min(first + strip, whole_rows);
        for (std::int64_t c = 0; c < whole_columns; c += 8) {
            for (std::int64_t r = first; r < last; r += 8) {
                detail::transpose_8x8(from + r * from_pitch + c, from_pitch, to + c * to_pitch + r, to_pitch);
            }
        }
    }
    for (std::int64_t c = 0; c < columns; ++c) {
        for (std::int64_t r = c < whole_columns ? whole_rows : 0; r < rows; ++r) {
            to[c * to_pitch + r] = from[r * from_pitch + c];
        }
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY

// Included by simd/each_set.inl through level.inl: the transpose of a block in registers, with fp16 widened on the way.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

inline constexpr int turned_block = register_lanes < 8 ? 4 : 8;
using turned_row = floats<turned_block>;

/// to[i] = from[j * step + i] for all lanes j, for i and j below `turned_block`.
template <class From>
ANEMONE_CPU_INLINE void turned(const From* from, std::int64_t step, turned_row (&to)[turned_block]) {
    using raw = turned_row::raw;
    const From* const half_way = from + turned_block / 2 * step; // addresses of four rows need two registers
    raw row[turned_block];
#pragma GCC unroll 4
    for (int j = 0; j < turned_block / 2; ++j) {
        row[j] = turned_row::load(from + j * step).value;
        row[j + turned_block / 2] = turned_row::load(half_way + j * step).value;
    }
    // Pairs of rows are interleaved by elements, then by pairs, then by quarters of a register.
#if ANEMONE_SET_LANES == 4
    const raw a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const raw b = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const raw c = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const raw d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    to[0] = {__builtin_shufflevector(a, c, 0, 1, 4, 5)};
    to[1] = {__builtin_shufflevector(a, c, 2, 3, 6, 7)};
    to[2] = {__builtin_shufflevector(b, d, 0, 1, 4, 5)};
    to[3] = {__builtin_shufflevector(b, d, 2, 3, 6, 7)};
#else
    raw pairs[turned_block];
#pragma GCC unroll 4
    for (int j = 0; j < turned_block; j += 2) {
        pairs[j] = __builtin_shufflevector(row[j], row[j + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[j + 1] = __builtin_shufflevector(row[j], row[j + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    raw fours[turned_block];
#pragma GCC unroll 4
    for (int j = 0; j < turned_block; j += 4) {
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
            fours[j + 2 * k] = __builtin_shufflevector(pairs[j + k], pairs[j + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            fours[j + 2 * k + 1] = __builtin_shufflevector(pairs[j + k], pairs[j + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
        to[k] = {__builtin_shufflevector(fours[k], fours[k + 4], 0, 1, 2, 3, 8, 9, 10, 11)};
        to[k + 4] = {__builtin_shufflevector(fours[k], fours[k + 4], 4, 5, 6, 7, 12, 13, 14, 15)};
    }
#endif
}

/// to[i * to_step + j] = from[j * from_step + i] for i and j below `turned_block`.
template <class From>
ANEMONE_CPU_INLINE void turn(const From* from, std::int64_t from_step, float* to, std::int64_t to_step) {
    turned_row rows[turned_block];
    turned(from, from_step, rows);
#pragma GCC unroll 8
    for (int i = 0; i < turned_block; ++i) {
        rows[i].store(to + i * to_step);
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

// Included by simd/each_set.inl through level.inl: the transpose of a block in registers, with fp16 widened on the way.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

inline constexpr int turned_block = register_lanes < 8 ? 4 : 8;

/// to[i * to_step + j] = from[j * from_step + i] for i and j below `turned_block`.
ANEMONE_CPU_INLINE void turn(const half* from, std::int64_t from_step, float* to, std::int64_t to_step) {
    using vector = floats<turned_block>;
    using raw = vector::raw;
    raw row[turned_block];
#pragma GCC unroll 8
    for (int j = 0; j < turned_block; ++j) {
        row[j] = vector::load(from + j * from_step).value;
    }
    // Pairs of rows are interleaved by elements, then by pairs, then by quarters of a register.
#if ANEMONE_SET_LANES == 4
    const raw a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const raw b = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const raw c = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const raw d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const raw result[turned_block] = {
        __builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
        __builtin_shufflevector(b, d, 0, 1, 4, 5), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
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
    raw result[turned_block];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
        result[k] = __builtin_shufflevector(fours[k], fours[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        result[k + 4] = __builtin_shufflevector(fours[k], fours[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#endif
#pragma GCC unroll 8
    for (int i = 0; i < turned_block; ++i) {
        std::memcpy(to + i * to_step, &result[i], sizeof(raw));
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

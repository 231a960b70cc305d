// Included by simd/each_set.inl through level.inl: the contraction tile.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// sums[r, c] = sum over t of w[t, r] * x[offsets[t] + c]. The sum over t is sequential in one fp32 accumulator at
/// every level, so levels differ by fused multiply-adds only.
template <int Rows>
ANEMONE_CPU_INLINE void tile_of(std::int64_t taps, const float* w, const float* x, const std::int64_t* offsets,
                                float* sums, std::int64_t columns) {
    using vector = floats<register_lanes>;
    constexpr int wanted = Rows == 1 ? 4 : 2; // enough independent sums to hide the latency of the multiply-add
    constexpr int vectors = wanted * register_lanes < tile_columns ? wanted : tile_columns / register_lanes;
    for (std::int64_t c = 0; c < columns; c += vectors * register_lanes) {
        vector sum[Rows][vectors];
#pragma GCC unroll 6
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                sum[r][v] = vector::all(0.0F);
            }
        }
        for (std::int64_t t = 0; t < taps; ++t) {
            const float* const from = x + offsets[t] + c;
            vector value[vectors];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                value[v] = vector::load(from + v * register_lanes);
            }
#pragma GCC unroll 6
            for (int r = 0; r < Rows; ++r) {
                const vector weight = vector::all(w[t * Rows + r]);
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v) {
                    sum[r][v] = multiply_add(value[v], weight, sum[r][v]);
                }
            }
        }
#pragma GCC unroll 6
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                sum[r][v].store(sums + r * tile_columns + c + v * register_lanes);
            }
        }
    }
}

ANEMONE_INLINE void tile(int rows, std::int64_t taps, const float* w, const float* x, const std::int64_t* offsets,
                         float* sums, std::int64_t columns) {
    static_assert(tile_rows == 6);
    switch (rows) {
    case 1: return tile_of<1>(taps, w, x, offsets, sums, columns);
    case 2: return tile_of<2>(taps, w, x, offsets, sums, columns);
    case 3: return tile_of<3>(taps, w, x, offsets, sums, columns);
    case 4: return tile_of<4>(taps, w, x, offsets, sums, columns);
    case 5: return tile_of<5>(taps, w, x, offsets, sums, columns);
    default: return tile_of<6>(taps, w, x, offsets, sums, columns);
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

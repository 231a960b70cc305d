// Included by simd/each_set.inl through level.inl: tiles of convolutions whose lanes are positions. See
// convolution_kernels.hpp.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// `Rows` channels by `Vectors` registers of positions.
template <int Rows, int Vectors>
void position_tile(const contraction_job& job, std::int64_t row, std::int64_t position) {
    using vector = floats<register_lanes>;
    const float* const x = job.x + position;
    const float* weights = job.weights + row;
    float* const sums = job.sums + row * job.pitch + position;
    vector sum[Rows][Vectors];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v] = job.resumed ? vector::load(sums + r * job.pitch + v * register_lanes) : vector::all(0.0F);
        }
    }
    const auto add = [&](const float* from) {
        vector value[Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            value[v] = vector::load(from + v * register_lanes);
        }
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            const vector weight = vector::all(weights[r]);
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                add_product(sum[r][v], value[v], weight);
            }
        }
        weights += unit_channels;
    };
    for (std::int64_t i = 0; i < 4 * job.taps.four_count; ++i) {
        add(x + job.taps.fours[i / 4] + i % 4);
    }
    for (std::int64_t i = 0; i < job.taps.one_count; ++i) {
        add(x + job.taps.ones[i]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v].store(sums + r * job.pitch + v * register_lanes);
        }
    }
}

/// All channels of the job that `Rows` divides, from `first` on, at some vectors of positions.
template <int Rows, int Vectors>
ANEMONE_CPU_INLINE std::int64_t position_tiles(const contraction_job& job, std::int64_t first, std::int64_t channels,
                                               std::int64_t begin, std::int64_t end) {
    for (; first + Rows <= channels; first += Rows) {
        std::int64_t p = begin;
        for (; p + (Vectors - 1) * register_lanes < end; p += Vectors * register_lanes) {
            position_tile<Rows, Vectors>(job, first, p);
        }
        for (; p < end; p += register_lanes) {
            position_tile<Rows, 1>(job, first, p);
        }
    }
    return first;
}

ANEMONE_INLINE void position_lanes(const contraction_job& job) {
    constexpr bool wide = register_lanes == 16;
    constexpr std::int64_t stretch = (wide ? 6 : 12) * register_lanes; // positions that all channels share in the cache
    for (std::int64_t p = 0; p < job.columns; p += stretch) {
        const std::int64_t end = p + stretch < job.columns ? p + stretch : job.columns;
        std::int64_t r = 0;
        if constexpr (wide) {
            r = position_tiles<8, 3>(job, r, job.channels, p, end);
        }
        r = position_tiles < 4, wide ? 6 : register_lanes == 8 ? 3 : 2 > (job, r, job.channels, p, end);
        position_tiles<1, 6>(job, r, job.channels, p, end);
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

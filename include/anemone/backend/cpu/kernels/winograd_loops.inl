// Included by simd/each_set.inl through level.inl: the transforms of Winograd's convolutions F(2x2, 3x3) and
// F(4x4, 3x3), after A. Lavin and S. Gray, "Fast algorithms for convolutional neural networks", 2016; points 0, 1, -1,
// 2, -2 and infinity.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

template <int Tile> struct winograd;

template <> struct winograd<2> {
    template <class Vector> ANEMONE_CPU_INLINE static void input(const Vector (&d)[4], Vector (&to)[4]) {
        to[0] = d[0] - d[2];
        to[1] = d[1] + d[2];
        to[2] = d[2] - d[1];
        to[3] = d[1] - d[3];
    }
    template <class Vector> ANEMONE_CPU_INLINE static void output(const Vector (&m)[4], Vector (&to)[2]) {
        to[0] = m[0] + m[1] + m[2];
        to[1] = m[1] - m[2] - m[3];
    }
};

template <> struct winograd<4> {
    template <class Vector> ANEMONE_CPU_INLINE static void input(const Vector (&d)[6], Vector (&to)[6]) {
        const Vector four = Vector::all(4.0F);
        const Vector minus_four = Vector::all(-4.0F);
        const Vector minus_five = Vector::all(-5.0F);
        const Vector even = multiply_add(minus_four, d[2], d[4]);
        const Vector odd = multiply_add(minus_four, d[1], d[3]);
        const Vector near = d[4] - d[2];
        const Vector far = d[3] - d[1];
        const Vector twice = far + far;
        to[0] = multiply_add(four, d[0], multiply_add(minus_five, d[2], d[4]));
        to[1] = even + odd;
        to[2] = even - odd;
        to[3] = near + twice;
        to[4] = near - twice;
        to[5] = multiply_add(four, d[1], multiply_add(minus_five, d[3], d[5]));
    }
    template <class Vector> ANEMONE_CPU_INLINE static void output(const Vector (&m)[6], Vector (&to)[4]) {
        const Vector sum = m[1] + m[2];
        const Vector difference = m[1] - m[2];
        const Vector far_sum = m[3] + m[4];
        const Vector far_difference = m[3] - m[4];
        to[0] = m[0] + sum + far_sum;
        to[1] = multiply_add(Vector::all(2.0F), far_difference, difference);
        to[2] = multiply_add(Vector::all(4.0F), far_sum, sum);
        to[3] = multiply_add(Vector::all(8.0F), far_difference, difference) + m[5];
    }
};

/// One channel of some rows of tiles; lanes are tiles.
template <int Tile> void winograd_input_of(const winograd_input_job& job) {
    using vector = floats<register_lanes>;
    constexpr int points = Tile + 2;
    for (std::int64_t y = 0; y < job.tile_rows; ++y) {
        for (std::int64_t x = 0; x < job.tile_columns; x += register_lanes) {
            const float* const from = job.x + y * Tile * job.pitch + x;
            vector down[points][points]; // [column][row]
#pragma GCC unroll 6
            for (int k = 0; k < points; ++k) {
                const float* const column = from + k % Tile * job.phase + k / Tile;
                vector d[points];
#pragma GCC unroll 6
                for (int i = 0; i < points; ++i) {
                    d[i] = vector::load(column + i * job.pitch);
                }
                winograd<Tile>::input(d, down[k]);
            }
            float* to = job.to + y * job.tile_columns + x;
#pragma GCC unroll 6
            for (int i = 0; i < points; ++i) {
                vector d[points];
                vector across[points];
#pragma GCC unroll 6
                for (int k = 0; k < points; ++k) {
                    d[k] = down[k][i];
                }
                winograd<Tile>::input(d, across);
#pragma GCC unroll 6
                for (int k = 0; k < points; ++k, to += job.point) {
                    across[k].store(to);
                }
            }
        }
    }
}

/// One row of tiles; lanes are the channels of a few units, which are transposed at last.
template <int Tile> void winograd_output_of(const winograd_output_job& job) {
    using vector = floats<register_lanes>;
    constexpr int points = Tile + 2;
    const std::int64_t line = job.tile_columns * Tile * job.lanes;
    for (std::int64_t t = 0; t < job.tile_columns; ++t) {
        for (std::int64_t c = 0; c < job.lanes; c += register_lanes) {
            const float* const from = job.products + t * job.lanes + c;
            vector down[points][Tile];
#pragma GCC unroll 6
            for (int k = 0; k < points; ++k) {
                vector m[points];
#pragma GCC unroll 6
                for (int i = 0; i < points; ++i) {
                    m[i] = vector::load(from + (i * points + k) * job.point);
                }
                winograd<Tile>::output(m, down[k]);
            }
#pragma GCC unroll 4
            for (int i = 0; i < Tile; ++i) {
                vector m[points];
                vector across[Tile];
#pragma GCC unroll 6
                for (int k = 0; k < points; ++k) {
                    m[k] = down[k][i];
                }
                winograd<Tile>::output(m, across);
#pragma GCC unroll 4
                for (int j = 0; j < Tile; ++j) {
                    across[j].store(job.pixels + i * line + (t * Tile + j) * job.lanes + c);
                }
            }
        }
    }
    for (std::int64_t i = 0; i < job.rows; ++i) {
        transpose<(register_lanes >= 8 ? 8 : 4)>(job.pixels + i * line, job.lanes, job.columns, job.channels,
                                                 job.sums + i * job.columns, job.pitch);
    }
}

ANEMONE_INLINE void winograd_input(const winograd_input_job& job, int tile) {
    return tile == 4 ? winograd_input_of<4>(job) : winograd_input_of<2>(job);
}
ANEMONE_INLINE void winograd_output(const winograd_output_job& job, int tile) {
    return tile == 4 ? winograd_output_of<4>(job) : winograd_output_of<2>(job);
}

/// The largest magnitude, infinity for NaN, and the sum of squares: the same bits at every set.
ANEMONE_INLINE void magnitudes(const half* x, std::int64_t count, float* largest, float* squares) {
    using words = unsigned short __attribute__((vector_size(32)));
    constexpr int lanes = 16;
    words most{};
    floats<lanes> sum = floats<lanes>::all(0.0F);
    half last[lanes] = {};
    for (std::int64_t i = 0; i < count; i += lanes) {
        const half* from = x + i;
        if (i + lanes > count) {
            std::memcpy(static_cast<void*>(last), from, static_cast<std::size_t>(count - i) * sizeof(half));
            from = last;
        }
        words bits;
        std::memcpy(&bits, from, sizeof bits);
        bits &= static_cast<unsigned short>(0x7FFF);
        most = bits > most ? bits : most;
        const floats<lanes> values = floats<lanes>::load(from);
        sum = sum + values * values;
    }
    unsigned short peak = 0;
    float each[lanes];
    sum.store(each);
    *squares = 0.0F;
    for (int i = 0; i < lanes; ++i) {
        peak = most[i] > peak ? most[i] : peak;
        *squares += each[i];
    }
    *largest = widened(peak > 0x7C00U ? static_cast<unsigned short>(0x7C00U) : peak);
}

/// The columns of a row by their remainders of division by four.
ANEMONE_INLINE void split_fours(const float* from, std::int64_t fours, float* to, std::int64_t phase) {
    using vector = floats<register_lanes>;
    std::int64_t i = 0;
    for (; i + register_lanes <= fours; i += register_lanes) {
        float even[2 * register_lanes];
        float odd[2 * register_lanes];
        const float* const begin = from + 4 * i;
        split_vectors(vector::load(begin), vector::load(begin + register_lanes), even, odd);
        split_vectors(vector::load(begin + 2 * register_lanes), vector::load(begin + 3 * register_lanes),
                      even + register_lanes, odd + register_lanes);
        split_vectors(vector::load(even), vector::load(even + register_lanes), to + i, to + 2 * phase + i);
        split_vectors(vector::load(odd), vector::load(odd + register_lanes), to + phase + i, to + 3 * phase + i);
    }
    for (; i < fours; ++i) {
        for (int k = 0; k < 4; ++k) {
            to[k * phase + i] = from[4 * i + k];
        }
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

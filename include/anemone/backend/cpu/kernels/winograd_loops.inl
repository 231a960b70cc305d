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
    /// Twice the transform of a filter.
    template <class Vector> ANEMONE_CPU_INLINE static void filter(const Vector (&w)[3], Vector (&to)[4]) {
        const Vector outer = w[0] + w[2];
        to[0] = w[0] + w[0];
        to[1] = outer + w[1];
        to[2] = outer - w[1];
        to[3] = w[2] + w[2];
    }
    static constexpr double divisors[4] = {2, 2, 2, 2};
};

template <> struct winograd<4> {
    template <class Vector> ANEMONE_CPU_INLINE static void input(const Vector (&d)[6], Vector (&to)[6]) {
        const Vector four = Vector::all(4.0F);
        const Vector minus_four = Vector::all(-4.0F);
        const Vector minus_five = Vector::all(-5.0F);
        const Vector two = Vector::all(2.0F);
        const Vector minus_two = Vector::all(-2.0F);
        const Vector even = multiply_add(minus_four, d[2], d[4]);
        const Vector odd = multiply_add(minus_four, d[1], d[3]);
        const Vector near = d[4] - d[2];
        const Vector far = d[3] - d[1];
        to[0] = multiply_add(four, d[0], multiply_add(minus_five, d[2], d[4]));
        to[1] = even + odd;
        to[2] = even - odd;
        to[3] = multiply_add(two, far, near);
        to[4] = multiply_add(minus_two, far, near);
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
    /// The transform of a filter, each point times its divisor: without fractions.
    template <class Vector> ANEMONE_CPU_INLINE static void filter(const Vector (&w)[3], Vector (&to)[6]) {
        const Vector outer = w[0] + w[2];
        const Vector far_outer = multiply_add(Vector::all(4.0F), w[2], w[0]);
        const Vector twice = w[1] + w[1];
        to[0] = w[0];
        to[1] = outer + w[1];
        to[2] = outer - w[1];
        to[3] = far_outer + twice;
        to[4] = far_outer - twice;
        to[5] = w[2];
    }
    static constexpr double divisors[6] = {4, -6, -6, 24, 24, 1};
};

/// to[i * pitch + j] = from[j * from_step + i] for i and j below `turned_block`; what is not there is zero.
ANEMONE_INLINE void turn_part(const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count,
                              float* to, std::int64_t pitch) {
    half part[turned_block * turned_block] = {};
    for (std::int64_t j = 0; j < rows; ++j) {
        for (std::int64_t i = 0; i < count; ++i) {
            part[j * turned_block + i] = from[j * from_step + i];
        }
    }
    turn(part, turned_block, to, pitch);
}

/// `count` columns from `left` on of row y of all channels: to[column][channel], up to seven columns more.
ANEMONE_INLINE void winograd_row(const winograd_input_job& job, std::int64_t y, std::int64_t left, std::int64_t count,
                                 float* to) {
    constexpr std::int64_t lanes = winograd_channels;
    const auto zero = [&](std::int64_t from, std::int64_t end) {
        for (float* place = to + from * lanes; place < to + end * lanes; place += register_lanes) {
            floats<register_lanes>::all(0.0F).store(place);
        }
    };
    const std::int64_t begin = y < 0 || y >= job.height || left >= 0 ? 0 : left + count < 0 ? count : -left;
    const std::int64_t end = y < 0 || y >= job.height || job.width - left < begin ? begin
                             : job.width - left < count                           ? job.width - left
                                                                                  : count;
    const std::int64_t plane = job.height * job.width;
    const std::int64_t row = y * job.width + left;
    for (std::int64_t i = begin; i < end; i += turned_block) {
        for (std::int64_t c = 0; c < lanes; c += turned_block) {
            const std::int64_t at = c * plane + row + i;
            const std::int64_t there = job.channels - c;
            if (there >= turned_block && at + (turned_block - 1) * plane + turned_block <= job.readable) {
                turn(job.x + at, plane, to + i * lanes + c, lanes);
            } else {
                turn_part(job.x + at, plane, there < turned_block ? there : turned_block,
                          end - i < turned_block ? end - i : turned_block, to + i * lanes + c, lanes);
            }
        }
    }
    zero(0, begin);
    zero(end, count);
}

/// Lanes are channels: no image is too narrow for them.
template <int Tile> void winograd_input_of(const winograd_input_job& job) {
    using vector = floats<register_lanes>;
    constexpr int points = Tile + 2;
    constexpr std::int64_t lanes = winograd_channels;
    constexpr std::int64_t in_strip = winograd_columns / Tile;
    for (std::int64_t first = 0; first < job.tile_columns; first += in_strip) {
        const std::int64_t tiles = job.tile_columns - first < in_strip ? job.tile_columns - first : in_strip;
        const float* rows[points];
        for (std::int64_t y = 0; y < job.tile_rows; ++y) {
            // The last two rows of a tile are the first two of the one below it.
            for (std::int64_t i = y == 0 ? 0 : 2; i < points; ++i) {
                float* const row = job.rows + (y * Tile + i) % points * winograd_strip;
                winograd_row(job, job.top + y * Tile + i, job.left + first * Tile, tiles * Tile + 2, row);
            }
            for (std::int64_t i = 0; i < points; ++i) {
                rows[i] = job.rows + (y * Tile + i) % points * winograd_strip;
            }
            for (std::int64_t t = 0; t < tiles; ++t) {
                for (std::int64_t c = 0; c < lanes; c += register_lanes) {
                    vector down[points][points]; // [column][row]
#pragma GCC unroll 6
                    for (int k = 0; k < points; ++k) {
                        vector d[points];
#pragma GCC unroll 6
                        for (int i = 0; i < points; ++i) {
                            d[i] = vector::load(rows[i] + (t * Tile + k) * lanes + c);
                        }
                        winograd<Tile>::input(d, down[k]);
                    }
                    float* to = job.to + (y * job.tile_columns + first + t) * job.step + c;
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
    }
}

/// Each number is rounded once, as good as always: 1 / divisor is two numbers, of which the second is the rest.
template <int Tile> void winograd_filter_of(const winograd_filter_job& job) {
    using vector = floats<register_lanes>;
    constexpr int points = Tile + 2;
    constexpr std::int64_t lanes = unit_channels;
    constexpr std::int64_t at_once = 8;
    const std::int64_t row = job.channels * 9;
    float scale[points][points];
    float rest[points][points];
    for (int i = 0; i < points; ++i) {
        for (int j = 0; j < points; ++j) {
            const double exact = 1 / (winograd<Tile>::divisors[i] * winograd<Tile>::divisors[j]);
            scale[i][j] = static_cast<float>(exact);
            rest[i][j] = static_cast<float>(exact - static_cast<double>(scale[i][j]));
        }
    }
    float taps[at_once * 9 * lanes];
    for (std::int64_t first = 0; first < job.channels; first += at_once) {
        const std::int64_t now = job.channels - first < at_once ? job.channels - first : at_once;
        for (std::int64_t k = 0; k < now * 9; k += turned_block) {
            const std::int64_t left = now * 9 - k;
            for (std::int64_t r = 0; r < lanes; r += turned_block) {
                const half* const from = job.filter + r * row + first * 9 + k;
                if (job.rows - r >= turned_block && left >= turned_block) {
                    turn(from, row, taps + k * lanes + r, lanes);
                } else {
                    turn_part(from, row, job.rows - r < turned_block ? job.rows - r : turned_block,
                              left < turned_block ? left : turned_block, taps + k * lanes + r, lanes);
                }
            }
        }
        for (std::int64_t c = 0; c < now; ++c) {
            for (std::int64_t v = 0; v < lanes; v += register_lanes) {
                vector down[3][points]; // [column][row]
#pragma GCC unroll 3
                for (int j = 0; j < 3; ++j) {
                    vector w[3];
#pragma GCC unroll 3
                    for (int i = 0; i < 3; ++i) {
                        w[i] = vector::load(taps + (c * 9 + i * 3 + j) * lanes + v);
                    }
                    winograd<Tile>::filter(w, down[j]);
                }
                float* to = job.packed + (first + c) * lanes + v;
#pragma GCC unroll 6
                for (int i = 0; i < points; ++i) {
                    const vector w[3] = {down[0][i], down[1][i], down[2][i]};
                    vector across[points];
                    winograd<Tile>::filter(w, across);
#pragma GCC unroll 6
                    for (int j = 0; j < points; ++j, to += job.point) {
                        fused_multiply_add(across[j], vector::all(scale[i][j]), across[j] * vector::all(rest[i][j]))
                            .store(to);
                    }
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
            const vector bias = vector::load(job.bias + c);
            vector down[points][Tile];
#pragma GCC unroll 6
            for (int k = 0; k < points; ++k) {
                vector m[points];
#pragma GCC unroll 6
                for (int i = 0; i < points; ++i) {
                    m[i] = vector::load(from + (i * points + k) * job.point);
                }
                if (k == 1) { // what is added to this point comes to all outputs
                    m[1] = m[1] + bias;
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
        transpose(job.pixels + i * line, job.lanes, job.columns, job.channels, job.sums + i * job.columns, job.pitch);
    }
}

ANEMONE_INLINE void winograd_input(const winograd_input_job& job, int tile) {
    return tile == 4 ? winograd_input_of<4>(job) : winograd_input_of<2>(job);
}
ANEMONE_INLINE void winograd_output(const winograd_output_job& job, int tile) {
    return tile == 4 ? winograd_output_of<4>(job) : winograd_output_of<2>(job);
}
ANEMONE_INLINE void winograd_filter(const winograd_filter_job& job, int tile) {
    return tile == 4 ? winograd_filter_of<4>(job) : winograd_filter_of<2>(job);
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

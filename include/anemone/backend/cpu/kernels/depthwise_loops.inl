// Included by simd/each_set.inl through level.inl: copies of padded planes, and depthwise convolutions over them.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

ANEMONE_INLINE void widen_row(const half* from, float* to, std::int64_t count) {
    constexpr int lanes = 16;
    if (count < lanes) {
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = widened(from[i].bits);
        }
        return;
    }
    for (std::int64_t i = 0; i + lanes <= count; i += lanes) {
        floats<lanes>::load(from + i).store(to + i);
    }
    floats<lanes>::load(from + count - lanes).store(to + count - lanes);
}

/// From the end of a row's data to the next row, whose data may be overwritten.
ANEMONE_CPU_INLINE void zero_gap(float* row, std::int64_t width, std::int64_t pitch) {
    std::int64_t i = width;
    for (; i < pitch && i + 16 <= pitch + width; i += 16) {
        floats<16>::all(0.0F).store(row + i);
    }
    for (; i < pitch; ++i) {
        row[i] = 0.0F;
    }
}

/// All bits for the lanes below `count` <= 16.
ANEMONE_CPU_INLINE floats<16> first_lanes(std::int64_t count) {
    static constexpr std::uint32_t bits[32] = {~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U,
                                               ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U};
    float lanes[16];
    std::memcpy(lanes, bits + 16 - count, sizeof lanes);
    return floats<16>::load(lanes);
}

/// Rows of `Vectors` vectors, with zeros behind the data in the last one.
template <int Vectors>
ANEMONE_CPU_INLINE void widen_vectors(const half* from, std::int64_t from_pitch, std::int64_t rows, std::int64_t width,
                                      float* to, std::int64_t to_pitch) {
    constexpr int lanes = 16;
    const integers<lanes> kept = bits_of(first_lanes(width - (Vectors - 1) * lanes));
    for (std::int64_t y = 0; y < rows; ++y, from += from_pitch, to += to_pitch) {
#pragma GCC unroll 8
        for (int v = 0; v + 1 < Vectors; ++v) {
            floats<lanes>::load(from + v * lanes).store(to + v * lanes);
        }
        const floats<lanes> last = floats<lanes>::load(from + (Vectors - 1) * lanes);
        floats_of(bits_of(last) & kept).store(to + (Vectors - 1) * lanes);
    }
}

/// Whole vectors, whose surplus the next row or the zeros behind this one replace.
ANEMONE_INLINE void widen_each_row(const half* from, std::int64_t from_pitch, std::int64_t readable, std::int64_t rows,
                                   std::int64_t width, float* to, std::int64_t to_pitch, bool room) {
    constexpr int lanes = 16;
    const std::int64_t whole = (width + lanes - 1) / lanes * lanes;
    for (std::int64_t y = 0; y < rows; ++y, from += from_pitch, to += to_pitch, readable -= from_pitch) {
        if ((room || (y + 1 < rows && whole <= to_pitch + width)) && whole <= readable) {
            for (std::int64_t i = 0; i < whole; i += lanes) {
                floats<lanes>::load(from + i).store(to + i);
            }
        } else {
            widen_row(from, to, width);
        }
        if (y + 1 < rows) {
            zero_gap(to, width, to_pitch);
        }
    }
}

/// Rows at once where they are usual ones.
ANEMONE_INLINE void widen_rows(const half* from, std::int64_t from_pitch, std::int64_t readable, std::int64_t rows,
                               std::int64_t width, float* to, std::int64_t to_pitch, bool room) {
    constexpr int lanes = 16;
    const std::int64_t whole = (width + lanes - 1) / lanes * lanes;
    // The usual rows of networks, up to the last that may be read and written beyond its end.
    const std::int64_t writable = room ? rows : rows - 1;
    const std::int64_t legible = readable < whole ? 0 : (readable - whole) / from_pitch + 1;
    const std::int64_t together = writable < legible ? writable : legible;
    if (whole >= to_pitch && whole <= to_pitch + width && together > 0) {
        switch (whole / lanes) {
        case 1: widen_vectors<1>(from, from_pitch, together, width, to, to_pitch); break;
        case 2: widen_vectors<2>(from, from_pitch, together, width, to, to_pitch); break;
        case 4: widen_vectors<4>(from, from_pitch, together, width, to, to_pitch); break;
        case 7: widen_vectors<7>(from, from_pitch, together, width, to, to_pitch); break;
        default: return widen_each_row(from, from_pitch, readable, rows, width, to, to_pitch, room);
        }
        from += together * from_pitch;
        to += together * to_pitch;
        readable -= together * from_pitch;
        rows -= together;
    }
    widen_each_row(from, from_pitch, readable, rows, width, to, to_pitch, room);
}

/// Places of even and odd columns, apart.
template <int Lanes>
ANEMONE_CPU_INLINE void split_vectors(const floats<Lanes>& low, const floats<Lanes>& high, float* even, float* odd) {
    if constexpr (Lanes > native_lanes) {
        split_vectors<Lanes / 2>(low.low, low.high, even, odd);
        split_vectors<Lanes / 2>(high.low, high.high, even + Lanes / 2, odd + Lanes / 2);
    } else if constexpr (Lanes == 16) {
        floats<Lanes>{
            __builtin_shufflevector(low.value, high.value, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)}
            .store(even);
        floats<Lanes>{
            __builtin_shufflevector(low.value, high.value, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)}
            .store(odd);
    } else if constexpr (Lanes == 8) {
        floats<Lanes>{__builtin_shufflevector(low.value, high.value, 0, 2, 4, 6, 8, 10, 12, 14)}.store(even);
        floats<Lanes>{__builtin_shufflevector(low.value, high.value, 1, 3, 5, 7, 9, 11, 13, 15)}.store(odd);
    } else {
        floats<Lanes>{__builtin_shufflevector(low.value, high.value, 0, 2, 4, 6)}.store(even);
        floats<Lanes>{__builtin_shufflevector(low.value, high.value, 1, 3, 5, 7)}.store(odd);
    }
}

/// As widen_rows; numbers in even columns go to one row, those in odd ones to another. The last row is exact.
ANEMONE_INLINE void widen_pairs(const half* from, std::int64_t from_pitch, std::int64_t readable, std::int64_t rows,
                                std::int64_t width, float* even, float* odd, std::int64_t to_pitch) {
    constexpr int lanes = 16;
    const std::int64_t whole = (width + 2 * lanes - 1) / (2 * lanes) * 2 * lanes;
    const std::int64_t evens = (width + 1) / 2;
    const std::int64_t odds = width / 2;
    for (std::int64_t y = 0; y < rows;
         ++y, from += from_pitch, even += to_pitch, odd += to_pitch, readable -= from_pitch) {
        if (y + 1 < rows && whole <= readable && whole / 2 <= to_pitch + odds) {
            for (std::int64_t i = 0; i < whole; i += 2 * lanes) {
                split_vectors<lanes>(floats<lanes>::load(from + i), floats<lanes>::load(from + i + lanes), even + i / 2,
                                     odd + i / 2);
            }
        } else {
            std::int64_t i = 0;
            for (; i + lanes <= odds; i += lanes) {
                split_vectors<lanes>(floats<lanes>::load(from + 2 * i), floats<lanes>::load(from + 2 * i + lanes),
                                     even + i, odd + i);
            }
            for (; i < odds; ++i) {
                even[i] = widened(from[2 * i].bits);
                odd[i] = widened(from[2 * i + 1].bits);
            }
            if (evens > odds) {
                even[odds] = widened(from[2 * odds].bits);
            }
        }
        if (y + 1 < rows) {
            zero_gap(even, evens, to_pitch);
            zero_gap(odd, odds, to_pitch);
        }
    }
}

using depthwise_finisher = finisher<register_lanes>;

/// `Rows` rows of outputs at one vector of columns: each row of x is loaded once for all outputs that read it, from the
/// top down, so every output sums in the order of its taps.
template <int Kernel, int Stride, int Rows>
ANEMONE_CPU_INLINE void depthwise_tile(const depthwise_job& job, const floats<register_lanes>* weights,
                                       const std::int64_t* places, const float* x, std::int64_t place,
                                       const depthwise_finisher& finish, std::int64_t left) {
    using vector = floats<register_lanes>;
    vector sum[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        sum[r] = vector::all(0.0F);
    }
#pragma GCC unroll 16
    for (int y = 0; y < (Rows - 1) * Stride + Kernel; ++y) {
#pragma GCC unroll 8
        for (int j = 0; j < Kernel; ++j) {
            const vector value = vector::load(x + y * job.pitch + places[j]);
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) {
                const int i = y - r * Stride;
                if (i >= 0 && i < Kernel) {
                    sum[r] = multiply_add(value, weights[i * Kernel + j], sum[r]);
                }
            }
        }
    }
    const vector bias = vector::all(job.bias);
    if (job.finish.out == nullptr) {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            (sum[r] + bias).store(job.sums + place + r * job.columns);
        }
        return;
    }
    if (place + (Rows - 1) * job.columns + register_lanes <= job.rows * job.columns) {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            finish.store(sum[r] + bias, place + r * job.columns);
        }
        return;
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        const std::int64_t at = place + r * job.columns;
        if (at + register_lanes <= job.rows * job.columns) { // what is surplus is replaced by the next rows
            finish.store(sum[r] + bias, at);
        } else { // behind: other planes
            finish.store_some(sum[r] + bias, at, left);
        }
    }
}

/// All rows from y on in groups of `Rows`; the first row of the rest. The surplus of a vector is replaced by the next
/// row, as columns are walked from the last vector to the first.
template <int Kernel, int Stride, int Rows>
ANEMONE_CPU_INLINE std::int64_t depthwise_rows(const depthwise_job& job, const floats<register_lanes>* weights,
                                               const std::int64_t* places, std::int64_t y, const char*& next,
                                               const depthwise_finisher& finish) {
    const std::int64_t last = (job.columns - 1) / register_lanes * register_lanes;
    const char* const end = static_cast<const char*>(job.next) + job.next_bytes;
    for (; y + Rows <= job.rows; y += Rows) {
        for (std::int64_t x = last; x >= 0; x -= register_lanes) {
            for (int line = 0; line < (Rows + 1) / 2 && next < end; ++line, next += 64) {
                __builtin_prefetch(next);
            }
            const std::int64_t left = job.columns - x < register_lanes ? job.columns - x : register_lanes;
            depthwise_tile<Kernel, Stride, Rows>(job, weights, places, job.x + y * Stride * job.pitch + x,
                                                 y * job.columns + x, finish, left);
        }
    }
    return y;
}

template <int Kernel, int Stride> void depthwise_of(const depthwise_job& job) {
    constexpr int rows_at_once = Stride > 1 || register_lanes < 16 ? 4 : 7; // networks like multiples of seven
    floats<register_lanes> weights[Kernel * Kernel];
    for (int i = 0; i < Kernel * Kernel; ++i) {
        weights[i] = floats<register_lanes>::all(job.weights[i]);
    }
    std::int64_t places[Kernel];
    for (int j = 0; j < Kernel; ++j) {
        places[j] = job.column_offsets[j];
    }
    const char* next = static_cast<const char*>(job.next);
    const auto finish = depthwise_finisher::of(job.finish);
    std::int64_t y = depthwise_rows<Kernel, Stride, rows_at_once>(job, weights, places, 0, next, finish);
    y = depthwise_rows<Kernel, Stride, 3>(job, weights, places, y, next, finish);
    depthwise_rows<Kernel, Stride, 1>(job, weights, places, y, next, finish);
}

/// Any window.
template <int Vectors>
ANEMONE_CPU_INLINE void depthwise_stretch(const depthwise_job& job, const float* x, std::int64_t place,
                                          std::int64_t left) {
    using vector = floats<register_lanes>;
    vector sum[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        sum[v] = vector::all(0.0F);
    }
    const float* weight = job.weights;
    for (std::int64_t i = 0; i < job.kernel_height; ++i) {
        for (std::int64_t j = 0; j < job.kernel_width; ++j) {
            const float* const from = x + job.row_offsets[i] + job.column_offsets[j];
            const vector w = vector::all(*weight++);
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                sum[v] = multiply_add(vector::load(from + v * register_lanes), w, sum[v]);
            }
        }
    }
    const vector bias = vector::all(job.bias);
    if (job.finish.out == nullptr) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            (sum[v] + bias).store(job.sums + place + v * register_lanes);
        }
        return;
    }
    const auto finish = depthwise_finisher::of(job.finish);
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        if (left >= (v + 1) * register_lanes) {
            finish.store(sum[v] + bias, place + v * register_lanes);
        } else {
            finish.store_some(sum[v] + bias, place + v * register_lanes, left - v * register_lanes);
        }
    }
}

ANEMONE_INLINE void depthwise_of_any(const depthwise_job& job) {
    for (std::int64_t y = 0; y < job.rows; ++y) {
        const float* const x = job.x + y * job.row_stride * job.pitch;
        const std::int64_t place = y * job.columns;
        std::int64_t c = 0;
        for (; c + 3 * register_lanes < job.columns; c += 4 * register_lanes) {
            depthwise_stretch<4>(job, x + c, place + c, job.columns - c);
        }
        for (; c < job.columns; c += register_lanes) {
            depthwise_stretch<1>(job, x + c, place + c, job.columns - c);
        }
    }
}

template <algorithm_set Ways> void depthwise(const depthwise_job& job) {
    const bool dense = job.dense && job.kernel_height == job.kernel_width;
    const std::int64_t window = dense && job.row_stride <= 2 ? job.kernel_height * 10 + job.row_stride : 0;
    if constexpr (Ways.contains(algorithm::window_of_3)) {
        if (window == 31) {
            return depthwise_of<3, 1>(job);
        }
    }
    if constexpr (Ways.contains(algorithm::window_of_3_by_2)) {
        if (window == 32) {
            return depthwise_of<3, 2>(job);
        }
    }
    if constexpr (Ways.contains(algorithm::window_of_5)) {
        if (window == 51) {
            return depthwise_of<5, 1>(job);
        }
    }
    if constexpr (Ways.contains(algorithm::window_of_5_by_2)) {
        if (window == 52) {
            return depthwise_of<5, 2>(job);
        }
    }
    if constexpr (!Ways.contains(algorithm::other_window)) {
        no_loop(op::conv2d);
    } else {
        depthwise_of_any(job);
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

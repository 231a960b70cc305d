// Included by simd/each_set.inl through level.inl: the tiles of convolutions. See convolution_kernels.hpp.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Where a tile of channels puts its sums.
struct channel_results {
    float* sums;       ///< [position][pitch]; read first if the job is resumed
    float* finished;   ///< instead, or null
    half* halves;      ///< or these, [position][lanes of the tile], or null:
    const float* bias; ///< with this, of each lane, between
    float low;         ///< these bounds
    float high;
};

/// `Vectors` registers of channels by `Positions` positions, each a number of x that all channels multiply.
template <int Positions, int Vectors>
void channel_tile(const contraction_job& job, const float* x, const channel_results& to, const char* next,
                  std::int64_t next_step) {
    using vector = floats<register_lanes>;
    constexpr int in_unit = static_cast<int>(unit_channels) / register_lanes;
    const std::int64_t step = job.step;
    const std::int64_t unit = job.taps * unit_channels;
    const std::int64_t* const offsets = job.offsets;
    const float* const weights = job.weights;
    vector sum[Positions][Vectors];
    if (job.resumed) {
#pragma GCC unroll 16
        for (int p = 0; p < Positions; ++p) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                sum[p][v] = vector::load(to.sums + p * job.pitch + v * register_lanes);
            }
        }
    } else {
#pragma GCC unroll 16
        for (int p = 0; p < Positions; ++p) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                sum[p][v] = vector::all(0.0F);
            }
        }
    }
    for (std::int64_t t = 0; t < job.taps; ++t) {
        const float* from = x + offsets[t];
        __builtin_prefetch(next + t * next_step, 0, 2);
        vector weight[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            weight[v] = vector::load(weights + v / in_unit * unit + t * unit_channels + v % in_unit * register_lanes);
        }
#pragma GCC unroll 16
        for (int p = 0; p < Positions; ++p) {
            const vector value = vector::all(*from);
            from += step;
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                sum[p][v] = multiply_add(value, weight[v], sum[p][v]);
            }
        }
    }
    if (to.halves != nullptr) {
        const vector low = vector::all(to.low);
        const vector high = vector::all(to.high);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            const vector bias = vector::load(to.bias + v * register_lanes);
#pragma GCC unroll 16
            for (int p = 0; p < Positions; ++p) {
                smaller(high, larger(low, sum[p][v] + bias)).store(to.halves + (p * Vectors + v) * register_lanes);
            }
        }
        return;
    }
    float* const place = to.finished == nullptr ? to.sums : to.finished;
#pragma GCC unroll 16
    for (int p = 0; p < Positions; ++p) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            sum[p][v].store(place + p * job.pitch + v * register_lanes);
        }
    }
}

/// So many that sums, weights and one value fit the registers.
inline constexpr int channel_tile_positions = ANEMONE_SET_LANES == 16 ? 14 : ANEMONE_SET_LANES == 8 ? 6 : 3;
inline constexpr int channel_tile_units = ANEMONE_SET_LANES == 16 ? 2 : 1;

/// put(c, r, numbers from[(r + i) * from_pitch + c] of all lanes i), up to the next multiple of the block of both.
template <int Lanes, class Put>
ANEMONE_CPU_INLINE void transposed_blocks(const float* from, std::int64_t from_pitch, std::int64_t rows,
                                          std::int64_t columns, const Put& put) {
    using four = typename vector_of<4>::type;
    constexpr bool wide = Lanes == 8;
    using raw = typename vector_of<Lanes>::type;
    for (std::int64_t r = 0; r < rows; r += Lanes) {
        for (std::int64_t c = 0; c < columns; c += 4) {
            const float* const corner = from + r * from_pitch + c;
            const auto row = [&](int i) -> raw {
                const four low = floats<4>::load(corner + i * from_pitch).value;
                if constexpr (wide) {
                    const four high = floats<4>::load(corner + (i + 4) * from_pitch).value;
                    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
                } else {
                    return low;
                }
            };
            const raw x0 = row(0);
            const raw x1 = row(1);
            const raw x2 = row(2);
            const raw x3 = row(3);
            if constexpr (wide) {
                const raw low01 = __builtin_shufflevector(x0, x1, 0, 8, 1, 9, 4, 12, 5, 13);
                const raw low23 = __builtin_shufflevector(x2, x3, 0, 8, 1, 9, 4, 12, 5, 13);
                const raw high01 = __builtin_shufflevector(x0, x1, 2, 10, 3, 11, 6, 14, 7, 15);
                const raw high23 = __builtin_shufflevector(x2, x3, 2, 10, 3, 11, 6, 14, 7, 15);
                put(c, r, floats<Lanes>{__builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13)});
                put(c + 1, r, floats<Lanes>{__builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15)});
                put(c + 2, r, floats<Lanes>{__builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13)});
                put(c + 3, r, floats<Lanes>{__builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15)});
            } else {
                const raw low01 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5);
                const raw low23 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5);
                const raw high01 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
                const raw high23 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
                put(c, r, floats<Lanes>{__builtin_shufflevector(low01, low23, 0, 1, 4, 5)});
                put(c + 1, r, floats<Lanes>{__builtin_shufflevector(low01, low23, 2, 3, 6, 7)});
                put(c + 2, r, floats<Lanes>{__builtin_shufflevector(high01, high23, 0, 1, 4, 5)});
                put(c + 3, r, floats<Lanes>{__builtin_shufflevector(high01, high23, 2, 3, 6, 7)});
            }
        }
    }
}

/// to[c * to_pitch + r] = from[r * from_pitch + c]; reads and writes up to the next multiple of the block of both.
template <int Lanes>
void transpose(const float* from, std::int64_t from_pitch, std::int64_t rows, std::int64_t columns, float* to,
               std::int64_t to_pitch) {
    transposed_blocks<Lanes>(from, from_pitch, rows, columns,
                             [&](std::int64_t column, std::int64_t row, const floats<Lanes>& values) {
                                 values.store(to + column * to_pitch + row);
                             });
}

inline constexpr int transposed_lanes = register_lanes >= 8 ? 8 : 4;

/// Sums [position][pitch] to results from position `done` on. With `exact`, nothing behind them is written.
ANEMONE_INLINE void finish_channels(const contraction_job& job, const float* sums, std::int64_t done,
                                    std::int64_t positions, bool exact) {
    using vector = floats<transposed_lanes>;
    const auto finish = finisher<transposed_lanes>::of(job.finish);
    transposed_blocks<transposed_lanes>(
        sums, job.pitch, positions, job.channels, [&](std::int64_t channel, std::int64_t position, const vector& sum) {
            if (channel >= job.channels) {
                return;
            }
            const vector value = sum + vector::all(job.bias == nullptr ? -0.0F : job.bias[channel]);
            const std::int64_t place = channel * job.plane + done + position;
            if (exact && positions - position < transposed_lanes) {
                finish.store_some(value, place, positions - position);
            } else {
                finish.store(value, place);
            }
        });
}

/// Results [position][Lanes] likewise.
template <int Lanes>
ANEMONE_CPU_INLINE void store_channels(const contraction_job& job, const half* results, std::int64_t done,
                                       std::int64_t positions, bool exact) {
    constexpr int block = 8;
    constexpr int channels = 16;
    using raw = short __attribute__((vector_size(32))); // of eight channels, and of the eight after them
    using pairs = int __attribute__((vector_size(32)));
    using fours = long long __attribute__((vector_size(32)));
    for (std::int64_t p = 0; p < positions; p += block) {
        for (std::int64_t c = 0; c < Lanes && c < job.channels; c += channels) {
            raw row[block];
#pragma GCC unroll 8
            for (int i = 0; i < block; ++i) {
                std::memcpy(&row[i], results + (p + i) * Lanes + c, sizeof(raw));
            }
            pairs two[block];
#pragma GCC unroll 4
            for (int i = 0; i < block; i += 2) {
                two[i] = reinterpret_cast<pairs>(__builtin_shufflevector(row[i], row[i + 1], 0, 16, 1, 17, 2, 18, 3, 19,
                                                                         8, 24, 9, 25, 10, 26, 11, 27));
                two[i + 1] = reinterpret_cast<pairs>(__builtin_shufflevector(row[i], row[i + 1], 4, 20, 5, 21, 6, 22, 7,
                                                                             23, 12, 28, 13, 29, 14, 30, 15, 31));
            }
            fours four[block];
#pragma GCC unroll 2
            for (int i = 0; i < block; i += 4) {
#pragma GCC unroll 2
                for (int k = 0; k < 2; ++k) {
                    four[i + 2 * k] = reinterpret_cast<fours>(
                        __builtin_shufflevector(two[i + k], two[i + k + 2], 0, 8, 1, 9, 4, 12, 5, 13));
                    four[i + 2 * k + 1] = reinterpret_cast<fours>(
                        __builtin_shufflevector(two[i + k], two[i + k + 2], 2, 10, 3, 11, 6, 14, 7, 15));
                }
            }
            half* const to = job.finish.out + c * job.plane + done + p;
            const std::int64_t left = job.channels - c;
#pragma GCC unroll 8
            for (int k = 0; k < block; ++k) {
                const fours both = k % 2 == 0 ? __builtin_shufflevector(four[k / 2], four[k / 2 + 4], 0, 4, 2, 6)
                                              : __builtin_shufflevector(four[k / 2], four[k / 2 + 4], 1, 5, 3, 7);
                half values[channels];
                std::memcpy(static_cast<void*>(values), &both, sizeof both);
                if (exact && positions - p < block) {
                    if (k < left) {
                        store_some<block>(values, to + k * job.plane, positions - p);
                    }
                    if (k + block < left) {
                        store_some<block>(values + block, to + (k + block) * job.plane, positions - p);
                    }
                    continue;
                }
                if (k < left) {
                    std::memcpy(static_cast<void*>(to + k * job.plane), values, sizeof both / 2);
                }
                if (k + block < left) {
                    std::memcpy(static_cast<void*>(to + (k + block) * job.plane), values + block, sizeof both / 2);
                }
            }
        }
    }
}

template <int Positions, int Vectors>
ANEMONE_CPU_INLINE void channel_tile_of(std::int64_t positions, const contraction_job& job, const float* x,
                                        const channel_results& to, const char* next, std::int64_t next_step) {
    if (positions == Positions) {
        return channel_tile<Positions, Vectors>(job, x, to, next, next_step);
    }
    if constexpr (Positions > 1) {
        channel_tile_of<Positions - 1, Vectors>(positions, job, x, to, next, next_step);
    }
}

template <int Vectors> void channel_lanes_of(const contraction_job& job) {
    const std::int64_t tiles = (job.columns + channel_tile_positions - 1) / channel_tile_positions;
    const std::int64_t most = (job.columns + tiles - 1) / tiles;
    constexpr int lanes = Vectors * register_lanes;
    float finished[transposed_positions * lanes];
    half halves[(transposed_positions + 8) * lanes];
    float bias[lanes];
    const char* next =
        job.next == nullptr ? reinterpret_cast<const char*>(job.weights) : static_cast<const char*>(job.next);
    const std::int64_t next_step =
        job.taps == 0 ? 0 : (job.next_bytes + tiles * job.rows * job.taps - 1) / (tiles * job.rows * job.taps);
    std::int64_t waiting = 0; // finished, not yet transposed
    std::int64_t done = 0;
    const bool last = job.finished != nullptr || job.finish.out != nullptr;
    // Half as many bytes are transposed where nothing but numbers of a channel takes part before the rounding.
    const bool rounded = register_lanes >= 8 && job.finish.out != nullptr && job.finish.added == nullptr;
    if (rounded) {
        for (std::int64_t c = 0; c < lanes; ++c) {
            bias[c] = job.bias != nullptr && c < job.channels ? job.bias[c] : -0.0F;
        }
    }
    const auto transposed = [&](bool all) {
        if (rounded) {
            if constexpr (register_lanes >= 8) {
                store_channels<lanes>(job, halves, done, waiting, all);
            }
        } else if (job.finish.out != nullptr) {
            finish_channels(job, finished, done, waiting, all || job.finish.added != nullptr);
        } else {
            transpose<transposed_lanes>(finished, job.pitch, waiting, job.channels, job.finished + done,
                                        job.finished_pitch);
        }
        done += waiting;
        waiting = 0;
    };
    for (std::int64_t y = 0; y < job.rows; ++y) {
        for (std::int64_t p = 0; p < job.columns; p += most) {
            const std::int64_t positions = job.columns - p < most ? job.columns - p : most;
            float* const sums = job.sums + (y * job.columns + p) * job.pitch;
            if (last && waiting + positions > transposed_positions - 8) {
                transposed(false);
            }
            channel_tile_of<channel_tile_positions, Vectors>(positions, job, job.x + y * job.row_step + p * job.step,
                                                             {sums, last ? finished + waiting * job.pitch : nullptr,
                                                              rounded ? halves + waiting * lanes : nullptr, bias,
                                                              job.finish.low, job.finish.high},
                                                             next, next_step);
            next += job.taps * next_step;
            waiting += positions;
        }
    }
    if (last) {
        transposed(true);
    }
}

ANEMONE_INLINE void channel_lanes(const contraction_job& job, int units) {
    constexpr int in_unit = static_cast<int>(unit_channels) / register_lanes;
    if constexpr (channel_tile_units > 1) {
        if (units > 1) {
            return channel_lanes_of<2 * in_unit>(job);
        }
    }
    channel_lanes_of<in_unit>(job);
}

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
    for (std::int64_t t = 0; t < job.taps; ++t, weights += unit_channels) {
        const float* const from = x + job.offsets[t];
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
                sum[r][v] = multiply_add(value[v], weight, sum[r][v]);
            }
        }
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

ANEMONE_INLINE void position_lanes(const contraction_job& job, int channels) {
    constexpr bool wide = register_lanes == 16;
    constexpr std::int64_t stretch = (wide ? 6 : 12) * register_lanes; // positions that all channels share in the cache
    for (std::int64_t p = 0; p < job.columns; p += stretch) {
        const std::int64_t end = p + stretch < job.columns ? p + stretch : job.columns;
        std::int64_t r = 0;
        if constexpr (wide) {
            r = position_tiles<8, 3>(job, r, channels, p, end);
        }
        r = position_tiles < 4, wide ? 6 : register_lanes == 8 ? 3 : 2 > (job, r, channels, p, end);
        position_tiles<1, 6>(job, r, channels, p, end);
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

// Included by simd/each_set.inl through level.inl: tiles of convolutions whose lanes are channels. See
// convolution_kernels.hpp.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Where a tile of channels puts its sums.
struct channel_results {
    const float* sums; ///< read first if the job is resumed, [position][pitch of the job]
    float* to;         ///< [position][pitch], or
    std::int64_t pitch;
    const finisher<register_lanes>* finish; ///< if not null, this finishes them:
    const float* bias;                      ///< of all lanes
    std::int64_t first;                     ///< where the first position is in the results
};

/// Tiles of few positions have a register for the address of each, which may be anywhere in a plane; positions of others
/// are neighbours in a row.
inline constexpr bool tiles_cross_rows = ANEMONE_SET_LANES < 16;
/// Where a tap has few multiply-adds, four of them are written out; where it has many, that is code for nothing.
inline constexpr bool tiles_unroll_taps = ANEMONE_SET_LANES == 8 || ANEMONE_SET_NEON;
/// Whether the first tile widens the weights on its way: a second form of each tile.
inline constexpr bool tiles_widen = ANEMONE_SET_LANES >= 8;
struct tile_inputs {
    const float* first[tiles_cross_rows ? 10 : 1]; ///< of a tap at offset 0
    std::int64_t step;                             ///< to the next position, where only one is given
};

/// The weights of a unit of each tap: in fp32, or in fp16 and then left in fp32 for further tiles.
struct wide_weights {
    const float* values;

    ANEMONE_CPU_INLINE floats<register_lanes> at(std::int64_t i) const {
        return floats<register_lanes>::load(values + i);
    }
    ANEMONE_CPU_INLINE void advance(int taps) { values += taps * unit_channels; }
};
template <int Units> struct packed_weights {
    static constexpr std::int64_t ahead = 1024;
    const half* values;
    float* wide;
    std::int64_t unit_step;

    ANEMONE_CPU_INLINE floats<register_lanes> at(std::int64_t i) const {
        const auto value = floats<register_lanes>::load(values + i);
        value.store(wide + i);
        return value;
    }
    ANEMONE_CPU_INLINE void advance(int taps) {
        values += taps * unit_channels;
        wide += taps * unit_channels;
#pragma GCC unroll 2
        for (int u = 0; u < Units; ++u) { // the one tile that reads them waits for no other memory
            __builtin_prefetch(values + u * unit_step + ahead);
            __builtin_prefetch(values + u * unit_step + ahead + 32);
        }
    }
};
template <bool Packed, int Units> ANEMONE_CPU_INLINE auto first_weights(const contraction_job& job) {
    if constexpr (Packed) {
        return packed_weights<Units>{job.packed, job.widened, job.unit_step};
    } else {
        return wide_weights{job.weights};
    }
}

/// One tap more in the sums of a tile.
template <int Positions, int Vectors, class Weights>
ANEMONE_CPU_INLINE void channel_tap(const float* const (&first)[Positions], std::int64_t offset, std::int64_t step,
                                    const Weights& weights, int tap, std::int64_t unit_step,
                                    floats<register_lanes> (&sum)[Positions][Vectors]) {
    using vector = floats<register_lanes>;
    constexpr int in_unit = static_cast<int>(unit_channels) / register_lanes;
    const float* place = first[0] + offset;
    vector weight[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        weight[v] = weights.at(tap * unit_channels + v / in_unit * unit_step + v % in_unit * register_lanes);
    }
#pragma GCC unroll 16
    for (int p = 0; p < Positions; ++p) {
        const vector value = vector::all(tiles_cross_rows ? first[p][offset] : *place);
        place += tiles_cross_rows ? 0 : step;
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            add_product(sum[p][v], value, weight[v]);
        }
    }
}

/// Sums of some positions to results whose channels are neighbours.
template <int Vectors>
void finish_places(const float* sums, int positions, const contraction_job& job, const channel_results& to) {
    using vector = floats<register_lanes>;
    for (int p = 0; p < positions; ++p) {
        for (int v = 0; v < Vectors; ++v, sums += register_lanes) {
            const vector value = vector::load(sums) + vector::load(to.bias + v * register_lanes);
            const std::int64_t place = to.first + p * job.place_step + v * register_lanes;
            const std::int64_t channels = job.channels - v * register_lanes;
            if (channels > 0) {
                to.finish->store_up_to(value, place, channels);
            }
        }
    }
}

/// `Vectors` registers of channels by `Positions` positions, each a number that all channels multiply.
template <int Positions, int Vectors, bool Packed>
void channel_tile(const contraction_job& job, const tile_inputs& inputs, const channel_results& to) {
    using vector = floats<register_lanes>;
    const std::int64_t unit_step = job.unit_step;
    const std::int64_t step = inputs.step;
    const float* first[Positions];
#pragma GCC unroll 16
    for (int p = 0; p < Positions; ++p) {
        first[p] = inputs.first[tiles_cross_rows ? p : 0];
    }
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
    const std::int64_t* const fours = job.taps.fours;
    const std::int64_t* const ones = job.taps.ones;
    auto weights = first_weights<Packed, (Vectors * register_lanes + unit_channels - 1) / unit_channels>(job);
    for (std::int64_t i = 0; i < job.taps.four_count; ++i, weights.advance(4)) {
        const std::int64_t offset = fours[i];
        if constexpr (tiles_unroll_taps) {
#pragma GCC unroll 4
            for (int t = 0; t < 4; ++t) {
                channel_tap(first, offset + t, step, weights, t, unit_step, sum);
            }
        } else {
#pragma GCC unroll 1
            for (int t = 0; t < 4; ++t) {
                channel_tap(first, offset + t, step, weights, t, unit_step, sum);
            }
        }
    }
    for (std::int64_t i = 0; i < job.taps.one_count; ++i, weights.advance(1)) {
        channel_tap(first, ones[i], step, weights, 0, unit_step, sum);
    }
    alignas(64) float finished[Positions * Vectors * register_lanes];
    float* const store = to.finish == nullptr ? to.to : finished;
    const std::int64_t pitch = to.finish == nullptr ? to.pitch : Vectors * register_lanes;
#pragma GCC unroll 16
    for (int p = 0; p < Positions; ++p) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            sum[p][v].store(store + p * pitch + v * register_lanes);
        }
    }
    if (to.finish != nullptr) {
        finish_places<Vectors>(finished, Positions, job, to);
    }
}

/// So many that sums, weights and one value fit the registers.
template <int Vectors>
inline constexpr int tile_positions = ANEMONE_SET_LANES == 16 ? 14
                                      : ANEMONE_SET_NEON      ? (Vectors > 2 ? 6 : 10)
                                      : Vectors > 2           ? 3
                                      : Vectors > 1           ? 6
                                                              : 10;
inline constexpr int channel_tile_units = ANEMONE_SET_LANES == 16 ? 2 : 1;
inline constexpr int channel_tile_positions =
    tile_positions<channel_tile_units * static_cast<int>(unit_channels) / register_lanes>;

using channel_tile_function = void (*)(const contraction_job& job, const tile_inputs& inputs,
                                       const channel_results& to);
template <int Vectors, bool Packed, int... Before>
channel_tile_function channel_tile_of(std::int64_t positions, std::integer_sequence<int, Before...>) {
    static constexpr channel_tile_function tiles[] = {channel_tile<Before + 1, Vectors, Packed>...};
    return tiles[positions - 1];
}

/// How positions of a plane, or of each of its rows, are handed out to tiles: evenly.
template <int Vectors> class channel_tiles {
public:
    explicit channel_tiles(const contraction_job& job)
        : rows_(tiles_cross_rows ? 1 : job.rows), in_row_(tiles_cross_rows ? job.rows * job.columns : job.columns),
          tiles_((in_row_ + most - 1) / most), least_(in_row_ / tiles_), larger_(in_row_ % tiles_) {}

    std::int64_t count() const { return rows_ * tiles_; }

    /// work(tile, inputs, positions) of each.
    template <class Work> ANEMONE_CPU_INLINE void run(const contraction_job& job, const Work& work) const {
        const channel_tile_function small = function<false>(least_);
        const channel_tile_function large = larger_ == 0 ? small : function<false>(least_ + 1);
        tile_inputs inputs{{job.x}, job.step};
        const float* row = job.x;
        const float* place = row;
        std::int64_t left = job.columns;
        [[maybe_unused]] bool packed = job.packed != nullptr;
        for (std::int64_t y = 0; y < rows_; ++y) {
            for (std::int64_t tile = 0; tile < tiles_; ++tile) {
                const std::int64_t positions = least_ + (tile < larger_ ? 1 : 0);
                if constexpr (tiles_cross_rows) {
                    for (std::int64_t p = 0; p < positions; ++p) {
                        inputs.first[p] = place;
                        place += job.step;
                        if (--left == 0) {
                            left = job.columns;
                            row += job.row_step;
                            place = row;
                        }
                    }
                } else {
                    inputs.first[0] = place;
                    place += positions * job.step;
                }
                channel_tile_function function_now = tile < larger_ ? large : small;
                if constexpr (tiles_widen) {
                    function_now = packed ? function<true>(positions) : function_now;
                    packed = false;
                }
                work(function_now, inputs, positions);
            }
            row += job.row_step;
            place = row;
        }
    }

private:
    static constexpr std::int64_t most = tile_positions<Vectors>;

    template <bool Packed> static channel_tile_function function(std::int64_t positions) {
        return channel_tile_of<Vectors, Packed>(positions, std::make_integer_sequence<int, tile_positions<Vectors>>{});
    }

    std::int64_t rows_;
    std::int64_t in_row_;
    std::int64_t tiles_; ///< of a row
    std::int64_t least_; ///< positions of a tile;
    std::int64_t larger_; ///< so many tiles have one more
};

/// Finished sums of some positions, until there are enough of them to be turned into rows of channels.
template <int Vectors> class waiting_sums {
public:
    explicit waiting_sums(const contraction_job& job) : job_(job) {}

    /// Where the sums of the next positions go.
    ANEMONE_CPU_INLINE float* room(std::int64_t positions) {
        if (count_ + positions > at_once) {
            turn_whole_blocks();
        }
        if (job_.finish.out != nullptr) { // its places are so many that no processor sees what is written next
            const std::int64_t all = job_.channels;
            const std::int64_t end = fetched_ + fetched_at_once < all ? fetched_ + fetched_at_once : all;
            for (; fetched_ < end; ++fetched_) {
                const half* const place = job_.finish.out + fetched_ * job_.plane + done_;
                for (std::int64_t i = 0; i < at_once + line - 1; i += line) {
                    __builtin_prefetch(place + i, 1);
                }
            }
        }
        float* const place = sums_ + count_ * job_.pitch;
        count_ += positions;
        return place;
    }
    void finish() { store(count_); }

private:
    static constexpr std::int64_t at_once = transposed_positions;
    static constexpr std::int64_t lanes = Vectors * register_lanes;
    static constexpr std::int64_t line = 64 / sizeof(half);
    static constexpr std::int64_t fetched_at_once = (lanes * tile_positions<Vectors> + at_once - 1) / at_once + 1;

    void turn_whole_blocks() {
        const std::int64_t whole = count_ / turned_block * turned_block;
        store(whole);
        done_ += whole;
        count_ -= whole;
        std::memmove(sums_, sums_ + whole * job_.pitch,
                     static_cast<std::size_t>(count_ * job_.pitch) * sizeof(float));
        fetched_ = 0;
    }
    void store(std::int64_t positions) {
        if (job_.finish.out != nullptr) {
            finish_channels(job_, sums_, done_, positions);
        } else {
            transpose(sums_, job_.pitch, positions, job_.channels, job_.finished + done_, job_.finished_pitch);
        }
    }

    const contraction_job& job_;
    std::int64_t done_ = 0;
    std::int64_t count_ = 0;
    std::int64_t fetched_ = 0; ///< channels
    float sums_[(at_once + turned_block) * unit_channels * channel_tile_units];
};

/// Partial sums, or those of NHWC results.
template <int Vectors> void sum_places(const contraction_job& job) {
    const channel_tiles<Vectors> tiles(job);
    fetching next(job.next, tiles.count());
    constexpr std::int64_t lanes = Vectors * register_lanes;
    const auto finish = finisher<register_lanes>::of(job.finish);
    float bias[lanes];
    for (std::int64_t c = 0; c < lanes; ++c) {
        bias[c] = job.bias != nullptr && c < job.channels ? job.bias[c] : -0.0F;
    }
    const bool partial = job.finished == nullptr;
    const std::int64_t pitch = partial ? job.pitch : job.finished_pitch;
    float* const to = partial ? job.sums : job.finished;
    std::int64_t position = 0;
    tiles.run(job, [&](channel_tile_function tile, const tile_inputs& inputs, std::int64_t positions) {
        next();
        tile(job, inputs,
             {job.sums + position * job.pitch, to + position * pitch, pitch,
              job.finish.out == nullptr ? nullptr : &finish, bias, position * job.place_step});
        position += positions;
    });
}

/// The last sums of NCHW results.
template <int Vectors> void sum_planes(const contraction_job& job) {
    const channel_tiles<Vectors> tiles(job);
    fetching next(job.next, tiles.count());
    waiting_sums<Vectors> waiting(job);
    const float* sums = job.sums;
    tiles.run(job, [&](channel_tile_function tile, const tile_inputs& inputs, std::int64_t positions) {
        next();
        tile(job, inputs, {sums, waiting.room(positions), job.pitch, nullptr, nullptr, 0});
        sums += positions * job.pitch;
    });
    waiting.finish();
}

template <int Vectors> void channel_lanes_of(const contraction_job& job) {
    const bool last = job.finished != nullptr || job.finish.out != nullptr;
    last && job.place_step == 1 ? sum_planes<Vectors>(job) : sum_places<Vectors>(job);
}

ANEMONE_INLINE void channel_lanes(const contraction_job& job) {
    constexpr int in_unit = static_cast<int>(unit_channels) / register_lanes;
    if constexpr (channel_tile_units > 1) {
        if (job.channels > unit_channels) {
            return channel_lanes_of<2 * in_unit>(job);
        }
    }
    if constexpr (in_unit > 1) {
        if (job.channels <= unit_channels / 2) {
            return channel_lanes_of<in_unit / 2>(job);
        }
    }
    channel_lanes_of<in_unit>(job);
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

// Included by simd/each_set.inl through level.inl: between planes of channels and places whose channels are
// neighbours.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Blocks of as many channels as positions, one behind the other.
[[gnu::noinline]] inline void turn_blocks(const half* from, std::int64_t plane, std::int64_t blocks, float* to,
                                          std::int64_t to_step) {
    for (; blocks > 0; --blocks, from += turned_block, to += turned_block * to_step) {
        turn(from, plane, to, to_step);
    }
}

/// Fewer channels or positions than a block has, or those behind which nothing may be read.
ANEMONE_INLINE void turn_some(const half* from, std::int64_t plane, std::int64_t channels, std::int64_t count,
                              float* to, std::int64_t to_step) {
    for (std::int64_t i = 0; i < count; ++i, to += to_step) {
        for (std::int64_t c = 0; c < channels; ++c) {
            to[c] = widened(from[c * plane + i].bits);
        }
    }
}

/// The last block of channels begins as many before the end as a block has, the last one of positions likewise. Lines of
/// the planes are read whole: planes are so far from each other that no processor sees what is read next.
ANEMONE_INLINE void gather_channels(const half* from, std::int64_t plane, std::int64_t channels, std::int64_t count,
                                    float* to, std::int64_t to_step) {
    constexpr std::int64_t block = turned_block;
    constexpr std::int64_t line = 64 / sizeof(half);
    if (channels < block || count < block) {
        return turn_some(from, plane, channels, count, to, to_step);
    }
    for (std::int64_t begin = 0; begin < count; begin += line) {
        const std::int64_t now = count - begin < line ? count - begin : line;
        for (std::int64_t first = 0; first < channels; first += block) {
            const std::int64_t c = first + block <= channels ? first : channels - block;
            const half* const planes = from + c * plane;
            const half* const following = planes + block * plane + begin;
            for (std::int64_t j = 0; j < block; ++j) {
                __builtin_prefetch(following + j * plane);
            }
            turn_blocks(planes + begin, plane, now / block, to + begin * to_step + c, to_step);
            if (now % block > 0) {
                const std::int64_t last = count - block;
                turn_blocks(planes + last, plane, 1, to + last * to_step + c, to_step);
            }
        }
    }
}

/// Whole vectors, of which the last begins as many before the end as a vector has.
ANEMONE_INLINE void widen_places(const half* from, std::int64_t from_step, std::int64_t channels, std::int64_t count,
                                 float* to, std::int64_t to_step) {
    constexpr std::int64_t lanes = 8;
    for (std::int64_t i = 0; i < count; ++i, from += from_step, to += to_step) {
        std::int64_t c = 0;
        for (; c + 2 * lanes <= channels; c += 2 * lanes) {
            floats<2 * lanes>::load(from + c).store(to + c);
        }
        for (; c + lanes <= channels; c += lanes) {
            floats<lanes>::load(from + c).store(to + c);
        }
        if (c < channels && channels > lanes) {
            floats<lanes>::load(from + channels - lanes).store(to + channels - lanes);
            c = channels;
        }
        for (; c < channels; ++c) {
            to[c] = widened(from[c].bits);
        }
    }
}

/// Sums of eight channels [position][pitch] to results [channel][plane], from `done` on in both.
template <bool Bounded, bool Added>
void finish_block(const contraction_job& job, const float* sums, const float* bias, std::int64_t channel,
                  std::int64_t done, std::int64_t positions) {
    const auto low = turned_row::all(job.finish.low);
    const auto high = turned_row::all(job.finish.high);
    half* const out = job.finish.out + channel * job.plane + done;
    const half* const added = Added ? job.finish.added + channel * job.plane + done : nullptr;
    for (std::int64_t p = 0; p + turned_block <= positions; p += turned_block) {
        turned_row rows[turned_block];
        turned(sums + p * job.pitch, job.pitch, rows);
#pragma GCC unroll 8
        for (int k = 0; k < turned_block; ++k) {
            turned_row value = rows[k] + turned_row::all(bias[k]);
            if constexpr (Added) {
                value = value + turned_row::load(added + k * job.plane + p);
            }
            if constexpr (Bounded) {
                value = smaller(high, larger(low, value));
            }
            value.store(out + k * job.plane + p);
        }
    }
}

/// The same for positions and channels that are no whole block.
ANEMONE_INLINE void finish_some(const contraction_job& job, const float* sums, const float* bias, std::int64_t channel,
                                std::int64_t channels, std::int64_t done, std::int64_t positions) {
    const auto finish = finisher<turned_block>::of(job.finish);
    for (std::int64_t p = 0; p < positions; p += turned_block) {
        const std::int64_t count = positions - p < turned_block ? positions - p : turned_block;
        float values[turned_block][turned_block] = {};
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t k = 0; k < channels; ++k) {
                values[k][i] = sums[(p + i) * job.pitch + k];
            }
        }
        for (std::int64_t k = 0; k < channels; ++k) {
            const turned_row value = turned_row::load(values[k]) + turned_row::all(bias[k]);
            finish.store_up_to(value, (channel + k) * job.plane + done + p, count);
        }
    }
}

/// Sums [position][pitch] of all channels of a job to its results from position `done` on.
ANEMONE_INLINE void finish_channels(const contraction_job& job, const float* sums, std::int64_t done,
                                    std::int64_t positions) {
    const std::int64_t whole = positions / turned_block * turned_block;
    const bool bounded = is_bounded(job.finish);
    for (std::int64_t c = 0; c < job.channels; c += turned_block) {
        const std::int64_t channels = job.channels - c < turned_block ? job.channels - c : turned_block;
        float bias[turned_block];
        for (std::int64_t k = 0; k < turned_block; ++k) {
            bias[k] = job.bias != nullptr && k < channels ? job.bias[c + k] : -0.0F;
        }
        if (channels < turned_block) {
            finish_some(job, sums + c, bias, c, channels, done, positions);
            continue;
        }
        const bool added = job.finish.added != nullptr;
        (added ? bounded ? finish_block<true, true> : finish_block<false, true>
         : bounded ? finish_block<true, false>
                   : finish_block<false, false>)(job, sums + c, bias, c, done, whole);
        if (whole < positions) {
            finish_some(job, sums + whole * job.pitch + c, bias, c, channels, done + whole, positions - whole);
        }
    }
}

/// to[c * to_pitch + r] = from[r * from_pitch + c]; reads and writes up to the next multiple of `turned_block` of both.
ANEMONE_INLINE void transpose(const float* from, std::int64_t from_pitch, std::int64_t rows, std::int64_t columns,
                              float* to, std::int64_t to_pitch) {
    for (std::int64_t c = 0; c < columns; c += turned_block) {
        for (std::int64_t r = 0; r < rows; r += turned_block) {
            turn(from + r * from_pitch + c, from_pitch, to + c * to_pitch + r, to_pitch);
        }
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

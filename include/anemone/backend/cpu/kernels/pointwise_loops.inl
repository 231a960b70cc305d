// Included by simd/each_set.inl through level.inl, after finishing.inl: convolutions of one tap a channel.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Rows of a plane each to panels of neighbouring positions: to[panel][channel][position].
ANEMONE_INLINE void widen_panels(const half* x, std::int64_t plane, std::int64_t channels, std::int64_t positions,
                                 float* to, std::int64_t panel_pitch) {
    constexpr int lanes = 16;
    for (std::int64_t c = 0; c < channels; ++c, x += plane, to += panel_positions) {
        float* panel = to;
        std::int64_t p = 0;
        for (; p + panel_positions <= positions; p += panel_positions, panel += panel_pitch) {
            floats<lanes>::load(x + p).store(panel);
            floats<lanes>::load(x + p + lanes).store(panel + lanes);
            floats<lanes>::load(x + p + 2 * lanes).store(panel + 2 * lanes);
        }
        for (; p + lanes <= positions; p += lanes, panel += lanes) {
            floats<lanes>::load(x + p).store(panel);
        }
        if (p < positions) {
            half some[lanes] = {};
            std::memcpy(static_cast<void*>(some), x + p, static_cast<std::size_t>(positions - p) * sizeof(half));
            floats<lanes>::load(some).store(panel);
        }
    }
}

/// `Rows` channels, of which `valid` are kept, by `Vectors` registers of positions, of which `left` are there. With
/// `Widened`, x is filled on the way.
template <int Rows, int Vectors, bool Widened>
void pointwise_tile(const pointwise_job& job, float* x, const float* weights, std::int64_t channel, std::int64_t valid,
                    std::int64_t position, std::int64_t left) {
    using vector = floats<register_lanes>;
    float* const sums = job.sums + channel * job.pitch + position;
    vector sum[Rows][Vectors];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v] = vector::all(0.0F);
        }
    }
    if (job.resumed) {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] = vector::load(sums + r * job.pitch + v * register_lanes);
            }
        }
    }
    const half* from = Widened ? job.halves + position : nullptr;
    for (std::int64_t t = 0; t < job.taps; ++t, weights += unit_channels, x += panel_positions) {
        vector value[Vectors];
        if constexpr (Widened) {
            __builtin_prefetch(from + panel_positions + panel_positions / 3);
            __builtin_prefetch(from + 2 * panel_positions - 1);
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                value[v] = vector::load(from + v * register_lanes);
                value[v].store(x + v * register_lanes);
            }
            from += job.in_plane;
        } else {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                value[v] = vector::load(x + v * register_lanes);
            }
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
    if (job.finish.out == nullptr) {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v].store(sums + r * job.pitch + v * register_lanes);
            }
        }
        return;
    }
    const auto finish = finisher<register_lanes>::of(job.finish);
    const bool whole = left >= Vectors * register_lanes;
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        if (r < valid) {
            const vector bias = vector::all(job.bias == nullptr ? -0.0F : job.bias[channel + r]);
            const std::int64_t place = (channel + r) * job.plane + position;
#pragma GCC unroll 8
            for (int v = 0; v + 1 < Vectors; ++v) {
                finish.store(sum[r][v] + bias, place + v * register_lanes);
            }
            const vector last = sum[r][Vectors - 1] + bias;
            if (whole) {
                finish.store(last, place + (Vectors - 1) * register_lanes);
            } else {
                finish.store_some(last, place + (Vectors - 1) * register_lanes, left - (Vectors - 1) * register_lanes);
            }
        }
    }
}

/// The positions of one panel.
template <int Rows, int Vectors, bool Widened = false>
ANEMONE_CPU_INLINE void pointwise_row(const pointwise_job& job, float* x, const float* weights, std::int64_t channel,
                                      std::int64_t valid, std::int64_t position, std::int64_t left) {
    constexpr std::int64_t width = Vectors * register_lanes;
    for (; left > width - register_lanes; left -= width, position += width, x += width) {
        pointwise_tile<Rows, Vectors, Widened>(job, x, weights, channel, valid, position, left);
    }
    if constexpr (Vectors > 1 && !Widened) {
        if (left > 0) {
            pointwise_row<Rows, Vectors - 1>(job, x, weights, channel, valid, position, left);
        }
    }
}

ANEMONE_INLINE void pointwise(const pointwise_job& job) {
    constexpr int rows = register_lanes == 16 ? 8 : 4;
    constexpr int vectors = register_lanes >= 8 ? 3 : 2;
    float* panel = job.panels;
    for (std::int64_t p = 0; p < job.positions; p += panel_positions, panel += job.panel_pitch) {
        const std::int64_t left = job.positions - p < panel_positions ? job.positions - p : panel_positions;
        bool filled = job.halves == nullptr;
        if (!filled && left < panel_positions) {
            widen_panels(job.halves + p, job.in_plane, job.taps, left, panel, 0);
            filled = true;
        }
        for (std::int64_t c = 0; c < job.channels;) {
            const float* const weights = job.weights + c / unit_channels * job.taps * unit_channels + c % unit_channels;
            const std::int64_t valid = job.channels - c;
            const bool many = rows > 4 && valid > 4;
            if (many && filled) {
                pointwise_row<rows, vectors>(job, panel, weights, c, valid, p, left);
            } else if (filled) {
                pointwise_row<4, vectors>(job, panel, weights, c, valid, p, left);
            } else if (many) {
                pointwise_row<rows, vectors, true>(job, panel, weights, c, valid, p, left);
            } else {
                pointwise_row<4, vectors, true>(job, panel, weights, c, valid, p, left);
            }
            filled = true;
            c += many ? rows : 4;
        }
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

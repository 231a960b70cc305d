// Included by simd/each_set.inl through level.inl, after finishing.inl: depthwise convolutions whose lanes are channels.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Outputs of a row that one tile computes: enough sums for the latency of a multiply-add.
inline constexpr int depthwise_outputs = 8;

/// Finishes the sums of some outputs at one vector of channels.
template <int Outputs>
ANEMONE_CPU_INLINE void finish_outputs(const depthwise_places_job& job, floats<register_lanes> (&sum)[Outputs],
                                       const finisher<register_lanes>& finish, std::int64_t output,
                                       std::int64_t channel) {
    using vector = floats<register_lanes>;
    const vector bias = vector::load(job.bias + channel);
    const std::int64_t left = job.channels - channel;
#pragma GCC unroll 8
    for (int p = 0; p < Outputs; ++p) {
        const vector value = sum[p] + bias;
        if (job.finish.out == nullptr) {
            value.store(job.sums + (output + p) * job.place_step + channel);
        } else if (left >= register_lanes) {
            finish.store(value, (output + p) * job.out_step + channel);
        } else {
            finish.store_some(value, (output + p) * job.out_step + channel, left);
        }
    }
}

/// `Outputs` neighbours at one vector of channels. Each place of a row is loaded once for all outputs that read it, from
/// the left to the right, so every output sums in the order of its taps.
template <int Kernel, int Stride, int Outputs>
ANEMONE_CPU_INLINE void depthwise_places_tile(const depthwise_places_job& job, std::int64_t output,
                                              std::int64_t channel, const finisher<register_lanes>& finish) {
    using vector = floats<register_lanes>;
    vector sum[Outputs];
#pragma GCC unroll 8
    for (int p = 0; p < Outputs; ++p) {
        sum[p] = vector::all(0.0F);
    }
    for (int i = 0; i < Kernel; ++i) {
        const float* place = job.rows[i] + output * Stride * job.place_step + channel;
        const float* const weights = job.weights + i * Kernel * job.place_step + channel;
        vector weight[Kernel];
#pragma GCC unroll 8
        for (int j = 0; j < Kernel; ++j) {
            weight[j] = vector::load(weights + j * job.place_step);
        }
#pragma GCC unroll 32
        for (int x = 0; x < (Outputs - 1) * Stride + Kernel; ++x, place += job.place_step) {
            const vector value = vector::load(place);
#pragma GCC unroll 8
            for (int p = 0; p < Outputs; ++p) {
                const int j = x - p * Stride;
                if (j >= 0 && j < Kernel) {
                    add_product(sum[p], value, weight[j]);
                }
            }
        }
    }
    finish_outputs(job, sum, finish, output, channel);
}

/// Any window.
template <int Outputs>
ANEMONE_CPU_INLINE void any_depthwise_tile(const depthwise_places_job& job, std::int64_t output, std::int64_t channel,
                                           const finisher<register_lanes>& finish) {
    using vector = floats<register_lanes>;
    vector sum[Outputs];
#pragma GCC unroll 8
    for (int p = 0; p < Outputs; ++p) {
        sum[p] = vector::all(0.0F);
    }
    const float* weight = job.weights + channel;
    for (std::int64_t i = 0; i < job.kernel_height; ++i) {
        for (std::int64_t j = 0; j < job.kernel_width; ++j, weight += job.place_step) {
            const float* place = job.rows[i] + job.columns[j] + output * job.stride * job.place_step + channel;
            const vector w = vector::load(weight);
#pragma GCC unroll 8
            for (int p = 0; p < Outputs; ++p, place += job.stride * job.place_step) {
                add_product(sum[p], vector::load(place), w);
            }
        }
    }
    finish_outputs(job, sum, finish, output, channel);
}

template <int Kernel, int Stride, int Outputs>
void depthwise_places_tiles(const depthwise_places_job& job, std::int64_t output,
                            const finisher<register_lanes>& finish) {
    for (std::int64_t c = 0; c < job.channels; c += register_lanes) {
        if constexpr (Kernel > 0) {
            depthwise_places_tile<Kernel, Stride, Outputs>(job, output, c, finish);
        } else {
            any_depthwise_tile<Outputs>(job, output, c, finish);
        }
    }
}

using depthwise_places_function = void (*)(const depthwise_places_job& job, std::int64_t output,
                                           const finisher<register_lanes>& finish);

/// Tiles of equal size but for one output, at most depthwise_outputs.
template <int Kernel, int Stride, int... Before>
void depthwise_places_of(const depthwise_places_job& job, std::integer_sequence<int, Before...>) {
    static constexpr depthwise_places_function functions[] = {depthwise_places_tiles<Kernel, Stride, Before + 1>...};
    const auto finish = finisher<register_lanes>::of(job.finish);
    const std::int64_t tiles = (job.outputs + depthwise_outputs - 1) / depthwise_outputs;
    const std::int64_t least = job.outputs / tiles;
    const std::int64_t larger = job.outputs % tiles;
    std::int64_t output = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const std::int64_t count = least + (tile < larger ? 1 : 0);
        functions[count - 1](job, output, finish);
        output += count;
    }
}

ANEMONE_INLINE void depthwise_places(const depthwise_places_job& job) {
    constexpr auto each = std::make_integer_sequence<int, depthwise_outputs>{};
    const bool square = job.dense && job.kernel_height == job.kernel_width;
    const std::int64_t kernel = square && job.stride <= 2 ? job.kernel_width * 10 + job.stride : 0;
    switch (kernel) {
    case 31: return depthwise_places_of<3, 1>(job, each);
    case 32: return depthwise_places_of<3, 2>(job, each);
    case 51: return depthwise_places_of<5, 1>(job, each);
    case 52: return depthwise_places_of<5, 2>(job, each);
    default: return depthwise_places_of<0, 0>(job, each);
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

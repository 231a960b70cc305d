// Included by simd/each_set.inl through level.inl, after finishing.inl: depthwise convolutions whose lanes are channels.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

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
        } else {
            finish.store_up_to(value, (output + p) * job.out_step + channel, left);
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

using depthwise_places_function = void (*)(const depthwise_places_job& job, std::int64_t output,
                                           const finisher<register_lanes>& finish);

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

/// Tiles of the given numbers of outputs, which descend to 1: as many of the largest as fit, then of the next. Rows of a
/// multiple of seven, which networks like, begin with the second.
template <int Kernel, int Stride, int... Sizes>
void depthwise_places_of(const depthwise_places_job& job, std::integer_sequence<int, Sizes...>) {
    static constexpr std::int64_t sizes[] = {Sizes...};
    static constexpr depthwise_places_function functions[] = {depthwise_places_tiles<Kernel, Stride, Sizes>...};
    const auto finish = finisher<register_lanes>::of(job.finish);
    const bool sevens = sizes[1] == 7 && job.outputs % 7 == 0 && job.outputs % sizes[0] != 0;
    std::int64_t output = 0;
    for (std::size_t i = sevens ? 1 : 0; output < job.outputs; ++i) {
        for (; output + sizes[i] <= job.outputs; output += sizes[i]) {
            functions[i](job, output, finish);
        }
    }
}

template <algorithm_set Ways> void depthwise_places(const depthwise_places_job& job) {
    if constexpr (register_lanes >= 8) {
        constexpr std::integer_sequence<int, 8, 7, 4, 2, 1> sizes; // enough sums for the latency of a multiply-add
        const bool square = job.dense && job.kernel_height == job.kernel_width;
        const std::int64_t window = square && job.stride <= 2 ? job.kernel_width * 10 + job.stride : 0;
        if constexpr (Ways.contains(algorithm::window_of_3)) {
            if (window == 31) {
                return depthwise_places_of<3, 1>(job, sizes);
            }
        }
        if constexpr (Ways.contains(algorithm::window_of_3_by_2)) {
            if (window == 32) {
                return depthwise_places_of<3, 2>(job, sizes);
            }
        }
        if constexpr (Ways.contains(algorithm::window_of_5)) {
            if (window == 51) {
                return depthwise_places_of<5, 1>(job, sizes);
            }
        }
        if constexpr (Ways.contains(algorithm::window_of_5_by_2)) {
            if (window == 52) {
                return depthwise_places_of<5, 2>(job, sizes);
            }
        }
    }
    if constexpr (register_lanes >= 8 && !Ways.contains(algorithm::other_window)) {
        no_loop(op::conv2d);
    } else {
        depthwise_places_of<0, 0>(job, std::integer_sequence<int, 8, 2, 1>{});
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

#pragma once

#include "../../../base/way.hpp"
#include "conv.hpp"

#include <algorithm>

namespace ane::cpu::inline ANEMONE_WAY {

/// A transposed convolution as one stride-1 convolution for each phase (y mod stride, x mod stride) of the output. All
/// phases read the same slab.
struct transposed_plan {
    /// The filter taps that reach one output phase.
    struct phase {
        std::int64_t row, column; ///< first output row and column
        window_taps window;
        std::int64_t weights; ///< where its packed weights begin, for each group a part

        std::int64_t taps() const { return window.count(); }
    };

    convolution_shape shape;
    block_plan blocks; ///< of positions that all phases have
    std::vector<phase> phases;

    /// Numbers of the packed weights.
    std::int64_t packed_size() const {
        return phases.back().weights + shape.groups * blocks.units() * phases.back().taps() * unit_channels;
    }
    /// Outputs of a position along an axis, one for each phase: as many as the stride, unless the result has fewer.
    std::int64_t outputs_down() const { return std::min(shape.stride_height, shape.out_height); }
    std::int64_t outputs_across() const { return std::min(shape.stride_width, shape.out_width); }
    /// Outputs of a channel in a block, all phases together.
    std::int64_t block_outputs() const {
        return blocks.block_height * outputs_down() * blocks.block_width * outputs_across();
    }
    ANEMONE_API scratch_sizes scratch() const;
};

struct packed_transposed_convolution {
    transposed_plan plan;
    std::vector<half> weights;
    std::vector<float> bias; ///< per output channel, or empty

    std::size_t bytes() const { return weights.size() * sizeof(half) + bias.size() * sizeof(float); }
    filter_view filter() const { return {weights.data(), bias.empty() ? nullptr : bias.data(), nullptr}; }
};

/// Plans for at most `width` threads. In the shape, stride, padding and dilation are those of the convolution that this
/// one transposes; output padding follows from the output extents. Throws errc::argument on extents that make no
/// convolution.
ANEMONE_API transposed_plan plan_transposed(const kernel_table& table, const convolution_shape& s, int width = 1);

/// Packs a filter [I, O / groups, kH, kW] into `packed_size()` values.
ANEMONE_API void pack_filter(const transposed_plan& plan, const half* weight, half* packed);

/// Plans and packs a filter and a bias per output channel (or nullptr) once.
ANEMONE_API packed_transposed_convolution pack_transposed(const kernel_table& table, const convolution_shape& s,
                                                          const half* weight, const half* bias = nullptr,
                                                          int width = 1);

/// out[n, o, y, x] = bias[o] + sum of w[c, o, i, j] * x[n, c, (y + pad - i d) / s, (x + pad - j d) / s] over the c, i,
/// j for which both divisions are exact; fp32 sums in the order c, i, j, which go to the sink.
ANEMONE_API void transposed_convolution(const kernel_table& table, const transposed_plan& plan,
                                        const filter_view& filter, const half* x, const worker_threads& workers,
                                        const sums_sink& sink);

/// As above in this thread and with scratch of its own, rounded to fp16.
ANEMONE_API void transposed_convolution(const kernel_table& table, const packed_transposed_convolution& packed,
                                        const half* x, half* out);

/// As above with a filter that is used once.
ANEMONE_API void transposed_convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                                        const half* weight, const half* bias, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "conv_transpose.ipp"
#endif

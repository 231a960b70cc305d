#pragma once

#include "../../../base/way.hpp"
#include "conv.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

/// A transposed convolution as one stride-1 convolution for each phase (y mod stride, x mod stride) of the output.
struct packed_transposed_convolution {
    /// The filter taps that reach one output phase.
    struct phase {
        std::int64_t row, column;          ///< first output row and column
        std::int64_t taps;                 ///< channels * kernel rows * kernel columns that meet the phase
        std::vector<std::int64_t> offsets; ///< of each tap in the slab, for the first output
        std::vector<float> weights;        ///< for each group, blocks as in packed_convolution
    };

    convolution_shape shape;
    slab_layout slab;
    std::int64_t top = 0; ///< where x(0, 0) lies in the slab
    std::int64_t left = 0;
    std::vector<phase> phases;
    std::vector<float> bias;
};

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// One kernel index that meets a phase, and the input index it reads for the phase's first output.
struct phase_tap {
    std::int64_t kernel;
    std::int64_t base;
};

/// Least and greatest base over all phases of an axis.
struct base_range {
    std::int64_t least = 0;
    std::int64_t greatest = 0;
};

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Prepares a filter [I, O / groups, kH, kW] and a bias per output channel (or nullptr) once. In the shape, stride,
/// padding and dilation are those of the convolution that this one transposes; output padding follows from the output
/// extents. Throws errc::argument on extents that make no convolution.
ANEMONE_API packed_transposed_convolution pack_transposed(const kernel_table& table, const convolution_shape& s,
                                                          const half* weight, const half* bias = nullptr);

/// out[n, o, y, x] = bias[o] + sum of w[c, o, i, j] * x[n, c, (y + pad - i d) / s, (x + pad - j d) / s] over the c, i,
/// j for which both divisions are exact; fp32 sums in the order c, i, j, then one rounding.
ANEMONE_API void transposed_convolution(const kernel_table& table, const packed_transposed_convolution& packed,
                                        const half* x, half* out);

/// As above with a filter that is used once.
ANEMONE_API void transposed_convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                                        const half* weight, const half* bias, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "conv_transpose.ipp"
#endif

#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "block_contraction.hpp"
#include "sums_sink.hpp"
#include "workers.hpp"

#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// How a convolution is computed whose groups have one channel: plane by plane, in parts that the first cache holds.
struct depthwise_plan {
    numerics::convolution_shape shape;
    std::int64_t block_height = 1; ///< rows of outputs
    std::int64_t blocks = 1;       ///< of a plane
    convolution_slab slab;
    std::int64_t shift = 0;             ///< of the slab from the start of the scratch
    sequence<std::int64_t> row_offsets; ///< of each kernel row and column in the slab
    sequence<std::int64_t> column_offsets;
    bool dense = false; ///< neighbouring kernel rows read neighbouring rows

    std::int64_t kernel() const { return shape.kernel_height * shape.kernel_width; }
    /// Numbers of a packed filter: whole vectors.
    std::int64_t filter_pitch() const { return (kernel() + unit_channels - 1) / unit_channels * unit_channels; }
    ANEMONE_API scratch_sizes scratch() const;
};

ANEMONE_API depthwise_plan plan_depthwise(const numerics::convolution_shape& s);

/// As convolution(). `weights` are [O][filter_pitch()], `bias` may be null.
ANEMONE_API void depthwise_convolution(const kernel_table& table, const depthwise_plan& plan, const half* weights,
                                       const float* bias, const half* x, const worker_threads& workers,
                                       const sums_sink& sink);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "depthwise.ipp"
#endif

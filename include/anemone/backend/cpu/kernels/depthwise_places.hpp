#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "convolution_slab.hpp"
#include "sums_sink.hpp"
#include "workers.hpp"

#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// How a convolution of NHWC images is computed whose groups have one channel on both sides: row after row of some
/// channels, over padded rows in fp32 of which each is made once.
struct depthwise_places_plan {
    numerics::convolution_shape shape;
    std::int64_t block_channels = 16; ///< whole vectors
    std::int64_t blocks = 1;          ///< of all channels
    std::int64_t row_parts = 1;       ///< of an image, for as many threads
    bool tiles_finish = true;
    slab_axis across;
    sequence<std::int64_t> columns; ///< of each kernel column, in floats
    bool dense = false;             ///< columns are neighbours

    std::int64_t kernel() const { return shape.kernel_height * shape.kernel_width; }
    /// Numbers of a packed filter, [block][tap][block_channels].
    std::int64_t packed_size() const { return blocks * kernel() * block_channels; }
    ANEMONE_API scratch_sizes scratch() const;
};

/// Plans for at most `width` threads. Without `tiles_finish` rows have all channels, so that what follows gets whole rows.
ANEMONE_API depthwise_places_plan plan_depthwise_places(const numerics::convolution_shape& s, bool tiles_finish,
                                                        int width);

/// Packs a filter [C, 1, kH, kW].
ANEMONE_API void pack_depthwise_places(const depthwise_places_plan& plan, const half* weight, half* packed);

/// As convolution(), with packed weights.
ANEMONE_API void depthwise_places_convolution(const kernel_table& table, const depthwise_places_plan& plan,
                                              const half* weights, const float* bias, const half* x,
                                              const worker_threads& workers, const sums_sink& sink);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "depthwise_places.ipp"
#endif

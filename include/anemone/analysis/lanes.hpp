#pragma once

#include "../targets/description.hpp"
#include "../values/dtype.hpp"
#include "../values/shape.hpp"

#include <cstdint>

/// How much of the engine's padded layout a tensor fills. Rows are padded to the granule of the transfers, 16 bytes,
/// and channels to a multiple of the interleave factor (guide chapter 17, R101, R103, R104; decompiled).
namespace ane {

constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
    return multiple > 1 ? (value + multiple - 1) / multiple * multiple : value;
}

/// The interleave factor that pads a channel count least, and the largest of these: 8 for 64 channels, 3 for 5, 1 where
/// there is no channel axis to interleave. The factors are decompiled; that the compiler chooses this one is predicted:
/// it finds the factor "from the table and the dimensions".
constexpr std::int64_t interleave_factor(const extents& shape, const target_description& t) {
    const std::int64_t channels = shape.channels();
    if (shape.rank < 3 || channels <= 1) {
        return 1;
    }
    std::int64_t chosen = 1;
    std::int64_t padded = 0;
    for (const std::int32_t factor : t.limits.interleave_factors) {
        const std::int64_t size = rounded_up(channels, factor);
        if (factor > 1 && (chosen == 1 || size < padded || (size == padded && factor > chosen))) {
            chosen = factor;
            padded = size;
        }
    }
    return chosen;
}

/// A tensor in the engine's layout.
struct lane_use {
    std::int64_t needed = 0;     ///< bytes of its elements
    std::int64_t stored = 0;     ///< bytes with the padding of rows and channels
    std::int64_t row = 0;        ///< bytes of one stored row
    std::int64_t rows = 0;       ///< rows of one channel
    std::int64_t interleave = 1; ///< the factor that the channels are padded to
    std::int64_t channels = 0;   ///< stored, padding included

    /// The share of the stored bytes that is padding, 0 .. 1.
    constexpr double wasted() const {
        return stored > 0 ? 1 - static_cast<double>(needed) / static_cast<double>(stored) : 0;
    }
};

constexpr lane_use lanes_of(dtype type, const extents& shape, const target_description& t) {
    lane_use l;
    l.needed = bytes(type, shape.count());
    l.row = rounded_up(bytes(type, shape.width()), t.memory.dma_width_granule);
    l.rows = shape.height();
    l.interleave = interleave_factor(shape, t);
    l.channels = rounded_up(shape.channels(), l.interleave);
    std::int64_t planes = 1; // the axes outside C, H, W
    for (int i = 0; i + 3 < shape.rank; ++i) {
        planes *= shape[i];
    }
    l.stored = planes * l.channels * l.rows * l.row;
    return l;
}

} // namespace ane

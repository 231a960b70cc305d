#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "sums_sink.hpp"
#include "window_taps.hpp"
#include "winograd_option.hpp"
#include "workers.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// How a 3x3 convolution is computed as products of transformed tiles. The tiles of all images follow each other, row
/// after row; a block is some rows of tiles.
struct winograd_plan {
    numerics::convolution_shape shape;
    std::int64_t tile = 4;      ///< outputs a side
    std::int64_t tile_rows = 1; ///< of a plane
    std::int64_t tile_columns = 1;
    std::int64_t block_rows = 1; ///< of tiles, at most
    std::int64_t unit_parts = 1; ///< the output channels of a block, for as many threads
    std::int64_t paired_units = 1;
    window_taps window; ///< the channels of a transformed tile

    std::int64_t points() const { return (tile + 2) * (tile + 2); }
    std::int64_t channels() const { return shape.in_channels / shape.groups; }
    std::int64_t rows() const { return shape.out_channels / shape.groups; }
    std::int64_t units() const { return (rows() + unit_channels - 1) / unit_channels; }
    std::int64_t pairs() const { return (units() + paired_units - 1) / paired_units; }
    /// Numbers of the transformed filter, in fp32: [group][pair of units][point][unit][channel][unit_channels].
    std::int64_t packed_size() const { return shape.groups * units() * points() * channels() * unit_channels; }
    ANEMONE_API scratch_sizes scratch() const;
};

/// A transformed filter, at the beginning of a cache line. Copies share it.
class winograd_filter {
public:
    winograd_filter() = default;
    ANEMONE_API explicit winograd_filter(std::int64_t size);
    float* data() const { return data_; }

private:
    std::shared_ptr<float[]> memory_; // NOLINT(modernize-avoid-c-arrays)
    float* data_ = nullptr;
};

/// The outputs a side of the tiles by which a shape is computed fastest, 2 or 4 as the form permits; 0 where sums of
/// products are faster, and for all but 3x3 windows of stride and dilation 1.
ANEMONE_API std::int64_t winograd_tile(const numerics::convolution_shape& s, winograd_tiles form);

ANEMONE_API winograd_plan plan_winograd(const kernel_table& table, const numerics::convolution_shape& s,
                                        std::int64_t tile, int width);

/// Transforms a filter [O, I / groups, 3, 3] into `packed_size()` numbers.
ANEMONE_API void pack_winograd(const kernel_table& table, const winograd_plan& plan, const half* weight, float* packed);

/// The algorithm adds values of a tile that a window does not read, so the largest ones set the error of their
/// neighbours. It is used for images whose largest magnitude is at most so many times their root mean square, which
/// none is with an infinity or NaN.
inline constexpr double winograd_span = 64;

/// Whether the image x [planes][count] is such. `memory` has room for two numbers for each plane.
ANEMONE_API bool winograd_bears(const kernel_table& table, const half* x, std::int64_t planes, std::int64_t count,
                                const worker_threads& workers, float* memory);

/// As convolution(), for the images first <= n < first + images.
ANEMONE_API void winograd_convolution(const kernel_table& table, const winograd_plan& plan, const float* weights,
                                      const float* bias, const half* x, std::int64_t first, std::int64_t images,
                                      const worker_threads& workers, const sums_sink& sink);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "winograd.ipp"
#endif

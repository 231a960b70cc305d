#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "../workers.hpp"
#include "convolution_slab.hpp"
#include "sums_sink.hpp"

#include <cstdint>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Whether 3x3 convolutions of stride 1 may be computed by Winograd's algorithm, which takes 2.25 or 4 times fewer
/// multiplications and rounds differently: see docs/performance.md for the errors.
enum class winograd {
    never,
    tiles_of_two, ///< F(2x2, 3x3): as exact as the sums of products
    tiles_of_four ///< F(4x4, 3x3)
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// How a 3x3 convolution is computed as products of transformed tiles.
struct winograd_plan {
    numerics::convolution_shape shape;
    std::int64_t tile = 4;         ///< outputs a side
    std::int64_t tile_rows = 1;    ///< of a plane
    std::int64_t tile_columns = 1;
    std::int64_t blocks = 1;       ///< of a plane: rows of tiles, in equal parts
    std::int64_t block_rows = 1;   ///< of tiles, at most
    std::int64_t paired_units = 1;
    convolution_slab slab;         ///< one channel of a block
    std::vector<std::int64_t> offsets; ///< of each channel in the transformed input

    std::int64_t points() const { return (tile + 2) * (tile + 2); }
    std::int64_t channels() const { return shape.in_channels / shape.groups; }
    std::int64_t rows() const { return shape.out_channels / shape.groups; }
    std::int64_t units() const { return (rows() + unit_channels - 1) / unit_channels; }
    /// Numbers of the transformed filter, in fp32: [group][pair of units][point][unit][channel][unit_channels].
    std::int64_t packed_size() const { return shape.groups * units() * points() * channels() * unit_channels; }
    ANEMONE_API scratch_sizes scratch() const;
};

/// Whether the algorithm is faster for this shape: 3x3, stride and dilation 1, enough channels and tiles.
ANEMONE_API bool winograd_wins(const numerics::convolution_shape& s, std::int64_t tile);

ANEMONE_API winograd_plan plan_winograd(const kernel_table& table, const numerics::convolution_shape& s,
                                        std::int64_t tile, int width);

/// Transforms a filter [O, I / groups, 3, 3] into `packed_size()` numbers, in double and rounded once. False, and
/// nothing useful, if a weight is not finite or a channel's weights span more than the algorithm bears.
ANEMONE_API bool pack_winograd(const winograd_plan& plan, const half* weight, float* packed);

/// Whether the values of one image span no more than the algorithm bears: it adds values of a tile that a window does
/// not read, so the largest one sets the error of its neighbours. False for infinities and NaN.
ANEMONE_API bool winograd_bears(const half* x, std::int64_t count);

/// As convolution(), for the images first <= n < first + images.
ANEMONE_API void winograd_convolution(const kernel_table& table, const winograd_plan& plan, const float* weights,
                                      const float* bias, const half* x, std::int64_t first, std::int64_t images,
                                      const workers& crew, const sums_sink& sink);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "winograd.ipp"
#endif

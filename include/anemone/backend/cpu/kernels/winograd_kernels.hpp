#pragma once

#include "../../../base/way.hpp"
#include "../../../values/half.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Transforms of inputs take so many channels at once, whose lanes are neighbours.
inline constexpr std::int64_t winograd_channels = 16;
/// Columns of inputs that they hold at once, with what is written past the end.
inline constexpr std::int64_t winograd_columns = 64;
inline constexpr std::int64_t winograd_strip = (winograd_columns + 2 + 8) * winograd_channels;

/// The transform of some channels of some rows of tiles of one image.
struct winograd_input_job {
    const half* x;         ///< the first channel's plane
    std::int64_t channels; ///< at most `winograd_channels`
    std::int64_t height;   ///< of a plane
    std::int64_t width;    ///< of a plane
    std::int64_t readable; ///< numbers from x on that may be read
    std::int64_t top;      ///< the input's row that the first row of tiles begins with
    std::int64_t left;     ///< and the column
    std::int64_t tile_rows;
    std::int64_t tile_columns;
    float* rows;        ///< room for tile + 2 times `winograd_strip`
    float* to;          ///< [point of the transform][tile][step]: `winograd_channels` numbers of each
    std::int64_t point; ///< from a point to the next
    std::int64_t step;  ///< from a tile to the next
};

/// The transform back of a row of tiles.
struct winograd_output_job {
    const float* products; ///< [point][tile][lanes]
    std::int64_t point;
    std::int64_t tile_columns;
    std::int64_t lanes; ///< channels in memory: whole units
    const float* bias;  ///< of these channels
    float* pixels;      ///< room for [tile][tile_columns * tile][lanes] and eight more rows of lanes
    std::int64_t rows;  ///< of pixels to keep
    std::int64_t columns;
    std::int64_t channels;
    float* sums; ///< [channel][pitch], rows without gaps; written up to seven numbers past the end
    std::int64_t pitch;
};

/// The transform of the filters of one unit of output channels.
struct winograd_filter_job {
    const half* filter; ///< [row][channels][9]
    std::int64_t rows;  ///< of the unit that there are
    std::int64_t channels;
    float* packed;      ///< [point][channel][unit_channels]
    std::int64_t point; ///< from a point to the next
};

/// The loops of Winograd's convolutions; `tile` is 2 or 4: so many outputs a side.
struct winograd_kernels {
    void (*input)(const winograd_input_job& job, int tile) = nullptr;
    void (*output)(const winograd_output_job& job, int tile) = nullptr;
    void (*filter)(const winograd_filter_job& job, int tile) = nullptr;
    /// The largest magnitude, infinity for NaN, and the sum of squares: the same bits at every set.
    void (*magnitudes)(const half* x, std::int64_t count, float* largest, float* squares) = nullptr;
};

} // namespace ane::cpu::inline ANEMONE_WAY

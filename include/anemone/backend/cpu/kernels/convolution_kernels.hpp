#pragma once

#include "../../../base/way.hpp"
#include "../../../values/half.hpp"
#include "finishing.hpp"
#include "memory_pieces.hpp"
#include "window_taps.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Filters are packed in units of so many output channels: [unit][tap][channel of the unit].
inline constexpr std::int64_t unit_channels = 16;

/// Kernels over vectors may read so many floats past the last position that were requested.
inline constexpr std::int64_t overread = 160;

/// sum[o, p] = sum over t of w[t, o] * x[offset of t + place of p], for some units and for positions in a plane.
struct contraction_job {
    const float* x;
    tap_offsets taps;
    std::int64_t unit_step; ///< from a unit of `weights` to the next
    const float* weights;   ///< [unit][tap][unit_channels]
    std::int64_t rows;      ///< of positions; position (y, x) is at y * row_step + x * step
    std::int64_t columns;
    std::int64_t row_step;
    std::int64_t step;
    float* sums; ///< as the kernel says
    std::int64_t pitch;
    bool resumed;          ///< adds to what `sums` holds: the same bits as all taps in one call
    std::int64_t channels; ///< that are wanted, at most all of `paired_units` units
    /// Of channel_lanes, for the last taps: where the sums go instead, [channel][finished_pitch], or null. A channel
    /// gets up to seven numbers more than positions, and up to seven channels more are written. For NHWC
    /// [position][finished_pitch], of whole units.
    float* finished = nullptr;
    std::int64_t finished_pitch = 0;
    /// Or, with `out`, of the first channel and position: where the results go.
    finishing finish = {};
    const float* bias = nullptr; ///< then, or null
    std::int64_t plane = 0;      ///< from a channel of the result to the next
    std::int64_t place_step = 1; ///< from a position of the result to the next; more than 1 for NHWC, of all channels
    /// Of channel_lanes, where tiles widen: the weights as they are packed, from which `widened`, which `weights` are then, is filled first.
    const half* packed = nullptr;
    float* widened = nullptr;
    memory_pieces next = {}; ///< will be read soon: on its way while tiles are computed
};

/// With fewer channels their planes are copied as they are.
inline constexpr std::int64_t gathered_at_least = 8;

/// Positions that channel_lanes transposes at once, from the first cache.
inline constexpr std::int64_t transposed_positions = 64;

/// Some rows of one output channel of a convolution whose groups have one channel.
struct depthwise_job {
    const float* x; ///< padded; the columns that one tap gives to a row of outputs are neighbours
    std::int64_t pitch;
    const float* weights; ///< [kernel_height][kernel_width]
    std::int64_t kernel_height;
    std::int64_t kernel_width;
    const std::int64_t* row_offsets; ///< of each kernel row and column in x
    const std::int64_t* column_offsets;
    std::int64_t row_stride;
    bool dense; ///< row_offsets are multiples of the pitch: 0, 1, 2 ...
    std::int64_t rows;
    std::int64_t columns;
    float bias;
    float* sums;      ///< [rows][columns], written up to `overread` past the end, or
    finishing finish; ///< with `out`: where the results go
    const void* next; ///< will be read next: to be fetched meanwhile
    std::int64_t next_bytes;
};

/// A row of outputs of some channels of a depthwise convolution of NHWC images.
struct depthwise_places_job {
    const float* const* rows; ///< that each kernel row reads: [place][place_step], whole vectors
    std::int64_t place_step;
    const std::int64_t* columns; ///< of each kernel column, its first place, in floats
    bool dense;                  ///< columns are neighbours
    std::int64_t kernel_height;
    std::int64_t kernel_width;
    std::int64_t stride;
    const float* weights; ///< [tap][place_step]
    const float* bias;    ///< [place_step]
    std::int64_t channels;
    std::int64_t outputs;
    float* sums;           ///< [output][place_step], whole vectors, or
    finishing finish;      ///< with `out`: where the results go
    std::int64_t out_step; ///< then, from an output to the next
};

/// Copies of the planes that a convolution reads.
struct plane_kernels {
    /// fp16 to fp32, for rows of any length.
    void (*widen)(const half* from, float* to, std::int64_t count) = nullptr;
    /// Rows to rows, with zeros up to the next row between them. `readable` numbers from the first on may be read, and
    /// with `room` up to `overread` behind the last row are written.
    void (*widen_rows)(const half* from, std::int64_t from_pitch, std::int64_t readable, std::int64_t rows,
                       std::int64_t width, float* to, std::int64_t to_pitch, bool room) = nullptr;
    /// The same for rows whose even and odd columns go to different places.
    void (*widen_pairs)(const half* from, std::int64_t from_pitch, std::int64_t readable, std::int64_t rows,
                        std::int64_t width, float* even, float* odd, std::int64_t to_pitch) = nullptr;
    /// to[k * phase + i] = from[4 i + k].
    void (*split_fours)(const float* from, std::int64_t fours, float* to, std::int64_t phase) = nullptr;
    /// to[i * to_step + c] = from[c * plane + i].
    void (*gather_channels)(const half* from, std::int64_t plane, std::int64_t channels, std::int64_t count, float* to,
                            std::int64_t to_step) = nullptr;
    /// to[i * to_step + c] = from[i * from_step + c].
    void (*widen_places)(const half* from, std::int64_t from_step, std::int64_t channels, std::int64_t count, float* to,
                         std::int64_t to_step) = nullptr;
};

/// The loops of convolutions. The sum over the taps is one fp32 accumulator in the order of the taps, by multiply_add,
/// in all of them, also in those of depthwise_kernels: which of two kernels computes an output does not show in its bits.
struct convolution_kernels {
    /// Lanes are channels: sums[position][pitch].
    void (*channel_lanes)(const contraction_job& job) = nullptr;
    /// Lanes are positions of one row, with step 1: sums[channel][pitch], where pitch holds whole vectors. For few
    /// channels, in one unit.
    void (*position_lanes)(const contraction_job& job) = nullptr;
    bool tiles_widen = false; ///< tiles of channels take packed weights
    int most_positions = 1;   ///< of a tile of `channel_lanes`
    int paired_units = 1;
};

/// Of convolutions whose groups have one channel.
struct depthwise_kernels {
    void (*planes)(const depthwise_job& job) = nullptr;
    void (*places)(const depthwise_places_job& job) = nullptr;
};

} // namespace ane::cpu::inline ANEMONE_WAY

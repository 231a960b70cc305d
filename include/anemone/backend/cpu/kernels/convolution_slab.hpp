#pragma once

#include "../../../base/way.hpp"
#include "../../../passes/layouts.hpp"
#include "table.hpp"

#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// One axis of the padded copy that some neighbouring outputs read through windows. Rows that no window reads are not in
/// it, however far the taps lie apart.
struct slab_axis {
    /// Neighbours in the slab that are neighbours of the input: slab[begin + i] is input[origin + from + i].
    struct stretch {
        std::int64_t begin;
        std::int64_t from;
        std::int64_t count;
    };

    std::int64_t size = 1;            ///< places, a multiple of `phases`
    std::int64_t phases = 1;          ///< places i and j are neighbours in memory if i / phases and j / phases are
    sequence<std::int64_t> places;    ///< of each base
    sequence<stretch> stretches = {}; ///< ascending

    /// Where place i is in a plane of this axis alone.
    std::int64_t in_memory(std::int64_t i) const { return i % phases * (size / phases) + i / phases; }
};

/// The axis for `outputs` neighbours, `stride` inputs apart, whose windows read at the given ascending `bases`. With
/// `phased`, the inputs that one base gives to all outputs are neighbours in memory.
ANEMONE_API slab_axis slab_axis_of(const sequence<std::int64_t>& bases, std::int64_t outputs, std::int64_t stride,
                                   bool phased);

/// A padded fp32 copy of what a block of outputs reads: [channel][row phase][column phase][row][column], or
/// [row][column][channel], where an axis has one phase.
struct convolution_slab {
    slab_axis down;
    slab_axis across;
    std::int64_t places_apart = 1; ///< floats from a place to its neighbour; more than 1: its channels lie between

    bool channels_last() const { return places_apart > 1; }
    /// Places of a channel.
    std::int64_t plane() const { return down.size * across.size; }
    /// Floats of some channels.
    std::int64_t size(std::int64_t channels) const { return plane() * (channels_last() ? places_apart : channels); }
    /// From a channel to the next.
    std::int64_t channel_step() const { return channels_last() ? 1 : plane(); }
    /// Of neighbouring rows of one phase.
    std::int64_t pitch() const { return across.size / across.phases * places_apart; }
    /// Where the tap with these bases (by index) finds the first output's input in a channel.
    std::int64_t offset(std::int64_t channel, std::size_t row_base, std::size_t column_base) const {
        return channel * channel_step() + row_start(down.places[row_base]) + column_start(across.places[column_base]);
    }
    std::int64_t row_start(std::int64_t row) const {
        return row % down.phases * (plane() / down.phases * places_apart) + row / down.phases * pitch();
    }
    std::int64_t column_start(std::int64_t column) const {
        return (column % across.phases * (plane() / down.phases / across.phases) + column / across.phases) *
               places_apart;
    }
};

/// What a slab is a copy of: some channels of an image. The first output reads it at (top, left) plus its bases; what is
/// outside of it is zero.
struct slab_source {
    const half* x; ///< [channel][height][width], or [height][width][channel]
    layout order;
    std::int64_t channels;
    std::int64_t height;
    std::int64_t width;
    std::int64_t top;
    std::int64_t left;
    std::int64_t readable; ///< numbers from x on
};

/// Fills planes of channels from an NCHW image. `line` has room for a row of the slab. With `room`, up to `overread` behind the last plane
/// are written.
ANEMONE_API void fill_planes(const kernel_table& table, const convolution_slab& slab, const slab_source& source,
                             float* to, float* line, bool room);

/// Fills rows first <= i < last of a slab whose channels are last.
ANEMONE_API void fill_rows(const kernel_table& table, const convolution_slab& slab, const slab_source& from,
                           std::int64_t first, std::int64_t last, float* to);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "convolution_slab.ipp"
#endif

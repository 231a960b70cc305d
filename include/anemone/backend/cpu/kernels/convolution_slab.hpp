#pragma once

#include "../../../base/way.hpp"
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

    std::int64_t size = 1;               ///< places, a multiple of `phases`
    std::int64_t phases = 1;             ///< places i and j are neighbours in memory if i / phases and j / phases are
    std::vector<std::int64_t> places;    ///< of each base
    std::vector<stretch> stretches = {}; ///< ascending

    /// Where place i is in a plane of this axis alone.
    std::int64_t in_memory(std::int64_t i) const { return i % phases * (size / phases) + i / phases; }
};

/// The axis for `outputs` neighbours, `stride` inputs apart, whose windows read at the given ascending `bases`. With
/// `phased`, the inputs that one base gives to all outputs are neighbours in memory.
ANEMONE_API slab_axis slab_axis_of(const std::vector<std::int64_t>& bases, std::int64_t outputs, std::int64_t stride,
                                   bool phased);

/// A padded fp32 copy of what a block of outputs reads: [channel][row phase][column phase][row][column].
struct convolution_slab {
    slab_axis down;
    slab_axis across;

    std::int64_t plane() const { return down.size * across.size; }
    /// Of neighbouring rows of one phase.
    std::int64_t pitch() const { return across.size / across.phases; }
    /// Where the tap with these bases (by index) finds the first output's input in a channel.
    std::int64_t offset(std::size_t row_base, std::size_t column_base) const {
        return row_start(down.places[row_base]) + column_start(across.places[column_base]);
    }
    std::int64_t row_start(std::int64_t row) const {
        return row % down.phases * (plane() / down.phases) + row / down.phases * pitch();
    }
    std::int64_t column_start(std::int64_t column) const {
        return column % across.phases * (plane() / down.phases / across.phases) + column / across.phases;
    }
};

/// Copies planes of x [channels, height, width]; the first output reads the input at (top, left) plus its bases. What is
/// outside of x is zero. `line` has room for a row of the slab. From x on, `readable` numbers may be read, and
/// with `room` up to `overread` behind the last plane are written.
ANEMONE_API void fill_slab(const kernel_table& table, const convolution_slab& slab, const half* x,
                           std::int64_t channels, std::int64_t height, std::int64_t width, std::int64_t top,
                           std::int64_t left, float* to, float* line, std::int64_t readable, bool room);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "convolution_slab.ipp"
#endif

#pragma once

#include "../../../base/way.hpp"
#include "convolution_form.hpp"
#include "convolution_slab.hpp"
#include "table.hpp"
#include "workers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// The windows of a convolution, or of all phases of a transposed one, over the planes of one group.
struct window_problem {
    std::int64_t images = 1;   ///< batch * groups
    std::int64_t channels = 1; ///< of x in a group
    std::int64_t rows = 1;     ///< channels of the result in a group
    std::int64_t taps = 1;     ///< of an output, at most
    std::int64_t in_height = 1;
    std::int64_t in_width = 1;
    std::int64_t out_height = 1;
    std::int64_t out_width = 1;
    std::int64_t stride_height = 1;
    std::int64_t stride_width = 1;
    sequence<std::int64_t> row_bases;    ///< ascending: the inputs that output 0 reads
    sequence<std::int64_t> column_bases; ///< likewise
    std::int64_t phases = 1;             ///< results of each output
    convolution_form form = {};
};

/// How a convolution is cut: rectangles of outputs, whose padded inputs fit a part of the cache, and within each tiles
/// whose lanes are channels or positions.
struct block_plan {
    bool channel_lanes = true;
    bool by_channels = false; ///< the threads share a block and divide its channels, instead of the blocks
    std::int64_t images = 1;
    std::int64_t channels = 1;
    std::int64_t rows = 1; ///< channels of the result in a group
    std::int64_t out_height = 1;
    std::int64_t out_width = 1;
    std::int64_t in_height = 1;
    std::int64_t in_width = 1;
    std::int64_t stride_height = 1;
    std::int64_t stride_width = 1;
    std::int64_t block_height = 1; ///< outputs of a block, fewer at the ends
    std::int64_t block_width = 1;
    std::int64_t down = 1; ///< blocks of an image
    std::int64_t across = 1;
    std::int64_t units_at_once = 1;
    std::int64_t paired_units = 1; ///< of a tile
    layout in = layout::nchw;
    layout out = layout::nchw;
    bool tiles_finish = true;        ///< NHWC results; else there is room for the sums of all channels of a block
    std::int64_t most_converted = 1; ///< taps that have their weights in fp32 at the same time
    convolution_slab slab;
    std::int64_t row_step = 1; ///< in the slab, between outputs
    std::int64_t step = 1;

    std::int64_t units() const { return (rows + unit_channels - 1) / unit_channels; }
    std::int64_t blocks() const { return images * down * across; }
    /// As many of so many taps: equal parts, whole groups of four.
    std::int64_t converted_at_once(std::int64_t taps) const {
        const std::int64_t parts = (taps + most_converted - 1) / most_converted;
        return parts == 0 ? 4 : ((taps + parts - 1) / parts + 3) / 4 * 4;
    }
    /// Floats of a slab, and of one channel, or of one place, of the sums.
    ANEMONE_API std::int64_t slab_size() const;
    ANEMONE_API std::int64_t sums_pitch() const;
    /// Floats of the sums that are kept at a time.
    ANEMONE_API std::int64_t sums_size() const;
    /// Floats that `sums_of` needs beside the slab and its result: weights, and from here on sums of tiles.
    ANEMONE_API std::int64_t temporary_size() const;
    ANEMONE_API std::int64_t tiles_begin() const;
};

/// One block: which image (of batch * groups), which outputs.
struct output_block {
    std::int64_t image;
    std::int64_t y;
    std::int64_t x;
    std::int64_t height;
    std::int64_t width;
};

/// Cuts for at most `width` threads.
ANEMONE_API block_plan plan_blocks(const kernel_table& table, const window_problem& problem, int width);

ANEMONE_API output_block block_at(const block_plan& plan, std::int64_t index);

/// Into how many parts threads may divide the copying of what a block reads.
ANEMONE_API std::int64_t parts_to_fill(const block_plan& plan);

/// Copies parts first <= i < last of what a block reads into its slab. x is the image. `line` has room for a row.
ANEMONE_API void fill_block(const kernel_table& table, const block_plan& plan, const output_block& block, const half* x,
                            std::int64_t first, std::int64_t last, float* slab, float* line);

/// What the block after a block reads of its image, unless that is too much to have it in the cache early.
ANEMONE_API memory_pieces inputs_of(const block_plan& plan, const output_block& block, const half* x);

/// Memory that will be read soon, handed out in parts.
class coming_memory {
public:
    coming_memory(const memory_pieces& all, std::int64_t parts) : all_(all), parts_(parts) {}

    memory_pieces next() { return part_ == parts_ ? memory_pieces{} : all_.part(part_++, parts_); }

private:
    memory_pieces all_;
    std::int64_t parts_;
    std::int64_t part_ = 0;
};

/// The taps that some outputs of a block sum over, with their packed weights from a first pair of units on.
struct block_taps {
    const window_taps& window;
    const half* weights;
    coming_memory* coming = nullptr; ///< fetched meanwhile, a part for each pair of units and part of the taps
};

/// Where the results of some outputs go, if tiles finish them.
struct channel_finishing {
    finishing finish = {};       ///< with `out`, of the first channel and position
    const float* bias = nullptr; ///< of the first channel, or null
    std::int64_t plane = 0;      ///< from a channel of the result to the next
    std::int64_t place_step = 1; ///< from a position of the result to the next
};

/// sums[channel][sums_pitch()], or for NHWC sums[position][sums_pitch()], of up to `units_at_once` units: the outputs of a
/// block row after row, without gaps.
/// `height` and `width` may be smaller than the block's. With channel_lanes, `direct` may take the results instead.
ANEMONE_API void sums_of(const kernel_table& table, const block_plan& plan, const block_taps& taps,
                         std::int64_t channels, std::int64_t height, std::int64_t width, const float* slab, float* sums,
                         float* temporary, const channel_finishing& direct = {});

/// How many floats of scratch all threads share, and each has: the slab, `kept` rows of sums for each channel of
/// `units_at_once` units, and what sums_of needs.
ANEMONE_API scratch_sizes scratch_of(const block_plan& plan, std::int64_t kept = 1);

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// For blocks begin <= i < end: fills its slab from image(block), then finish(block, first, last, slab, sums, temporary,
/// what the next block reads) for ranges that cover its channels and begin at multiples of `units_at_once`, in several
/// threads.
template <class Image, class Finish>
void over_blocks(const kernel_table& table, const block_plan& plan, std::int64_t begin, std::int64_t end,
                 const worker_threads& workers, const Image& image, const Finish& finish) {
    const std::int64_t at_once = plan.units_at_once * unit_channels;
    const std::int64_t lines = (plan.temporary_size() + 15) / 16 * 16;
    if (!plan.by_channels) {
        workers.share(end - begin, 1, [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
            float* const slab = reinterpret_cast<float*>(scratch);
            float* const temporary = slab + (plan.slab_size() + 15) / 16 * 16;
            for (std::int64_t i = begin + first; i < begin + last; ++i) {
                const output_block block = block_at(plan, i);
                fill_block(table, plan, block, image(block), 0, parts_to_fill(plan), slab, temporary);
                const output_block next = block_at(plan, std::min(i + 1, begin + last - 1));
                finish(block, 0, plan.rows, slab, temporary + lines, temporary, inputs_of(plan, next, image(next)));
            }
        });
        return;
    }
    float* const slab = reinterpret_cast<float*>(workers.shared);
    for (std::int64_t i = begin; i < end; ++i) {
        const output_block block = block_at(plan, i);
        workers.share(parts_to_fill(plan), 8, [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
            fill_block(table, plan, block, image(block), first, last, slab, reinterpret_cast<float*>(scratch));
        });
        workers.share((plan.rows + at_once - 1) / at_once, 1,
                      [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
                          float* const temporary = reinterpret_cast<float*>(scratch);
                          finish(block, first * at_once, std::min(plan.rows, last * at_once), slab, temporary + lines,
                                 temporary, memory_pieces{});
                      });
    }
}

/// work(workers) in this thread alone, with aligned memory of these sizes.
template <class Work> void with_own_scratch(const scratch_sizes& sizes, const Work& work) {
    constexpr std::int64_t line = 64;
    const std::int64_t shared = (sizes.shared + line - 1) / line * line;
    std::vector<std::byte> memory(static_cast<std::size_t>(shared + sizes.each + line));
    void* start = memory.data();
    std::size_t room = memory.size();
    auto* const aligned = static_cast<std::byte*>(std::align(line, room - line, start, room));
    work(worker_threads{.pool = nullptr, .width = 1, .shared = aligned, .own = aligned + shared, .each = sizes.each});
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Packs the rows of a plan into units of fp16 in the order in which tiles read them: [pair][part of the taps][unit][tap]
/// [unit_channels]. The last unit is filled up with zeros. value(row, source of a tap).
template <class Value> void pack_units(half* to, const block_plan& plan, const window_taps& taps, Value value) {
    const std::int64_t rows = plan.rows;
    const std::int64_t paired = plan.paired_units;
    for (std::int64_t pair = 0; pair < rows; pair += paired * unit_channels) {
        for (std::size_t k = 0; k < taps.parts(); ++k) {
            const window_taps::part part = taps.at(k);
            for (std::int64_t unit = pair; unit < std::min(rows, pair + paired * unit_channels);
                 unit += unit_channels) {
                for (std::int64_t t = part.first; t < part.first + part.count; ++t) {
                    for (std::int64_t r = unit; r < unit + unit_channels; ++r) {
                        *to++ = r < rows ? value(r, taps.source(t)) : half();
                    }
                }
            }
        }
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "block_contraction.ipp"
#endif

#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "../workers.hpp"
#include "block_contraction.hpp"
#include "depthwise.hpp"
#include "slab.hpp"
#include "sums_sink.hpp"
#include "winograd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

using numerics::convolution_shape;

/// How a convolution is computed, which does not depend on its weights.
struct convolution_plan {
    convolution_shape shape;
    bool depthwise = false;
    depthwise_plan planes;             ///< if depthwise
    block_plan blocks;                 ///< otherwise
    std::vector<std::int64_t> offsets; ///< of each tap (channel, kernel row, kernel column) in the slab
    bool transformed = false;          ///< by Winograd's algorithm, for images that it bears
    winograd_plan tiles;               ///< then

    std::int64_t taps() const { return shape.in_channels / shape.groups * shape.kernel_height * shape.kernel_width; }
    /// Of the packed weights.
    std::int64_t packed_size() const {
        return depthwise ? shape.out_channels * planes.filter_pitch()
                         : shape.groups * blocks.units() * taps() * unit_channels;
    }
    ANEMONE_API scratch_sizes scratch() const;
};

/// The filter that a run takes.
struct filter_view {
    const half* weights;      ///< packed
    const float* bias;        ///< per output channel, or null
    const float* transformed; ///< packed for Winograd's algorithm if the plan is for it
};

/// A plan and a filter in the order that its tiles read.
struct packed_convolution {
    convolution_plan plan;
    std::vector<half> weights;
    std::vector<float> transformed;
    std::vector<float> bias; ///< per output channel, or empty

    filter_view filter() const { return {weights.data(), bias.empty() ? nullptr : bias.data(), transformed.data()}; }
};

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_API void check(const convolution_shape& s, const char* subject);

/// Packs rows into blocks of six: value(row, tap).
template <class Value> void append_blocks(std::vector<float>& to, std::int64_t rows, std::int64_t taps, Value value) {
    for (std::int64_t r0 = 0; r0 < rows; r0 += tile_rows) {
        const std::int64_t r1 = std::min<std::int64_t>(rows, r0 + tile_rows);
        for (std::int64_t t = 0; t < taps; ++t) {
            for (std::int64_t r = r0; r < r1; ++r) {
                to.push_back(value(r, t));
            }
        }
    }
}

/// Runs tiles over `positions` neighbours, handing line(row, first position, count, values) each finished stretch.
/// A few tiles share one block of weights while it is in the cache.
template <class Line>
void contract(const kernel_table& table, std::int64_t rows, std::int64_t taps, const float* weights, const float* x,
              const std::int64_t* offsets, std::int64_t positions, Line line) {
    constexpr std::int64_t stretch = 8 * tile_columns;
    float values[tile_rows][stretch];
    float sums[tile_rows * tile_columns];
    for (std::int64_t p = 0; p < positions; p += stretch) {
        const std::int64_t count = std::min(stretch, positions - p);
        for (std::int64_t r0 = 0; r0 < rows; r0 += tile_rows) {
            const int block = static_cast<int>(std::min<std::int64_t>(tile_rows, rows - r0));
            for (std::int64_t c = 0; c < count; c += tile_columns) {
                const std::int64_t columns = std::min<std::int64_t>(tile_columns, count - c);
                table.tile(block, taps, weights + r0 * taps, x + p + c, offsets, sums, columns);
                for (int r = 0; r < block; ++r) {
                    std::copy_n(sums + r * tile_columns, columns, values[r] + c);
                }
            }
            for (int r = 0; r < block; ++r) {
                line(r0 + r, p, count, values[r]);
            }
        }
    }
}

/// Adds the bias of output channel `o`, if there are biases, to a stretch of it.
ANEMONE_API void add_bias(const kernel_table& table, const std::vector<float>& bias, std::int64_t o, float* values,
                          std::int64_t count);

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Plans for at most `width` threads; by Winograd's algorithm only with a `form` and where it is faster. Throws errc::argument on extents that make no convolution.
ANEMONE_API convolution_plan plan_convolution(const kernel_table& table, const convolution_shape& s, int width = 1,
                                              winograd form = winograd::never);

/// Packs a filter [O, I / groups, kH, kW] into `packed_size()` values.
ANEMONE_API void pack_filter(const convolution_plan& plan, const half* weight, half* packed);

/// Plans and packs a filter and a bias per output channel (or nullptr) once.
ANEMONE_API packed_convolution pack(const kernel_table& table, const convolution_shape& s, const half* weight,
                                    const half* bias = nullptr, int width = 1, winograd form = winograd::never);

/// out[n, o, y, x] = bias[o] + sum over c, i, j of w[o, c, i, j] * x[n, c, y s + i d - pad, x s + j d - pad], one fp32
/// sum in this order, which goes to the sink. The padding takes part as zeros (0 * inf is NaN). `crew` has scratch as
/// the plan says.
ANEMONE_API void convolution(const kernel_table& table, const convolution_plan& plan, const filter_view& filter,
                             const half* x, const workers& crew, const sums_sink& sink);

/// As above in this thread and with scratch of its own, rounded to fp16.
ANEMONE_API void convolution(const kernel_table& table, const packed_convolution& packed, const half* x, half* out);

/// As above with a filter that is used once.
ANEMONE_API void convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                             const half* weight, const half* bias, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "conv.ipp"
#endif

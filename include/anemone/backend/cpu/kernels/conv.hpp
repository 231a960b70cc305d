#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "../workers.hpp"
#include "block_contraction.hpp"
#include "depthwise.hpp"
#include "depthwise_places.hpp"
#include "pointwise.hpp"
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
    depthwise_plan planes; ///< if depthwise and NCHW
    bool nhwc_depthwise = false;
    depthwise_places_plan rows; ///< if depthwise and NHWC
    bool pointwise = false;
    pointwise_plan places; ///< if pointwise
    block_plan blocks;     ///< otherwise
    window_taps window;
    bool transformed = false; ///< by Winograd's algorithm, for images that it bears
    winograd_plan tiles;      ///< then

    std::int64_t taps() const { return shape.in_channels / shape.groups * shape.kernel_height * shape.kernel_width; }
    /// Of the packed weights.
    std::int64_t packed_size() const {
        return nhwc_depthwise ? rows.packed_size()
               : depthwise    ? shape.out_channels * planes.filter_pitch()
               : pointwise    ? shape.out_channels * taps()
                              : shape.groups * blocks.units() * taps() * unit_channels;
    }
    ANEMONE_API scratch_sizes scratch() const;
};

/// The filter that a run takes.
struct filter_view {
    const half* weights;                   ///< packed
    const float* bias;                     ///< per output channel, or null
    const float* transformed;              ///< packed for Winograd's algorithm if the plan is for it
    const packed_matrix* panels = nullptr; ///< of a pointwise one with NHWC results, or null
};

/// A plan and a filter in the order that its tiles read.
struct packed_convolution {
    convolution_plan plan;
    std::vector<half> weights;
    winograd_filter transformed;
    packed_matrix panels;
    std::vector<float> bias; ///< per output channel, or empty

    filter_view filter() const {
        return {weights.data(), bias.empty() ? nullptr : bias.data(), transformed.data(),
                panels.lines.empty() ? nullptr : &panels};
    }
};

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_API void check(const convolution_shape& s, const char* subject);

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Plans for at most `width` threads. Throws errc::argument on extents that make no convolution, and on layouts
/// that it has no form for.
ANEMONE_API convolution_plan plan_convolution(const kernel_table& table, const convolution_shape& s, int width = 1,
                                              const convolution_form& form = {});

/// Packs a filter [O, I / groups, kH, kW] into `packed_size()` values.
ANEMONE_API void pack_filter(const convolution_plan& plan, const half* weight, half* packed);

/// Plans and packs a filter and a bias per output channel (or nullptr) once.
ANEMONE_API packed_convolution pack(const kernel_table& table, const convolution_shape& s, const half* weight,
                                    const half* bias = nullptr, int width = 1, const convolution_form& form = {});

/// out[n, o, y, x] = bias[o] + sum over i, j, c of w[o, c, i, j] * x[n, c, y s + i d - pad, x s + j d - pad], one fp32
/// sum, which goes to the sink; the order of its terms depends on the shape alone (kernels/window_taps.hpp), not on the
/// layouts, the batch or the threads. The padding takes part as zeros (0 * inf is NaN). `crew` has scratch as the plan
/// says.
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

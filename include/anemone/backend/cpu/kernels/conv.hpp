#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "algorithms.hpp"
#include "block_contraction.hpp"
#include "depthwise.hpp"
#include "depthwise_places.hpp"
#include "pointwise.hpp"
#include "slab.hpp"
#include "sums_sink.hpp"
#include "winograd.hpp"
#include "workers.hpp"

#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

using numerics::convolution_shape;

/// A part of a plan that only some programs have; nothing in others.
template <class Part, bool Wanted> struct plan_part { Part value; };
template <class Part> struct plan_part<Part, false> {};

/// How a convolution is computed, which does not depend on its weights. `Ways` are the algorithms that the program has.
template <algorithm_set Ways = every_algorithm> struct convolution_plan {
    convolution_shape shape;
    algorithm way = algorithm::windows; ///< or planes, places or pointwise
    [[no_unique_address]] plan_part<depthwise_plan, Ways.contains(algorithm::planes)> planes{};
    [[no_unique_address]] plan_part<depthwise_places_plan, Ways.contains(algorithm::places)> places{};
    [[no_unique_address]] plan_part<pointwise_plan, Ways.contains(algorithm::pointwise)> product{};
    [[no_unique_address]] plan_part<block_plan, Ways.contains(algorithm::windows)> blocks{};
    [[no_unique_address]] plan_part<window_taps, Ways.contains(algorithm::windows)> window{};
    bool transformed = false; ///< by Winograd's algorithm, for images that it bears
    [[no_unique_address]] plan_part<winograd_plan, Ways.contains(algorithm::winograd)> tiles{};

    std::int64_t taps() const { return shape.in_channels / shape.groups * shape.kernel_height * shape.kernel_width; }
    /// Of the packed weights.
    std::int64_t packed_size() const;
    scratch_sizes scratch() const;
};

/// The filter that a run takes.
struct filter_view {
    const half* weights;                   ///< packed
    const float* bias;                     ///< per output channel, or null
    const float* transformed = nullptr;    ///< packed for Winograd's algorithm if the plan is for it
    const packed_matrix* panels = nullptr; ///< of a pointwise one with NHWC results, or null
};

/// A plan and a filter in the order that its tiles read.
template <algorithm_set Ways = every_algorithm> struct packed_convolution {
    convolution_plan<Ways> plan;
    std::vector<half> weights;
    [[no_unique_address]] plan_part<winograd_filter, Ways.contains(algorithm::winograd)> transformed{};
    [[no_unique_address]] plan_part<packed_matrix, Ways.contains(algorithm::pointwise)> panels{};
    std::vector<float> bias; ///< per output channel, or empty

    /// Of the filter in all its forms and the bias.
    std::size_t bytes() const {
        std::size_t count = weights.size() * sizeof(half) + bias.size() * sizeof(float);
        if constexpr (Ways.contains(algorithm::winograd)) {
            count += plan.transformed ? static_cast<std::size_t>(plan.tiles.value.packed_size()) * sizeof(float) : 0;
        }
        if constexpr (Ways.contains(algorithm::pointwise)) {
            count += panels.value.bytes();
        }
        return count;
    }

    filter_view filter() const {
        filter_view view{weights.data(), bias.empty() ? nullptr : bias.data()};
        if constexpr (Ways.contains(algorithm::winograd)) {
            view.transformed = transformed.value.data();
        }
        if constexpr (Ways.contains(algorithm::pointwise)) {
            view.panels = panels.value.lines.empty() ? nullptr : &panels.value;
        }
        return view;
    }
};

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_API void check(const convolution_shape& s, const char* subject);
ANEMONE_API void check(const convolution_shape& s, const convolution_form& form);
/// A shape that this program was not compiled for, which no model of it has.
ANEMONE_API void no_algorithm [[noreturn]] ();

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Plans for at most `width` threads. Throws errc::argument on extents that make no convolution, and on layouts
/// that it has no form for.
template <algorithm_set Ways = every_algorithm>
convolution_plan<Ways> plan_convolution(const kernel_table& table, const convolution_shape& s, int width = 1,
                                        const convolution_form& form = {});

/// Packs a filter [O, I / groups, kH, kW] into `packed_size()` values.
template <algorithm_set Ways> void pack_filter(const convolution_plan<Ways>& plan, const half* weight, half* packed);

/// Plans and packs a filter and a bias per output channel (or nullptr) once.
template <algorithm_set Ways = every_algorithm>
packed_convolution<Ways> pack(const kernel_table& table, const convolution_shape& s, const half* weight,
                              const half* bias = nullptr, int width = 1, const convolution_form& form = {});

/// out[n, o, y, x] = bias[o] + sum over i, j, c of w[o, c, i, j] * x[n, c, y s + i d - pad, x s + j d - pad], one fp32
/// sum, which goes to the sink; the order of its terms depends on the shape alone (kernels/window_taps.hpp), not on the
/// layouts, the batch or the threads. The padding takes part as zeros (0 * inf is NaN). `workers` has scratch as the plan
/// says.
template <algorithm_set Ways>
void convolution(const kernel_table& table, const convolution_plan<Ways>& plan, const filter_view& filter,
                 const half* x, const worker_threads& workers, const sums_sink& sink);

/// As above in this thread and with scratch of its own, rounded to fp16.
ANEMONE_API void convolution(const kernel_table& table, const packed_convolution<>& packed, const half* x, half* out);

/// As above with a filter that is used once.
ANEMONE_API void convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                             const half* weight, const half* bias, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "conv.ipp"
#endif

#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "epilogue.hpp"
#include "kernels/conv.hpp"
#include "kernels/conv_transpose.hpp"
#include "step.hpp"

#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The filter of a run whose weights or bias are computed: packed into memory that all threads share.
template <class Plan>
filter_view packed_in(const kernel_table& kernels, const Plan& plan, const half* weight, const half* bias,
                      std::byte* memory) {
    float* const biases = reinterpret_cast<float*>(memory);
    half* const weights = reinterpret_cast<half*>(biases + plan.shape.out_channels);
    if (bias != nullptr) {
        kernels.to_float(bias, biases, plan.shape.out_channels);
    }
    pack_filter(plan, weight, weights);
    return {weights, bias == nullptr ? nullptr : biases, nullptr};
}

template <algorithm_set Ways>
void convolve(const kernel_table& kernels, const convolution_plan<Ways>& plan, const filter_view& filter,
              const operands& o, const sums_sink& sink) {
    convolution(kernels, plan, filter, o.input(0), o.workers, sink);
}
ANEMONE_INLINE void convolve(const kernel_table& kernels, const transposed_plan& plan, const filter_view& filter,
                             const operands& o, const sums_sink& sink) {
    transposed_convolution(kernels, plan, filter, o.input(0), o.workers, sink);
}

ANEMONE_INLINE std::int64_t results(const convolution_shape& s) {
    return s.batch * s.out_channels * s.out_height * s.out_width;
}

/// A convolution or a transposed one with a filter that was packed once, and what follows its sums.
template <class Packed> bound_step packed_step(const kernel_table& kernels, Packed packed, epilogue finish) {
    const scratch_sizes scratch = packed.plan.scratch();
    const held_operands held{packed.bias.empty() ? 0b10U : 0b110U, packed.bytes()};
    return {[&kernels, packed = std::move(packed), finish = std::move(finish)](const operands& o) {
                const auto store = [&](float* sums, std::int64_t first, std::int64_t count) {
                    finish.store(kernels, o, sums, first, count);
                };
                convolve(kernels, packed.plan, packed.filter(), o,
                         sums_sink::of(store, finish.direct(o, results(packed.plan.shape))));
            },
            scratch, held};
}

/// The same with a filter that is packed in each run.
template <class Plan> bound_step computed_step(const kernel_table& kernels, Plan plan, bool biased, epilogue finish) {
    scratch_sizes scratch = plan.scratch();
    const std::int64_t behind = (scratch.shared + 63) / 64 * 64;
    scratch.shared = behind + plan.shape.out_channels * 4 + plan.packed_size() * 2;
    return {[&kernels, plan = std::move(plan), biased, behind, finish = std::move(finish)](const operands& o) {
                const auto store = [&](float* sums, std::int64_t first, std::int64_t count) {
                    finish.store(kernels, o, sums, first, count);
                };
                const filter_view filter =
                    packed_in(kernels, plan, o.input(1), biased ? o.input(2) : nullptr, o.workers.shared + behind);
                convolve(kernels, plan, filter, o, sums_sink::of(store, finish.direct(o, results(plan.shape))));
            },
            scratch};
}

/// How a convolution of the model is computed with what follows it in its layer.
ANEMONE_INLINE convolution_form form_of(const binding_context& c, int index, const epilogue& finish) {
    const bool keeps = c.at(index).get<conv>().groups > 1;
    return {.winograd = c.winograd,
            .in = keeps ? c.kept_layout(index) : c.layout_of(c.operand(index, 0)),
            .out = keeps ? c.kept_layout(index) : c.result_layout(index),
            .tiles_finish = finish.tiles_finish(c.shape(index).count())};
}

template <kernel_needs Needs> bound_step bind_conv2d(const binding_context& c, int index) {
    constexpr algorithm_set ways = Needs.algorithms;
    const convolution_shape shape = ane::detail::convolution_shape_of<conv>(c.graph, c.at(index));
    const bool biased = c.at(index).operands.count == 3;
    const half* const weight = c.constant(index, 1);
    const half* const bias = c.constant(index, 2);
    epilogue finish = c.epilogue_of(index);
    convolution_form form = form_of(c, index, finish);
    if (weight != nullptr && (!biased || bias != nullptr)) {
        return packed_step(c.kernels, pack<ways>(c.kernels, shape, weight, bias, c.width, form), std::move(finish));
    }
    if constexpr (ways.contains(algorithm::computed_filters)) {
        form.winograd = winograd_tiles::never;
        return computed_step(c.kernels, plan_convolution<ways>(c.kernels, shape, c.width, form), biased,
                             std::move(finish));
    } else {
        no_algorithm();
    }
}

ANEMONE_INLINE bound_step bind_conv_transpose2d(const binding_context& c, int index) {
    const convolution_shape shape = ane::detail::convolution_shape_of<conv_transpose>(c.graph, c.at(index));
    const bool biased = c.at(index).operands.count == 3;
    const half* const weight = c.constant(index, 1);
    const half* const bias = c.constant(index, 2);
    if (weight != nullptr && (!biased || bias != nullptr)) {
        return packed_step(c.kernels, pack_transposed(c.kernels, shape, weight, bias, c.width), c.epilogue_of(index));
    }
    return computed_step(c.kernels, plan_transposed(c.kernels, shape, c.width), biased, c.epilogue_of(index));
}

/// A convolution whose kernel is the template.
template <kernel_needs Needs> bound_step bind_cross_correlation(const binding_context& c, int index) {
    const convolution_shape shape = ane::detail::correlation_shape_of(c.graph, c.at(index));
    return computed_step(c.kernels, plan_convolution<Needs.algorithms>(c.kernels, shape, c.width), false, {});
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

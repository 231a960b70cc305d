#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "epilogue.hpp"
#include "kernels/conv_transpose.hpp"
#include "step.hpp"

#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The filter of a run whose weights or bias are computed: packed into memory that all threads share.
ANEMONE_INLINE filter_view packed_in(const kernel_table& kernels, const convolution_plan& plan, const half* weight,
                                     const half* bias, std::byte* memory) {
    float* const biases = reinterpret_cast<float*>(memory);
    half* const weights = reinterpret_cast<half*>(biases + plan.shape.out_channels);
    if (bias != nullptr) {
        kernels.to_float(bias, biases, plan.shape.out_channels);
    }
    pack_filter(plan, weight, weights);
    return {weights, bias == nullptr ? nullptr : biases, nullptr};
}

/// A convolution with a filter from `weight` and `bias` (or -1), constants or not, and what follows its sums. Constant
/// weights are packed once, here; computed ones in each run.
ANEMONE_INLINE bound_step bind_convolution(const binding_context& c, const convolution_shape& shape, const half* weight,
                                           const half* bias, bool biased, epilogue finish) {
    const kernel_table& kernels = c.kernels;
    if (weight != nullptr && (!biased || bias != nullptr)) {
        packed_convolution packed = pack(kernels, shape, weight, bias, c.width, c.winograd);
        const scratch_sizes scratch = packed.plan.scratch();
        return {[&kernels, filter = std::move(packed), finish = std::move(finish)](const operands& o) {
                    const auto store = [&](float* sums, std::int64_t first, std::int64_t count) {
                        finish.store(kernels, o, sums, first, count);
                    };
                    convolution(kernels, filter.plan, filter.filter(), o.input(0), o.crew, sums_sink::of(store));
                },
                scratch};
    }
    convolution_plan plan = plan_convolution(kernels, shape, c.width);
    scratch_sizes scratch = plan.scratch();
    const std::int64_t behind = (scratch.shared + 63) / 64 * 64;
    scratch.shared = behind + shape.out_channels * 4 + plan.packed_size() * 2;
    return {[&kernels, plan = std::move(plan), biased, behind, finish = std::move(finish)](const operands& o) {
                const auto store = [&](float* sums, std::int64_t first, std::int64_t count) {
                    finish.store(kernels, o, sums, first, count);
                };
                const filter_view filter =
                    packed_in(kernels, plan, o.input(1), biased ? o.input(2) : nullptr, o.crew.shared + behind);
                convolution(kernels, plan, filter, o.input(0), o.crew, sums_sink::of(store));
            },
            scratch};
}

ANEMONE_INLINE bound_step bind_conv2d(const binding_context& c, int index) {
    return bind_convolution(c, ane::detail::convolution_shape_of<conv>(c.graph, c.at(index)), c.constant(index, 1),
                            c.constant(index, 2), c.at(index).operands.count == 3, c.epilogue_of(index));
}

/// A convolution whose kernel is the template.
ANEMONE_INLINE bound_step bind_cross_correlation(const binding_context& c, int index) {
    return bind_convolution(c, ane::detail::correlation_shape_of(c.graph, c.at(index)), c.constant(index, 1), nullptr,
                            false, {});
}

ANEMONE_INLINE bound_step bind_conv_transpose2d(const binding_context& c, int index) {
    const convolution_shape shape = ane::detail::convolution_shape_of<conv_transpose>(c.graph, c.at(index));
    const bool biased = c.at(index).operands.count == 3;
    const half* const weight = c.constant(index, 1);
    const half* const bias = c.constant(index, 2);
    const kernel_table& kernels = c.kernels;
    if (weight != nullptr && (!biased || bias != nullptr)) {
        return [&kernels, packed = pack_transposed(kernels, shape, weight, bias)](const operands& o) {
            transposed_convolution(kernels, packed, o.input(0), o.output());
        };
    }
    return [&kernels, shape, biased](const operands& o) {
        transposed_convolution(kernels, shape, o.input(0), o.input(1), biased ? o.input(2) : nullptr, o.output());
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

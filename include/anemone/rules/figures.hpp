#pragma once

#include "../targets/sets.hpp"
#include "policy.hpp"

#include <array>
#include <cstdint>

namespace ane::detail {

/// What the rules read of a target. Targets with equal profiles get equal findings, so checking one of them is enough.
/// A rule that reads more adds it here; a test checks that the profile is complete.
struct rule_profile {
    int tier;
    bool older, a13, mil, softmax, slice_saturates;
    bool instance_norm, texture_engine, native_sin_cos, dropout_random, depth_broadcast, zero_point, palette_stride;
    bool square_after_reduction;
    bool channel_padding, batch_channel_transpose, top_k_in_dispute;
    std::uint32_t palette_bits;
    std::int32_t cores;
    std::int32_t n, c, d, h, w, rank;
    std::int32_t kernel_width, kernel_width_small, kernel_height, kernel_height_small;
    std::int32_t max_pool_width, contraction;
    std::int32_t pool_window, transpose, arg_axis, group_norm, group_decompose;
    std::int32_t kernel_dense, working_set_nominal, working_set_measured, granule;
    std::array<std::int32_t, 4> strides;
    std::array<std::int32_t, 5> interleaves;
    std::int32_t kernel_streamed, streams, banks, winograd;

    friend constexpr bool operator==(const rule_profile&, const rule_profile&) = default;
};

/// Which weights stream, and whether the cores share the kernel memory, as one number.
constexpr std::int32_t weight_streams(const target_capabilities& has) {
    return has.palette_index_bits << 6 | (has.kernel_streaming ? 1 : 0) | (has.shared_kernel_layout ? 2 : 0) |
           (has.stream_int4_palette ? 4 : 0) | (has.stream_sparse ? 8 : 0) | (has.stream_int8 ? 16 : 0) |
           (has.stream_blockwise ? 32 : 0);
}

/// Figures that warnings alone read count only where the policy makes such a warning an error.
constexpr rule_profile profile(const target_description& t, const policy& p) {
    const auto if_error = [&p](rule r, std::int32_t figure) { return p.errors.contains(r) ? figure : 0; };
    const target_limits& l = t.limits;
    return {.tier = generation_tier(t.tier),
            .older = t.tier == family::older,
            .a13 = t.tier == family::a13,
            .mil = t.mil_supported,
            .softmax = t.has.softmax,
            .slice_saturates = t.has.slice_width_saturates,
            .instance_norm = t.has.instance_norm,
            .texture_engine = t.has.texture_engine,
            .native_sin_cos = t.has.native_sin_cos,
            .dropout_random = t.has.dropout_random,
            .depth_broadcast = t.has.depth_broadcast,
            .zero_point = t.has.zero_point_asymmetric,
            .palette_stride = t.has.palette_kernel_stride,
            .square_after_reduction =
                p.errors.contains(rule::square_and_sum_are_not_fused) && t.has.square_after_reduction,
            .channel_padding = t.has.channel_padding,
            .batch_channel_transpose = t.has.batch_channel_transpose,
            .top_k_in_dispute = p.errors.contains(rule::top_k_over_width_is_in_dispute) && t.tier == family::a16,
            .palette_bits = t.has.palette_index_bits,
            .cores = if_error(rule::groups_do_not_divide_cores, t.cores),
            .n = l.tensor_n,
            .c = l.tensor_c,
            .d = l.tensor_d,
            .h = l.tensor_h,
            .w = l.tensor_w,
            .rank = l.max_rank,
            .kernel_width = l.kernel_width_fp16,
            .kernel_width_small = l.kernel_width_fp16_small,
            .kernel_height = l.kernel_height,
            .kernel_height_small = l.kernel_height_small,
            .max_pool_width = l.max_pool_width,
            .contraction = l.contraction,
            .pool_window = if_error(rule::pool_window_is_not_native, l.pool_window),
            .transpose = l.transpose_extent,
            .arg_axis = l.arg_reduction_axis,
            .group_norm = l.group_norm_extent,
            .group_decompose = if_error(rule::grouped_kernel_is_decomposed, l.group_conv_decompose),
            .kernel_dense = t.memory.kernel_dense,
            .working_set_nominal = t.memory.working_set_nominal,
            .working_set_measured = if_error(rule::working_set_exceeds, t.memory.working_set_measured) |
                                    if_error(rule::working_set_exceeds_nominal, t.memory.working_set_measured),
            .granule = t.memory.dma_width_granule,
            .strides = l.stride_factors,
            .interleaves = l.interleave_factors,
            .kernel_streamed = if_error(rule::weights_exceed_kernel_memory, t.memory.kernel_streamed),
            .streams = if_error(rule::weights_exceed_kernel_memory, weight_streams(t.has)) |
                       if_error(rule::weight_is_expanded_before_it_runs, weight_streams(t.has)),
            .banks = if_error(rule::rows_share_a_bank, t.memory.l2_banks),
            .winograd = if_error(rule::winograd_needs_unit_stride, t.has.winograd ? 1 : 0)};
}

/// One target for each profile that occurs in a set, the first of its kind.
constexpr target_set distinct(const target_set& set, const policy& p) {
    target_set kept;
    for (const target t : set) {
        bool known = false;
        for (const target k : kept) {
            known = known || profile(describe(k), p) == profile(describe(t), p);
        }
        if (!known) {
            kept.insert(t);
        }
    }
    return kept;
}

} // namespace ane::detail

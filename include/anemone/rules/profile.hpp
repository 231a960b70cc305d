#pragma once

#include "../targets/sets.hpp"
#include "policy.hpp"

namespace ane::detail {

/// What the rules read of a target. Targets with equal profiles get equal findings, so one of them is enough. A rule
/// that reads more adds it here; a test holds the two together.
struct rule_profile {
    int tier;
    bool older, a13, mil, softmax, slice_saturates;
    std::int32_t cores;
    std::int32_t n, c, d, h, w, rank;
    std::int32_t kernel_width, kernel_width_small, kernel_height, kernel_height_small;
    std::int32_t pool_window, transpose, arg_axis, group_decompose;
    std::int32_t kernel_dense, working_set_nominal, working_set_measured, granule;
    std::array<std::int32_t, 4> strides;
    std::array<std::int32_t, 5> interleaves;

    friend constexpr bool operator==(const rule_profile&, const rule_profile&) = default;
};

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
            .pool_window = if_error(rule::pool_window_is_not_native, l.pool_window),
            .transpose = l.transpose_extent,
            .arg_axis = l.arg_reduction_axis,
            .group_decompose = if_error(rule::grouped_kernel_is_decomposed, l.group_conv_decompose),
            .kernel_dense = t.memory.kernel_dense,
            .working_set_nominal = t.memory.working_set_nominal,
            .working_set_measured = if_error(rule::working_set_exceeds, t.memory.working_set_measured),
            .granule = t.memory.dma_width_granule,
            .strides = l.stride_factors,
            .interleaves = l.interleave_factors};
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

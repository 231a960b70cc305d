#pragma once

#include "../targets/sets.hpp"
#include "policy.hpp"

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace ane::detail {

/// The figures of a target that rules may read. Targets with equal figures get equal findings, so checking one of them is
/// enough. A figure counts unless `forget_unread` or `forget_of_warnings` says otherwise: one that a rule reads anew needs
/// nothing here, unless it stands there.
struct rule_figures {
    int tier;
    bool older, a13, a16;
    bool mil;
    std::int32_t cores;
    target_limits limits;
    target_memory memory;
    target_capabilities has;

    friend constexpr bool operator==(const rule_figures&, const rule_figures&) = default;
};

/// What no rule reads, of a `rule_figures` or a `target_description`. A test checks the findings of targets without it.
template <class Figures> constexpr void forget_unread(Figures& f) {
    target_limits& l = f.limits;
    for (std::int32_t* const figure : {&l.kernel_width_fp16_hal,
                                       &l.kernel_width_fp16_large_from,
                                       &l.kernel_width_default,
                                       &l.kernel_width_default_small,
                                       &l.kernel_width_default_large_from,
                                       &l.kernel_width_frontend,
                                       &l.kernel_height_hal,
                                       &l.kernel_depth,
                                       &l.kernel_depth_small,
                                       &l.patch_width,
                                       &l.patch_height,
                                       &l.patch_depth,
                                       &l.transpose_extent_measured,
                                       &l.reduction_transpose_threshold,
                                       &l.activation_lut_bytes,
                                       &l.context_switch_tensors,
                                       &l.patch_floor_pixels,
                                       &l.patch_pixels,
                                       &f.memory.l2_max_stride,
                                       &f.memory.l2_resident_threshold,
                                       &f.memory.instruction_alignment,
                                       &f.has.interchange_formats}) {
        *figure = 0;
    }
    target_capabilities& has = f.has;
    for (bool* const capability :
         {&has.global_argminmax, &has.fp8, &has.fifo_dma, &has.cross_die_addressing, &has.multi_die_hazard,
          &has.multi_die_remote_dependency, &has.small_class_secondary, &has.collectives, &has.dynamic_goc,
          &has.local_response_norm, &has.conv3d_attested, &has.conv3d_reachable, &has.image_yuv420}) {
        *capability = false;
    }
}

/// Figures that warnings alone read count only where the policy makes such a warning an error.
constexpr void forget_of_warnings(rule_figures& f, const policy& p) {
    const auto forget_without = [&p](auto& figure, std::initializer_list<rule> readers) {
        bool read = false;
        for (const rule each : readers) {
            read = read || p.errors.contains(each);
        }
        figure = read ? figure : std::remove_reference_t<decltype(figure)>{};
    };
    forget_without(f.a16, {rule::top_k_over_width_is_in_dispute});
    forget_without(f.cores, {rule::groups_do_not_divide_cores});
    forget_without(f.limits.pool_window, {rule::pool_window_is_not_native});
    forget_without(f.limits.group_conv_decompose, {rule::grouped_kernel_is_decomposed});
    forget_without(f.memory.working_set_measured, {rule::working_set_exceeds, rule::working_set_exceeds_nominal});
    forget_without(f.memory.kernel_streamed, {rule::weights_exceed_kernel_memory});
    forget_without(f.memory.l2_banks, {rule::rows_share_a_bank});
    forget_without(f.has.square_after_reduction, {rule::square_and_sum_are_not_fused});
    forget_without(f.has.winograd, {rule::winograd_needs_unit_stride});
    target_capabilities& has = f.has;
    for (bool* const streams : {&has.kernel_streaming, &has.shared_kernel_layout, &has.stream_int4_palette,
                                &has.stream_sparse, &has.stream_int8, &has.stream_blockwise}) {
        forget_without(*streams, {rule::weights_exceed_kernel_memory, rule::weight_is_expanded_before_it_runs});
    }
}

/// What the rules read of a target under a policy.
constexpr rule_figures figures_for_rules(const target_description& t, const policy& p) {
    rule_figures f{.tier = generation_tier(t.tier),
                   .older = t.tier == family::older,
                   .a13 = t.tier == family::a13,
                   .a16 = t.tier == family::a16,
                   .mil = t.mil_supported,
                   .cores = t.cores,
                   .limits = t.limits,
                   .memory = t.memory,
                   .has = t.has};
    forget_unread(f);
    forget_of_warnings(f, p);
    return f;
}

/// One target for each set of figures that occurs among some, the first of its kind.
constexpr target_set distinct(const target_set& set, const policy& p) {
    target_set kept;
    for (const target t : set) {
        bool known = false;
        for (const target k : kept) {
            known = known || figures_for_rules(describe(k), p) == figures_for_rules(describe(t), p);
        }
        if (!known) {
            kept.insert(t);
        }
    }
    return kept;
}

} // namespace ane::detail

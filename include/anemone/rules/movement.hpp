#pragma once

#include "../numerics/width_offset.hpp"
#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

/// The axis of the operand that becomes axis `to` of the result.
constexpr int source_axis(const permutation& p, int to) {
    return normalized_axis(static_cast<int>(p.order[to]), p.order.rank);
}

/// Whether an axis `distance` before the last moves elsewhere.
constexpr bool moves(const permutation& p, int distance) {
    const int index = p.order.rank - 1 - distance;
    return index >= 0 && source_axis(p, index) != index;
}

/// Products of 2, 3, 4 and 8: what the channel transpose of the older targets can fold.
constexpr bool folds(std::int64_t channels) {
    while (channels > 1 && channels % 2 == 0) {
        channels /= 2;
    }
    while (channels > 1 && channels % 3 == 0) {
        channels /= 3;
    }
    return channels == 1;
}

/// Whether a reshape only flattens: one axis takes all elements but the batch, or only axes of one element come and go.
constexpr bool is_flatten(const extents& from, const extents& to) {
    const auto long_axes = [](const extents& e) {
        extents kept;
        for (int i = 0; i < e.rank; ++i) {
            if (e[i] != 1) {
                kept.append(e[i]);
            }
        }
        return kept;
    };
    const extents result = long_axes(to);
    return result.rank <= 1 || (result.rank == 2 && to[0] == from.batch()) || result == long_axes(from);
}
/// A range's magnitude as an integer for a report, rounded up.
constexpr std::int64_t reported(double magnitude) {
    if (magnitude > static_cast<double>(no_bound)) {
        return no_bound;
    }
    const auto whole = static_cast<std::int64_t>(magnitude);
    return static_cast<double>(whole) < magnitude ? whole + 1 : whole;
}

} // namespace detail

inline constexpr std::array movement{
    // TC6: appendix A's bound decides; ANEForge measured 2^23 - 1 and 2^24 - 1 elements, split over several passes.
    rule_record{.id = rule::transposed_extent_exceeds,
                .fact = "R021",
                .level = severity::reject,
                .ops = {op::transpose},
                .sentence = "a transposed extent of {got} exceeds {limit}",
                .reject = "NE Input Transpose is not supported for this arch",
                .advice = "split the transpose",
                .source = "guide appendix A",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const permutation& p = s.n.get<permutation>();
                    for (int i = 0; i < s.n.shape.rank; ++i) {
                        if (detail::source_axis(p, i) != i && s.t.limits.transpose_extent > 0 &&
                            s.n.shape[i] > s.t.limits.transpose_extent) {
                            return {true, s.n.shape[i], s.t.limits.transpose_extent};
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::channel_transpose_is_not_native,
                .fact = "R022",
                .level = severity::reject,
                .ops = {op::transpose},
                .sentence = "moves {got} channels, which the target does for products of 2, 3, 4, 8 with height 1 only",
                .reject = "NE Input Transpose is not supported for this arch",
                .advice = "keep the channels in place",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const extents& x = s.operand(0).shape;
                    return holds_if(s.t.limits.transpose_extent > 0 || !detail::moves(s.n.get<permutation>(), 2) ||
                                        (detail::folds(x.channels()) && x.height() == 1),
                                    x.channels(), 0);
                }},
    // L014: an M4's runtime placed a transpose of batch with channels. The text of the compiler stands for all else.
    rule_record{.id = rule::batch_transpose_has_channels,
                .fact = "R189 L014",
                .level = severity::reject,
                .ops = {op::transpose},
                .sentence = "moves the batch axis of a tensor with {got} channels, at most {limit} works",
                .reject = "TransposeNC: Invalid input channel %ld, must be 1",
                .advice = "reshape, so that the batch stays first",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const extents& x = s.operand(0).shape;
                    const permutation& p = s.n.get<permutation>();
                    if (x.rank < 4 || detail::source_axis(p, 0) == 0 || x[0] == 1 || x.channels() == 1) {
                        return {};
                    }
                    const int channels = x.rank - 3;
                    const bool swapped = detail::source_axis(p, 0) == channels && detail::source_axis(p, channels) == 0;
                    return holds_if(swapped && s.t.has.batch_channel_transpose, x.channels(), 1);
                }},
    rule_record{
        .id = rule::concat_has_one_operand,
        .fact = "R024",
        .level = severity::reject,
        .ops = {op::concat},
        .sentence = "joins {got} operand, at least {limit} are needed",
        .reject = "Concat layer must have at least 2 inputs",
        .advice = "use the operand itself",
        .source = "guide chapter 17, appendix B",
        .evidence = mark::decompiled,
        .check = [](const subject& s) -> finding { return holds_if(s.operand_count() >= 2, s.operand_count(), 2); }},
    rule_record{.id = rule::reshape_does_not_flatten,
                .fact = "R177",
                .level = severity::reject,
                .ops = {op::reshape},
                .sentence = "changes axes other than by flattening, the only form before A13",
                .reject = "cannot be lowered as Flatten on ANE",
                .consequence = "the compiler aborts",
                .advice = "flatten to [N, C], or choose A13 or later",
                .source = "guide chapter 35",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.t.tier != family::older || detail::is_flatten(s.operand(0).shape, s.n.shape),
                                    s.n.shape.rank, 2);
                }},
    rule_record{.id = rule::reversed_slice_is_not_whole,
                .fact = "R187",
                .level = severity::reject,
                .ops = {op::strided_slice},
                .sentence = "goes backwards over {got} elements of an axis of {limit}: all of them or none",
                .reject = "anec.input_view with offset, size and stride is out of bounds for dimension",
                .advice = "reverse the whole axis, then slice",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const indices& stride = s.n.get<strided_window>().stride;
                    for (int i = 0; i < stride.rank; ++i) {
                        if (stride[i] < 0 && s.n.shape[i] != s.operand(0).shape[i]) {
                            return {true, s.n.shape[i], s.operand(0).shape[i]};
                        }
                    }
                    return {};
                }},
    // The compiler chooses the interleave factor. An offset that no factor but 1 divides forbids every packed layout.
    rule_record{.id = rule::sliced_channels_are_not_aligned,
                .fact = "R188",
                .level = severity::warn,
                .ops = {op::slice},
                .sentence = "begins at channel {got}, a multiple of none of the interleave factors 2, 3, 4, {limit}",
                .reject = "Error: illegal View whose channel offset %zd is not divisible by the interleave factor %zd",
                .advice = "begin at a channel that is a multiple of 8",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const indices& begin = s.n.get<window>().begin;
                    const std::int64_t first = begin.rank >= 3 ? begin[begin.rank - 3] : 0;
                    bool aligned = first == 0;
                    for (const std::int32_t factor : s.t.limits.interleave_factors) {
                        aligned = aligned || (factor > 1 && first % factor == 0);
                    }
                    return holds_if(aligned, first, s.t.limits.interleave_factors.back());
                }},
    rule_record{.id = rule::concat_row_exceeds,
                .fact = "R023",
                .level = severity::reject,
                .ops = {op::concat},
                .sentence = "rows of {got} elements exceed {limit}",
                .reject = "",
                .consequence = "the compiler ends with a segmentation fault",
                .advice = "tile the rows",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.width(), 100351); }},
    // L012: an M4's runtime placed a pad over channels. The text of the compiler stands for older chips, for batch and
    // depth, for pads that mirror, and for the netplist, where no keys of a pad are known.
    rule_record{.id = rule::padding_is_not_on_height_or_width,
                .fact = "R096 L012",
                .level = severity::reject,
                .ops = {op::pad, op::reflect_pad, op::symmetric_pad, op::replicate_pad},
                .sentence = "pads axis {got}; the target pads from axis {limit} on",
                .reject = "Channel padding is not supported on ANE",
                .advice = "join a tensor of zeros with concat",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const pads& p = s.n.get<pads>();
                    const bool channels =
                        s.n.kind == op::pad && s.t.has.channel_padding && s.route != compile_route::netplist;
                    const int first = p.before.rank - (channels ? 3 : 2);
                    for (int i = 0; i < first; ++i) {
                        if (p.before[i] != 0 || p.after[i] != 0) {
                            return {true, i, first};
                        }
                    }
                    return {};
                }},
    // R091: a range that nothing bounds counts as one that is too wide.
    rule_record{
        .id = rule::width_slice_may_saturate,
        .fact = "R090",
        .level = severity::hazard,
        .ops = {op::slice, op::strided_slice, op::dynamic_slice, op::gather, op::gather_along_axis, op::gather_nd},
        .sentence = "begins inside the last axis, and values up to {got} may occur: above {limit} they become "
                    "infinite",
        .reject = "",
        .consequence = "the slice is stored as 16 times its value: finite at 4094, infinite at 4096",
        .advice = "begin at 0, slice another axis, clamp the value to 4094, or promise a narrower range of the inputs "
                  "that it is computed from",
        .source = "guide chapter 19",
        .evidence = mark::measured,
        .silicon = "M1, M2",
        .check = [](const subject& s) -> finding {
            const double magnitude = s.operand_range(0).magnitude();
            return holds_if(!s.t.has.slice_width_saturates || !reads_inside_width(s.g, s.n) ||
                                magnitude <= gain_ceiling,
                            detail::reported(magnitude), static_cast<std::int64_t>(gain_ceiling));
        }},
    rule_record{.id = rule::width_slices_are_joined,
                .fact = "R092",
                .level = severity::hazard,
                .ops = {op::concat},
                .sentence = "joins {got} slices that begin inside the last axis, on that axis: wrong elements",
                .reject = "",
                .advice = "transpose, so that the slices are on another axis",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const int rank = s.n.shape.rank;
                    const int along = normalized_axis(s.n.get<axis>().index, rank);
                    if (!s.t.has.slice_width_saturates || along != rank - 1) {
                        return {};
                    }
                    int slices = 0;
                    for (int i = 0; i < s.operand_count(); ++i) {
                        slices += reads_inside_width(s.g, s.operand(i)) ? 1 : 0;
                    }
                    return at_most(slices, 1);
                }},
};

} // namespace ane::rules

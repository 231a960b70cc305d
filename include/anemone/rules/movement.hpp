#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

/// Begins of a slice on the last axis; 0 for everything that is not a slice.
constexpr std::int64_t width_begin(const node& n) {
    if (n.kind != op::slice) {
        return 0;
    }
    const indices& begin = n.get<window>().begin;
    return begin.rank > 0 ? begin[begin.rank - 1] : 0;
}

/// Whether an axis `distance` before the last moves elsewhere.
constexpr bool moves(const permutation& p, int distance) {
    const int index = p.order.rank - 1 - distance;
    return index >= 0 && p.order[index] != index;
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

/// A width slice with an offset is stored as sixteen times its value (R090): 65504 / 16.
inline constexpr double slice_ceiling = 4094;

/// A range's magnitude as an integer for a report, rounded up.
constexpr std::int64_t reported(double magnitude) {
    if (magnitude > 1e15) {
        return std::int64_t{1'000'000'000'000'000};
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
                        if (p.order[i] != i && s.t.limits.transpose_extent > 0 &&
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
    rule_record{.id = rule::batch_transpose_has_channels,
                .fact = "R189",
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
                    return holds_if(x.rank < 4 || p.order[0] == 0 || x[0] == 1 || x.channels() == 1, x.channels(), 1);
                }},
    rule_record{.id = rule::concat_row_exceeds,
                .fact = "R023",
                .level = severity::reject,
                .ops = {op::concat},
                .sentence = "rows of {got} elements exceed {limit}",
                .reject = "",
                .advice = "tile the rows",
                .source = "ANEForge",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.width(), 100351); }},
    rule_record{.id = rule::padding_is_not_on_height_or_width,
                .fact = "R096",
                .level = severity::reject,
                .ops = {op::pad},
                .sentence = "pads axis {got}; height and width can be padded, from axis {limit} on",
                .reject = "Channel padding is not supported on ANE",
                .advice = "join a tensor of zeros with concat",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const pads& p = s.n.get<pads>();
                    for (int i = 0; i < p.before.rank - 2; ++i) {
                        if (p.before[i] != 0 || p.after[i] != 0) {
                            return {true, i, p.before.rank - 2};
                        }
                    }
                    return {};
                }},
    // R091: a range that nothing bounds counts as one that is too wide.
    rule_record{.id = rule::width_slice_may_saturate,
                .fact = "R090",
                .level = severity::hazard,
                .ops = {op::slice},
                .sentence = "begins inside the last axis, and values up to {got} may occur: above {limit} they become "
                            "infinite",
                .reject = "",
                .advice = "begin at 0, slice another axis, or declare a range with within(low, high)",
                .source = "guide chapter 19",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    const double magnitude = s.operand_range(0).magnitude();
                    return holds_if(!s.t.has.slice_width_saturates || detail::width_begin(s.n) == 0 ||
                                        magnitude <= detail::slice_ceiling,
                                    detail::reported(magnitude), static_cast<std::int64_t>(detail::slice_ceiling));
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
                .check = [](const subject& s) -> finding {
                    if (!s.t.has.slice_width_saturates || s.n.get<axis>().index != s.n.shape.rank - 1) {
                        return {};
                    }
                    int slices = 0;
                    for (int i = 0; i < s.operand_count(); ++i) {
                        slices += detail::width_begin(s.operand(i)) != 0 ? 1 : 0;
                    }
                    return at_most(slices, 1);
                }},
};

} // namespace ane::rules

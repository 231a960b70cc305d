#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

/// Extents of activations. Weights and constants have no check of their own: what they are contracted or broadcast with
/// carries their extents, and a convolution's channels escape the limit of the other axes (R018).
inline constexpr std::array extent{
    rule_record{.id = rule::rank_exceeds_five,
                .fact = "R010",
                .level = severity::reject,
                .ops = every_op,
                .sentence = "rank {got} exceeds {limit}",
                .reject = "tensor rank 6 exceeds the ANE maximum of 5",
                .advice = "reshape or split",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.rank, s.t.limits.max_rank); }},
    rule_record{.id = rule::extent_is_zero,
                .fact = "R019",
                .level = severity::reject,
                .ops = every_op,
                .sentence = "axis {got} has no elements",
                .reject = "Expected tensor<fp16,[1,8]>; got tensor<fp16,[0,8]>",
                .advice = "remove the tensor",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    for (int i = 0; i < s.n.shape.rank; ++i) {
                        if (s.n.shape[i] == 0) {
                            return {true, i, 1};
                        }
                    }
                    return {};
                }},
    // Extents are integers here; readers of files represent an unknown one as negative.
    rule_record{.id = rule::extent_is_not_known,
                .fact = "R121",
                .level = severity::reject,
                .ops = {op::input, op::weight, op::reshape},
                .sentence = "the extent of axis {got} is not known",
                .reject = "Unranked input types or dynamic shapes are not supported on ANEs",
                .consequence = "the text is read, and compiling it fails",
                .advice = "make one model for each length, and choose among them at run time",
                .source = "guide chapter 19",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    for (int i = 0; i < s.n.shape.rank; ++i) {
                        if (s.n.shape[i] < 0) {
                            return {true, i, 0};
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::tensor_width_exceeds,
                .fact = "R015",
                .level = severity::reject,
                .ops = activation_ops,
                .sentence = "width {got} exceeds {limit}",
                .reject = "exceeds ANE family 2's max dimension 16384",
                .advice = "tile the last axis",
                .source = "guide chapter 17, appendix A",
                .evidence = mark::measured,
                .silicon = "M1, M2",
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.width(), s.t.limits.tensor_w); }},
    rule_record{.id = rule::tensor_height_exceeds,
                .fact = "R015",
                .level = severity::reject,
                .ops = activation_ops,
                .sentence = "height {got} exceeds {limit}",
                .reject = "exceeds ANE family 2's max dimension 16384",
                .advice = "tile the axis before the last",
                .source = "guide chapter 17, appendix A",
                .evidence = mark::measured,
                .silicon = "M1, M2",
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.height(), s.t.limits.tensor_h); }},
    rule_record{
        .id = rule::tensor_channels_exceed,
        .fact = "R017",
        .level = severity::reject,
        .ops = activation_ops,
        .sentence = "channel count {got} exceeds {limit}",
        .reject = "channel size exceeds limit",
        .advice = "split the channels",
        .source = "guide chapter 17, appendix A",
        .evidence = mark::measured,
        .silicon = "M1",
        .check = [](const subject& s) -> finding { return at_most(s.n.shape.channels(), s.t.limits.tensor_c); }},
    rule_record{.id = rule::tensor_depth_exceeds,
                .fact = "R015",
                .level = severity::reject,
                .ops = activation_ops,
                .sentence = "depth {got} exceeds {limit}",
                .reject = "exceeds ANE family 2's max dimension 16384",
                .advice = "fold the depth into the batch",
                .source = "guide chapter 17, appendix A",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.depth(), s.t.limits.tensor_d); }},
    rule_record{.id = rule::tensor_batch_exceeds,
                .fact = "R020",
                .level = severity::reject,
                .ops = activation_ops,
                .sentence = "batch {got} exceeds {limit}",
                .reject = "",
                .advice = "split the batch",
                .source = "guide chapter 17, appendix A",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.batch(), s.t.limits.tensor_n); }},
};

/// Those rules.
inline constexpr rule_set extent_rules = [] {
    rule_set all;
    for (const rule_record& r : extent) {
        all.insert(r.id);
    }
    return all;
}();

/// Shapes of at most this rank with extents in [1, largest] break none of them. Most shapes qualify, which saves
/// checking each rule.
struct small_shape {
    int rank;
    std::int64_t largest;
};
constexpr small_shape small_shape_on(const target_description& t) noexcept {
    const target_limits& l = t.limits;
    std::int64_t least = l.tensor_w;
    for (const std::int64_t limit : {l.tensor_h, l.tensor_c, l.tensor_d, l.tensor_n}) {
        least = limit < least ? limit : least;
    }
    return {l.max_rank < 4 ? l.max_rank : 4, least};
}
constexpr bool is_small(const extents& e, const small_shape& small) noexcept {
    if (e.rank > small.rank) {
        return false;
    }
    bool every = true;
    for (int i = 0; i < e.rank; ++i) {
        every = every && e.extent[i] >= 1 && e.extent[i] <= small.largest;
    }
    return every;
}

} // namespace ane::rules

#pragma once

#include "../ops/rearrange.hpp"
#include "record.hpp"

#include <array>

/// Pixels into channels and batch and back, and repetition.
namespace ane::rules {

namespace detail {

inline constexpr op_set shuffles{op::pixel_shuffle, op::pixel_unshuffle, op::depth_to_space, op::space_to_depth};
inline constexpr op_set channels_to_space{op::pixel_shuffle, op::depth_to_space};
inline constexpr op_set batch_shuffles{op::space_to_batch, op::batch_to_space};

constexpr std::int64_t area(const factors& f) { return std::int64_t{f.by.height} * f.by.width; }
/// Whether height and width of the block are what `fits` says.
constexpr finding each_factor(const subject& s, bool (*fits)(std::int64_t)) {
    const size2 by = s.n.get<factors>().by;
    return both(holds_if(fits(by.height), by.height, 8), holds_if(fits(by.width), by.width, 8));
}

} // namespace detail

inline constexpr std::array rearrange{
    rule_record{
        .id = rule::shuffle_factor_is_not_native,
        .fact = "R098",
        .level = severity::reject,
        .ops = detail::shuffles,
        .sentence = "a factor of {got} is not 1, 2, 3, 4 or {limit}",
        .reject = "returned invalid:",
        .advice = "use reshape and transpose, or two steps",
        .source = "guide appendix B",
        .evidence = mark::decompiled,
        .check = [](const subject& s) -> finding { return detail::each_factor(s, ane::detail::is_native_factor); }},
    rule_record{.id = rule::shuffled_channels_are_not_divisible,
                .fact = "R098",
                .level = severity::reject,
                .ops = detail::channels_to_space,
                .sentence = "{got} channels are not a multiple of the block's {limit} pixels",
                .reject = "returned invalid:",
                .advice = "pad the channels",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return multiple_of(s.operand(0).shape.channels(), detail::area(s.n.get<factors>()));
                }},
    rule_record{.id = rule::batch_factor_is_not_native,
                .fact = "R098 app. B",
                .level = severity::reject,
                .ops = detail::batch_shuffles,
                .sentence = "a factor of {got} is not a product of 2, 3, 4 and {limit}",
                .reject = "returned invalid:",
                .advice = "use reshape and transpose (an axis at a time: the batch stays first)",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return detail::each_factor(s, ane::detail::is_native_batch_factor);
                }},
    rule_record{.id = rule::batch_is_not_divisible,
                .fact = "R099",
                .level = severity::reject,
                .ops = {op::batch_to_space},
                .sentence = "a batch of {got} is not a multiple of the block's {limit} pixels",
                .reject = "Input batch n = %zd is not divisible by factor x = %d * factor y = %d",
                .advice = "pad the batch",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding {
                    return multiple_of(s.operand(0).shape.batch(), detail::area(s.n.get<factors>()));
                }},
    rule_record{.id = rule::space_to_channel_batch_exceeds_one,
                .fact = "R106",
                .level = severity::reject,
                .ops = {op::space_to_depth},
                .route = compile_route::netplist,
                .sentence = "a batch of {got}; the netplist's layer takes {limit}",
                .reject = "",
                .advice = "use the MIL route, or one image at a time",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .other = compile_route::mil,
                .check = [](const subject& s) -> finding {
                    const std::int64_t batch = s.operand(0).shape.batch();
                    return holds_if(batch <= 1, batch, 1);
                }},
    // OC20: the sweep of the MIL route met no error, with factors that it does not name.
    rule_record{.id = rule::tile_factor_is_not_native,
                .fact = "R100",
                .level = severity::warn,
                .ops = {op::tile},
                .sentence = "repeats an axis {got} times; 2, 3, 4 and {limit} are native",
                .reject = "",
                .advice = "join copies with concat, or repeat in steps",
                .source = "guide appendix A",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const indices& count = s.n.get<repeats>().count;
                    for (int i = 0; i < count.rank; ++i) {
                        if (!ane::detail::is_native_factor(count[i])) {
                            return {true, count[i], 8};
                        }
                    }
                    return {};
                }},
};

} // namespace ane::rules

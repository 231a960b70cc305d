#pragma once

#include "../analysis/banks.hpp"
#include "../analysis/lanes.hpp"
#include "../analysis/winograd.hpp"
#include "record.hpp"

#include <array>

/// Shapes that work but leave lanes, banks or passes of the engine unused.
namespace ane::rules {

inline constexpr std::array layout{
    // The compiler chooses the factor; a count that none of them divides is padded whatever it chooses.
    rule_record{.id = rule::channels_do_not_interleave,
                .fact = "R101",
                .level = severity::warn,
                .ops = activation_ops,
                .sentence = "{got} channels are a multiple of none of 2, 3, 4, 8: padded",
                .reject = "invalid input interleave factor; should be 1, 2, 3, 4, or 8",
                .advice = "use a channel count with such a factor, a power of two at best",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const std::int64_t channels = s.n.shape.channels();
                    bool fits = s.n.shape.rank < 3 || channels <= 1;
                    for (const std::int32_t factor : s.t.limits.interleave_factors) {
                        fits = fits || (factor > 1 && channels % factor == 0);
                    }
                    return holds_if(fits, channels, s.t.limits.interleave_factors.back());
                }},
    rule_record{.id = rule::width_is_not_a_granule,
                .fact = "R103",
                .level = severity::warn,
                .ops = activation_ops,
                .sentence = "rows of {got} bytes are padded to a multiple of {limit}",
                .reject = "",
                .advice = "use widths that are multiples of 8",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const std::int64_t row = bytes(s.n.type, s.n.shape.width());
                    return holds_if(s.n.shape.width() <= 1 || row % s.t.memory.dma_width_granule == 0, row,
                                    s.t.memory.dma_width_granule);
                }},
    rule_record{.id = rule::width_is_one,
                .fact = "R104",
                .level = severity::warn,
                .ops = activation_ops,
                .sentence = "the last axis is 1 and the channels are {got}: one lane of a {limit}-byte granule is used",
                .reject = "",
                .advice = "move a longer axis last",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const extents& e = s.n.shape;
                    return holds_if(e.rank < 3 || e.width() != 1 || e.channels() == 1 ||
                                        s.t.memory.dma_width_granule <= bits(s.n.type) / 8,
                                    e.channels(), s.t.memory.dma_width_granule);
                }},
    // The worst stride: all its rows fall into one bank. Milder conflicts only appear as figures in the report.
    rule_record{.id = rule::rows_share_a_bank,
                .fact = "BANK",
                .level = severity::note,
                .ops = activation_ops,
                .sentence = "rows of {got} bytes, a multiple of {limit}, start in one memory bank",
                .reject = "",
                .consequence = "the compiler widens the stride: memory and transfers for the padding",
                .advice = "a width that is an odd number of granules has no conflict",
                .source = "guide chapter 21",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t row =
                        rounded_up(bytes(s.n.type, s.n.shape.width()), s.t.memory.dma_width_granule);
                    const std::int64_t banks = s.t.memory.l2_banks;
                    return holds_if(s.n.shape.height() <= 1 || bank_sharing(row, s.t) < banks, row,
                                    banks * s.t.memory.dma_width_granule);
                }},
    rule_record{.id = rule::output_channels_cross_a_pass,
                .fact = "R048",
                .level = severity::warn,
                .ops = {op::conv2d},
                .sentence = "a 1x1 convolution with {got} output channels, above {limit} and no multiple of 256, fills "
                            "a further pass in part",
                .reject = "",
                .consequence = "from 192 to 256 channels 20 us a layer became 61 (32x32)",
                .advice = "use at most 192 output channels, or a multiple of 256",
                .source = "guide chapter 20",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const convolution_geometry c = geometry_of(s.g, s.n);
                    return holds_if(s.n.type != dtype::f16 || !crosses_pass_step(c), c.out_channels, one_pass_channels);
                }},
    rule_record{.id = rule::winograd_needs_unit_stride,
                .fact = "R047",
                .level = severity::note,
                .ops = {op::conv2d},
                .sentence = "a 3x3 convolution with stride or dilation {got} is computed directly; with {limit} the "
                            "Winograd transform may save 2.25 times the multiplications",
                .reject = "",
                .consequence = "",
                .advice = "nothing where the stride is meant: it leaves a quarter of the results",
                .source = "guide chapters 13 and 20",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const convolution_geometry c = geometry_of(s.g, s.n);
                    const bool square = c.kernel_height == 3 && c.kernel_width == 3;
                    int largest = 1;
                    for (const int step : {c.stride.height, c.stride.width, c.dilation.height, c.dilation.width}) {
                        largest = step > largest ? step : largest;
                    }
                    return holds_if(!s.t.has.winograd || !square ||
                                        winograd_gate_of(s.g, s.n, c, s.t) != winograd_gate::stride,
                                    largest, 1);
                }},
};

} // namespace ane::rules

#pragma once

#include "../analysis/convolution_geometry.hpp"
#include "../graph/constants.hpp"
#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

inline constexpr op_set convolutions = op_set::where(is_convolution);

constexpr std::int64_t kernel_width(const subject& s) { return s.operand(1).shape.width(); }
constexpr std::int64_t kernel_height(const subject& s) { return s.operand(1).shape.height(); }

constexpr size2 stride(const node& n) {
    return n.kind == op::conv2d ? n.get<conv>().stride : n.get<conv_transpose>().stride;
}
constexpr size2 dilation(const node& n) {
    return n.kind == op::conv2d ? n.get<conv>().dilation : n.get<conv_transpose>().dilation;
}
constexpr int groups(const node& n) {
    return n.kind == op::conv2d ? n.get<conv>().groups : n.get<conv_transpose>().groups;
}
constexpr int larger(size2 s) { return s.height > s.width ? s.height : s.width; }

/// A kernel that the small-kernel mode does not hold.
constexpr bool is_large_kernel(const subject& s) {
    return kernel_width(s) > s.t.limits.kernel_width_fp16_small || kernel_height(s) > s.t.limits.kernel_height_small;
}

/// One channel for each group: lowered on its own path, the rules of grouped convolutions do not apply.
constexpr bool depthwise(const subject& s) { return groups(s.n) == s.operand(0).shape.channels(); }

} // namespace detail

inline constexpr std::array convolution{
    rule_record{.id = rule::convolution_rank_is_not_four,
                .fact = "R014",
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "the input has rank {got}, a convolution takes {limit} (N, C, H, W)",
                .reject = "Conv2D input must be 4D",
                .advice = "reshape to [N, C, H, W]",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const int rank = s.operand(0).shape.rank;
                    return holds_if(rank == 4, rank, 4);
                }},
    // L011: as an operation of its own it was placed on an M4. The convolutions here are of planes on every target.
    rule_record{.id = rule::convolution_is_three_dimensional,
                .fact = "R040",
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "the weight has rank {got}, a kernel in space takes rank {limit}",
                .reject = "Some ops are not supported on any of the specified backends",
                .advice = "add up convolutions of the planes",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return at_most(s.operand(1).shape.rank, 4); }},
    // R030, R031, R032 are one rule with a limit that the target's description decides.
    rule_record{.id = rule::kernel_width_exceeds,
                .fact = "R030",
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "kernel width {got} exceeds {limit}",
                .reject = "Invalid conv kernel %s = %zd, It should be in [%zd,%zd]",
                .advice = "swap the axes and split the kernel's height into a sum; or cut the input into frames and "
                          "multiply them by the kernel as a matrix",
                .source = "guide chapters 4 and 17; study M4, M6",
                .evidence = mark::measured,
                .figure = &target_marks::kernel_width,
                .silicon = "M1, M4, M5, M6",
                .check = [](const subject& s) -> finding {
                    return at_most(detail::kernel_width(s), s.t.limits.kernel_width_fp16);
                }},
    // L003: the HAL table has 32 from A14 on; the compilers for M4 and M6 refuse 32.
    rule_record{.id = rule::kernel_height_exceeds,
                .fact = "R033 L003",
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "kernel height {got} exceeds {limit}",
                .reject = "Invalid conv kernel %s = %zd, It should be in [%zd,%zd]",
                .advice = "split the kernel's height into a sum; or cut the input into frames and multiply them by the "
                          "kernel as a matrix",
                .source = "guide chapter 17, appendix A; study M4, M6",
                .evidence = mark::measured,
                .figure = &target_marks::kernel_height,
                .silicon = "M1, M4, M6",
                .check = [](const subject& s) -> finding {
                    return at_most(detail::kernel_height(s), s.t.limits.kernel_height);
                }},
    rule_record{.id = rule::dynamic_weight_batch_exceeds_one,
                .fact = "R044",
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "the weight is computed at run time and the batch is {got}, at most {limit} works",
                .reject = "dynamic-weight convolution is closed above batch one",
                .consequence = "the compiler process crashes; batch 1 gives the right values",
                .advice = "use batch 1, or unfold the image and multiply matrices",
                .source = "guide chapter 19",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const std::int64_t batch = s.operand(0).shape.batch();
                    return holds_if(is_known_when_compiled(s.g, s.g.operands(s.n)[1]) || batch <= 1, batch, 1);
                }},
    rule_record{
        .id = rule::transposed_stride_exceeds_two,
        .fact = "R039",
        .level = severity::reject,
        .ops = {op::conv_transpose2d},
        .sentence = "a transposed convolution's stride of {got} exceeds {limit}",
        .reject = "",
        .advice =
            "convolve with the kernel turned by half a turn, over the input with zeros between its elements (each repeated, times a mask) and around them",
        .source = "guide appendix C",
        .evidence = mark::decompiled,
        .check = [](const subject& s) -> finding { return at_most(detail::larger(detail::stride(s.n)), 2); }},
    rule_record{.id = rule::transposed_convolution_is_dilated,
                .fact = "R183",
                .level = severity::reject,
                .ops = {op::conv_transpose2d},
                .sentence = "a transposed convolution's dilation of {got} exceeds {limit}",
                .reject = "Error: dilated deconvolution is not supported!",
                .advice = "convolve with the kernel turned by half a turn, over the input with zeros around it",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding { return at_most(detail::larger(detail::dilation(s.n)), 1); }},
    // Large is what the small-kernel mode does not hold.
    rule_record{.id = rule::transposed_kernel_is_large,
                .fact = "R183",
                .level = severity::reject,
                .ops = {op::conv_transpose2d},
                .sentence = "a transposed convolution's kernel extent {got} exceeds {limit}",
                .reject = "Error: deconv with large kernel size is not supported",
                .advice = "convolve with the kernel turned by half a turn, over the input with zeros around it",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return both(at_most(detail::kernel_width(s), s.t.limits.kernel_width_fp16_small),
                                at_most(detail::kernel_height(s), s.t.limits.kernel_height_small));
                }},
    rule_record{.id = rule::kernel_needs_large_mode,
                .fact = "R034",
                .level = severity::warn,
                .ops = {op::conv2d},
                .sentence = "kernel width {got} exceeds the small-kernel mode's {limit}",
                .reject = "",
                .advice = "",
                .source = "guide appendix A",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return at_most(detail::kernel_width(s), s.t.limits.kernel_width_fp16_small);
                }},
    // Kernels of 13 x 13 and of 3 x 16 were seen to compile on the M1, so this cannot be a refusal for fp16 there.
    rule_record{.id = rule::large_kernel_is_not_a_multiple_of_eight,
                .fact = "R035",
                .level = severity::warn,
                .ops = {op::conv2d},
                .sentence =
                    "a large kernel's extent {got} is not a multiple of {limit}: padded, refused in some formats",
                .reject = "Error: kernel width and height should be multiple of 8 for large kernel but are %zd and %zd",
                .advice = "pad the kernel with zeros",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    if (!detail::is_large_kernel(s)) {
                        return {};
                    }
                    const std::int64_t width = detail::kernel_width(s);
                    return width % 8 != 0 ? finding{true, width, 8}
                                          : holds_if(detail::kernel_height(s) % 8 == 0, detail::kernel_height(s), 8);
                }},
    rule_record{.id = rule::large_kernel_is_grouped,
                .fact = "R036",
                .level = severity::reject,
                .ops = {op::conv2d},
                .sentence = "a large kernel with {got} groups, at most {limit} works",
                .reject = "Error: grouped conv with large kernel size is not supported",
                .advice = "use a smaller kernel, or one group for each channel",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(!detail::is_large_kernel(s) || detail::groups(s.n) <= 1 || detail::depthwise(s),
                                    detail::groups(s.n), 1);
                }},
    rule_record{.id = rule::large_kernel_is_dilated,
                .fact = "R036",
                .level = severity::reject,
                .ops = {op::conv2d},
                .sentence = "a large kernel with dilation {got}, at most {limit} works",
                .reject = "Error: dilated conv with large kernel size is not supported",
                .advice = "use a smaller kernel",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const int dilation = detail::larger(detail::dilation(s.n));
                    return holds_if(!detail::is_large_kernel(s) || dilation <= 1, dilation, 1);
                }},
    // A stride is done by folding pixels into channels, which count against the limit of the channels.
    rule_record{.id = rule::folded_channels_exceed,
                .fact = "R182",
                .level = severity::reject,
                .ops = detail::convolutions,
                .sentence = "channels times the stride's area come to {got}, above {limit}",
                .reject = "Error: channel size exceeds limit [%zu vs. %zu]",
                .advice = "use a smaller stride, or split the channels",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const size2 stride = detail::stride(s.n);
                    const std::int64_t area = std::int64_t{stride.height} * stride.width;
                    const extents& folded = s.n.kind == op::conv2d ? s.operand(0).shape : s.n.shape;
                    return holds_if(area <= 1 || folded.channels() * area <= s.t.limits.tensor_c,
                                    folded.channels() * area, s.t.limits.tensor_c);
                }},
    // R015 was measured at the full extent; the margin is an expression in the compiler that has not been observed.
    rule_record{.id = rule::convolved_width_leaves_no_margin,
                .fact = "R181",
                .level = severity::warn,
                .ops = {op::conv2d},
                .sentence = "a kernel goes over rows of {got}, above {limit} the margin of eight pixels is gone",
                .reject = "Error: Tensor width goes beyond limit supported (%lu > %lu).",
                .advice = "tile the width",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t width = s.operand(0).shape.width();
                    return holds_if(detail::kernel_width(s) <= 1 || width <= s.t.limits.tensor_w - 8, width,
                                    s.t.limits.tensor_w - 8);
                }},
    rule_record{.id = rule::groups_do_not_divide_cores,
                .fact = "R038",
                .level = severity::warn,
                .ops = detail::convolutions,
                .sentence = "{got} groups do not divide {limit} cores: slower",
                .reject = "",
                .consequence = "a lane has no lookup table of its own any more",
                .advice = "use a group count that divides the cores, or one group for each channel",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const int groups = detail::groups(s.n);
                    return holds_if(groups < 1 || s.t.cores % groups == 0 || detail::depthwise(s), groups, s.t.cores);
                }},
    rule_record{.id = rule::grouped_kernel_is_decomposed,
                .fact = "R043",
                .level = severity::warn,
                .ops = detail::convolutions,
                .sentence = "input channels times kernel elements {got} exceed {limit}: decomposed",
                .reject = "",
                .advice = "",
                .source = "guide appendix A",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t work =
                        s.operand(0).shape.channels() * detail::kernel_width(s) * detail::kernel_height(s);
                    return holds_if(detail::groups(s.n) <= 1 || detail::depthwise(s) ||
                                        work <= s.t.limits.group_conv_decompose,
                                    work, s.t.limits.group_conv_decompose);
                }},
    rule_record{.id = rule::stride_does_not_factor,
                .fact = "R041",
                .level = severity::reject,
                .ops = {op::conv2d},
                .sentence = "stride {got} is not a product of at most two of 2, 3, 4 and {limit}",
                .reject = "",
                .advice =
                    "use a stride such as 4, 6, 8, 9, 12, 16, 24 or 32; or cut the input into frames and multiply "
                    "them by the kernel as a matrix",
                .source = "guide chapter 17; the vendor's guide to models names the same strides",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const size2 stride = detail::stride(s.n);
                    for (const int wanted : {stride.height, stride.width}) {
                        if (stride_steps(wanted, s.t) < 0) {
                            return {true, wanted, s.t.limits.stride_factors.back()};
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::stride_is_not_native,
                .fact = "R041",
                .level = severity::warn,
                .ops = {op::conv2d},
                .sentence = "stride {got} is not 1, 2, 3, 4 or 8: decomposed",
                .reject = "",
                .consequence = "a sequence of convolutions, of two factors for each axis",
                .advice = "use strides of 1, 2, 3, 4 or 8",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const size2 stride = detail::stride(s.n);
                    for (const int wanted : {stride.height, stride.width}) {
                        if (stride_steps(wanted, s.t) == 2) {
                            return {true, wanted, s.t.limits.stride_factors.back()};
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::dilation_is_not_native,
                .fact = "R042",
                .level = severity::warn,
                .ops = {op::conv2d},
                .sentence = "dilation {got} is lowered through space-to-batch (measured to compile up to 8)",
                .reject = "Error: Dilated convolution cannot be lowered since all possible space-to-batch "
                          "implementations exceeded the L2 DMA buffer size",
                .advice = "lower the dilation",
                .source = "guide chapter 17",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return at_most(detail::larger(detail::dilation(s.n)), 1); }},
};

} // namespace ane::rules

// Convolutions: kernels, strides, dilations and groups.
// expect: design_rule<ane::op::conv2d, ane::rule::convolution_rank_is_not_four, ane::target::h13, 0, 2, 3, 4
// expect: design_rule<ane::op::conv2d, ane::rule::convolution_is_three_dimensional, ane::target::h17s, 0, 2, 5, 4
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_width_exceeds, ane::target::h13, 0, 2, 14, 13
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_width_exceeds, ane::target::h16, 0, 2, 16, 15
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_height_exceeds, ane::target::h13, 0, 2, 30, 29
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_height_exceeds, ane::target::h16g, 0, 2, 32, 31
// expect: design_rule<ane::op::conv2d, ane::rule::dynamic_weight_batch_exceeds_one, ane::target::h13, 0, 2, 2, 1
// expect: design_rule<ane::op::conv_transpose2d, ane::rule::transposed_stride_exceeds_two, ane::target::h13, 0, 2, 3, 2
// expect: design_rule<ane::op::conv_transpose2d, ane::rule::transposed_convolution_is_dilated, ane::target::h13, 0, 2, 2, 1
// expect: design_rule<ane::op::conv_transpose2d, ane::rule::transposed_kernel_is_large, ane::target::h13, 0, 2, 8, 7
// expect: design_rule<ane::op::conv2d, ane::rule::large_kernel_is_grouped, ane::target::h13, 0, 2, 2, 1
// expect: design_rule<ane::op::conv2d, ane::rule::large_kernel_is_dilated, ane::target::h13, 0, 2, 2, 1
// expect: design_rule<ane::op::conv2d, ane::rule::stride_does_not_factor, ane::target::h13, 0, 2, 7, 8
// expect: design_rule<ane::op::conv2d, ane::rule::folded_channels_exceed, ane::target::h13, 0, 2, 65540, 65536
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph convolved(const conv& a, const extents& x, const extents& w) {
    return make(op::conv2d, a, {in(x), one_node::weight(w)});
}
constexpr dynamic_graph transposed_conv(const conv_transpose& a, std::int64_t kernel) {
    return make(op::conv_transpose2d, a, {in({1, 8, 4, 4}), one_node::weight({8, 8, 3, kernel})});
}

constexpr auto flat = frozen([] {
    return make(op::conv2d, conv{},
                {in(pick(extents{16, 8, 8}, extents{1, 16, 8, 8})), one_node::weight({16, 16, 1, 1})},
                pick(extents{16, 8, 8}, extents{1, 16, 8, 8}), true);
});
static_assert(conforms<flat, h13>);

constexpr auto spatial = frozen([] {
    return make(op::conv2d, conv{},
                {in({1, 16, 8, 8}), one_node::weight(pick(extents{16, 16, 2, 3, 3}, extents{16, 16, 3, 3}))},
                {1, 16, 8, 8}, true);
});
static_assert(conforms<spatial, h17s>);

constexpr auto wide_m1 = frozen([] { return convolved({}, {1, 16, 32, 32}, {16, 16, 3, pick(14, 13)}); });
static_assert(conforms<wide_m1, h13>);

constexpr auto wide_m4 = frozen([] { return convolved({}, {1, 16, 32, 32}, {16, 16, 3, pick(16, 15)}); });
static_assert(conforms<wide_m4, h16>);

constexpr auto tall = frozen([] { return convolved({}, {1, 16, 64, 64}, {16, 16, pick(30, 29), 3}); });
static_assert(conforms<tall, h13>);

constexpr auto tall_m4 = frozen([] { return convolved({}, {1, 16, 64, 64}, {16, 16, pick(32, 31), 1}); });
static_assert(conforms<tall_m4, h16g>);

constexpr auto dynamic = frozen([] {
    return make(op::conv2d, conv{}, {in({pick(2, 1), 16, 8, 8}), in({16, 16, 3, 3})});
});
static_assert(conforms<dynamic, h13>);

constexpr auto strided = frozen([] { return convolved({.stride = pick(7, 6)}, {1, 8, 16, 16}, {8, 8, 3, 3}); });
static_assert(conforms<strided, h13>);

constexpr auto strided_back = frozen([] { return transposed_conv({.stride = pick(3, 2)}, 3); });
static_assert(conforms<strided_back, h13>);

constexpr auto dilated_back = frozen([] { return transposed_conv({.dilation = pick(2, 1)}, 3); });
static_assert(conforms<dilated_back, h13>);

constexpr auto large_back = frozen([] { return transposed_conv({}, pick(8, 7)); });
static_assert(conforms<large_back, h13>);

constexpr auto large_grouped = frozen([] { return convolved({.groups = 2}, {1, 16, 32, 32}, {16, 8, 3, pick(8, 7)}); });
static_assert(conforms<large_grouped, h13>);

constexpr auto large_dilated = frozen([] {
    return convolved({.dilation = 2}, {1, 16, 32, 32}, {16, 16, 3, pick(8, 7)});
});
static_assert(conforms<large_dilated, h13>);

constexpr auto folded = frozen([] {
    return convolved({.stride = 2}, {1, pick(16385, 16384), 4, 4}, {8, pick(16385, 16384), 1, 1});
});
static_assert(conforms<folded, h13>);

int main() {}

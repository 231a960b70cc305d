// Convolutions that work and waste: warnings that a policy makes errors.
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_needs_large_mode, ane::target::h13, 0, 2, 8, 7
// expect: design_rule<ane::op::conv2d, ane::rule::large_kernel_is_not_a_multiple_of_eight, ane::target::h13, 0, 2, 9, 8
// expect: design_rule<ane::op::conv2d, ane::rule::convolved_width_leaves_no_margin, ane::target::h13, 0, 2, 16377, 16376
// expect: design_rule<ane::op::conv2d, ane::rule::groups_do_not_divide_cores, ane::target::h13, 0, 2, 3, 4
// expect: design_rule<ane::op::conv2d, ane::rule::grouped_kernel_is_decomposed, ane::target::h13, 0, 2, 2304, 2048
// expect: design_rule<ane::op::conv2d, ane::rule::stride_is_not_native, ane::target::h13, 0, 2, 6, 8
// expect: design_rule<ane::op::conv2d, ane::rule::dilation_is_not_native, ane::target::h13, 0, 2, 2, 1
// expect: design_rule<ane::op::conv2d, ane::rule::output_channels_cross_a_pass, ane::target::h13, 0, 2, 193, 192
// expect: design_rule<ane::op::conv2d, ane::rule::winograd_needs_unit_stride, ane::target::h13, 0, 2, 2, 1
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph convolved(const conv& a, const extents& x, const extents& w) {
    return make(op::conv2d, a, {in(x), one_node::weight(w)});
}

constexpr auto large = frozen([] { return convolved({}, {1, 16, 32, 32}, {16, 16, 3, pick(8, 7)}); });
static_assert(conforms<large, h13, as_error(rule::kernel_needs_large_mode)>);

constexpr auto odd = frozen([] { return convolved({}, {1, 16, 32, 32}, {16, 16, 8, pick(9, 8)}); });
static_assert(conforms<odd, h13, as_error(rule::large_kernel_is_not_a_multiple_of_eight)>);

constexpr auto margin = frozen([] { return convolved({}, {1, 8, 4, pick(16377, 16376)}, {8, 8, 1, 3}); });
static_assert(conforms<margin, h13, as_error(rule::convolved_width_leaves_no_margin)>);

constexpr auto grouped = frozen([] {
    return convolved({.groups = pick(3, 4)}, {1, 12, 8, 8}, {12, pick(4, 3), 3, 3});
});
static_assert(conforms<grouped, h13, as_error(rule::groups_do_not_divide_cores)>);

constexpr auto decomposed = frozen([] {
    return convolved({.groups = 4}, {1, pick(256, 128), 8, 8}, {16, pick(64, 32), 3, 3});
});
static_assert(conforms<decomposed, h13, as_error(rule::grouped_kernel_is_decomposed)>);

constexpr auto strided = frozen([] { return convolved({.stride = pick(6, 4)}, {1, 8, 16, 16}, {8, 8, 3, 3}); });
static_assert(conforms<strided, h13, as_error(rule::stride_is_not_native)>);

constexpr auto dilated = frozen([] { return convolved({.dilation = pick(2, 1)}, {1, 8, 16, 16}, {8, 8, 3, 3}); });
static_assert(conforms<dilated, h13, as_error(rule::dilation_is_not_native)>);

constexpr auto passes = frozen([] { return convolved({}, {1, 16, 16, 16}, {pick(193, 192), 16, 1, 1}); });
static_assert(conforms<passes, h13, as_error(rule::output_channels_cross_a_pass)>);

constexpr auto direct = frozen([] { return convolved({.stride = pick(2, 1)}, {1, 16, 16, 16}, {32, 16, 3, 3}); });
static_assert(conforms<direct, h13, as_error(rule::winograd_needs_unit_stride)>);

int main() {}

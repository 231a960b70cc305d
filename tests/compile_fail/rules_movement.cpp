// Movement: transposes, joins, slices and padding.
// expect: design_rule<ane::op::transpose, ane::rule::transposed_extent_exceeds, ane::target::h13, 0, 1, 16385, 16384
// expect: design_rule<ane::op::transpose, ane::rule::channel_transpose_is_not_native, ane::target::h12, 0, 1, 10, 0
// expect: design_rule<ane::op::transpose, ane::rule::batch_transpose_has_channels, ane::target::h13, 0, 1, 3, 1
// expect: design_rule<ane::op::concat, ane::rule::concat_has_one_operand, ane::target::h13, 0, 1, 1, 2
// expect: design_rule<ane::op::concat, ane::rule::concat_row_exceeds, ane::target::h17s, 0, 2, 100352, 100351
// expect: design_rule<ane::op::reshape, ane::rule::reshape_does_not_flatten, ane::target::h12, 0, 1, 3, 2
// expect: design_rule<ane::op::strided_slice, ane::rule::reversed_slice_is_not_whole, ane::target::h13, 0, 1, 7, 8
// expect: design_rule<ane::op::slice, ane::rule::sliced_channels_are_not_aligned, ane::target::h13, 0, 1, 5, 8
// expect: design_rule<ane::op::pad, ane::rule::padding_is_not_on_height_or_width, ane::target::h13, 0, 2, 1, 2
// expect: design_rule<ane::op::reflect_pad, ane::rule::padding_mode_needs_the_texture_engine, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::slice, ane::rule::width_slice_may_saturate, ane::target::h13, 0, 1, 4096, 4094
// expect: design_rule<ane::op::concat, ane::rule::width_slices_are_joined, ane::target::h13, 0, 3, 2, 1
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph moved(const permutation& p, const extents& x) { return make(op::transpose, p, {in(x)}); }
constexpr dynamic_graph joined(std::int64_t a, std::int64_t b) {
    return make(op::concat, axis{1}, {in({1, a}), in({1, b})});
}
constexpr dynamic_graph cut(std::int64_t begin, const contract& promise) {
    return make(op::slice, window{{0, begin}, {4, 2}}, {in({4, 8}, promise)});
}
constexpr dynamic_graph joined_cuts(std::int64_t begin) {
    dynamic_graph g = then(sources_of({in({4, 8}, within(0, 1))}), op::slice, window{{0, 1}, {4, 2}}, {0});
    g = then(g, op::slice, window{{0, begin}, {4, 2}}, {0});
    return then(g, op::concat, axis{1}, {1, 2});
}

constexpr auto long_move = frozen([] { return moved({2, 1, 0, 3}, {pick(16385, 16384), 1, 4, 4}); });
static_assert(conforms<long_move, h13, waive(rule::tensor_height_exceeds)>);

constexpr auto channel_move = frozen([] { return moved({0, 3, 2, 1}, {1, pick(10, 24), 1, 7}); });
static_assert(conforms<channel_move, h12>);

constexpr auto batch_move = frozen([] { return moved({1, 0, 2, 3}, {2, pick(3, 1), 4, 4}); });
static_assert(conforms<batch_move, h13>);

constexpr auto alone = frozen([] {
    if (keeps) {
        return joined(8, 8);
    }
    return make(op::concat, axis{1}, {in({1, 8})});
});
static_assert(conforms<alone, h13>);

constexpr auto rows = frozen([] { return joined(50000, pick(50352, 50351)); });
static_assert(conforms<rows, h17s, waive(rule::tensor_width_exceeds)>);

constexpr auto folded_axes = frozen([] {
    return make(op::reshape, no_attributes{}, {in({1, 8, 4, 4})}, pick(extents{4, 8, 4}, extents{1, 128}), true);
});
static_assert(conforms<folded_axes, h12>);

constexpr auto backwards = frozen([] {
    return make(op::strided_slice, strided_window{{0, 7}, {1, -1}}, {in({4, 8})}, {4, pick(7, 8)}, true);
});
static_assert(conforms<backwards, h13>);

constexpr auto offset = frozen([] {
    return make(op::slice, window{{0, pick(5, 8), 0, 0}, {1, 4, 4, 4}}, {in({1, 16, 4, 4})});
});
static_assert(conforms<offset, h13, as_error(rule::sliced_channels_are_not_aligned)>);

constexpr auto channel_pad = frozen([] {
    return make(op::pad, pads{{0, pick(1, 0), 1, 0}, {0, 0, 0, 0}}, {in({1, 4, 8, 8}), one_node::weight({})});
});
static_assert(conforms<channel_pad, h13>);

constexpr auto mirrored = frozen([] {
    return make(op::reflect_pad, pads{{0, 0, 1, 1}, {0, 0, 1, 1}}, {in({1, 4, 8, 8})});
});
static_assert(conforms<mirrored, pick(h13, h14)>);

constexpr auto saturated = frozen([] { return cut(1, bounded(pick(4096, 4094))); });
static_assert(conforms<saturated, h13>);

constexpr auto twice = frozen([] { return joined_cuts(pick(2, 0)); });
static_assert(conforms<twice, h13>);

int main() {}

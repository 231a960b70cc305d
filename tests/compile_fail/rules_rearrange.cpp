// Pixels into channels and batch, repetition, gathers and resizing.
// expect: design_rule<ane::op::pixel_shuffle, ane::rule::shuffle_factor_is_not_native, ane::target::h13, 0, 1, 5, 8
// expect: design_rule<ane::op::depth_to_space, ane::rule::shuffled_channels_are_not_divisible, ane::target::h13, 0, 1, 6, 4
// expect: design_rule<ane::op::space_to_batch, ane::rule::batch_factor_is_not_native, ane::target::h13, 0, 1, 5, 8
// expect: design_rule<ane::op::batch_to_space, ane::rule::batch_is_not_divisible, ane::target::h13, 0, 1, 6, 4
// expect: design_rule<ane::op::space_to_depth, ane::rule::space_to_channel_batch_exceeds_one, ane::target::h17s, 0, 1, 2, 1
// expect: design_rule<ane::op::tile, ane::rule::tile_factor_is_not_native, ane::target::h13, 0, 1, 5, 8
// expect: design_rule<ane::op::resize, ane::rule::resize_is_decomposed, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::gather_nd, ane::rule::gather_needs_one_batch_one_plane_and_3_components, ane::target::h13, 0, 2, 2, 3
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph shuffled(op kind, factors by, const extents& x) { return make(kind, by, {in(x)}, x, true); }

constexpr auto factor = frozen([] { return shuffled(op::pixel_shuffle, pick(5, 4), {1, 400, 4, 4}); });
static_assert(conforms<factor, h13>);

constexpr auto uneven = frozen([] { return shuffled(op::depth_to_space, 2, {1, pick(6, 8), 4, 4}); });
static_assert(conforms<uneven, h13>);

constexpr auto blocks = frozen([] { return shuffled(op::space_to_batch, pick(5, 6), {1, 4, 30, 30}); });
static_assert(conforms<blocks, h13>);

constexpr auto images = frozen([] { return shuffled(op::batch_to_space, 2, {pick(6, 8), 4, 8, 8}); });
static_assert(conforms<images, h13, waive(rule::operation_is_not_written)>);

constexpr auto two_images = frozen([] { return shuffled(op::space_to_depth, 2, {pick(2, 1), 4, 8, 8}); });
static_assert(conforms<two_images, h17s, on_route(compile_route::netplist)>);

constexpr auto repeated = frozen([] { return make(op::tile, repeats{1, pick(5, 4)}, {in({4, 8})}, {4, 40}, true); });
static_assert(conforms<repeated, h13, as_error(rule::tile_factor_is_not_native)>);

constexpr auto enlarged = frozen([] { return make(op::resize, sampling{.extent = 16}, {in({1, 2, 8, 8})}); });
static_assert(conforms<enlarged, pick(h13, h14), as_error(rule::resize_is_decomposed)>);

constexpr auto gathered = frozen([] {
    return make(op::gather_nd, no_attributes{}, {in({1, 3, 4, 4}), in({4, pick(2, 3)})}, {4}, true);
});
static_assert(conforms<gathered, h13, waive(rule::operation_is_not_written)>);

int main() {}

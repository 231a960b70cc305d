// Element types, ranks and extents.
// expect: design_rule<ane::op::cast, ane::rule::cast_gives_int32, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::softmax, ane::rule::normalization_result_is_not_float, ane::target::h13, 0, 1, 2, 3
// expect: design_rule<ane::op::relu, ane::rule::uint8_reaches_arithmetic, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::input, ane::rule::element_type_is_not_f16, ane::target::h13, 0, 0, 4, 3
// expect: design_rule<ane::op::input, ane::rule::rank_exceeds_five, ane::target::h13, 0, 0, 6, 5
// expect: design_rule<ane::op::input, ane::rule::extent_is_zero, ane::target::h13, 0, 0, 1, 1
// expect: design_rule<ane::op::input, ane::rule::extent_is_not_known, ane::target::h13, 0, 0, 0, 0
// expect: design_rule<ane::op::input, ane::rule::tensor_width_exceeds, ane::target::h13, 0, 0, 16385, 16384
// expect: design_rule<ane::op::input, ane::rule::tensor_width_exceeds, ane::target::h16, 0, 0, 65537, 65536
// expect: design_rule<ane::op::input, ane::rule::tensor_height_exceeds, ane::target::h14, 0, 0, 16385, 16384
// expect: design_rule<ane::op::input, ane::rule::tensor_channels_exceed, ane::target::h13, 0, 0, 65537, 65536
// expect: design_rule<ane::op::input, ane::rule::tensor_depth_exceeds, ane::target::h15, 0, 0, 16385, 16384
// expect: design_rule<ane::op::input, ane::rule::tensor_batch_exceeds, ane::target::h12, 0, 0, 4097, 4096
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph typed(op kind, const attributes& values, dtype from, dtype to) {
    dynamic_graph g = make(kind, values, {in({4, 8}, {}, from)}, {4, 8}, true);
    g.nodes.back().type = to;
    return g;
}
constexpr dynamic_graph relu_of(const extents& shape) { return make(op::relu, no_attributes{}, {in(shape)}); }

constexpr auto integer =
    frozen([] { return typed(op::cast, no_attributes{}, dtype::uint8, pick(dtype::int32, dtype::f16)); });
static_assert(conforms<integer, h13>);

constexpr auto narrow = frozen([] { return typed(op::softmax, axis{1}, dtype::f16, pick(dtype::int8, dtype::f16)); });
static_assert(conforms<narrow, h13>);

constexpr auto image =
    frozen([] { return typed(op::relu, no_attributes{}, pick(dtype::uint8, dtype::f16), dtype::f16); });
static_assert(conforms<image, h13>);

constexpr auto wide_type =
    frozen([] { return typed(op::relu, no_attributes{}, pick(dtype::f32, dtype::f16), dtype::f16); });
static_assert(conforms<wide_type, h13>);

constexpr auto rank = frozen([] { return relu_of(pick(extents{1, 1, 1, 2, 2, 2}, extents{1, 1, 2, 2, 2})); });
static_assert(conforms<rank, h13>);

constexpr auto empty = frozen([] { return relu_of({1, pick(0, 1)}); });
static_assert(conforms<empty, h13>);

constexpr auto symbolic = frozen([] { return relu_of({pick(-1, 1), 8}); });
static_assert(conforms<symbolic, h13>);

constexpr auto width_m1 = frozen([] { return relu_of({pick(16385, 16384)}); });
static_assert(conforms<width_m1, h13>);

constexpr auto width_m4 = frozen([] { return relu_of({pick(65537, 65536)}); });
static_assert(conforms<width_m4, h16>);

constexpr auto height = frozen([] { return relu_of({pick(16385, 16384), 8}); });
static_assert(conforms<height, h14>);

constexpr auto channels = frozen([] { return relu_of({1, pick(65537, 65536), 2, 2}); });
static_assert(conforms<channels, h13>);

constexpr auto depth = frozen([] { return relu_of({1, pick(16385, 16384), 2, 2, 2}); });
static_assert(conforms<depth, h15>);

constexpr auto batch = frozen([] { return relu_of({pick(4097, 4096), 1, 1, 1}); });
static_assert(conforms<batch, h12>);

int main() {}

// Elementwise operations, and notes that a policy makes errors.
// expect: design_rule<ane::op::add, ane::rule::broadcast_along_depth_is_not_supported, ane::target::h13, 0, 2, 2, 1
// expect: design_rule<ane::op::prelu, ane::rule::prelu_rank_is_below_three, ane::target::h13, 0, 2, 2, 3
// expect: design_rule<ane::op::sqrt, ane::rule::square_feeds_a_nonlinearity, ane::target::h13, 0, 2, 65, 64
// expect: design_rule<ane::op::sin, ane::rule::angle_leaves_the_half_period, ane::target::h15, 0, 1, 4, 3
// expect: design_rule<ane::op::add, ane::rule::both_operands_are_live, ane::target::h13, 0, 2, 0, 0
// expect: design_rule<ane::op::relu, ane::rule::producer_has_other_readers, ane::target::h13, 0, 3, 2, 1
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph sum(const extents& a, const extents& b) {
    return make(op::add, no_attributes{}, {in(a), in(b)});
}
constexpr dynamic_graph activated(int readers) {
    dynamic_graph g = make(op::linear, no_attributes{}, {in({4, 8}), one_node::weight({8, 8})});
    for (int i = 0; i < readers; ++i) {
        g = then(g, op::relu, no_attributes{}, {2});
    }
    return g;
}

constexpr auto depths = frozen([] { return sum({1, 2, 3, 4, 5}, {1, pick(1, 2), 3, 4, 5}); });
static_assert(conforms<depths, h13>);

constexpr auto slopes = frozen([] {
    if (keeps) {
        return make(op::prelu, no_attributes{}, {in({1, 8, 4}), one_node::weight({8})}, {1, 8, 4}, true);
    }
    return make(op::prelu, no_attributes{}, {in({4, 8}), one_node::weight({8})}, {4, 8}, true);
});
static_assert(conforms<slopes, h13>);

constexpr auto squared = frozen([] {
    return then(make(op::square, no_attributes{}, {in({4, pick(193, 192)})}), op::sqrt, no_attributes{}, {1});
});
static_assert(conforms<squared, h13, as_error(rule::square_feeds_a_nonlinearity)>);

constexpr auto angle = frozen([] { return make(op::sin, no_attributes{}, {in({8}, bounded(pick(3.25, 3.140625)))}); });
static_assert(conforms<angle, h15>);

constexpr auto live = frozen([] {
    return make(op::add, no_attributes{}, {in({8}), {pick(op::input, op::weight), {8}}});
});
static_assert(conforms<live, h13, as_error(rule::both_operands_are_live)>);

constexpr auto shared = frozen([] { return activated(pick(2, 1)); });
static_assert(conforms<shared, h13, as_error(rule::producer_has_other_readers)>);

int main() {}

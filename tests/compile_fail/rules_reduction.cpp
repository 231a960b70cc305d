// Reductions, norms, order and the own layers of the engine.
// expect: design_rule<ane::op::arg_max, ane::rule::arg_reduction_axis_exceeds, ane::target::h13, 0, 1, 2049, 2048
// expect: design_rule<ane::op::reduce_sum, ane::rule::reduced_axis_exceeds_four, ane::target::h13, 0, 1, 5, 4
// expect: design_rule<ane::op::reduce_sum_square, ane::rule::square_and_sum_are_not_fused, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::cumsum, ane::rule::cumulated_axis_is_not_the_last, ane::target::h13, 0, 1, 0, 1
// expect: design_rule<ane::op::instance_norm, ane::rule::instance_norm_is_not_supported, ane::target::h13, 0, 3, 0, 0
// expect: design_rule<ane::op::group_norm, ane::rule::normalized_groups_do_not_divide_channels, ane::target::h13, 0, 3, 10, 4
// expect: design_rule<ane::op::group_norm, ane::rule::normalized_groups_have_depth, ane::target::h13, 0, 3, 2, 1
// expect: design_rule<ane::op::group_norm, ane::rule::normalized_group_exceeds, ane::target::h13, 0, 3, 16900, 16384
// expect: design_rule<ane::op::local_response_norm, ane::rule::response_norm_channels_exceed, ane::target::h13, 0, 1, 16, 15
// expect: design_rule<ane::op::minmax_norm, ane::rule::minmax_norm_is_over_channels, ane::target::h13, 0, 1, 1, 0
// expect: design_rule<ane::op::rms_norm, ane::rule::rms_norm_rank_is_not_two, ane::target::h13, 0, 2, 3, 2
// expect: design_rule<ane::op::div, ane::rule::softmax_does_not_subtract_its_maximum, ane::target::h13, 0, 3, 0, 65504
// expect: design_rule<ane::op::arg_sort, ane::rule::index_exceeds_half_precision, ane::target::h14, 0, 1, 2049, 2048
// expect: design_rule<ane::op::top_k, ane::rule::top_k_over_width_is_in_dispute, ane::target::h16g, 0, 1, 0, 0
// expect: design_rule<ane::op::top_k, ane::rule::top_k_is_three_or_four, ane::target::h17s, 0, 1, 3, 4
// expect: design_rule<ane::op::cross_correlation, ane::rule::cross_correlation_has_channels, ane::target::h13, 0, 2, 2, 1
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph normed(const extents& x, int groups) {
    return make(op::group_norm, grouping{.groups = groups},
                {in(x), one_node::weight({x.channels()}), one_node::weight({x.channels()})}, x, true);
}
constexpr dynamic_graph divided_by_sum(const contract& promise) {
    dynamic_graph g = then(sources_of({in({4, 8}, promise)}), op::exp, no_attributes{}, {0});
    g = then(g, op::reduce_sum, axes{1}, {1});
    return then(g, op::div, no_attributes{}, {1, 2});
}
static constexpr target_description without_norm = derive(describe(h13), [](auto& d) { d.has.instance_norm = false; });
static constexpr target_description with_norm = describe(h13);

constexpr auto long_axis = frozen([] { return make(op::arg_max, axis{1}, {in({4, pick(2049, 2048)})}); });
static_assert(conforms<long_axis, h13>);

constexpr auto sixth = frozen([] {
    if (keeps) {
        return make(op::reduce_sum, axes{4}, {in({1, 1, 2, 2, 8})});
    }
    return make(op::reduce_sum, axes{5}, {in({1, 1, 1, 2, 2, 8})});
});
static_assert(conforms<sixth, h13, waive(rule::rank_exceeds_five)>);

constexpr auto squares = frozen([] {
    return make(pick(op::reduce_sum_square, op::reduce_sum), axes{1}, {in({4, 8})});
});
static_assert(conforms<squares, h13, as_error(rule::square_and_sum_are_not_fused)>);

constexpr auto cumulated = frozen([] { return make(op::cumsum, cumulation{.axis = pick(0, 1)}, {in({4, 8})}); });
static_assert(conforms<cumulated, h13>);

constexpr auto instance = frozen([] {
    return make(op::instance_norm, stabilizer{.epsilon = 1e-5F},
                {in({1, 8, 4, 4}), one_node::weight({8}), one_node::weight({8})},
                {1, 8, 4, 4}, true);
});
static_assert(conforms<instance, pick(&without_norm, &with_norm)>);

constexpr auto indivisible = frozen([] { return normed({1, pick(10, 12), 4, 4}, 4); });
static_assert(conforms<indivisible, h13>);

constexpr auto planes = frozen([] { return normed({1, pick(2, 1), 8, 4, 4}, 2); });
static_assert(conforms<planes, h13>);

constexpr auto image_m1 = frozen([] { return normed({1, 32, pick(130, 128), pick(130, 128)}, 1); });
static_assert(conforms<image_m1, h13>);

constexpr auto response_ = frozen([] {
    return make(op::local_response_norm, response_norm_shape{}, {in({1, pick(16, 15), 8, 8})}, {1, pick(16, 15), 8, 8}, true);
});
static_assert(conforms<response_, h13, on_route(compile_route::netplist) | waive(rule::operation_is_not_written)>);

constexpr auto span_ = frozen([] {
    return make(op::minmax_norm, stabilizer{.epsilon = 1e-3F, .axis = pick(1, 3)}, {in({1, 8, 4, 4})}, {1, 8, 4, 4},
                true);
});
static_assert(conforms<span_, h13, as_error(rule::minmax_norm_is_over_channels)>);

constexpr auto rms = frozen([] {
    return make(op::rms_norm, stabilizer{.epsilon = 1e-3F},
                {in(pick(extents{1, 4, 8}, extents{4, 8})), one_node::weight({8})},
                pick(extents{1, 4, 8}, extents{4, 8}), true);
});
static_assert(conforms<rms, h13, as_error(rule::rms_norm_rank_is_not_two)>);

constexpr auto raw_softmax = frozen([] { return divided_by_sum(pick(contract{}, within(-4, 4))); });
static_assert(conforms<raw_softmax, h13>);

constexpr auto indices_ = frozen([] {
    return make(op::arg_sort, selection{.k = 8, .axis = 1}, {in({4, pick(2049, 2048)})});
});
static_assert(conforms<indices_, h14, waive(rule::operation_is_not_written)>);

constexpr auto over_width = frozen([] {
    return make(op::top_k, selection{.k = 2, .axis = pick(1, 0)}, {in({4, 8})});
});
static_assert(conforms<over_width, h16g, as_error(rule::top_k_over_width_is_in_dispute)>);

constexpr auto three = frozen([] { return make(op::top_k, selection{.k = pick(3, 2), .axis = 1}, {in({4, 8})}); });
static_assert(conforms<three, h17s>);

constexpr auto correlated = frozen([] {
    return make(op::cross_correlation, no_attributes{}, {in({1, pick(2, 1), 8, 8}), in({1, pick(2, 1), 3, 3})},
                {1, 1, 6, 6}, true);
});
static_assert(conforms<correlated, h13>);

int main() {}

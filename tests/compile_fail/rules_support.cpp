// Operations that a target or a route does not have, and element types.
// expect: design_rule<ane::op::sqrt, ane::rule::operation_below_its_floor, ane::target::h12, 0, 1, 1, 2
// expect: design_rule<ane::op::sin, ane::rule::sine_is_not_native, ane::target::h14, 0, 1, 3, 4
// expect: design_rule<ane::op::sort, ane::rule::code_generator_lacks_the_operation, ane::target::h13, 0, 1, 2, 3
// expect: design_rule<ane::op::dropout, ane::rule::random_numbers_are_not_supported, ane::target::h14, 0, 1, 0, 0
// expect: design_rule<ane::op::resample, ane::rule::texture_engine_is_missing, ane::target::h13, 0, 2, 0, 0
// expect: design_rule<ane::op::softmax, ane::rule::softmax_is_not_supported, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::div, ane::rule::divisor_is_not_constant, ane::target::h12, 0, 2, 0, 0
// expect: design_rule<ane::op::mul, ane::rule::reduction_is_multiplied_by_zero, ane::target::h13, 0, 3, 0, 0
// expect: design_rule<ane::op::relu, ane::rule::target_has_no_mil, ane::target::h12, 0, 1, 0, 0
// expect: design_rule<ane::op::arg_max, ane::rule::arg_reduction_has_no_mil_form, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::cross_product, ane::rule::operation_has_no_mil_form, ane::target::h17s, 0, 2, 0, 0
// expect: design_rule<ane::op::reverse, ane::rule::operation_has_no_netplist_form, ane::target::h17s, 0, 1, 0, 0
// expect: design_rule<ane::op::input, ane::rule::operation_is_not_written, ane::target::h13, 0, 0, 0, 0
// expect: design_rule<ane::op::resample, ane::rule::operation_is_not_written, ane::target::h14, 0, 2, 0, 0
// expect: ane::because<ane::form_reason::no_mil_form>, ane::instead<ane::rewrite::affine_or_a_product_with_an_interpolation_matrix>
// expect: design_rule<ane::op::resize, ane::rule::operation_is_newer_than_the_system, ane::target::h14, 0, 1, 14, 13
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

static constexpr target_description without_softmax = derive(describe(h13), [](auto& d) { d.has.softmax = false; });
static constexpr target_description with_softmax = describe(h13);

constexpr auto root = frozen([] { return make(op::sqrt, no_attributes{}, {in({8})}); });
static_assert(conforms<root, pick(h12, h13)>);

constexpr auto sine = frozen([] { return make(pick(op::sin, op::atan), no_attributes{}, {in({8})}); });
static_assert(conforms<sine, h14>);

constexpr auto sorted = frozen([] { return make(op::sort, selection{.k = 8, .axis = 1}, {in({4, 8})}); });
static_assert(conforms<sorted, pick(h13, h14), waive(rule::operation_is_not_written)>);

constexpr auto dropped = frozen([] {
    return make(op::dropout, drop_ratio{pick(0.5F, 0.0F)}, {in({4, 8})});
});
static_assert(conforms<dropped, h14>);

constexpr auto resampled = frozen([] {
    return make(op::resample, sampling{.extent = 4}, {in({1, 2, 8, 8}), in({1, 4, 4, 2})}, {1, 2, 4, 4}, true);
});
static_assert(conforms<resampled, pick(h13, h14), waive(rule::operation_is_not_written)>);
static_assert(conforms<resampled, h14, waive(pick(rule::width_is_one, rule::operation_is_not_written))>);

constexpr auto bare_softmax = frozen([] { return make(op::softmax, axis{1}, {in({4, 8})}); });
static_assert(conforms<bare_softmax, pick(&without_softmax, &with_softmax)>);

constexpr auto quotient = frozen([] {
    return make(op::div, no_attributes{}, {in({8}), {pick(op::input, op::weight), {8}}});
});
static_assert(conforms<quotient, h12>);

constexpr auto cleared = frozen([] {
    return then(
        then(sources_of({in({4, 8}), one_node::constant({4, 1}, pick(0.0F, 2.0F))}), op::reduce_sum, axes{1}, {0}),
        op::mul, no_attributes{}, {2, 1});
});
static_assert(conforms<cleared, h13>);

constexpr auto legacy = frozen([] { return make(op::relu, no_attributes{}, {in({8})}); });
static_assert(conforms<legacy, pick(h12, h13), on_route(compile_route::mil)>);

constexpr auto largest = frozen([] { return make(pick(op::arg_max, op::softmax), axis{1}, {in({4, 8})}); });
static_assert(conforms<largest, h13, on_route(compile_route::mil)>);

constexpr auto crossed = frozen([] {
    return make(pick(op::cross_product, op::mul), no_attributes{}, {in({1, 3, 1, 1}), in({1, 3, 1, 1})}, {1, 3, 1, 1},
                true);
});
static_assert(conforms<crossed, h17s, on_route(compile_route::mil)>);

constexpr auto turned = frozen([] { return make(op::reverse, axes{1}, {in({4, 8})}); });
static_assert(conforms<turned, h17s, on_route(pick(compile_route::netplist, compile_route::mil))>);

constexpr auto single = frozen([] { return make(op::relu, no_attributes{}, {in(pick(extents{}, extents{1}))}); });
static_assert(conforms<single, h13, on_route(compile_route::mil)>);

constexpr auto enlarged = frozen([] { return make(op::resize, sampling{.extent = 16}, {in({1, 2, 8, 8})}); });
static_assert(conforms<enlarged, h14, on_system(pick(operating_system::macos13, operating_system::macos14))>);

int main() {}

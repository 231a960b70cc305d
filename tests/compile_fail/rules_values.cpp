// What declared ranges prove.
// expect: design_rule<ane::op::linear, ane::rule::contraction_may_reach_ceiling, ane::target::h13, 0, 2, 32768, 32768
// expect: design_rule<ane::op::linear, ane::rule::int8_activation_may_saturate, ane::target::h13, 0, 3, 4096, 4094
// expect: design_rule<ane::op::linear, ane::rule::sum_of_codes_may_reach_ceiling, ane::target::h17s, 0, 3, 33020, 32768
// expect: design_rule<ane::op::mul, ane::rule::product_takes_another_scale, ane::target::h17s, 0, 5, 1, 0
// expect: design_rule<ane::op::slice, ane::rule::loss_scale_exceeds, ane::target::h13, 0, 3, 512, 512
// expect: design_rule<ane::op::exp, ane::rule::exponential_may_overflow, ane::target::h13, 0, 1, 12, 11
// expect: design_rule<ane::op::square, ane::rule::square_may_overflow, ane::target::h13, 0, 1, 256, 256
// expect: design_rule<ane::op::log, ane::rule::logarithm_of_zero, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::inverse, ane::rule::reciprocal_of_zero, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::linear, ane::rule::subnormal_operand_is_zero, ane::target::h13, 0, 2, 0, 0
// expect: design_rule<ane::op::linear, ane::rule::terms_cancel, ane::target::h13, 0, 3, 29127, 10000
// expect: design_rule<ane::op::sigmoid, ane::rule::argument_leaves_the_table, ane::target::h13, 0, 1, 9, 8
// expect: design_rule<ane::op::matmul, ane::rule::products_are_many, ane::target::h13, 0, 2, 256, 256
// expect: design_rule<ane::op::reduce_sum, ane::rule::signed_sum_is_long, ane::target::h13, 0, 1, 256, 256
// expect: design_rule<ane::op::matmul, ane::rule::products_are_near_the_quantum, ane::target::h13, 0, 2, 21, 20
// expect: design_rule_without_bound<ane::op::softsign, ane::rule::infinity_becomes_zero, ane::target::h13, 0, 3, 65504
// expect: design_rule<ane::op::div, ane::rule::divisor_may_be_zero, ane::target::h13, 0, 2, 0, 0
// expect: design_rule<ane::op::mul, ane::rule::value_may_leave_half_precision, ane::target::h13, 0, 2, 120000, 65504
// expect: design_rule<ane::op::reduce_l2_norm, ane::rule::inner_value_may_leave_half_precision, ane::target::h13, 0, 1, 320001, 65504
// expect: design_rule<ane::op::log, ane::rule::epsilon_becomes_zero, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::constant, ane::rule::number_becomes_zero, ane::target::h13, 0, 0, 1, 0
// expect: design_rule<ane::op::softplus, ane::rule::own_layer_fails, ane::target::h13, 0, 1, 12, 11
// expect: design_rule<ane::op::parametric_softplus, ane::rule::parametric_softplus_may_be_zero, ane::target::h13, 0, 3, 12, 11
// expect: design_rule<ane::op::mul, ane::rule::factor_after_rounding_is_dropped, ane::target::h13, 0, 3, 0, 0
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph one(op kind, const contract& x, const attributes& values = no_attributes{}) {
    return make(kind, values, {in({8}, x)});
}
constexpr dynamic_graph layer(const contract& x, const contract& w, std::int64_t k) {
    return make(op::linear, no_attributes{}, {in({1, k}, x), one_node::weight({4, k}, w)});
}
constexpr dynamic_graph int8_layer(double magnitude) {
    const dynamic_graph g = then(sources_of({in({1, 16}, bounded(magnitude)), one_node::weight({4, 16})}),
                                 op::compressed, compression{.form = weight_form::affine, .bits = 8}, {1});
    return then(g, op::linear, no_attributes{}, {0, 2});
}
constexpr dynamic_graph windows_of(float scale) {
    const dynamic_graph g =
        then(sources_of({in({4, 8}), one_node::constant({}, scale)}), op::mul, no_attributes{}, {0, 1});
    return then(g, op::slice, window{{0, 1}, {4, 4}}, {2});
}
constexpr dynamic_graph matrices(std::int64_t k, const contract& x) {
    return make(op::matmul, transposed{}, {in({8, k}, x), one_node::weight({k, 8}, x)});
}

constexpr auto ceiling = frozen([] { return layer(bounded(32), bounded(1), pick(1024, 1022)); });
static_assert(conforms<ceiling, h13>);

constexpr auto quantized = frozen([] { return int8_layer(pick(4096, 4094)); });
static_assert(conforms<quantized, h13>);

constexpr auto codes = frozen([] { return int8_layer(pick(260, 258)); });
static_assert(conforms<codes, h17s, as_error(rule::sum_of_codes_may_reach_ceiling)>);

constexpr auto scales = frozen([] {
    dynamic_graph g = sources_of({in({8}), one_node::constant({}, 0.25F), one_node::constant({}, pick(0.125F, 0.25F))});
    g = then(g, op::quantize, quantization{dtype::int8, 0}, {0, 1});
    g = then(g, op::dequantize, quantization{dtype::int8, 0}, {3, 1});
    g = then(g, op::mul, no_attributes{}, {0, 4});
    g = then(g, op::quantize, quantization{dtype::int8, 0}, {5, 2});
    return then(g, op::dequantize, quantization{dtype::int8, 0}, {6, 2});
});
static_assert(conforms<scales, h17s, waive(rule::operation_is_not_written)>);

constexpr auto loss = frozen([] { return windows_of(pick(512.0F, 384.0F)); });
static_assert(conforms<loss, h13, waive(rule::width_slice_may_saturate)>);

constexpr auto exponent = frozen([] { return one(op::exp, within(0, pick(11.125, 11.0))); });
static_assert(conforms<exponent, h13>);

constexpr auto too_square = frozen([] { return one(op::square, bounded(pick(256.0, 255.875))); });
static_assert(conforms<too_square, h13>);

constexpr auto zero_log = frozen([] { return one(op::log, within(pick(0.0, 0.5), 1), stabilizer{}); });
static_assert(conforms<zero_log, h13>);

constexpr auto zero_inverse = frozen([] { return one(op::inverse, within(pick(0.0, 0.5), 1), stabilizer{}); });
static_assert(conforms<zero_inverse, h13>);

constexpr auto flushed = frozen([] { return layer(bounded(1), bounded(pick(0x1p-15, 0x1p-14)), 16); });
static_assert(conforms<flushed, h13>);

constexpr auto cancelled = frozen([] {
    return make(op::linear, no_attributes{},
                {in({1, 1024}, within(0.5, 0.5)), one_node::constant({4, 1024}, 2),
                 one_node::weight({4}, within(pick(-1024, -1000), pick(-1024, -1000)))});
});
static_assert(conforms<cancelled, h13>);

constexpr auto tail = frozen([] { return one(op::sigmoid, within(0, pick(8.5, 8.25))); });
static_assert(conforms<tail, h13, as_error(rule::argument_leaves_the_table)>);

constexpr auto many = frozen([] { return matrices(pick(256, 255), {}); });
static_assert(conforms<many, h13, as_error(rule::products_are_many)>);

constexpr auto summed = frozen([] { return make(op::reduce_sum, axes{1}, {in({4, pick(256, 255)})}); });
static_assert(conforms<summed, h13, as_error(rule::signed_sum_is_long)>);

constexpr auto quantum = frozen([] { return matrices(512, deviating(pick(0.0486, 0.0513))); });
static_assert(conforms<quantum, h13, as_error(rule::products_are_near_the_quantum)>);

constexpr auto overflowed = frozen([] {
    return then(
        then(sources_of({in({8}, bounded(pick(256, 255))), in({8}, bounded(256))}), op::mul, no_attributes{}, {0, 1}),
        op::softsign, no_attributes{}, {2});
});
static_assert(conforms<overflowed, h13, waive(rule::value_may_leave_half_precision)>);

constexpr auto by_zero = frozen([] {
    return then(sources_of({in({8}), in({8}, within(pick(-1.0, 0.5), 1))}), op::div, no_attributes{}, {0, 1});
});
static_assert(conforms<by_zero, h13>);

constexpr auto scaled_up = frozen([] {
    return then(sources_of({in({8}, bounded(pick(400, 218))), one_node::constant({}, 300)}), op::mul, no_attributes{},
                {0, 1});
});
static_assert(conforms<scaled_up, h13>);

constexpr auto long_vector = frozen([] { return one(op::reduce_l2_norm, bounded(pick(200, 90)), axes{0}); });
static_assert(conforms<long_vector, h13>);

constexpr auto tiny_epsilon = frozen([] {
    return one(op::log, within(0.5, 1), stabilizer{.epsilon = pick(1e-9F, 1e-5F)});
});
static_assert(conforms<tiny_epsilon, h13>);

constexpr auto tiny_number = frozen([] { return sources_of({one_node::constant({}, pick(1e-9F, 1e-7F))}); });
static_assert(conforms<tiny_number, h13, as_error(rule::number_becomes_zero)>);

constexpr auto bent = frozen([] { return one(op::softplus, within(-50, pick(11.5, 11.0))); });
static_assert(conforms<bent, h13, of_own_layers()>);

constexpr auto parametric = frozen([] {
    return make(op::parametric_softplus, no_attributes{},
                {in({1, 8, 4, 4}, bounded(pick(6, 5))), one_node::constant({8}, 1), one_node::constant({8}, 2)});
});
static_assert(conforms<parametric, h13>);

constexpr auto scaled_whole = frozen([] {
    return then(then(sources_of({in({8}), one_node::constant({}, 3)}), pick(op::floor, op::abs), no_attributes{}, {0}),
                op::mul, no_attributes{}, {2, 1});
});
static_assert(conforms<scaled_whole, h13, of_own_layers()>);

int main() {}

// Examples: values, digits, lanes and memory.

#include "examples.hpp"
#include <anemone/dynamic_builder.hpp>

namespace one_node {

namespace {

/// Exponentials of one input, added up one after another.
dynamic_graph branches(int count) {
    dynamic_graph g = sources_of({in({1, 8})});
    for (int i = 0; i < count; ++i) {
        g = then(g, op::exp, no_attributes{}, {0});
    }
    for (int i = 1; i < count; ++i) {
        const int before = i == 1 ? 1 : count + i - 1;
        g = then(g, op::add, no_attributes{}, {before, i + 1});
    }
    return g;
}

dynamic_graph int8_product(const contract& x) {
    const dynamic_graph g = then(sources_of({in({1, 16}, x), one_node::weight({4, 16})}), op::compressed,
                                 compression{.form = weight_form::affine, .bits = 8}, {1});
    return then(g, op::linear, no_attributes{}, {0, 2});
}

dynamic_graph one(op kind, const contract& x, const attributes& values = no_attributes{}) {
    return make(kind, values, {in({8}, x)});
}

/// A state of magnitude 8 at most, to which a run adds at most `most`.
dynamic_graph accumulated(double most) {
    dynamic_builder b;
    const dynamic_tensor total = b.input("total", {8}, bounded(8));
    b.keep(total, b.add(op::add, {total, b.input("x", {8}, bounded(most))}));
    b.output("y", total);
    return b.finish();
}

/// A state of so many elements in the last axis.
dynamic_graph kept(std::int64_t width) {
    dynamic_builder b;
    const dynamic_tensor total = b.input("total", {4, width});
    b.keep(total, b.add(op::maximum, {total, b.input("x", {4, width})}));
    b.output("y", total);
    return b.finish();
}

dynamic_graph layer(const contract& x, const contract& w, std::int64_t k) {
    return make(op::linear, no_attributes{}, {in({1, k}, x), one_node::weight({4, k}, w)});
}

} // namespace

std::vector<example> memory_examples() {
    const auto windows_of = [](float scale) {
        const dynamic_graph g =
            then(sources_of({in({4, 8}), one_node::constant({}, scale)}), op::mul, no_attributes{}, {0, 1});
        return then(g, op::slice, window{{0, 1}, {4, 4}}, {2});
    };
    const auto softsign_of = [](double magnitude) {
        const contract x = within(0, magnitude);
        const dynamic_graph g = then(sources_of({in({8}, x), in({8}, x)}), op::mul, no_attributes{}, {0, 1});
        return then(g, op::softsign, no_attributes{}, {2});
    };
    const auto matrices = [](std::int64_t k, const contract& x) {
        return make(op::matmul, transposed{}, {in({8, k}, x), one_node::weight({k, 8}, x)});
    };
    const auto convolved = [](const conv& a, const extents& w) {
        return make(op::conv2d, a, {in({1, 16, 16, 16}), one_node::weight(w)});
    };
    const auto relu_of = [](const extents& x) { return unary(op::relu, x); };
    // Sums of 1024 ones less an offset: what stays of them is the rounding of the terms.
    const auto offset = [](double bias) {
        return make(op::linear, no_attributes{},
                    {in({1, 1024}, within(0.5, 0.5)), one_node::constant({4, 1024}, 2),
                     one_node::weight({4}, within(bias, bias))});
    };
    const auto quotient_by = [](const contract& divisor) {
        return then(sources_of({in({8}), in({8}, divisor)}), op::div, no_attributes{}, {0, 1});
    };
    const auto scaled_floor = [](op kind) {
        const dynamic_graph g = then(sources_of({in({8}), one_node::constant({}, 3)}), kind, no_attributes{}, {0});
        return then(g, op::mul, no_attributes{}, {2, 1});
    };
    const auto parametric = [](double most) {
        return make(op::parametric_softplus, no_attributes{},
                    {in({1, 8, 4, 4}, bounded(most)), one_node::constant({8}, 1), one_node::constant({8}, 2)});
    };
    const auto times_300 = [](double most) {
        return then(sources_of({in({8}, bounded(most)), one_node::constant({}, 300)}), op::mul, no_attributes{},
                    {0, 1});
    };
    return {
        {rule::contraction_may_reach_ceiling, h13, 32768, 32768, layer(bounded(32), bounded(1), 1024),
         layer(bounded(32), bounded(1), 1022)},
        {rule::contraction_may_reach_ceiling, h17s, 32768, 32768, layer(bounded(32), bounded(1), 1024),
         layer(bounded(32), {}, 1024)},
        {rule::int8_activation_may_saturate, h13, 4096, 4094, int8_product(bounded(4096)), int8_product(bounded(4094))},
        // 16 times 127 / 16
        {rule::sum_of_codes_may_reach_ceiling, h17s, 33020, 32768, int8_product(bounded(260)),
         int8_product(bounded(258)), h13},
        {rule::loss_scale_exceeds, h13, 512, 512, windows_of(512), windows_of(384), h15},
        {rule::exponential_may_overflow, h13, 12, 11, one(op::exp, within(0, 11.125)), one(op::exp, within(-100, 11))},
        {rule::exponential_may_overflow, h17s, 16, 16, one(op::exp2, within(0, 16)), one(op::exp2, within(0, 15.875))},
        {rule::state_may_leave_its_promise, h13, 13, 8, accumulated(5), accumulated(0)},
        {rule::state_width_is_not_a_multiple, h16g, 270, 32, kept(270), kept(256)},
        {rule::square_may_overflow, h13, 256, 256, one(op::square, bounded(256)), one(op::square, bounded(255.875))},
        {rule::logarithm_of_zero, h13, 0, 0, one(op::log, within(0, 1), stabilizer{}),
         one(op::log, within(0.5, 1), stabilizer{})},
        {rule::reciprocal_of_zero, h13, 0, 0, one(op::inverse, within(0, 1), stabilizer{}),
         one(op::inverse, within(0.5, 1), stabilizer{})},
        {rule::divisor_may_be_zero, h13, 0, 0, quotient_by(within(-1, 1)), quotient_by(within(0.5, 1))},
        {rule::value_may_leave_half_precision, h13, 120000, 65504, times_300(400), times_300(218)},
        {rule::inner_value_may_leave_half_precision, h17s, 320001, 65504,
         one(op::reduce_l2_norm, bounded(200), axes{0}), one(op::reduce_l2_norm, bounded(90), axes{0})},
        {rule::epsilon_becomes_zero, h13, 0, 0, one(op::log, within(0.5, 1), stabilizer{.epsilon = 1e-9F}),
         one(op::log, within(0.5, 1), stabilizer{.epsilon = 1e-5F})},
        {rule::number_becomes_zero, h13, 1, 0, sources_of({one_node::constant({}, 1e-9F)}),
         sources_of({one_node::constant({}, 1e-7F)})},
        {rule::own_layer_fails, h13, 12, 11, one(op::softplus, within(-50, 11.5)), one(op::softplus, within(-50, 11)),
         std::nullopt, of_own_layers()},
        {rule::parametric_softplus_may_be_zero, h13, 12, 11, parametric(6), parametric(5)},
        {rule::factor_after_rounding_is_dropped, h13, 0, 0, scaled_floor(op::floor), scaled_floor(op::abs),
         std::nullopt, of_own_layers()},
        {rule::infinity_becomes_zero, h13, 1'000'000'000'000'000, 65504, softsign_of(256), softsign_of(255)},
        {rule::subnormal_operand_is_zero, h13, 0, 0, layer(bounded(1), bounded(0x1p-15), 16),
         layer(bounded(1), bounded(0x1p-14), 16), h17s},
        {rule::terms_cancel, h13, 29127, 10000, offset(-1024), offset(-1000)},
        {rule::argument_leaves_the_table, h13, 9, 8, one(op::sigmoid, within(0, 8.5)),
         one(op::sigmoid, within(-9.875, 8.25))},
        {rule::products_are_many, h13, 256, 256, matrices(256, {}), matrices(255, {})},
        {rule::products_are_near_the_quantum, h13, 21, 20, matrices(512, deviating(0.0486)),
         matrices(512, deviating(0.0513))},
        {rule::signed_sum_is_long, h13, 256, 256, unary(op::reduce_sum, {4, 256}, axes{1}),
         unary(op::reduce_sum, {4, 255}, axes{1})},
        {rule::channels_do_not_interleave, h13, 5, 8, relu_of({1, 5, 4, 8}), relu_of({1, 8, 4, 8})},
        {rule::width_is_not_a_granule, h13, 10, 16, relu_of({1, 8, 4, 5}), relu_of({1, 8, 4, 8}), m11},
        {rule::width_is_one, h13, 8, 16, relu_of({1, 8, 4, 1}), relu_of({1, 8, 4, 8}), m11},
        {rule::rows_share_a_bank, h13, 1024, 1024, relu_of({1, 8, 4, 512}), relu_of({1, 8, 4, 504})},
        {rule::output_channels_cross_a_pass, h13, 193, 192, convolved({}, {193, 16, 1, 1}),
         convolved({}, {192, 16, 1, 1})},
        {rule::winograd_needs_unit_stride, h13, 2, 1, convolved({.stride = 2}, {32, 16, 3, 3}),
         convolved({}, {32, 16, 3, 3}), h14},
        {rule::working_set_exceeds, h13, 2282000, 2280000, relu_of({1, 1, 1141, 1000}), relu_of({1, 1, 1140, 1000}),
         h17s},
        {rule::working_set_exceeds_nominal, h13, 2099200, 2097152, relu_of({1, 1, 1025, 1024}),
         relu_of({1, 1, 1024, 1024})},
        {rule::live_set_exceeds, h13, 4 << 20, 2 << 20, relu_of({1, 8, 512, 512}), relu_of({1, 2, 512, 512})},
        {rule::weights_exceed_kernel_memory, h13, 67584, 65536, layer({}, {}, 8448), layer({}, {}, 8192), h14},
        {rule::fan_in_exceeds, h13, 12, 11, branches(12), branches(11)},
        {rule::input_is_not_used, h13, 0, 0, then(sources_of({in({8}), in({8})}), op::relu, no_attributes{}, {0}),
         relu_of({8})},
    };
}

} // namespace one_node

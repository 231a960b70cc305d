// How weights are stored.
// expect: design_rule<ane::op::weight, ane::rule::weight_is_not_float, ane::target::h13, 0, 1, 2, 3
// expect: design_rule<ane::op::weight, ane::rule::weight_exceeds_half_precision, ane::target::h13, 0, 1, 65505, 65504
// expect: design_rule<ane::op::compressed, ane::rule::compressed_weight_is_computed, ane::target::h13, 0, 2, 0, 0
// expect: design_rule<ane::op::dequantize, ane::rule::int4_channels_do_not_interleave, ane::target::h13, 0, 2, 12, 8
// expect: design_rule<ane::op::compressed, ane::rule::zero_point_is_not_supported, ane::target::h13, 0, 1, 0, 0
// expect: design_rule<ane::op::compressed, ane::rule::palette_index_width_is_not_supported, ane::target::h13, 0, 1, 6, 8
// expect: design_rule<ane::op::compressed, ane::rule::palette_index_width_is_not_supported, ane::target::h13, 0, 1, 2, 4
// expect: design_rule<ane::op::compressed, ane::rule::palette_vector_size_is_not_supported, ane::target::h13, 0, 1, 3, 5
// expect: design_rule<ane::op::conv2d, ane::rule::vector_palette_meets_a_special_convolution, ane::target::h13, 0, 3, 2, 2
// expect: design_rule<ane::op::compressed, ane::rule::sparse_weight_has_few_zeros, ane::target::h13, 0, 1, 25, 50
// expect: design_rule<ane::op::compressed, ane::rule::blockwise_scale_is_not_supported, ane::target::h12, 0, 1, 0, 0
// expect: design_rule<ane::op::compressed, ane::rule::weight_is_expanded_before_it_runs, ane::target::h13, 0, 1, 8, 16
// expect: design_rule<ane::op::compressed, ane::rule::weight_form_is_not_written, ane::target::h15, 0, 1, 6, 8
// expect: design_rule<ane::op::compressed, ane::rule::compressed_elements_are_narrow, ane::target::h17s, 0, 1, 4, 8
// expect: design_rule<ane::op::conv2d, ane::rule::weight_is_palette_and_sparse, ane::target::h17s, 0, 3, 0, 0
// expect: design_rule<ane::op::compressed, ane::rule::scales_of_blocks_are_not_applied, ane::target::h17s, 0, 1, 8, 0
// expect: design_rule<ane::op::conv2d, ane::rule::convolution_weight_is_computed, ane::target::h15, 0, 2, 64, 0
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph expanded(const compression& form) {
    return make(op::compressed, form, {one_node::weight({16, 16, 3, 3})});
}
constexpr dynamic_graph convolved(const compression& form, const conv& a) {
    const dynamic_graph sources = sources_of({in({1, 16, 32, 32}), one_node::weight({16, 16, 3, 3})});
    return then(then(sources, op::compressed, form, {1}), op::conv2d, a, {0, 2});
}
constexpr compression palette_of(int bits, int vector) {
    return {.form = weight_form::palette, .bits = bits, .vector = vector};
}
constexpr compression form_of(weight_form form, int bits) { return {.form = form, .bits = bits}; }

constexpr auto integers = frozen([] {
    return make(op::linear, no_attributes{}, {in({4, 8}), one_node::weight({4, 8}, {}, pick(dtype::int8, dtype::f16))});
});
static_assert(conforms<integers, h13>);

constexpr auto huge = frozen([] {
    return make(op::linear, no_attributes{}, {in({4, 8}), one_node::weight({4, 8}, within(pick(-65505, 0), 0))});
});
static_assert(conforms<huge, h13>);

constexpr auto trained = frozen([] {
    if (keeps) {
        return expanded(palette_of(4, 1));
    }
    return then(make(op::relu, no_attributes{}, {in({16, 16, 3, 3})}), op::compressed, palette_of(4, 1), {1});
});
static_assert(conforms<trained, h13>);

constexpr auto nibbles = frozen([] {
    return make(op::dequantize, quantization{.type = dtype::int4},
                {in({1, pick(12, 16), 4, 4}, {}, dtype::int4), one_node::constant({1}, 0.5F)}, {1, pick(12, 16), 4, 4},
                true);
});
static_assert(conforms<nibbles, h13, waive(rule::element_type_is_not_f16)>);

constexpr auto asymmetric =
    frozen([] { return expanded({.form = weight_form::affine, .bits = 8, .zero_point = pick(true, false)}); });
static_assert(conforms<asymmetric, h13>);

constexpr auto six_bits = frozen([] { return expanded(palette_of(pick(6, 4), 1)); });
static_assert(conforms<six_bits, h13>);

constexpr auto two_bits = frozen([] { return expanded(palette_of(pick(2, 4), 1)); });
static_assert(conforms<two_bits, h13>);

constexpr auto vectors = frozen([] { return expanded(palette_of(4, pick(3, 2))); });
static_assert(conforms<vectors, h13>);

constexpr auto special = frozen([] { return convolved(palette_of(4, 2), {.dilation = pick(2, 1)}); });
static_assert(conforms<special, h13>);

constexpr auto few_zeros =
    frozen([] { return expanded({.form = weight_form::sparse, .bits = 16, .zeros = pick(0.25F, 0.5F)}); });
static_assert(conforms<few_zeros, h13, as_error(rule::sparse_weight_has_few_zeros)>);

constexpr auto scaled_blocks =
    frozen([] { return expanded(form_of(pick(weight_form::blockwise, weight_form::affine), 8)); });
static_assert(conforms<scaled_blocks, h12, waive(rule::operation_below_its_floor)>);

constexpr auto folded_weight = frozen([] { return expanded(form_of(weight_form::affine, 8)); });
static_assert(conforms<folded_weight, pick(h13, h14), as_error(rule::weight_is_expanded_before_it_runs)>);

constexpr auto unwritten = frozen([] { return expanded(palette_of(pick(6, 4), 1)); });
static_assert(conforms<unwritten, h15, as_error(rule::weight_form_is_not_written)>);

constexpr auto narrow_blocks = frozen([] { return expanded(form_of(weight_form::sparse_blockwise, pick(4, 8))); });
static_assert(conforms<narrow_blocks, h17s>);

constexpr auto two_forms =
    frozen([] { return convolved(form_of(pick(weight_form::sparse_palette, weight_form::palette), 8), {}); });
static_assert(conforms<two_forms, h17s>);

constexpr auto blocks = frozen([] {
    return make(op::compressed, compression{.form = weight_form::blockwise, .bits = 8, .block = pick(8, 0)},
                {one_node::weight({16, 16})});
});
static_assert(conforms<blocks, h17s, of_own_layers()>);

constexpr auto computed = frozen([] {
    return make(op::conv2d, conv{},
                {in({1, 8, 4, 4}), pick(true, false) ? in({8, 8, 1, 1}) : one_node::weight({8, 8, 1, 1})});
});
static_assert(conforms<computed, h15>);

int main() {}

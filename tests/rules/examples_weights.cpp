// Examples: how weights are stored.

#include "examples.hpp"

namespace one_node {

namespace {

constexpr extents stored{16, 16, 3, 3};

dynamic_graph expanded(const compression& form) { return make(op::compressed, form, {one_node::weight(stored)}); }

/// A convolution whose weight is compressed.
dynamic_graph convolved(const compression& form, const conv& a, const extents& w) {
    const dynamic_graph sources = sources_of({in({1, 16, 32, 32}), one_node::weight(w)});
    return then(then(sources, op::compressed, form, {1}), op::conv2d, a, {0, 2});
}

/// A compressed weight that is added to a value: no source has run one there.
dynamic_graph added(const compression& form) {
    const dynamic_graph sources = sources_of({in(stored), one_node::weight(stored)});
    return then(then(sources, op::compressed, form, {1}), op::add, no_attributes{}, {0, 2});
}

} // namespace

std::vector<example> weight_examples() {
    const auto plain = [](dtype type) {
        return make(op::linear, no_attributes{}, {in({4, 8}), one_node::weight({4, 8}, {}, type)});
    };
    const auto promised = [](double magnitude) {
        return make(op::linear, no_attributes{}, {in({4, 8}), one_node::weight({4, 8}, bounded(magnitude))});
    };
    const auto shifted = [](float value) {
        return make(op::add, no_attributes{}, {in({4, 8}), one_node::constant({4, 8}, value)});
    };
    const auto int4 = [](std::int64_t channels) {
        return make(op::dequantize, quantization{.type = dtype::int4},
                    {in({1, channels, 4, 4}, {}, dtype::int4), one_node::constant({1}, 0.5F)}, {1, channels, 4, 4},
                    true);
    };
    const auto palette = [](int bits, int vector) {
        return compression{.form = weight_form::palette, .bits = bits, .vector = vector};
    };
    const auto sparse = [](float zeros) {
        return compression{.form = weight_form::sparse, .bits = 16, .zeros = zeros};
    };
    const compression affine{.form = weight_form::affine, .bits = 8};
    const compression offset{.form = weight_form::affine, .bits = 8, .zero_point = true};
    const compression blocks{.form = weight_form::blockwise, .bits = 8, .block = 16};
    const auto four_bits = [](int block) {
        return compression{.form = block > 0 ? weight_form::blockwise : weight_form::affine, .bits = 4, .block = block};
    };
    const compression both{.form = weight_form::sparse_palette, .bits = 8};
    const auto sparse_blocks = [](int bits) {
        return compression{.form = weight_form::sparse_blockwise, .bits = bits, .block = 16};
    };
    const dynamic_graph computed = then(unary(op::relu, stored), op::compressed, palette(4, 1), {1});
    return {
        {rule::weight_is_not_float, h13, static_cast<int>(dtype::int8), 3, plain(dtype::int8), plain(dtype::f16)},
        {rule::weight_exceeds_half_precision, h13, 65505, 65504, promised(65505), promised(65504)},
        {rule::weight_exceeds_half_precision, h17s, 65536, 65504, shifted(-65536), shifted(-65504)},
        {rule::compressed_weight_is_computed, h13, 0, 0, computed, expanded(palette(4, 1))},
        {rule::int4_channels_do_not_interleave, h13, 12, 8, int4(12), int4(16)},
        {rule::zero_point_is_not_supported, h13, 0, 0, expanded(offset), expanded(affine), h14},
        {rule::palette_index_width_is_not_supported, h13, 6, 8, expanded(palette(6, 1)), expanded(palette(4, 1)), h14},
        {rule::palette_index_width_is_not_supported, h13, 3, 4, expanded(palette(3, 1)), expanded(palette(8, 1)), h15},
        {rule::palette_index_width_is_not_supported, h13, 2, 4, expanded(palette(2, 1)), expanded(palette(4, 1)), h14},
        {rule::palette_index_width_is_not_supported, h13, 1, 4, expanded(palette(1, 1)), expanded(palette(4, 1)), h17s},
        {rule::palette_vector_size_is_not_supported, h13, 3, 5, expanded(palette(4, 3)), expanded(palette(4, 2))},
        {rule::palette_vector_size_is_not_supported, h17s, 6, 5, expanded(palette(4, 6)), expanded(palette(4, 5))},
        {rule::vector_palette_meets_a_special_convolution, h13, 2, 2,
         convolved(palette(4, 2), {.dilation = 2}, {16, 16, 3, 3}), convolved(palette(4, 2), {}, {16, 16, 3, 3})},
        {rule::vector_palette_meets_a_special_convolution, h13, 2, 2,
         convolved(palette(4, 2), {.stride = 3}, {16, 16, 3, 3}),
         convolved(palette(4, 2), {.stride = 2}, {16, 16, 3, 3})},
        {rule::vector_palette_meets_a_special_convolution, h17s, 4, 2,
         convolved(palette(4, 4), {.groups = 16}, {16, 1, 3, 3}),
         convolved(palette(4, 1), {.groups = 16}, {16, 1, 3, 3})},
        {rule::vector_palette_meets_a_special_convolution, h12, 2, 1,
         convolved(palette(4, 2), {.stride = 2}, {16, 16, 3, 3}), convolved(palette(4, 2), {}, {16, 16, 3, 3}), h13},
        {rule::sparse_weight_has_few_zeros, h13, 25, 50, expanded(sparse(0.25F)), expanded(sparse(0.5F))},
        {rule::scales_of_blocks_are_not_applied, h17s, 8, 0,
         make(op::compressed, compression{.form = weight_form::blockwise, .bits = 8, .block = 8},
              {one_node::weight({16, 16})}),
         make(op::compressed, compression{.form = weight_form::affine, .bits = 8}, {one_node::weight({16, 16})}),
         std::nullopt, of_own_layers()},
        {rule::blockwise_scale_is_not_supported, h12, 0, 0, expanded(blocks), expanded(affine), h13},
        {rule::weight_is_expanded_before_it_runs, h13, 8, 16, expanded(affine), expanded(palette(4, 1)), h14},
        {rule::weight_is_expanded_before_it_runs, h13, 8, 16, expanded(palette(8, 1)), expanded(sparse(0)), h14},
        {rule::weight_form_is_not_written, h15, 8, 16, expanded(blocks), expanded(affine)},
        {rule::weight_form_is_not_written, h15, 4, 32, expanded(four_bits(32)), expanded(palette(4, 1))},
        {rule::weight_form_is_not_written, h15, 4, 8, expanded(four_bits(0)), expanded(affine)},
        {rule::weight_form_is_not_written, h15, 8, 0, expanded(offset), expanded(affine)},
        {rule::weight_form_is_not_written, h15, 3, 8, expanded(palette(3, 1)), expanded(palette(4, 1))},
        {rule::weight_form_is_not_written, h15, 6, 8, expanded(palette(6, 1)), expanded(palette(8, 1))},
        {rule::weight_form_is_not_written, h15, 4, 2, expanded(palette(4, 2)), expanded(palette(4, 1))},
        {rule::weight_form_is_not_written, h15, 8, 0, expanded(both), expanded(sparse(0))},
        {rule::weight_form_is_not_written, h15, 4, 0, added(palette(4, 1)),
         convolved(palette(4, 1), {}, {16, 16, 3, 3})},
        {rule::weight_form_is_not_written, h15, 4, 16, expanded(palette(4, 1)), unary(op::relu, {8}), std::nullopt,
         on_route(compile_route::netplist)},
        {rule::weight_form_is_not_written, h12, 16, 16, expanded(sparse(0)), unary(op::relu, {8}), h13},
        {rule::compressed_elements_are_narrow, h17s, 4, 8, expanded(sparse_blocks(4)), expanded(sparse_blocks(8))},
        {rule::weight_is_palette_and_sparse, h17s, 0, 0, convolved(both, {}, {16, 16, 3, 3}),
         convolved(palette(8, 1), {}, {16, 16, 3, 3})},
    };
}

} // namespace one_node

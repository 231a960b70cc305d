// Advice on how weights are stored.

#include "advised.hpp"

namespace advised {

namespace {

/// A convolution with a weight in a stored form, or in fp16.
dynamic_graph convolved(const std::optional<compression>& form, const conv& a = {}) {
    return built([&](dynamic_builder& b) {
        const tensor w = b.weight("w", {16, 16, 3, 3});
        return b.add(op::conv2d, {b.input("x", {1, 16, 32, 32}), form ? b.add(op::compressed, {w}, *form) : w}, a);
    });
}

dynamic_graph large_weight(double most, double back) {
    return built([&](dynamic_builder& b) {
        const tensor y = b.add(op::linear, {b.input("x", {4, 8}), b.weight("w", {4, 8}, bounded(most))});
        return back == 1 ? y : times(b, y, back);
    });
}

} // namespace

std::vector<pair_of_models> advised_weights() {
    const compression palette{.form = weight_form::palette, .bits = 4};
    const compression blocks{.form = weight_form::blockwise, .bits = 8, .block = 16};
    const compression sparse{.form = weight_form::sparse, .bits = 16};
    const dynamic_graph integers =
        one_node::make(op::linear, no_attributes{}, {one_node::in({4, 8}), one_node::weight({4, 8}, {}, dtype::int8)});
    const dynamic_graph computed = one_node::then(
        one_node::make(op::relu, no_attributes{}, {one_node::in({16, 16, 3, 3})}), op::compressed, palette, {1});
    return {
        {rule::weight_is_not_float, "in one of the compressed", h15, integers, built([](dynamic_builder& b) {
             const tensor w =
                 b.add(op::compressed, {b.weight("w", {4, 8})}, compression{.form = weight_form::affine, .bits = 8});
             return b.add(op::linear, {b.input("x", {4, 8}), w});
         }),
         another_model},
        {rule::weight_exceeds_half_precision, "scale the weight", h13, large_weight(65505, 1),
         large_weight(65505 / 16.0, 16), another_model},
        {rule::compressed_weight_is_computed, "keep a trainable", h13, computed, function_of(op::relu, {16, 16, 3, 3}),
         another_model},
        {rule::scales_of_blocks_are_not_applied, "let anemone convert", h17s, convolved(blocks), convolved(blocks),
         another_model, of_own_layers(), policy{}},
        {rule::blockwise_scale_is_not_supported, "keep the weight in fp16", h12, convolved(blocks),
         convolved(std::nullopt), another_model},
        {rule::blockwise_scale_is_not_supported,
         "choose A13",
         h12,
         convolved(blocks),
         convolved(blocks),
         another_model,
         {},
         {},
         h13},
        {rule::palette_vector_size_is_not_supported, "use single", h13,
         one_node::make(op::compressed, compression{.form = weight_form::palette, .bits = 4, .vector = 3},
                        {one_node::weight({16, 16, 3, 3})}),
         convolved(palette), another_model},
        {rule::compressed_elements_are_narrow, "leave the zeros in", h17s,
         convolved(compression{.form = weight_form::sparse_blockwise, .bits = 4, .block = 16}),
         convolved(compression{.form = weight_form::blockwise, .bits = 4, .block = 16}), another_model},
        {rule::sparse_weight_has_few_zeros, "use a palette", h13,
         convolved(compression{.form = weight_form::sparse, .bits = 16, .zeros = 0.25F}), convolved(palette),
         another_model},
        {rule::weight_form_is_not_written, "keep it in fp16", h15,
         convolved(compression{.form = weight_form::affine, .bits = 8, .zero_point = true}), convolved(std::nullopt),
         another_model},
        {rule::weight_is_expanded_before_it_runs, "use a palette of 4 bits or a sparse", h13,
         convolved(compression{.form = weight_form::affine, .bits = 8}), convolved(palette), another_model},
        {rule::weight_is_expanded_before_it_runs, "use a palette of 4 bits or a sparse", h13,
         convolved(compression{.form = weight_form::affine, .bits = 8}), convolved(sparse), another_model},
    };
}

} // namespace advised

#include "built.hpp"

#include <limits>
#include <string>

using namespace ane;
using built::breaks;
using built::image;
using built::infer_breaks;
using built::keeps;

namespace {

constexpr extents x{2, 12, 6, 8};

/// The text of the error that building throws.
template <class Describe> std::string refusal(const Describe& describe) {
    try {
        (void)built::build(describe);
    } catch (const error& e) {
        return e.what();
    }
    return "";
}
bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

constexpr sampling bilinear{.extent = {5, 7}};
constexpr sampling corners{.extent = {14}, .method = sampling_method::nearest, .grid = sampling_grid::align_corners};

} // namespace

TEST_CASE("resize takes extents or a ratio") {
    built::check(op::resize, {2, 12, 5, 7}, bilinear, [](builder& g) { return resize<bilinear>(image(g)); });
    built::check(op::resize, {2, 12, 14, 14}, corners, [](builder& g) { return resize<corners>(image(g)); });
    built::check(op::resize, {2, 12, 9, 12}, sampling{.extent = {9, 12}},
                 [](builder& g) { return resize<rescaling{.by = 3, .over = 2}>(image(g)); });
    built::check(op::resize, {2, 12, 4, 5}, sampling{.extent = {4, 5}}, [](builder& g) { // 4.5 and 5.33, rounded down
        return resize<rescaling{.by = {3, 2}, .over = {4, 3}}>(image(g));
    });
    built::check(op::resize, {2, 12, 5, 7}, sampling{.extent = {5, 7}, .grid = sampling_grid::asymmetric},
                 [](builder& g) {
                     return resize_bilinear<size2{5, 7}, sampling_grid::asymmetric>(image(g));
                 });
    built::check(op::resize, {2, 12, 9, 9}, sampling{.extent = 9, .method = sampling_method::nearest},
                 [](builder& g) { return resize_nearest_neighbor<9>(image(g)); });
    built::check(op::resize, {2, 12, 12, 24}, sampling{.extent = {12, 24}}, [](builder& g) {
        return upsample_bilinear<factors{2, 3}>(image(g));
    });
    built::check(op::resize, {2, 12, 24, 32}, sampling{.extent = {24, 32}, .method = sampling_method::nearest},
                 [](builder& g) { return upsample_nearest_neighbor<4>(image(g)); });
    breaks(shape_rule(sampling{.extent = {0, 1}}, x), fault::every_extent_must_be_at_least_1_R019, 0, 1);
    breaks(shape_rule(sampling{.extent = {1, -1}}, x), fault::every_extent_must_be_at_least_1_R019, -1, 1);
    keeps(shape_rule(sampling{.extent = {1, 1}}, x), {2, 12, 1, 1});
    breaks(shape_rule(sampling{}, {12, 6, 8}), fault::input_must_have_rank_4_as_N_C_H_W, 3, 4);
    breaks(shape_rule(rescaling{.by = 0}, x), fault::factor_must_be_at_least_1_R098, 0, 1);
    breaks(shape_rule(rescaling{.over = {1, 0}}, x), fault::factor_must_be_at_least_1_R098, 0, 1);
    breaks(shape_rule(rescaling{.by = 1, .over = 7}, x), fault::every_extent_must_be_at_least_1_R019, 0, 1);
    keeps(shape_rule(rescaling{.by = 1, .over = 6}, x), {2, 12, 1, 1});
    breaks(shape_rule(rescaling{.by = 1 << 29}, x), fault::every_extent_must_be_at_least_1_R019, 0,
           1); // more than an int holds
    infer_breaks(sampling{.extent = 0}, fault::every_extent_must_be_at_least_1_R019,
                 [](builder& g) { return resize<bilinear>(image(g)); });
}

TEST_CASE("the texture unit's operations with a second operand") {
    built::check(op::crop_resize, {2, 12, 5, 7}, bilinear,
                 [](builder& g) { return crop_resize<bilinear>(image(g), g.input("boxes", f16<2, 4>)); });
    built::check(op::crop_resize, {9, 3, 5, 7}, bilinear, [](builder& g) {
        return crop_resize<bilinear>(g.input("x", f16<1, 3, 6, 8>), g.input("boxes", f16<9, 4>));
    });
    breaks(crop_resize_rule(bilinear, x, {3, 4}), fault::there_must_be_one_entry_for_each_image_or_one_for_all, 2, 3);
    breaks(crop_resize_rule(bilinear, x, {2, 5}), fault::boxes_must_have_four_corners_y1_x1_y2_x2, 5, 4);
    breaks(crop_resize_rule(bilinear, x, {2, 1, 4}), fault::boxes_must_have_rank_2, 3, 2);

    built::check(op::resample, {2, 12, 5, 7}, bilinear,
                 [](builder& g) { return resample(image(g), g.input("grid", f16<2, 2, 5, 7>)); });
    built::check(op::resample, {2, 12, 5, 7},
                 sampling{.extent = {5, 7}, .method = sampling_method::nearest, .border = sampling_border::edge},
                 [](builder& g) {
                     return resample<sampling_method::nearest, sampling_border::edge>(image(g),
                                                                                      g.input("grid", f16<1, 1, 5, 7>));
                 });
    breaks(resample_rule(bilinear, x, {2, 3, 5, 7}), fault::coordinates_must_have_two_channels_y_and_x, 3, 2);
    breaks(resample_rule(bilinear, x, {3, 2, 5, 7}), fault::there_must_be_one_entry_for_each_image_or_one_for_all, 3,
           2);
    breaks(resample_rule(bilinear, x, {2, 5, 7}), fault::coordinates_must_have_rank_4, 3, 4);
    breaks(resample_rule(bilinear, x, {2, 2, 5, 8}), fault::result_must_have_the_extents_of_the_coordinates, 7, 8);
    breaks(resample_rule(bilinear, {6, 8}, {2, 2, 5, 7}), fault::input_must_have_rank_4_as_N_C_H_W, 2, 4);
    infer_breaks(sampling{.extent = 5}, fault::result_must_have_the_extents_of_the_coordinates,
                 [](builder& g) { return resample(image(g), g.input("grid", f16<2, 2, 5, 7>)); });

    built::check(op::affine, {2, 12, 5, 7}, bilinear,
                 [](builder& g) { return affine<bilinear>(image(g), g.input("a", f16<1, 6>)); });
    keeps(affine_rule(bilinear, x, {2, 6}), {2, 12, 5, 7});
    breaks(affine_rule(bilinear, x, {3, 6}), fault::there_must_be_one_entry_for_each_image_or_one_for_all, 3, 2);
    breaks(affine_rule(bilinear, x, {1, 5}), fault::matrix_must_have_six_coefficients, 5, 6);
    breaks(affine_rule(bilinear, x, {6}), fault::matrix_must_have_rank_2, 1, 2);
}

TEST_CASE("quantize and dequantize") {
    built::check(
        op::quantize, x, quantization{.type = dtype::int8, .axis = 3},
        [](builder& g) { return quantize(image(g), g.constant(f16<>, 0.25)); }, dtype::int8);
    built::check(
        op::quantize, x, quantization{.type = dtype::uint8, .axis = 1},
        [](builder& g) {
            return quantize<quantization{.type = dtype::uint8, .axis = 1}>(image(g), g.weight("s", f16<12>),
                                                                           g.weight("z", f16<12>));
        },
        dtype::uint8);
    built::check(op::dequantize, x, quantization{.type = dtype::int8, .axis = 1}, [](builder& g) {
        const auto scale = g.weight("s", f16<12>);
        return dequantize<axis{1}>(quantize<quantization{.axis = 1}>(image(g), scale), scale);
    });
    built::check(op::dequantize, {1, 3, 4, 4}, quantization{.type = dtype::uint8, .axis = 3}, [](builder& g) {
        return dequantize(g.input("x", u8<1, 3, 4, 4>), g.constant(f16<>, 0.25), g.constant(f16<>, 128));
    });
    const quantization q{.axis = 1};
    keeps(quantize_rule(q, x, {12}), x);
    keeps(quantize_rule(q, x, {1}), x);
    keeps(quantize_rule(q, x, {}, {12}), x);
    breaks(quantize_rule(q, x, {11}), fault::scale_must_have_one_value_for_each_index_of_the_axis, 11, 12);
    breaks(quantize_rule(q, x, {12}, {11}), fault::scale_must_have_one_value_for_each_index_of_the_axis, 11, 12);
    breaks(quantize_rule(q, x, {12, 1}), fault::scale_must_be_one_number_or_a_vector, 2, 1);
    breaks(quantize_rule({.axis = 4}, x, {12}), fault::axis_must_be_one_of_the_tensor, 4, 4);
    keeps(quantize_rule({.axis = 4}, x, {}), x);
    breaks(quantize_rule({.type = dtype::int4}, x, {}), fault::quantized_type_must_be_int8_or_uint8, 0, 2);
    keeps(dequantize_rule({.type = dtype::int4}, x, {}), x);
    breaks(dequantize_rule({.type = dtype::f16}, x, {}), fault::quantized_type_must_be_int8_or_uint8, 3, 2);
    breaks(dequantize_rule(q, x, {13}), fault::scale_must_have_one_value_for_each_index_of_the_axis, 13, 12);
    infer_breaks(quantization{.type = dtype::int8, .axis = 9}, fault::axis_must_be_one_of_the_tensor, [](builder& g) {
        return quantize<quantization{.axis = 1}>(image(g), g.weight("s", f16<12>), g.constant(f16<>, 3));
    });
}

TEST_CASE("compressed weights keep their shape") {
    const auto weight = [](builder& g) { return g.weight("w", f16<16, 12, 3, 3>); };
    built::check(op::compressed, {16, 12, 3, 3}, compression{.form = weight_form::palette, .bits = 4},
                 [&](builder& g) { return compressed<palette<4>>(weight(g)); });
    built::check(op::compressed, {16, 12, 3, 3}, compression{.form = weight_form::palette, .bits = 6, .vector = 2},
                 [&](builder& g) { return compressed<palette<6, 2>>(weight(g)); });
    built::check(op::compressed, {16, 12, 3, 3}, sparse, [&](builder& g) { return compressed<sparse>(weight(g)); });
    built::check(op::compressed, {16, 12, 3, 3}, compression{.form = weight_form::affine, .bits = 8},
                 [&](builder& g) { return compressed<affine_int8>(weight(g)); });
    built::check(op::compressed, {16, 12, 3, 3}, compression{.form = weight_form::blockwise, .bits = 8, .block = 36},
                 [&](builder& g) { return compressed<blockwise<36>>(weight(g)); });
    built::check(op::compressed, {16, 12, 3, 3}, compression{.form = weight_form::sparse_palette, .zeros = 0.75F},
                 [&](builder& g) {
                     return compressed<compression{.form = weight_form::sparse_palette, .zeros = 0.75F}>(weight(g));
                 });
    const auto conv_of = built::build(
        [&](builder& g) { return conv2d<conv{.padding = same}>(image(g), compressed<palette<4>>(weight(g))); });
    CHECK(conv_of.operand(1).kind == op::compressed);

    const extents w{16, 12, 3, 3};
    for (const int bits : {1, 2, 3, 4, 6, 8}) {
        keeps(shape_rule(compression{.bits = bits}, w), w);
    }
    for (const int bits : {0, 5, 7, 9}) {
        breaks(shape_rule(compression{.bits = bits}, w), fault::stored_bits_must_be_1_2_3_4_6_or_8_R139, bits, 4);
    }
    breaks(shape_rule(compression{.form = weight_form::affine, .bits = 6}, w),
           fault::stored_bits_must_be_1_2_3_4_6_or_8_R139, 6, 8);
    keeps(shape_rule(compression{.form = weight_form::affine, .bits = 4}, w), w);
    for (const int vector : {1, 2, 4, 5}) {
        keeps(shape_rule(compression{.vector = vector}, w), w);
    }
    for (const int vector : {0, 3, 6}) {
        breaks(shape_rule(compression{.vector = vector}, w),
               fault::palette_entry_must_stand_for_1_2_4_or_5_elements_R140, vector, 1);
    }
    keeps(shape_rule(blockwise<108>, w), w);
    breaks(shape_rule(blockwise<32>, w), fault::block_must_divide_an_output_channel, 108, 32);
    breaks(shape_rule(blockwise<-4>, w), fault::block_must_divide_an_output_channel, 108, -4);
    keeps(shape_rule(compression{.zeros = 1}, w), w);
    breaks(shape_rule(compression{.zeros = 1.5F}, w), fault::zeros_must_be_a_fraction, 1500, 1000);
    CHECK_FALSE(shape_rule(compression{.zeros = std::numeric_limits<float>::quiet_NaN()}, w).ok());
    breaks(shape_rule(compression{}, {}), fault::operand_must_have_an_axis, 0, 1);

    CHECK(says(refusal([](builder& g) { return compressed<palette<4>>(image(g)); }), "takes a weight"));
    CHECK(says(refusal([](builder& g) { return compressed<palette<4>>(g.constant(f16<4, 4>, 1)); }), "takes a weight"));
    auto b = built::build([&](builder& g) { return compressed<palette<4>>(weight(g)); });
    b.graph.nodes[static_cast<std::size_t>(b.view().operands(b.last())[0])].kind = op::input;
    CHECK(infer(b.view(), b.last()).broken == fault::only_a_weight_is_stored_compressed);
}

TEST_CASE("top_k, sort and arg_sort") {
    built::check(op::top_k, {2, 12, 6, 5}, selection{.k = 5, .axis = 3},
                 [](builder& g) { return top_k<5>(image(g)).values; });
    built::check(op::top_k_indices, {2, 1, 6, 8}, selection{.k = 1, .axis = 1, .ascending = true}, [](builder& g) {
        const auto [smallest, places] = top_k<1, axis{1}, true>(image(g));
        (void)smallest;
        return places;
    });
    built::check(op::sort, x, selection{.k = 8, .axis = 3, .ascending = true},
                 [](builder& g) { return sort(image(g)); });
    built::check(op::arg_sort, x, selection{.k = 12, .axis = 1},
                 [](builder& g) { return arg_sort<axis{-3}, false>(image(g)); });
    keeps(top_k_rule({.k = 8, .axis = -1}, x), x);
    breaks(top_k_rule({.k = 9, .axis = -1}, x), fault::k_must_lie_between_1_and_the_extent, 9, 8);
    breaks(top_k_rule({.k = 0, .axis = -1}, x), fault::k_must_lie_between_1_and_the_extent, 0, 8);
    breaks(top_k_rule({.k = 1, .axis = 4}, x), fault::axis_must_be_one_of_the_tensor, 4, 4);
    breaks(sort_rule({.k = 7, .axis = 3}, x), fault::sort_must_order_the_whole_axis, 7, 8);
    breaks(sort_rule({.k = 7, .axis = 40}, x), fault::axis_must_be_one_of_the_tensor, 40, 4);
    infer_breaks(selection{.k = 7, .axis = 3}, fault::sort_must_order_the_whole_axis,
                 [](builder& g) { return sort(image(g)); });
}

TEST_CASE("dropout and random numbers check what they are given") {
    built::check(op::dropout, x, drop_ratio{0.25F}, [](builder& g) { return dropout(image(g), 0.25); });
    built::check(op::random_uniform, {3, 4}, uniform_range{-1, 2},
                 [](builder& g) { return random_uniform(g, f16<3, 4>, -1, 2); });
    keeps(dropout_rule({.ratio = 0.999F}, x), x);
    breaks(dropout_rule({.ratio = 1}, x), fault::rate_must_lie_from_0_to_below_1, 1000, 1000);
    breaks(dropout_rule({.ratio = -0.5F}, x), fault::rate_must_lie_from_0_to_below_1, -500, 1000);
    CHECK_FALSE(dropout_rule({.ratio = std::numeric_limits<float>::quiet_NaN()}, x).ok());
    CHECK_FALSE(dropout_rule({.ratio = std::numeric_limits<float>::infinity()}, x).ok());
    CHECK(says(refusal([](builder& g) { return dropout(image(g), 1); }), "rate must lie in [0, 1)"));
    breaks(random_uniform_rule({.low = 1, .high = 1}, x), fault::low_end_must_lie_below_the_high_end, 1000, 1000);
    keeps(random_uniform_rule({.low = 0, .high = 1e-3F}, x), x);
    CHECK(says(refusal([](builder& g) { return random_uniform(g, f16<3>, 2, 1); }), "low end must lie below"));
    CHECK(says(refusal([](builder& g) { return random_uniform(g, f16<3>, 0, 1e6); }), "65504"));
    infer_breaks(uniform_range{2, 1}, fault::low_end_must_lie_below_the_high_end,
                 [](builder& g) { return random_uniform(g, f16<3, 4>); });
    // The graph has the one node: nothing is left of the handle that showed where it is.
    CHECK(built::build([](builder& g) { return random_uniform(g, f16<3, 4>); }).view().size() == 1);
}

TEST_CASE("scaled elementwise operations") {
    built::check(op::scaled_elementwise, x, scaling{.function = scaled_function::maximum, .scale = 0.5F},
                 [](builder& g) {
                     return scaled_elementwise<scaled_function::maximum>(image(g), g.input("z", f16<2, 12, 6, 8>), 0.5);
                 });
    built::check(op::scaled_elementwise, {4}, scaling{.function = scaled_function::mul}, [](builder& g) {
        return scaled_elementwise<scaled_function::mul>(g.input("a", f16<4>), g.input("b", f16<4>));
    });
    breaks(shape_rule(scaling{}, {4, 6}, {4, 1}), fault::extents_must_be_equal, 1, 6);
    breaks(shape_rule(scaling{}, {4, 6}, {6}), fault::operands_must_have_the_same_rank, 1, 2);
    breaks(shape_rule(scaling{.function = scaled_function::mul, .scale = 2}, {4}, {4}),
           fault::scale_of_a_product_must_be_1, 2000, 1000);
    keeps(shape_rule(scaling{.function = scaled_function::add, .scale = 2}, {4}, {4}), {4});
    CHECK(says(refusal([](builder& g) {
                   return scaled_elementwise<scaled_function::mul>(g.input("a", f16<4>), g.input("b", f16<4>), 2);
               }),
               "ignores the scale"));
    infer_breaks(scaling{.function = scaled_function::mul, .scale = 2}, fault::scale_of_a_product_must_be_1,
                 [](builder& g) {
                     return scaled_elementwise<scaled_function::mul>(g.input("a", f16<4>), g.input("b", f16<4>));
                 });
}

TEST_CASE("cross-correlation, cross product and cost volume") {
    built::check(op::cross_correlation, {2, 1, 4, 7}, no_attributes{}, [](builder& g) {
        return cross_correlation(g.input("x", f16<2, 1, 6, 8>), g.input("t", f16<1, 1, 3, 2>));
    });
    keeps(cross_correlation_rule({1, 1, 6, 8}, {1, 1, 6, 8}), {1, 1, 1, 1});
    breaks(cross_correlation_rule({1, 1, 6, 8}, {1, 1, 7, 8}), fault::template_must_fit_into_the_map, 7, 6);
    breaks(cross_correlation_rule({1, 1, 6, 8}, {1, 1, 6, 9}), fault::template_must_fit_into_the_map, 9, 8);
    breaks(cross_correlation_rule({1, 2, 6, 8}, {1, 1, 3, 3}), fault::map_and_template_must_have_one_channel_R046, 2,
           1);
    breaks(cross_correlation_rule({1, 1, 6, 8}, {1, 2, 3, 3}), fault::map_and_template_must_have_one_channel_R046, 2,
           1);
    breaks(cross_correlation_rule({1, 1, 6, 8}, {2, 1, 3, 3}), fault::map_and_template_must_have_one_channel_R046, 2,
           1);
    breaks(cross_correlation_rule({6, 8}, {1, 1, 3, 3}), fault::input_must_have_rank_4_as_N_C_H_W, 2, 4);
    breaks(cross_correlation_rule({1, 1, 6, 8}, {3, 3}), fault::template_must_have_rank_4, 2, 4);

    built::check(op::cross_product, {5, 3, 1, 1}, no_attributes{}, [](builder& g) {
        return cross_product(g.input("a", f16<5, 3, 1, 1>), g.input("b", f16<5, 3, 1, 1>));
    });
    breaks(cross_product_rule({5, 3, 1, 1}, {4, 3, 1, 1}), fault::extents_must_be_equal, 4, 5);
    breaks(cross_product_rule({5, 3, 1, 1}, {5, 4, 1, 1}), fault::vectors_must_be_N_3_1_1, 4, 3);
    breaks(cross_product_rule({5, 3, 2, 1}, {5, 3, 2, 1}), fault::vectors_must_be_N_3_1_1, 2, 1);
    breaks(cross_product_rule({5, 3, 1, 2}, {5, 3, 1, 2}), fault::vectors_must_be_N_3_1_1, 2, 1);
    breaks(cross_product_rule({3}, {3}), fault::input_must_have_rank_4_as_N_C_H_W, 1, 4);

    built::check(op::cost_volume, {1, 5, 6, 8}, item_count{.count = 5}, [](builder& g) {
        return cost_volume<5>(g.input("x", f16<1, 1, 6, 8>), g.input("r", f16<1, 1, 6, 12>));
    });
    breaks(cost_volume_rule({.count = 5}, {1, 1, 6, 8}, {1, 1, 6, 11}),
           fault::reference_must_be_as_wide_as_image_and_disparities, 11, 12);
    keeps(cost_volume_rule({.count = 1}, {1, 1, 6, 8}, {1, 1, 6, 8}), {1, 1, 6, 8});
    breaks(cost_volume_rule({.count = 0}, {1, 1, 6, 8}, {1, 1, 6, 8}), fault::there_must_be_at_least_one_plane, 0, 1);
    breaks(cost_volume_rule({.count = 1}, {1, 2, 6, 8}, {1, 1, 6, 8}), fault::both_images_must_have_one_channel, 2, 1);
    breaks(cost_volume_rule({.count = 1}, {1, 1, 6, 8}, {1, 2, 6, 8}), fault::both_images_must_have_one_channel, 2, 1);
    breaks(cost_volume_rule({.count = 1}, {1, 1, 6, 8}, {1, 1, 7, 8}),
           fault::image_and_reference_must_have_the_same_batch_and_height, 7, 6);
    breaks(cost_volume_rule({.count = 1}, {1, 1, 6, 8}, {2, 1, 6, 8}),
           fault::image_and_reference_must_have_the_same_batch_and_height, 2, 1);
    breaks(cost_volume_rule({.count = 1}, {6, 8}, {1, 1, 6, 8}), fault::input_must_have_rank_4_as_N_C_H_W, 2, 4);
    breaks(cost_volume_rule({.count = 1}, {1, 1, 6, 8}, {6, 8}), fault::input_must_have_rank_4_as_N_C_H_W, 2, 4);
}

TEST_CASE("points in space") {
    built::check(op::furthest_point_sampling, {1, 3, 1, 16}, item_count{.count = 16},
                 [](builder& g) { return furthest_point_sampling<16>(g.input("p", f16<1, 3, 1, 100>)); });
    keeps(furthest_point_rule({.count = 1024}, {1, 3, 1, 8192}), {1, 3, 1, 1024});
    breaks(furthest_point_rule({.count = 1025}, {1, 3, 1, 8192}),
           fault::centroids_must_be_from_2_to_1024_and_no_more_than_points, 1025, 1024);
    breaks(furthest_point_rule({.count = 1024}, {1, 3, 1, 8193}), fault::there_must_be_at_most_8192_points, 8193, 8192);
    breaks(furthest_point_rule({.count = 1}, {1, 3, 1, 10}),
           fault::centroids_must_be_from_2_to_1024_and_no_more_than_points, 1, 10);
    keeps(furthest_point_rule({.count = 2}, {1, 3, 1, 10}), {1, 3, 1, 2});
    keeps(furthest_point_rule({.count = 10}, {1, 3, 1, 10}), {1, 3, 1, 10});
    breaks(furthest_point_rule({.count = 11}, {1, 3, 1, 10}),
           fault::centroids_must_be_from_2_to_1024_and_no_more_than_points, 11, 10);
    breaks(furthest_point_rule({.count = 2}, {1, 2, 1, 10}), fault::points_must_be_1_3_1_N, 2, 3);
    breaks(furthest_point_rule({.count = 2}, {1, 3, 2, 10}), fault::points_must_be_1_3_1_N, 2, 1);
    breaks(furthest_point_rule({.count = 2}, {2, 3, 1, 10}), fault::points_must_be_1_3_1_N, 2, 1);
    breaks(furthest_point_rule({.count = 2}, {3, 10}), fault::input_must_have_rank_4_as_N_C_H_W, 2, 4);

    built::check(
        op::radius_search, {1, 1, 100, 16}, search_radius{0.5F},
        [](builder& g) { return radius_search(g.input("c", f16<1, 3, 1, 16>), g.input("p", f16<1, 3, 1, 100>), 0.5); },
        dtype::uint8);
    keeps(radius_search_rule({}, {1, 3, 1, 2}, {1, 3, 1, 5}), {1, 1, 5, 2});
    breaks(radius_search_rule({.radius = -1}, {1, 3, 1, 2}, {1, 3, 1, 5}), fault::radius_must_not_be_negative, -1000,
           0);
    breaks(radius_search_rule({}, {1, 4, 1, 2}, {1, 3, 1, 5}), fault::points_must_be_1_3_1_N, 4, 3);
    breaks(radius_search_rule({}, {1, 3, 1, 2}, {1, 4, 1, 5}), fault::points_must_be_1_3_1_N, 4, 3);
    CHECK(says(refusal([](builder& g) {
                   return radius_search(g.input("c", f16<1, 3, 1, 16>), g.input("p", f16<1, 3, 1, 100>), -0.5);
               }),
               "must not be negative"));
    infer_breaks(item_count{.count = 1}, fault::centroids_must_be_from_2_to_1024_and_no_more_than_points,
                 [](builder& g) { return furthest_point_sampling<16>(g.input("p", f16<1, 3, 1, 100>)); });
}

TEST_CASE("a whole model of these operations is a constant") {
    static constexpr auto model = graph([](auto& g) {
        auto image_in = g.input("image"_s, f16<1, 16, 8, 8>);
        auto w = compressed<palette<4>>(g.weight("w"_s, f16<16, 16, 3, 3>));
        auto y = dropout(conv2d<conv{.padding = same}>(image_in, w), 0.1);
        auto up = upsample_nearest_neighbor<2>(y);
        auto down = space_to_depth<2>(up);
        auto [best, places] = top_k<2, axis{1}>(down);
        g.output("best"_s, best + 0.0 * places);
        g.output("q"_s, dequantize(quantize(reverse<axes{-1}>(y), g.constant(f16<>, 0.5)), g.constant(f16<>, 0.5)));
        g.output("noise"_s, random_uniform(g, f16<1, 4>));
        g.output("rows"_s, stack(unstack<axis{1}>(y)[0], squeeze<axes{1}>(split<16>(y)[3])));
        g.output("picked"_s, gather<axis{1}>(y, range_1d<4>(g)));
    });
    static_assert(model.outputs.size() == 5);
    for (const node& n : model.nodes) {
        CHECK(infer(model, n).ok());
    }
}

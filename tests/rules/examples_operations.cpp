// Examples: reductions, norms, order, movement, sampling, elementwise operations and the engine's own layers.

#include "examples.hpp"

namespace one_node {

std::vector<example> reduction_examples() {
    const auto normed = [](const extents& x, int groups) {
        return make(op::group_norm, grouping{.groups = groups},
                    {in(x), one_node::weight({x.channels()}), one_node::weight({x.channels()})}, x, true);
    };
    const auto response = [](std::int64_t channels) {
        return make(op::local_response_norm, ane::response_norm_shape{}, {in({1, channels, 8, 8})}, {1, channels, 8, 8},
                    true);
    };
    const auto minmax = [](int index) {
        return make(op::minmax_norm, stabilizer{.epsilon = 1e-3F, .axis = index}, {in({1, 8, 4, 4})}, {1, 8, 4, 4},
                    true);
    };
    const auto rms = [](const extents& x) {
        return make(op::rms_norm, stabilizer{.epsilon = 1e-3F}, {in(x), one_node::weight({x.width()})}, x, true);
    };
    // softmax by hand, of what the given function makes of the input
    const auto quotient = [](const dynamic_graph& scores, int index) {
        dynamic_graph g = then(scores, op::exp, no_attributes{}, {index});
        g = then(g, op::reduce_sum, axes{1}, {index + 1});
        return then(g, op::div, no_attributes{}, {index + 1, index + 2});
    };
    const auto centred = [] {
        const dynamic_graph g = then(sources_of({in({4, 8})}), op::reduce_max, axes{1}, {0});
        return then(g, op::sub, no_attributes{}, {0, 1});
    };
    const auto by_inverse = [](const contract& promise) {
        dynamic_graph g = then(sources_of({in({4, 8}, promise)}), op::exp, no_attributes{}, {0});
        g = then(g, op::reduce_sum, axes{1}, {1});
        g = then(g, op::inverse, stabilizer{}, {2});
        return then(g, op::mul, no_attributes{}, {1, 3});
    };
    static constexpr target_description without_instance_norm =
        derive(describe(h13), [](auto& d) { d.has.instance_norm = false; });
    const dynamic_graph instance =
        make(op::instance_norm, stabilizer{}, {in({1, 8, 4, 4}), one_node::weight({8}), one_node::weight({8})},
             {1, 8, 4, 4}, true);
    const auto selected = [](int k) { return unary(op::top_k, {4, 8}, selection{.k = k, .axis = 1}); };
    return {
        {rule::arg_reduction_axis_exceeds, h13, 2049, 2048, unary(op::arg_max, {4, 2049}, axis{1}),
         unary(op::arg_max, {4, 2048}, axis{1})},
        {rule::reduced_axis_exceeds_four, h13, 5, 4, unary(op::reduce_l1_norm, {1, 1, 1, 2, 2, 8}, axes{5}),
         unary(op::reduce_l1_norm, {1, 1, 2, 2, 8}, axes{4})},
        {rule::square_and_sum_are_not_fused, h13, 0, 0, unary(op::reduce_sum_square, {4, 8}, axes{1}),
         unary(op::reduce_sum, {4, 8}, axes{1}), h14},
        {rule::cumulated_axis_is_not_the_last, h13, 0, 1, unary(op::cumsum, {4, 8}, cumulation{.axis = 0}),
         unary(op::cumsum, {4, 8}, cumulation{.axis = 1})},
        {rule::instance_norm_is_not_supported,
         h13,
         0,
         0,
         instance,
         unary(op::relu, {8}),
         h13,
         {},
         &without_instance_norm},
        {rule::normalized_groups_do_not_divide_channels, h13, 10, 4, normed({1, 10, 4, 4}, 4),
         normed({1, 12, 4, 4}, 4)},
        {rule::normalized_groups_have_depth, h13, 2, 1, normed({1, 2, 8, 4, 4}, 2), normed({1, 2, 8, 4, 4}, 1)},
        {rule::normalized_group_exceeds, h13, 16900, 16384, normed({1, 32, 130, 130}, 1), normed({1, 32, 128, 128}, 1),
         h16},
        {rule::normalized_group_exceeds, h14, 16385, 16384, normed({1, 32770, 2, 2}, 2), normed({1, 32768, 2, 2}, 2),
         h17},
        {rule::normalized_group_exceeds, h17s, 65792, 65536, normed({1, 32, 257, 256}, 1),
         normed({1, 32, 256, 256}, 1)},
        {rule::response_norm_channels_exceed, h13, 16, 15, response(16), response(15), h14,
         on_route(compile_route::netplist)},
        {rule::minmax_norm_is_over_channels, h13, 1, 0, minmax(1), minmax(3)},
        {rule::minmax_norm_is_over_channels, h17s, 1, 0, minmax(-3), minmax(2)},
        {rule::rms_norm_rank_is_not_two, h13, 3, 2, rms({1, 4, 8}), rms({4, 8})},
        {rule::softmax_does_not_subtract_its_maximum, h13, 0, 65504, quotient(sources_of({in({4, 8})}), 0),
         quotient(centred(), 2)},
        {rule::softmax_does_not_subtract_its_maximum, h17s, 0, 65504, by_inverse({}), by_inverse(within(-4, 4))},
        {rule::index_exceeds_half_precision, h14, 2049, 2048,
         unary(op::arg_sort, {4, 2049}, selection{.k = 2049, .axis = 1}),
         unary(op::arg_sort, {4, 2048}, selection{.k = 2048, .axis = 1})},
        {rule::index_exceeds_half_precision, h13, 2049, 2048, unary(op::arg_min, {2049, 4}, axis{0}),
         unary(op::arg_min, {2048, 4}, axis{0})},
        {rule::top_k_is_three_or_four, h17s, 3, 4, selected(3), selected(2)},
        {rule::top_k_is_three_or_four, h14, 4, 4, selected(4), selected(5)},
        {rule::top_k_over_width_is_in_dispute, h16g, 0, 0, selected(5),
         unary(op::top_k, {8, 4}, selection{.k = 5, .axis = 0}), h18},
        {rule::top_k_over_width_is_in_dispute, h16, 0, 0,
         unary(op::top_k_indices, {4, 8}, selection{.k = 1, .axis = -1}), unary(op::sort, {4, 8}, selection{.axis = 1}),
         h14},
        {rule::cross_correlation_has_channels, h13, 2, 1,
         make(op::cross_correlation, no_attributes{}, {in({1, 2, 8, 8}), in({1, 2, 3, 3})}, {1, 1, 6, 6}, true),
         make(op::cross_correlation, no_attributes{}, {in({1, 1, 8, 8}), in({1, 1, 3, 3})}, {1, 1, 6, 6}, true)},
    };
}

std::vector<example> movement_examples() {
    const auto moved = [](const permutation& p, const extents& x) { return unary(op::transpose, x, p); };
    const auto joined = [](const std::vector<source>& parts) { return make(op::concat, axis{1}, parts); };
    const auto padded = [](op kind, const pads& p) {
        return kind == op::pad ? make(kind, p, {in({1, 4, 8, 8}), one_node::weight({})}) : unary(kind, {1, 4, 8, 8}, p);
    };
    const auto cut = [](std::int64_t begin, const contract& promise) {
        return make(op::slice, window{{0, begin}, {4, 2}}, {in({4, 8}, promise)});
    };
    const auto joined_cuts = [](std::int64_t begin) {
        dynamic_graph g = then(sources_of({in({4, 8}, within(0, 1))}), op::slice, window{{0, 1}, {4, 2}}, {0});
        g = then(g, op::slice, window{{0, begin}, {4, 2}}, {0});
        return then(g, op::concat, axis{1}, {1, 2});
    };
    const auto channels_from = [](std::int64_t first) {
        return unary(op::slice, {1, 16, 4, 4}, window{{0, first, 0, 0}, {1, 4, 4, 4}});
    };
    const auto reshaped = [](const extents& from, const extents& to) {
        return make(op::reshape, no_attributes{}, {in(from)}, to, true);
    };
    const auto backwards = [](std::int64_t size) {
        return make(op::strided_slice, strided_window{{0, 7}, {1, -1}}, {in({4, 8})}, {4, size}, true);
    };
    const auto shuffled = [](op kind, factors by, const extents& x) { return make(kind, by, {in(x)}, x, true); };
    const auto tiled = [](int times) { return make(op::tile, repeats{1, times}, {in({4, 8})}, {4, 8 * times}, true); };
    const auto gathered = [](const extents& x, const extents& index) {
        return make(op::gather_nd, no_attributes{}, {in(x), in(index)}, {4}, true);
    };
    return {
        {rule::transposed_extent_exceeds, h13, 16385, 16384, moved({0, 2, 1, 3}, {1, 16385, 4, 4}),
         moved({0, 2, 1, 3}, {1, 16384, 4, 4}), h16},
        {rule::transposed_extent_exceeds, h17s, 65537, 65536, moved({0, 2, 1, 3}, {1, 65537, 4, 4}),
         moved({0, 2, 1, 3}, {1, 65536, 4, 4})},
        {rule::channel_transpose_is_not_native, h12, 10, 0, moved({0, 3, 2, 1}, {1, 10, 1, 7}),
         moved({0, 3, 2, 1}, {1, 24, 1, 7}), h13},
        {rule::batch_transpose_has_channels, h13, 3, 1, moved({1, 0, 2, 3}, {2, 3, 4, 4}),
         moved({1, 0, 2, 3}, {2, 1, 4, 4}), h16g},
        {rule::batch_transpose_has_channels, h15, 3, 1, moved({1, 0, 2, 3}, {2, 3, 4, 4}),
         moved({0, 1, 3, 2}, {2, 3, 4, 4}), h18},
        {rule::batch_transpose_has_channels, h16g, 3, 1, moved({3, 1, 2, 0}, {2, 3, 4, 4}),
         moved({1, 0, 2, 3}, {2, 3, 4, 4})},
        {rule::concat_has_one_operand, h13, 1, 2, joined({in({1, 8})}), joined({in({1, 8}), in({1, 8})})},
        {rule::concat_row_exceeds, h17s, 100352, 100351, joined({in({1, 50000}), in({1, 50352})}),
         joined({in({1, 50000}), in({1, 50351})})},
        {rule::reshape_does_not_flatten, h12, 3, 2, reshaped({1, 8, 4, 4}, {4, 8, 4}), reshaped({1, 8, 4, 4}, {1, 128}),
         h13},
        {rule::reshape_does_not_flatten, h11, 2, 2, reshaped({2, 8, 4, 4}, {4, 64}), reshaped({2, 8, 4, 4}, {2, 128}),
         h13},
        {rule::reversed_slice_is_not_whole, h13, 7, 8, backwards(7), backwards(8)},
        {rule::sliced_channels_are_not_aligned, h13, 5, 8, channels_from(5), channels_from(8)},
        {rule::sliced_channels_are_not_aligned, h17s, 7, 8, channels_from(7), channels_from(9)},
        {rule::padding_is_not_on_height_or_width, h13, 1, 2, padded(op::pad, {{0, 1, 0, 0}, {0, 0, 0, 0}}),
         padded(op::pad, {{0, 0, 1, 1}, {0, 0, 1, 2}}), h16g},
        {rule::padding_is_not_on_height_or_width, h15, 1, 2, padded(op::pad, {{0, 0, 0, 0}, {0, 3, 0, 0}}),
         padded(op::pad, {{0, 0, 0, 0}, {0, 0, 3, 0}}), h18},
        {rule::padding_is_not_on_height_or_width, h16g, 0, 1, padded(op::pad, {{1, 0, 0, 0}, {0, 0, 0, 0}}),
         padded(op::pad, {{0, 1, 0, 0}, {0, 3, 0, 0}})},
        {rule::padding_is_not_on_height_or_width, h16g, 1, 2, padded(op::pad, {{0, 1, 0, 0}, {0, 0, 0, 0}}),
         padded(op::pad, {{0, 0, 1, 0}, {0, 0, 0, 0}}), std::nullopt, on_route(compile_route::netplist)},
        {rule::padding_is_not_on_height_or_width, h18, 1, 2, padded(op::reflect_pad, {{0, 1, 0, 0}, {0, 0, 0, 0}}),
         padded(op::pad, {{0, 1, 0, 0}, {0, 0, 0, 0}})},
        {rule::padding_is_not_on_height_or_width, h17s, 0, 2, padded(op::reflect_pad, {{0, 0, 0, 0}, {1, 0, 0, 0}}),
         padded(op::reflect_pad, {{0, 0, 1, 1}, {0, 0, 1, 2}})},
        {rule::padding_mode_needs_the_texture_engine, h13, 0, 0,
         padded(op::symmetric_pad, {{0, 0, 1, 1}, {0, 0, 1, 1}}), padded(op::pad, {{0, 0, 1, 1}, {0, 0, 1, 1}}), h14},
        {rule::width_slice_may_saturate, h13, 4096, 4094, cut(1, within(0, 4096)), cut(1, bounded(4094)), h15},
        {rule::width_slice_may_saturate, h14, 65504, 4094, cut(1, {}), cut(0, {}), h16},
        {rule::width_slices_are_joined, h13, 2, 1, joined_cuts(2), joined_cuts(0), h15},
        {rule::shuffle_factor_is_not_native, h13, 5, 8, shuffled(op::pixel_shuffle, 5, {1, 100, 4, 4}),
         shuffled(op::pixel_shuffle, 4, {1, 16, 4, 4})},
        {rule::shuffle_factor_is_not_native, h17s, 6, 8, shuffled(op::space_to_depth, {2, 6}, {1, 4, 12, 12}),
         shuffled(op::space_to_depth, {2, 8}, {1, 4, 16, 16})},
        {rule::shuffled_channels_are_not_divisible, h13, 6, 4, shuffled(op::depth_to_space, 2, {1, 6, 4, 4}),
         shuffled(op::depth_to_space, 2, {1, 8, 4, 4})},
        {rule::batch_factor_is_not_native, h13, 5, 8, shuffled(op::space_to_batch, 5, {1, 4, 10, 10}),
         shuffled(op::space_to_batch, 6, {1, 4, 12, 12})},
        {rule::batch_is_not_divisible, h13, 6, 4, shuffled(op::batch_to_space, 2, {6, 4, 8, 8}),
         shuffled(op::batch_to_space, 2, {8, 4, 8, 8})},
        {rule::space_to_channel_batch_exceeds_one, h17s, 2, 1, shuffled(op::space_to_depth, 2, {2, 4, 8, 8}),
         shuffled(op::space_to_depth, 2, {1, 4, 8, 8}), std::nullopt, on_route(compile_route::netplist)},
        {rule::tile_factor_is_not_native, h13, 5, 8, tiled(5), tiled(4)},
        {rule::resize_is_decomposed, h13, 0, 0, unary(op::resize, {1, 2, 8, 8}, sampling{.extent = 16}),
         unary(op::relu, {1, 2, 8, 8}), h14},
        {rule::gather_needs_one_batch_one_plane_and_3_components, h13, 2, 3, gathered({1, 3, 4, 4}, {4, 2}),
         gathered({1, 3, 4, 4}, {4, 3}), h14},
        {rule::gather_needs_one_batch_one_plane_and_3_components, h13, 3, 3, gathered({2, 3, 4, 4}, {4, 3}),
         gathered({1, 3, 4, 4}, {4, 3}), h14},
        {rule::gather_needs_one_batch_one_plane_and_3_components, h13, 1, 3,
         make(op::gather, axis{0}, {in({8, 4}), in({2})}, {2, 4}, true), gathered({1, 3, 4, 4}, {4, 3}), h17s},
    };
}

std::vector<example> elementwise_examples() {
    const auto sum = [](const extents& a, const extents& b) { return make(op::add, no_attributes{}, {in(a), in(b)}); };
    const auto prelu_of = [](const extents& x) {
        return make(op::prelu, no_attributes{}, {in(x), one_node::weight({x.rank > 1 ? x[1] : 1})}, x, true);
    };
    const auto after_square = [](std::int64_t width) {
        return then(unary(op::square, {4, width}), op::sqrt, no_attributes{}, {1});
    };
    const auto angle = [](const contract& promise) { return make(op::sin, no_attributes{}, {in({8}, promise)}); };
    const auto activated = [](int readers) {
        dynamic_graph g = make(op::linear, no_attributes{}, {in({4, 8}), one_node::weight({8, 8})});
        for (int i = 0; i < readers; ++i) {
            g = then(g, op::relu, no_attributes{}, {2});
        }
        return g;
    };
    // a times dequantized b, quantized by another scale than b
    const auto product_of_codes = [](float scale) {
        dynamic_graph g = sources_of({in({8}), one_node::constant({}, 0.25F), one_node::constant({}, scale)});
        g = then(g, op::quantize, quantization{dtype::int8, 0}, {0, 1});
        g = then(g, op::dequantize, quantization{dtype::int8, 0}, {3, 1});
        g = then(g, op::mul, no_attributes{}, {0, 4});
        return then(g, op::quantize, quantization{dtype::int8, 0}, {5, 2});
    };
    return {
        {rule::convolution_weight_is_computed, h15, 64, 0,
         make(op::conv2d, conv{}, {in({1, 8, 4, 4}), in({8, 8, 1, 1})}),
         make(op::conv2d, conv{}, {in({1, 8, 4, 4}), one_node::weight({8, 8, 1, 1})}), h13},
        {rule::product_takes_another_scale, h17s, 1, 0, product_of_codes(0.125F), product_of_codes(0.25F)},
        {rule::broadcast_along_depth_is_not_supported, h13, 2, 1, sum({1, 2, 3, 4, 5}, {1, 1, 3, 4, 5}),
         sum({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5})},
        {rule::broadcast_along_depth_is_not_supported, h17s, 2, 1, sum({1, 2, 3, 4, 5}, {3, 1, 1}),
         sum({1, 2, 3, 4, 5}, {1})},
        {rule::prelu_rank_is_below_three, h13, 2, 3, prelu_of({4, 8}), prelu_of({1, 4, 8})},
        {rule::square_feeds_a_nonlinearity, h17s, 65, 64, after_square(193), after_square(192)},
        {rule::angle_leaves_the_half_period, h15, 4, 3, angle(within(0, 3.25)), angle(within(-3.140625, 3.140625))},
        {rule::both_operands_are_live, h13, 0, 0, sum({8}, {8}),
         make(op::add, no_attributes{}, {in({8}), one_node::weight({8})})},
        {rule::producer_has_other_readers, h13, 2, 1, activated(2), activated(1)},
    };
}

} // namespace one_node

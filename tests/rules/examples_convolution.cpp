// Examples: convolutions, matrix products, windows and attention.

#include "examples.hpp"

namespace one_node {

namespace {

dynamic_graph convolved(const conv& a, const extents& x, const extents& w) {
    return make(op::conv2d, a, {in(x), one_node::weight(w)});
}
dynamic_graph transposed_conv(const conv_transpose& a, const extents& x, const extents& w) {
    return make(op::conv_transpose2d, a, {in(x), one_node::weight(w)});
}
dynamic_graph product(const extents& a, const extents& b) { return make(op::matmul, transposed{}, {in(a), in(b)}); }
dynamic_graph pooled(op kind, const pool& a, const extents& x) { return make(kind, resolve(a, x), {in(x)}); }

/// A product of a transposed tensor of rank five, as matrices.
dynamic_graph product_of(const permutation& order, const extents& x) {
    dynamic_graph g = then(sources_of({in(x), in({1, 1})}), op::transpose, order, {0});
    const std::int64_t rows = x.count() / 8;
    g = then(g, op::reshape, no_attributes{}, {2}, {rows, 8}, true);
    return then(g, op::matmul, transposed{}, {3, 1}, {rows, 1}, true);
}

dynamic_graph attended(const extents& query, const extents& key, const extents& value) {
    return make(op::attention, score_scaling{1}, {in(query), in(key), in(value)}, query, true);
}
/// Attention as frameworks write it: scores, a scale, a mask, and their softmax.
dynamic_graph in_parts(std::int64_t queries) {
    dynamic_graph g = then(sources_of({in({1, 2, queries, 64}), in({1, 2, 64, 16}), one_node::constant({}, 0.125F),
                                       in({1, 1, queries, 16})}),
                           op::matmul, transposed{}, {0, 1});
    g = then(g, op::mul, no_attributes{}, {4, 2});
    g = then(g, op::add, no_attributes{}, {3, 5});
    return then(g, op::softmax, axis{-1}, {6});
}
dynamic_graph masked(const extents& mask, dtype type = dtype::f16) {
    return make(op::attention, score_scaling{1},
                {in({1, 2, 8, 64}), in({1, 2, 16, 64}), in({1, 2, 16, 64}), in(mask, {}, type)}, {1, 2, 8, 64}, true);
}

} // namespace

std::vector<example> convolution_examples() {
    const auto kernel = [](std::int64_t height, std::int64_t width) {
        return convolved({.padding = 16}, {1, 16, 64, 64}, {16, 16, height, width});
    };
    const auto computed = [](std::int64_t batch, op weight) {
        return make(op::conv2d, conv{}, {in({batch, 16, 8, 8}), {weight, {16, 16, 3, 3}}});
    };
    const auto in_space = [](const extents& w) {
        return make(op::conv2d, conv{}, {in({1, 16, 8, 8}), one_node::weight(w)}, {1, 16, 8, 8}, true);
    };
    const auto attend = [](std::int64_t queries, std::int64_t keys) {
        return attended({1, 2, queries, 64}, {1, 2, keys, 64}, {1, 2, keys, 64});
    };
    const auto ceiled = [](int padding) {
        return make(op::avg_pool, pool{.kernel = 3, .stride = 1, .padding = padding, .exclude_padding = true},
                    {in({1, 4, 8, 8})}, {1, 4, 8, 8}, true);
    };
    const auto weighed = [](const contract& mask) {
        dynamic_graph g =
            then(sources_of({in({1, 2, 8, 16}), in({1, 1, 8, 16}, mask)}), op::add, no_attributes{}, {0, 1});
        return then(g, op::softmax, axis{-1}, {2});
    };
    return {
        {rule::convolution_rank_is_not_four, h13, 3, 4,
         make(op::conv2d, conv{}, {in({16, 8, 8}), one_node::weight({16, 16, 1, 1})}, {16, 8, 8}, true),
         convolved({}, {1, 16, 8, 8}, {16, 16, 1, 1})},
        {rule::convolution_is_three_dimensional, h17s, 5, 4, in_space({16, 16, 2, 3, 3}), in_space({16, 16, 3, 3})},
        {rule::kernel_width_exceeds, h13, 14, 13, kernel(3, 14), kernel(3, 13), h16},
        {rule::kernel_width_exceeds, h14, 14, 13, kernel(3, 14), kernel(14, 3), h17},
        {rule::kernel_width_exceeds, h15, 14, 13, kernel(3, 14), kernel(3, 13), m11},
        {rule::kernel_width_exceeds, h16, 16, 15, kernel(3, 16), kernel(3, 15)},
        {rule::kernel_width_exceeds, h18, 16, 15, kernel(3, 16), kernel(16, 3)},
        {rule::kernel_height_exceeds, h13, 30, 29, kernel(30, 3), kernel(29, 3), h14},
        {rule::kernel_height_exceeds, h14, 33, 32, kernel(33, 3), kernel(32, 3)},
        {rule::kernel_height_exceeds, h16g, 32, 31, kernel(32, 1), kernel(31, 1), h15},
        {rule::kernel_height_exceeds, h18, 32, 31, kernel(32, 1), kernel(31, 1), h14},
        {rule::dynamic_weight_batch_exceeds_one, h13, 2, 1, computed(2, op::input), computed(1, op::input)},
        {rule::dynamic_weight_batch_exceeds_one, h17s, 2, 1, computed(2, op::input), computed(2, op::weight)},
        {rule::transposed_stride_exceeds_two, h13, 3, 2, transposed_conv({.stride = 3}, {1, 8, 4, 4}, {8, 8, 3, 3}),
         transposed_conv({.stride = 2}, {1, 8, 4, 4}, {8, 8, 3, 3})},
        {rule::transposed_convolution_is_dilated, h13, 2, 1,
         transposed_conv({.dilation = 2}, {1, 8, 4, 4}, {8, 8, 3, 3}),
         transposed_conv({.dilation = 1}, {1, 8, 4, 4}, {8, 8, 3, 3})},
        {rule::transposed_kernel_is_large, h13, 8, 7, transposed_conv({}, {1, 8, 4, 4}, {8, 8, 3, 8}),
         transposed_conv({}, {1, 8, 4, 4}, {8, 8, 3, 7}), h14},
        {rule::kernel_needs_large_mode, h13, 8, 7, kernel(3, 8), kernel(3, 7), h14},
        {rule::large_kernel_is_not_a_multiple_of_eight, h13, 9, 8, kernel(8, 9), kernel(8, 8)},
        {rule::large_kernel_is_not_a_multiple_of_eight, h14, 17, 8, kernel(17, 8), kernel(16, 8)},
        {rule::large_kernel_is_grouped, h13, 2, 1, convolved({.groups = 2}, {1, 16, 32, 32}, {16, 8, 3, 8}),
         convolved({.groups = 2}, {1, 16, 32, 32}, {16, 8, 3, 7}), h14},
        {rule::large_kernel_is_grouped, h13, 2, 1, convolved({.groups = 2}, {1, 16, 32, 32}, {16, 8, 16, 3}),
         convolved({.groups = 16}, {1, 16, 32, 32}, {16, 1, 16, 3})},
        {rule::large_kernel_is_dilated, h13, 2, 1, convolved({.dilation = 2}, {1, 16, 32, 32}, {16, 16, 3, 8}),
         convolved({.dilation = 2}, {1, 16, 32, 32}, {16, 16, 3, 7}), h14},
        {rule::folded_channels_exceed, h13, 65540, 65536, convolved({.stride = 2}, {1, 16385, 4, 4}, {8, 16385, 1, 1}),
         convolved({.stride = 2}, {1, 16384, 4, 4}, {8, 16384, 1, 1})},
        {rule::folded_channels_exceed, h17s, 65540, 65536,
         transposed_conv({.stride = 2}, {1, 8, 4, 4}, {8, 16385, 2, 2}),
         transposed_conv({.stride = 2}, {1, 8, 4, 4}, {8, 16384, 2, 2})},
        {rule::convolved_width_leaves_no_margin, h13, 16377, 16376, convolved({}, {1, 8, 4, 16377}, {8, 8, 1, 3}),
         convolved({}, {1, 8, 4, 16376}, {8, 8, 1, 3}), h16},
        {rule::groups_do_not_divide_cores, h13, 3, 4, convolved({.groups = 3}, {1, 12, 8, 8}, {12, 4, 3, 3}),
         convolved({.groups = 4}, {1, 12, 8, 8}, {12, 3, 3, 3})},
        {rule::grouped_kernel_is_decomposed, h13, 2304, 2048, convolved({.groups = 4}, {1, 256, 8, 8}, {16, 64, 3, 3}),
         convolved({.groups = 4}, {1, 128, 8, 8}, {16, 32, 4, 4})},
        {rule::stride_does_not_factor, h13, 7, 8, convolved({.stride = 7}, {1, 8, 16, 16}, {8, 8, 3, 3}),
         convolved({.stride = 6}, {1, 8, 16, 16}, {8, 8, 3, 3})},
        {rule::stride_is_not_native, h13, 6, 8, convolved({.stride = 6}, {1, 8, 16, 16}, {8, 8, 3, 3}),
         convolved({.stride = 4}, {1, 8, 16, 16}, {8, 8, 3, 3})},
        {rule::dilation_is_not_native, h13, 2, 1, convolved({.dilation = 2}, {1, 8, 16, 16}, {8, 8, 3, 3}),
         convolved({}, {1, 8, 16, 16}, {8, 8, 3, 3})},
        {rule::matmul_rank_exceeds_four, h13, 5, 4, product({1, 1, 3, 4, 5}, {1, 1, 3, 5, 6}),
         product({2, 3, 4, 5}, {2, 3, 5, 6})},
        {rule::matmul_depth_exceeds_one, h13, 2, 1, product({1, 2, 3, 4, 5}, {1, 2, 3, 5, 6}),
         product({1, 1, 3, 4, 5}, {1, 1, 3, 5, 6})},
        {rule::matmul_reads_a_transpose_of_rank_five, h17s, 5, 3, product_of({0, 2, 1, 4, 3}, {2, 3, 4, 5, 8}),
         product_of({0, 1, 2, 4, 3}, {2, 3, 4, 5, 8})},
        // A batch of one does not count: {2}, {1}, {3, 4}.
        {rule::matmul_reads_a_transpose_of_rank_five, h17s, 4, 3, product_of({0, 2, 1, 3, 4}, {2, 3, 4, 5, 8}),
         product_of({0, 2, 1, 3, 4}, {1, 3, 4, 5, 8})},
        {rule::contraction_length_exceeds, h16g, 32769, 32768, product({4, 32769}, {32769, 8}),
         product({4, 32768}, {32768, 8})},
        {rule::contraction_length_exceeds, h18, 40000, 32768,
         make(op::matmul, transposed{.a = true}, {in({40000, 4}), in({40000, 8})}), product({40000, 4}, {4, 40000})},
        // Over the keys, as the second product of attention.
        {rule::contraction_length_exceeds, h17s, 32769, 32768, attend(4, 32769), attend(32769, 32768)},
        {rule::linear_rank_exceeds_four, h13, 5, 4,
         make(op::linear, no_attributes{}, {in({1, 1, 2, 3, 8}), one_node::weight({4, 8})}),
         make(op::linear, no_attributes{}, {in({1, 2, 3, 8}), one_node::weight({4, 8})})},
        {rule::matmul_exceeds_kernel_memory, h13, 67584, 65536, product({33, 1024}, {1024, 8}),
         product({32, 1024}, {1024, 8})},
        {rule::right_operand_is_not_resident, h13, 2097152, 2097151, product({8, 1024}, {1024, 1024}),
         product({8, 1024}, {1024, 1023})},
        {rule::pool_window_exceeds_input, h13, 9, 8,
         pooled(op::max_pool, {.kernel = {2, 9}, .stride = 1, .padding = 1}, {1, 4, 8, 8}),
         pooled(op::max_pool, {.kernel = 8, .stride = 1}, {1, 4, 8, 8})},
        {rule::max_pool_width_exceeds, h16g, 9, 8,
         pooled(op::max_pool, {.kernel = {1, 9}, .stride = 1}, {1, 4, 16, 16}),
         pooled(op::max_pool, {.kernel = {9, 8}, .stride = 1}, {1, 4, 16, 16}), h15},
        {rule::max_pool_width_exceeds, h18, 13, 8, pooled(op::max_pool, {.kernel = 13, .stride = 1}, {1, 4, 16, 16}),
         pooled(op::avg_pool, {.kernel = 13, .stride = 1}, {1, 4, 16, 16}), h13},
        {rule::pool_stride_is_three, h13, 3, 2, pooled(op::max_pool, {.kernel = 3}, {1, 4, 12, 12}),
         pooled(op::avg_pool, {.kernel = 3}, {1, 4, 12, 12})},
        {rule::pool_extent_is_not_a_multiple_of_its_stride, h13, 13, 2,
         pooled(op::l2_pool, {.kernel = 2}, {1, 4, 12, 13}), pooled(op::l2_pool, {.kernel = 2}, {1, 4, 12, 12})},
        {rule::excluded_padding_reaches_the_window, h13, 3, 3, ceiled(3), ceiled(2)},
        {rule::pool_window_is_not_native, h13, 30, 29,
         pooled(op::avg_pool, {.kernel = 30, .stride = 1}, {1, 4, 64, 64}),
         pooled(op::avg_pool, {.kernel = 29, .stride = 1}, {1, 4, 64, 64}), h14},
        {rule::pool_window_is_not_native, h17s, 32, 31,
         pooled(op::max_pool, {.kernel = 32, .stride = 1}, {1, 4, 64, 64}),
         pooled(op::max_pool, {.kernel = 31, .stride = 1}, {1, 4, 64, 64})},
        {rule::attention_rank_exceeds_four, h13, 5, 4, attended({1, 1, 1, 8, 64}, {1, 1, 1, 8, 64}, {1, 1, 1, 8, 64}),
         attended({1, 1, 8, 64}, {1, 1, 8, 64}, {1, 1, 8, 64})},
        {rule::attention_value_shape_differs, h13, 0, 0, attended({1, 8, 64}, {1, 16, 64}, {1, 16, 32}),
         attended({1, 8, 64}, {1, 16, 64}, {1, 16, 64})},
        {rule::attention_mask_type_differs, h13, static_cast<int>(dtype::boolean), 3,
         masked({1, 1, 8, 16}, dtype::boolean), masked({1, 1, 8, 16})},
        {rule::attention_sequence_exceeds, h13, 2049, 2048, attend(16, 2049), attend(16, 2048)},
        {rule::attention_has_few_queries, h17s, 2, 4, attend(2, 64), attend(4, 64)},
        {rule::attention_has_few_queries, h13, 1, 4, in_parts(1), in_parts(8)},
        {rule::attention_is_too_square, h13, 512, 511, attend(512, 1024), attend(511, 1024)},
        {rule::mask_hides_nothing, h13, 1, 0, weighed(within(0, 1)), weighed(within(-30000, 0))},
        {rule::attention_mask_is_not_shared, h13, 1, 4, masked({1, 2, 8, 16}), masked({1, 1, 8, 16})},
    };
}

} // namespace one_node

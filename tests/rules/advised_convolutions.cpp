// Advice on convolutions and windows.

#include "advised.hpp"

namespace advised {

namespace {

dynamic_graph convolved(const conv& a, const extents& x, const extents& w) {
    return built([&](dynamic_builder& b) { return b.add(op::conv2d, {b.input("x", x), b.weight("w", w)}, a); });
}

/// A transposed convolution of [1, 8, 4, 4], and the convolution that is the same: over zeros between and around the
/// elements, with the kernel turned by half a turn.
dynamic_graph transposed_conv(const conv_transpose& a, const extents& w) {
    return built([&](dynamic_builder& b) {
        return b.add(op::conv_transpose2d, {b.input("x", {1, 8, 4, 4}), b.weight("w", w)}, a);
    });
}
dynamic_graph as_convolution(const conv_transpose& a, const extents& w) {
    return built([&](dynamic_builder& b) {
        tensor x = b.input("x", {1, 8, 4, 4});
        const int s = a.stride.height;
        if (s > 1) { // repeated, and all but the first of each block times zero
            x = b.add(op::resize, {x},
                      sampling{.extent = 4 * s, .method = sampling_method::nearest, .grid = sampling_grid::asymmetric});
            std::vector<float> mask(static_cast<std::size_t>(16 * s * s));
            for (int h = 0; h < 4; ++h) {
                for (int v = 0; v < 4; ++v) {
                    mask[static_cast<std::size_t>(h * s * 4 * s + v * s)] = 1;
                }
            }
            x = b.add(op::mul, {x, b.constant(extents{1, 1, 4 * s, 4 * s}, mask)});
            x = cut(b, cut(b, x, 2, 0, 3 * s + 1), 3, 0, 3 * s + 1);
        }
        tensor kernel = turned(b, b.weight("w", w), 1, 0, 2, 3);
        kernel = b.add(op::reverse, {kernel}, axes{2, 3});
        const int high = a.dilation.height * static_cast<int>(w[2] - 1);
        const int wide = a.dilation.width * static_cast<int>(w[3] - 1);
        return b.add(op::conv2d, {x, kernel}, conv{.dilation = a.dilation, .padding = padding2{high, wide}});
    });
}

/// A convolution whose kernel is an input, and the product of matrices that is the same.
dynamic_graph with_a_computed_kernel(bool unfolds) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {2, 16, 8, 8});
        const tensor w = b.input("w", {16, 16, 3, 3});
        if (!unfolds) {
            return b.add(op::conv2d, {x, w}, conv{});
        }
        const tensor rows = turned(b, x, 0, 2, 3, 1); // the channels last: slices of height and width begin anywhere
        std::vector<tensor> windows;
        for (int h = 0; h < 3; ++h) {
            for (int v = 0; v < 3; ++v) {
                windows.push_back(cut(b, cut(b, rows, 1, h, 6), 2, v, 6));
            }
        }
        const tensor unfolded = b.reshape(joined(b, windows, 3), {72, 144});
        const tensor kernel = b.reshape(turned(b, b.reshape(w, {1, 16, 16, 9}), 0, 1, 3, 2), {16, 144});
        const tensor y = b.add(op::matmul, {unfolded, kernel}, transposed{.b = true});
        return turned(b, b.reshape(y, {2, 6, 6, 16}), 0, 3, 1, 2);
    });
}
dynamic_graph correlated(bool unfolds) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 2, 8, 8});
        const tensor w = b.input("w", {1, 2, 3, 3});
        const tensor rows = turned(b, x, 0, 2, 3, 1);
        std::vector<tensor> windows;
        for (int h = 0; h < 3; ++h) {
            for (int v = 0; v < 3; ++v) {
                windows.push_back(cut(b, cut(b, rows, 1, h, 6), 2, v, 6));
            }
        }
        const tensor unfolded = b.reshape(joined(b, windows, 3), {36, 18});
        const tensor kernel = b.reshape(turned(b, w, 0, 2, 3, 1), {18, 1});
        return unfolds ? b.reshape(b.add(op::matmul, {unfolded, kernel}), {1, 1, 6, 6}) : x;
    });
}

dynamic_graph in_halves_of_the_channels() {
    return built([](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 16385, 4, 4});
        const tensor w = b.weight("w", {8, 16385, 1, 1});
        const auto part = [&](int at, int size) {
            return b.add(op::conv2d, {cut(b, x, 1, at, size), cut(b, w, 1, at, size)}, conv{.stride = 2});
        };
        return b.add(op::add, {part(0, 8192), part(8192, 8193)});
    });
}

dynamic_graph pooled(op kind, const pool& a, const extents& x) { return function_of(kind, x, {}, a); }
dynamic_graph pooled_twice(op kind, const pool& first, const pool& second, const extents& x) {
    return built([&](dynamic_builder& b) { return b.add(kind, {b.add(kind, {b.input("x", x)}, first)}, second); });
}

} // namespace

std::vector<pair_of_models> advised_convolutions() {
    const conv_transpose strided{.stride = 3};
    const conv_transpose dilated{.dilation = 2};
    const conv_transpose plain{};
    const extents threes{8, 8, 3, 3};
    return {
        {rule::convolution_rank_is_not_four, "reshape", h13,
         one_node::make(op::conv2d, conv{}, {one_node::in({16, 8, 8}), one_node::weight({16, 16, 1, 1})}, {16, 8, 8},
                        true),
         built([](dynamic_builder& b) {
             const tensor x = b.reshape(b.input("x", {16, 8, 8}), {1, 16, 8, 8});
             return b.reshape(b.add(op::conv2d, {x, b.weight("w", {16, 16, 1, 1})}), {16, 8, 8});
         }),
         another_model},
        {rule::convolution_is_three_dimensional, "add up", h17s,
         one_node::make(op::conv2d, conv{}, {one_node::in({1, 16, 8, 8}), one_node::weight({16, 16, 2, 3, 3})},
                        {1, 16, 8, 8}, true),
         built([](dynamic_builder& b) {
             const tensor x = b.input("x", {1, 16, 2, 8, 8});
             const tensor w = b.weight("w", {16, 16, 2, 3, 3});
             const auto plane = [&](int at) {
                 return b.add(op::conv2d, {b.reshape(cut(b, x, 2, at, 1), {1, 16, 8, 8}),
                                           b.reshape(cut(b, w, 2, at, 1), {16, 16, 3, 3})});
             };
             return b.add(op::add, {plane(0), plane(1)});
         }),
         another_model},
        {rule::dynamic_weight_batch_exceeds_one, "unfold", h13, with_a_computed_kernel(false),
         with_a_computed_kernel(true)},
        {rule::cross_correlation_has_channels, "unfold", h13,
         one_node::make(op::cross_correlation, no_attributes{},
                        {one_node::in({1, 2, 8, 8}), one_node::in({1, 2, 3, 3})}, {1, 1, 6, 6}, true),
         correlated(true), another_model},
        {rule::folded_channels_exceed, "use a smaller stride", h13,
         convolved({.stride = 2}, {1, 16385, 4, 4}, {8, 16385, 1, 1}),
         convolved({.stride = 1}, {1, 16385, 4, 4}, {8, 16385, 1, 1}), another_model},
        {rule::folded_channels_exceed, "split the channels", h13,
         convolved({.stride = 2}, {1, 16385, 4, 4}, {8, 16385, 1, 1}), in_halves_of_the_channels()},
        {rule::groups_do_not_divide_cores, "one group for each", h13,
         convolved({.groups = 3}, {1, 12, 8, 8}, {12, 4, 3, 3}),
         convolved({.groups = 12}, {1, 12, 8, 8}, {12, 1, 3, 3}), another_model},
        {rule::large_kernel_is_not_a_multiple_of_eight, "pad the kernel", h14,
         convolved({}, {1, 16, 64, 64}, {16, 16, 17, 8}), built([](dynamic_builder& b) {
             const tensor w = joined(b, {b.weight("w", {16, 16, 17, 8}), zeros(b, {16, 16, 7, 8})}, 2);
             return b.add(op::conv2d, {b.input("x", {1, 16, 64, 64}), w}, conv{.padding = padding2{0, 7, 0, 0}});
         })},
        {rule::output_channels_cross_a_pass, "a multiple of 256", h13, convolved({}, {1, 16, 16, 16}, {200, 16, 1, 1}),
         convolved({}, {1, 16, 16, 16}, {256, 16, 1, 1}), another_model},
        {rule::convolved_width_leaves_no_margin, "tile the width", h13, convolved({}, {1, 8, 4, 16377}, {8, 8, 1, 3}),
         built_by([](dynamic_builder& b) {
             const tensor w = b.weight("w", {8, 8, 1, 3});
             b.output("left", b.add(op::conv2d, {b.input("left_part", {1, 8, 4, 8192}), w}));
             b.output("right", b.add(op::conv2d, {b.input("right_part", {1, 8, 4, 8187}), w}));
         }),
         another_model},
        {rule::transposed_stride_exceeds_two, "convolve", h13, transposed_conv(strided, threes),
         as_convolution(strided, threes)},
        {rule::transposed_convolution_is_dilated, "convolve", h13, transposed_conv(dilated, threes),
         as_convolution(dilated, threes)},
        {rule::transposed_kernel_is_large, "convolve", h13, transposed_conv(plain, {8, 8, 3, 8}),
         as_convolution(plain, {8, 8, 3, 8})},
        {rule::max_pool_width_exceeds, "pool twice", h16g,
         pooled(op::max_pool, {.kernel = {1, 9}, .stride = 1}, {1, 4, 16, 16}),
         pooled_twice(op::max_pool, {.kernel = {1, 5}, .stride = 1}, {.kernel = {1, 5}, .stride = 1}, {1, 4, 16, 16})},
        {rule::max_pool_width_exceeds, "swap the axes", h16g,
         pooled(op::max_pool, {.kernel = {1, 9}, .stride = 1}, {1, 4, 16, 16}), built([](dynamic_builder& b) {
             const tensor x = turned(b, b.input("x", {1, 4, 16, 16}), 0, 1, 3, 2);
             return turned(b, b.add(op::max_pool, {x}, pool{.kernel = {9, 1}, .stride = 1}), 0, 1, 3, 2);
         })},
        {rule::pool_stride_is_three, "use a stride of 2 or 4", h13,
         pooled(op::max_pool, {.kernel = 3, .stride = 3}, {1, 4, 12, 12}),
         pooled(op::max_pool, {.kernel = 3, .stride = 2}, {1, 4, 12, 12}), another_model},
        {rule::pool_stride_is_three, "use a stride of 2 or 4", h13,
         pooled(op::max_pool, {.kernel = 3, .stride = 3}, {1, 4, 12, 12}),
         pooled(op::max_pool, {.kernel = 4, .stride = 4}, {1, 4, 12, 12}), another_model},
        {rule::pool_extent_is_not_a_multiple_of_its_stride, "pad or crop", h13,
         pooled(op::l2_pool, {.kernel = 2}, {1, 4, 12, 13}), built([](dynamic_builder& b) {
             return b.add(op::l2_pool, {cut(b, b.input("x", {1, 4, 12, 13}), 3, 0, 12)}, pool{.kernel = 2});
         })},
        {rule::pool_window_is_not_native, "pool twice", h17s,
         pooled(op::max_pool, {.kernel = {32, 1}, .stride = 1}, {1, 4, 64, 64}),
         pooled_twice(op::max_pool, {.kernel = {17, 1}, .stride = 1}, {.kernel = {16, 1}, .stride = 1},
                      {1, 4, 64, 64})},
        {rule::pool_window_is_not_native, "pool twice", h13,
         pooled(op::avg_pool, {.kernel = 30, .stride = 30}, {1, 4, 60, 60}),
         pooled_twice(op::avg_pool, {.kernel = 5, .stride = 5}, {.kernel = 6, .stride = 6}, {1, 4, 60, 60}), 0.05},
        {rule::pool_window_is_not_native, "reduce the axis", h13,
         pooled(op::avg_pool, {.kernel = 32, .stride = 1}, {1, 4, 32, 32}), built([](dynamic_builder& b) {
             return b.add(op::reduce_mean, {b.input("x", {1, 4, 32, 32})}, axes{2, 3});
         }),
         0.05},
    };
}

} // namespace advised

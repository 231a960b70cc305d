// Rules of convolutions, on each side of their limits.

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

using namespace one_node;

namespace {
dynamic_graph conv_of(extents kernel, conv a = {}, extents x = {1, 16, 64, 64}) {
    kernel = {kernel[0], x[1] / a.groups, kernel[1], kernel[2]};
    return make(op::conv2d, a, {in(x), weight(kernel)});
}
dynamic_graph transposed_of(extents kernel, conv_transpose a = {}) {
    return make(op::conv_transpose2d, a, {in({1, 16, 32, 32}), weight({16, 8, kernel[0], kernel[1]})});
}
} // namespace

TEST_CASE("R030 R031 R032: the kernel's width by generation") {
    for (const target t : {h13, h13g, h14, h15g, h12}) {
        CHECK_KEEPS(conv_of({8, 3, 13}), kernel_width_exceeds, t);
        CHECK_BREAKS(conv_of({8, 3, 14}), kernel_width_exceeds, t, 14, 13);
    }
    for (const target t : {h16, h17s, h18, m11}) {
        CHECK_KEEPS(conv_of({8, 3, 15}), kernel_width_exceeds, t);
        CHECK_BREAKS(conv_of({8, 3, 16}), kernel_width_exceeds, t, 16, 15);
    }
    CHECK_KEEPS(conv_of({8, 16, 3}), kernel_width_exceeds, h13); // height is another matter: 16x3 compiles
}

TEST_CASE("R033: the kernel's height") {
    CHECK_KEEPS(conv_of({8, 29, 3}), kernel_height_exceeds, h13);
    CHECK_BREAKS(conv_of({8, 30, 3}), kernel_height_exceeds, h13, 30, 29);
    CHECK_KEEPS(conv_of({8, 32, 3}), kernel_height_exceeds, h14);
    CHECK_BREAKS(conv_of({8, 33, 3}), kernel_height_exceeds, h14, 33, 32);
}

TEST_CASE("R014: rank four") {
    CHECK_KEEPS(conv_of({8, 3, 3}), convolution_rank_is_not_four, h13);
    const dynamic_graph g = make(op::conv2d, conv{}, {in({16, 64, 64}), weight({8, 16, 3, 3})}, {8, 62, 62}, true);
    CHECK_BREAKS(g, convolution_rank_is_not_four, h13, 3, 4);
}

TEST_CASE("R044: a weight that is computed needs batch one") {
    const auto dynamic = [](std::int64_t batch, op kind) {
        return make(op::conv2d, conv{}, {in({batch, 4, 8, 8}), {kind, {4, 4, 3, 3}}});
    };
    CHECK_KEEPS(dynamic(1, op::input), dynamic_weight_batch_exceeds_one, h13);
    CHECK_BREAKS(dynamic(2, op::input), dynamic_weight_batch_exceeds_one, h13, 2, 1);
    CHECK_BREAKS(dynamic(2, op::input), dynamic_weight_batch_exceeds_one, h17s, 2, 1);
    CHECK_KEEPS(dynamic(64, op::weight), dynamic_weight_batch_exceeds_one, h13);
    // A weight times a constant is computed when the graph is compiled: the program carries the product.
    const dynamic_graph factored = build_graph([](auto& g) {
        auto w = g.weight("w", f16<4, 4, 3, 3>) * 64.0;
        g.output("y"_s, conv2d(g.input("x"_s, f16<2, 4, 8, 8>), w));
    });
    CHECK_KEEPS(factored, dynamic_weight_batch_exceeds_one, h13);
}

TEST_CASE("R039 R183: transposed convolutions") {
    CHECK_KEEPS(transposed_of({4, 4}, {.stride = 2}), transposed_stride_exceeds_two, h13);
    CHECK_BREAKS(transposed_of({4, 4}, {.stride = {2, 3}}), transposed_stride_exceeds_two, h13, 3, 2);
    CHECK_KEEPS(transposed_of({4, 4}), transposed_convolution_is_dilated, h13);
    CHECK_BREAKS(transposed_of({4, 4}, {.dilation = {2, 1}}), transposed_convolution_is_dilated, h13, 2, 1);
    CHECK_KEEPS(transposed_of({15, 7}), transposed_kernel_is_large, h13);
    CHECK_BREAKS(transposed_of({4, 8}), transposed_kernel_is_large, h13, 8, 7);
    CHECK_BREAKS(transposed_of({16, 4}), transposed_kernel_is_large, h13, 16, 15);
    CHECK_KEEPS(transposed_of({16, 8}), transposed_kernel_is_large, h14);
    CHECK_BREAKS(transposed_of({4, 9}), transposed_kernel_is_large, h14, 9, 8);
    CHECK_KEEPS(conv_of({8, 3, 9}, {.stride = 3, .dilation = 2}), transposed_kernel_is_large, h13);
}

TEST_CASE("R034 R038 R041 R042 R043: slow, not wrong") {
    CHECK_KEEPS(conv_of({8, 3, 7}), kernel_needs_large_mode, h13);
    CHECK_BREAKS(conv_of({8, 3, 8}), kernel_needs_large_mode, h13, 8, 7);
    CHECK_KEEPS(conv_of({8, 3, 8}), kernel_needs_large_mode, h14);

    for (const int groups : {1, 2, 4}) {
        CHECK_KEEPS(conv_of({16, 3, 3}, {.groups = groups}), groups_do_not_divide_cores, h13);
    }
    CHECK_BREAKS(conv_of({16, 3, 3}, {.groups = 8}), groups_do_not_divide_cores, h13, 8, 4);
    CHECK_KEEPS(conv_of({16, 3, 3}, {.groups = 8}), groups_do_not_divide_cores, h13g); // eight cores
    CHECK_KEEPS(conv_of({16, 3, 3}, {.groups = 16}), groups_do_not_divide_cores, h13); // depthwise

    for (const int stride : {1, 2, 3, 4, 8}) {
        CHECK_KEEPS(conv_of({8, 3, 3}, {.stride = stride}), stride_is_not_native, h13);
    }
    CHECK_BREAKS(conv_of({8, 3, 3}, {.stride = 6}), stride_is_not_native, h13, 6, 8);
    CHECK_BREAKS(conv_of({8, 3, 3}, {.stride = {1, 9}}), stride_is_not_native, h13, 9, 8);
    CHECK_KEEPS(conv_of({8, 3, 3}, {.stride = {1, 5}}), stride_is_not_native, h13); // no factors at all

    CHECK_KEEPS(conv_of({8, 3, 3}), dilation_is_not_native, h13);
    CHECK_BREAKS(conv_of({8, 3, 3}, {.dilation = {1, 2}}), dilation_is_not_native, h13, 2, 1);

    const extents x{1, 512, 16, 16};
    CHECK_KEEPS(conv_of({512, 2, 2}, {.groups = 2}, x), grouped_kernel_is_decomposed, h13); // 2048
    CHECK_BREAKS(conv_of({512, 1, 5}, {.groups = 2}, x), grouped_kernel_is_decomposed, h13, 2560, 2048);
    CHECK_KEEPS(conv_of({512, 3, 3}, {}, x), grouped_kernel_is_decomposed, h13);              // one group
    CHECK_KEEPS(conv_of({512, 3, 3}, {.groups = 512}, x), grouped_kernel_is_decomposed, h13); // depthwise
}

TEST_CASE("R041: a stride is a product of at most two of 2, 3, 4 and 8") {
    const extents x{1, 8, 80, 80};
    for (const int stride : {1, 2, 3, 4, 6, 8, 9, 12, 16, 24, 32, 64}) {
        for (const target t : {h13, h14g, h16s, h18}) {
            CHECK_KEEPS(conv_of({8, 3, 3}, {.stride = stride}, x), stride_does_not_factor, t);
        }
    }
    for (const int stride : {5, 7, 10, 14, 18, 27, 36, 48}) {
        for (const target t : {h13, h14g, h16s, h18}) {
            CHECK_BREAKS(conv_of({8, 3, 3}, {.stride = stride}, x), stride_does_not_factor, t, stride, 8);
            CHECK_BREAKS(conv_of({8, 3, 3}, {.stride = {2, stride}}, x), stride_does_not_factor, t, stride, 8);
        }
    }
}

TEST_CASE("R057: kernel memory of the A13 generation") {
    CHECK_KEEPS(conv_of({2048, 1, 1}), weights_exceed_kernel_memory, h13); // 2048 * 16 * 2 bytes = 65536
    CHECK_BREAKS(conv_of({2049, 1, 1}), weights_exceed_kernel_memory, h13, 65568, 65536);
    CHECK_KEEPS(conv_of({2049, 1, 1}), weights_exceed_kernel_memory, h14);
}

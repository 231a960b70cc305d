// Lanes, banks, output groups, Winograd and decomposition, against closed forms and the guide's worked figures.

#include "one_layer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace one_layer;

TEST_CASE("lanes: the guide's aligned and padded tensors (chapter 17)") {
    constexpr lane_use aligned = lanes_of(dtype::f16, {1, 1, 64, 56, 56}, m1);
    static_assert(aligned.needed == 401408 && aligned.stored == aligned.needed && aligned.row == 112);
    constexpr lane_use padded = lanes_of(dtype::f16, {1, 1, 64, 56, 1}, m1);
    static_assert(padded.stored == 64 * 56 * 16 && padded.wasted() == 0.875);           // all lanes but the first
    static_assert(lanes_of(dtype::f16, {1, 1, 64, 56, 1}, describe(m9)).wasted() == 0); // a granule of one byte

    // Five channels become six, a row of 12 elements 16: needed 5 * 12 of 6 * 16.
    constexpr lane_use both = lanes_of(dtype::f16, {1, 5, 8, 12}, m1);
    static_assert(both.interleave == 3 && both.channels == 6 && both.stored == 6 * 8 * 32);
    static_assert(both.wasted() == 0.375);
    static_assert(lanes_of(dtype::f16, {3, 2, 5, 8, 12}, m1).stored == 6 * both.stored);
    static_assert(interleave_factor({1, 7, 8, 8}, m1) == 8 && interleave_factor({1, 11, 8, 8}, m1) == 4);
    static_assert(interleave_factor({1, 64, 8, 8}, m1) == 8 && interleave_factor({1, 1, 8, 8}, m1) == 1);
    static_assert(interleave_factor({64, 64}, m1) == 1 && lanes_of(dtype::f16, {64, 64}, m1).wasted() == 0);
    static_assert(lanes_of(dtype::uint8, {1, 3, 4, 16}, m1).wasted() == 0); // 16 bytes

    // By counting: the least multiple of any factor above one.
    for (std::int64_t c = 2; c < 200; ++c) {
        std::int64_t least = c;
        while (least % 2 != 0 && least % 3 != 0) { // 4 and 8 are multiples of 2
            ++least;
        }
        CHECK(lanes_of(dtype::f16, {1, c, 1, 8}, m1).channels == least);
    }
}

TEST_CASE("banks: the formula is the fullest of the 64 banks") {
    for (const target t : {h13, m9}) {
        const target_description& d = describe(t);
        for (std::int64_t granules = 1; granules <= 130; ++granules) {
            for (const std::int64_t rows : {1, 2, 7, 63, 64, 65, 200}) {
                const std::int64_t stride = granules * d.memory.dma_width_granule;
                std::vector<std::int64_t> requests(64);
                for (std::int64_t r = 0; r < rows; ++r) {
                    ++requests[static_cast<std::size_t>(bank_of(r * stride, d))];
                }
                CHECK(conflict_depth(stride, rows, d) == *std::max_element(requests.begin(), requests.end()));
            }
            const std::int64_t row = granules * d.memory.dma_width_granule;
            const std::int64_t wide = conflict_free_stride(row, d);
            CHECK(wide >= row);
            CHECK(wide - row <= d.memory.dma_width_granule);
            CHECK(bank_sharing(wide, d) == 1);
        }
    }
    static_assert(bank_of(15, m1) == 0 && bank_of(16, m1) == 1 && bank_of(1024, m1) == 0);
    static_assert(bank_sharing(1024, m1) == 64 && conflict_depth(1024, 56, m1) == 56);
    static_assert(bank_sharing(112, m1) == 1 && conflict_depth(112, 56, m1) == 1); // 7 granules, the guide's W = 56
    static_assert(bank_sharing(128, m1) == 8 && conflict_depth(128, 64, m1) == 8);
    static_assert(conflict_free_stride(112, m1) == 112 && conflict_free_stride(128, m1) == 144);
    static_assert(conflict_free_stride(2097152, m1) == 2097152); // a wider one is never considered
    static_assert(banks_of(128, 8, m1).depth == 1 && !banks_of(128, 8, m1).collides());
    static_assert(banks_of(128, 9, m1).depth == 2 && banks_of(128, 9, m1).collides());
}

TEST_CASE("output groups, passes and cores (guide chapter 20)") {
    static_assert(output_group(1, 1000) == 16);
    static_assert(output_group(9, 1000) == 1); // 16 / 9
    static_assert(output_group(25, 1000) == 1 && output_group(1, 3) == 3);
    convolution_geometry c{.in_channels = 64, .out_channels = 192};
    CHECK(groups_of(c, m1).passes == 12);
    for (const auto& [channels, step] :
         {std::pair{192, false}, {193, true}, {255, true}, {256, false}, {257, true}, {384, true}, {512, false}}) {
        c.out_channels = channels;
        CHECK(crosses_pass_step(c) == step);
    }
    c.kernel_width = 3;
    c.out_channels = 200;
    CHECK_FALSE(crosses_pass_step(c));
    // Measured on the M1: 1, 2, 3 and 4 output channels light as many cores.
    for (int channels = 1; channels <= 4; ++channels) {
        CHECK(active_cores(channels, m1) == channels);
    }
    CHECK(active_cores(5, m1) == 4);
    CHECK(active_cores(100, describe(h17d)) == 64);
}

TEST_CASE("Winograd: the gate from both sides, and what it saves (R047)") {
    const winograd_use w = winograd(convolution({64, 64, 3, 3}, {.padding = same}, 64, {1, 64, 64, 64}));
    CHECK(w.eligible());
    CHECK(w.direct == std::int64_t{64} * 64 * 9 * 64 * 64);
    CHECK(w.factor() == 2.25);
    CHECK(w.saved() == w.direct / 9 * 5); // 36 become 16
    // Odd extents round up to whole tiles: 62 x 61 is 31 x 31 tiles.
    const winograd_use odd = winograd(convolution({8, 4, 3, 3}, {}, 4, {1, 8, 62, 61}));
    CHECK(odd.transformed == 8 * 4 * 31 * 31 * 16);

    const auto gate = [](const dynamic_graph& g, target t = h13) { return winograd(g, t).gate; };
    CHECK(gate(convolution({8, 4, 3, 5}, {}, 4, {1, 8, 62, 60})) == winograd_gate::open);
    CHECK(winograd(convolution({8, 4, 3, 5}, {}, 4, {1, 8, 62, 60})).factor() == 1); // no figure is published
    CHECK(gate(convolution({8, 4, 3, 6}, {}, 4, {1, 8, 62, 59})) == winograd_gate::kernel);
    CHECK(gate(convolution({8, 4, 5, 5}, {}, 4, {1, 8, 60, 60})) == winograd_gate::kernel);
    CHECK(gate(convolution({8, 4, 1, 1}, {}, 4, {1, 8, 64, 64})) == winograd_gate::kernel);
    CHECK(gate(convolution({8, 4, 3, 3}, {.stride = {1, 2}}, 4, {1, 8, 62, 31})) == winograd_gate::stride);
    CHECK(gate(convolution({8, 4, 3, 3}, {.dilation = 2}, 4, {1, 8, 60, 60})) == winograd_gate::stride);
    CHECK(gate(convolution({8, 2, 3, 3}, {.groups = 2}, 4, {1, 8, 62, 62})) == winograd_gate::groups);
    CHECK(gate(convolution({8, 4, 3, 3}, {}, 4, {1, 8, 62, 62}, op::input)) == winograd_gate::weight);
    CHECK(gate(convolution({8, 4, 3, 3}, {}, 4, {1, 8, 62, 62}, op::compressed, {.form = weight_form::sparse})) ==
          winograd_gate::weight);
    CHECK(gate(convolution({8, 4, 3, 3}, {}, 4, {1, 8, 62, 62}, op::compressed, {.form = weight_form::palette})) ==
          winograd_gate::open);
    CHECK(gate(convolution({8, 4, 3, 3}, {}, 4, {1, 8, 62, 62}), h14) == winograd_gate::target);
    // The float threshold of 16: 2 * 3 * 2 = 12, 3 * 3 * 2 = 18.
    CHECK(gate(convolution({2, 4, 3, 1}, {}, 4, {1, 2, 62, 64})) == winograd_gate::work);
    CHECK(gate(convolution({3, 4, 3, 1}, {}, 4, {1, 3, 62, 64})) == winograd_gate::open);
    CHECK(gate(convolution({1, 4, 3, 3}, {}, 4, {1, 1, 62, 62})) == winograd_gate::open); // 1 * 9 * 2 = 18
}

TEST_CASE("what the compiler decomposes (R041, R042, R043)") {
    for (const auto& [stride, steps] : {std::pair{1, 0},
                                        {2, 1},
                                        {3, 1},
                                        {4, 1},
                                        {5, -1},
                                        {6, 2},
                                        {7, -1},
                                        {8, 1},
                                        {9, 2},
                                        {12, 2},
                                        {16, 2},
                                        {18, -1},
                                        {24, 2},
                                        {64, 2},
                                        {128, -1}}) {
        CHECK(stride_steps(stride, m1) == steps);
    }
    CHECK_FALSE(decomposition_of({.stride = 8}, m1).any());
    CHECK(decomposition_of({.stride = {1, 6}}, m1).stride);
    CHECK(decomposition_of({.dilation = {1, 2}}, m1).dilation);
    // 2048 on the A13, 64 before.
    const convolution_geometry at{.kernel_height = 2, .kernel_width = 2, .in_channels = 512, .groups = 2};
    const convolution_geometry past{.kernel_height = 1, .kernel_width = 5, .in_channels = 512, .groups = 2};
    CHECK_FALSE(decomposition_of(at, m1).groups);
    CHECK(decomposition_of(at, describe(h11)).groups);
    CHECK(decomposition_of(past, m1).groups);
    CHECK_FALSE(decomposition_of({.kernel_width = 5, .in_channels = 512, .groups = 512}, m1).groups); // depthwise
    CHECK_FALSE(decomposition_of({.kernel_width = 5, .in_channels = 512}, m1).groups);
}

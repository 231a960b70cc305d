// The working set, kernel memory, lanes, banks, output groups, Winograd and fan-in of nodes, against closed forms and
// the guide's worked figures.

#include "random_graph.hpp"
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/residency.hpp>
#include <anemone/report/residency_report.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ane;

namespace {

constexpr const target_description& m1 = describe(h13);

/// A graph of one operation over sources.
struct source {
    op kind;
    extents shape;
    attributes values{};
};
dynamic_graph one(op kind, const attributes& values, const std::vector<source>& sources, const extents& result) {
    dynamic_graph g;
    std::vector<int> operands;
    for (const source& s : sources) {
        node n;
        n.kind = s.kind;
        n.shape = s.shape;
        n.attributes = s.values;
        operands.push_back(g.append(n, {}));
    }
    node n;
    n.kind = kind;
    n.shape = result;
    n.attributes = values;
    g.add_output(g.append(n, operands), "y");
    return g;
}
/// A convolution [1, in, side, side] -> [1, out, height, width].
dynamic_graph convolution(extents kernel, conv values, std::int64_t in, extents result, op weight = op::weight,
                          compression form = {}) {
    source w{weight, kernel, weight == op::compressed ? attributes(form) : attributes(contract{})};
    return one(op::conv2d, values, {{op::input, {1, in, 64, 64}, contract{}}, w}, result);
}
winograd_use winograd(const dynamic_graph& g, target t = h13) {
    const graph_view v = g;
    return winograd_of(v, v[2], geometry_of(v, v[2]), describe(t));
}
kernel_use kernel(const dynamic_graph& g, target t = h13) { return kernel_use_of(g, 2, describe(t)); }

/// `count` sources that compute, each a relu of one input.
dynamic_graph fan(int count) {
    dynamic_graph g;
    node x;
    x.shape = {1, 8};
    x.attributes = contract{};
    g.append(x, {});
    for (int i = 0; i < count; ++i) {
        node n;
        n.kind = op::relu;
        n.shape = {1, 8};
        g.append(n, std::array{0});
    }
    return g;
}
int join(dynamic_graph& g, op kind, const std::vector<int>& operands) {
    node n;
    n.kind = kind;
    n.shape = {1, 8};
    return g.append(n, operands);
}

} // namespace

TEST_CASE("the working set is that of the largest tensor (guide chapter 21)") {
    const auto relu_of = [](const extents& s) { return one(op::relu, {}, {{op::input, s, contract{}}}, s); };
    CHECK(largest_operand(relu_of({1, 512, 32, 32}), 1).bytes == 1 << 20);
    CHECK(largest_operand(relu_of({1, 512, 64, 64}), 1).bytes == 4 << 20);
    const dynamic_graph linear =
        one(op::linear, {}, {{op::input, {1, 4096}, contract{}}, {op::weight, {4096, 4096}, contract{}}}, {1, 4096});
    CHECK(largest_operand(linear, 2).bytes == 32 << 20);
    CHECK(largest_operand(linear, 2).node == 1);

    // h13: nominal 2 MiB, measured 2.28 MB; h14: nominal only; m9: 1 MiB; h17s: measured 4.72 MB.
    CHECK(residence_of(2097152, m1) == residence::on_chip);
    CHECK(residence_of(2097154, m1) == residence::edge);
    CHECK(residence_of(2280000, m1) == residence::edge);
    CHECK(residence_of(2280002, m1) == residence::streamed);
    CHECK(residence_of(2097152, describe(h14)) == residence::on_chip);
    CHECK(residence_of(2097154, describe(h14)) == residence::streamed);
    CHECK(residence_of(1048576, describe(m9)) == residence::on_chip);
    CHECK(residence_of(1048578, describe(m9)) == residence::streamed);
    CHECK(residence_of(4720000, describe(h17s)) == residence::edge);
    CHECK(residence_of(4720002, describe(h17s)) == residence::streamed);
    CHECK(working_set_mark(m1) == mark::measured);
    CHECK(working_set_mark(describe(h14)) == mark::decompiled);
}

TEST_CASE("live bytes: a diamond by hand") {
    // x 256 B; a, b, s 256 B each; r 4 B. a and x are read again by s and b.
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 8, 8>);
        auto a = relu(x);
        auto b = exp(x);
        auto s = a + b;
        g.output("y"_s, reduce_max<axes{2, 3}>(s));
    });
    constexpr auto live = [] {
        const sequence<std::int64_t> all = live_bytes(model);
        std::array<std::int64_t, 5> a{};
        std::copy(all.begin(), all.end(), a.begin());
        return a;
    }();
    static_assert(live == std::array<std::int64_t, 5>{256, 512, 768, 768, 260});
}

TEST_CASE("a compressed weight is neither alive nor a branch nor a row") {
    dynamic_graph g;
    node x;
    x.shape = {1, 4, 8, 8};
    x.attributes = contract{};
    g.append(x, {});
    node w = x;
    w.kind = op::weight;
    w.shape = {4, 4, 1, 1};
    g.append(w, {});
    w.kind = op::compressed;
    w.attributes = compression{.form = weight_form::palette, .bits = 4};
    g.append(w, std::array{1});
    node y = x;
    y.kind = op::conv2d;
    y.attributes = conv{};
    g.append(y, std::array{0, 2});
    g.add_output(3, "y");
    const sequence<std::int64_t> live = live_bytes(g);
    const std::int64_t image = 4 * 8 * 8 * 2;
    CHECK(live[1] == image);
    CHECK(live[2] == image);
    CHECK(live[3] == 2 * image);
    CHECK(reconverging_branches(g)[3] == 0);
    const sequence<node_residency> rows = residency(g, h13);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].kernel.demand == 8 + 32); // 16 indices of half a byte, a table of 16 values
}

TEST_CASE("live bytes are those of the definition, and their maximum is the peak") {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const dynamic_graph made = passes_test::random_graph(seed, 40);
        const graph_view g = made;
        const liveness_options options{.inputs = true};
        const sequence<lifetime> values = lifetimes(g, options);
        const sequence<lifetime> places = merged(values, storage_owners(g, values));
        const sequence<std::int64_t> live = live_bytes(g);
        REQUIRE(live.size() == g.nodes.size());
        for (int step = 0; step < g.size(); ++step) {
            std::int64_t wanted = 0;
            for (int i = 0; i < g.size(); ++i) {
                const lifetime& l = places[static_cast<std::size_t>(i)];
                wanted += l.first >= 0 && l.first <= step && step <= l.last ? bytes(g[i].type, g[i].shape.count()) : 0;
            }
            CHECK(live[static_cast<std::size_t>(step)] == wanted);
        }
        CHECK(*std::max_element(live.begin(), live.end()) == peak_live_bytes(g, options));
    }
}

TEST_CASE("kernel memory: 64 KB dense, 16 MB streamed (guide chapter 24)") {
    // 32768 and 32784 weights of two bytes.
    CHECK(kernel(convolution({2048, 16, 1, 1}, {}, 16, {1, 2048, 64, 64})).splits() == 1);
    CHECK(kernel(convolution({2049, 16, 1, 1}, {}, 16, {1, 2049, 64, 64})).splits() == 2);
    CHECK(kernel(convolution({2049, 16, 1, 1}, {}, 16, {1, 2049, 64, 64})).demand == 65568);
    // 3x3, 256 to 256: 1 179 648 bytes are 18 times 64 KB.
    const dynamic_graph wide = convolution({256, 256, 3, 3}, {.padding = same}, 256, {1, 256, 64, 64});
    CHECK(kernel(wide).splits() == 18);
    CHECK(kernel(wide, h14).splits() == 1); // the cores share 16 MB
    CHECK(kernel(wide, h11).splits() == 18);

    const compression nibbles{.form = weight_form::palette, .bits = 4};
    const auto compressed = [&](const compression& c, conv values = {}) {
        return convolution({256, 256, 3, 3}, values, 256, {1, 256, 64, 64}, op::compressed, c);
    };
    const kernel_use streamed = kernel(compressed(nibbles));
    CHECK(streamed.streamed);
    CHECK(streamed.dense == 1179648);
    CHECK(streamed.demand == 294912 + 32); // half a byte each, and a table of 16 fp16 values
    CHECK(streamed.splits() == 1);
    CHECK_FALSE(kernel(compressed(nibbles), h11).streamed);             // no streaming master
    CHECK_FALSE(kernel(compressed(nibbles, {.stride = 2})).streamed);   // unit stride only
    CHECK_FALSE(kernel(compressed(nibbles, {.dilation = 2})).streamed); // no dilation
    CHECK_FALSE(kernel(compressed({.form = weight_form::affine, .bits = 8})).streamed);
    CHECK(kernel(compressed({.form = weight_form::affine, .bits = 8}), h14).streamed);
    CHECK_FALSE(kernel(compressed({.form = weight_form::palette, .bits = 6})).streamed);
    CHECK(kernel(compressed({.form = weight_form::palette, .bits = 6}), h14).streamed);
    CHECK_FALSE(kernel(compressed({.form = weight_form::blockwise, .bits = 4, .block = 32}), h14).streamed);
    CHECK(kernel(compressed({.form = weight_form::blockwise, .bits = 4, .block = 32}), h15).streamed);
    CHECK(kernel(compressed({.form = weight_form::sparse_palette, .bits = 4, .zeros = 0.5F})).streamed);

    // The right operand of a product: a weight passes the kernel memory; of two computed matrices the left one (R052).
    const extents y{32, 8};
    const dynamic_graph computed = one(
        op::matmul, transposed{}, {{op::input, {33, 1024}, contract{}}, {op::input, {1024, 8}, contract{}}}, {33, 8});
    CHECK(kernel(computed).demand == 33 * 1024 * 2);
    CHECK(kernel(computed).exceeds());
    const dynamic_graph stored =
        one(op::matmul, transposed{}, {{op::input, {32, 1024}, contract{}}, {op::weight, {1024, 8}, contract{}}}, y);
    CHECK(kernel(stored).demand == 1024 * 8 * 2);
    CHECK_FALSE(kernel(convolution({4, 4, 3, 3}, {}, 4, {1, 4, 62, 62}, op::input)).any());
}

TEST_CASE("bytes of compressed weights") {
    // The worked example of the weight facts: 12 elements, 8 of them zero: a mask of 2 bytes and 4 values.
    static_assert(compressed_bytes({.form = weight_form::sparse, .zeros = 8.0F / 12}, 12, 1) == 2 + 8);
    // (1/16 + density) of the dense size; 0.43 was measured at 63 % zeros (guide chapters 16 and 25).
    constexpr std::int64_t n = 1000000;
    constexpr std::int64_t masked = compressed_bytes({.form = weight_form::sparse, .zeros = 0.63F}, n, 1);
    CHECK(static_cast<double>(masked) / (2 * n) == doctest::Approx(1.0 / 16 + 0.37).epsilon(1e-5));
    CHECK(static_cast<double>(masked) / (2 * n) == doctest::Approx(0.43).epsilon(0.01));
    static_assert(compressed_bytes({.form = weight_form::palette, .bits = 4}, 65, 1) == 33 + 32);
    static_assert(compressed_bytes({.form = weight_form::palette, .bits = 8}, 1000, 1) == 1000 + 512);
    static_assert(compressed_bytes({.form = weight_form::palette, .bits = 4, .vector = 4}, 64, 1) == 8 + 128);
    static_assert(compressed_bytes({.form = weight_form::affine, .bits = 8}, 1000, 10) == 1000 + 20);
    static_assert(compressed_bytes({.form = weight_form::affine, .bits = 8, .zero_point = true}, 1000, 10) == 1030);
    static_assert(compressed_bytes({.form = weight_form::blockwise, .bits = 4, .block = 32}, 1024, 1) == 512 + 64);
    static_assert(compressed_bytes({.form = weight_form::sparse_palette, .bits = 4, .zeros = 0.5F}, 1024, 1) ==
                  128 + 256 + 32);
    static_assert(compressed_bytes({.form = weight_form::sparse_blockwise, .bits = 8, .block = 32, .zeros = 0.5F}, 1024,
                                   1) == 128 + 512 + 64);
}

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

TEST_CASE("branches that meet: one consumer, a chain, a tree") {
    const auto widest = [](const dynamic_graph& g) {
        const sequence<int> all = reconverging_branches(g);
        return *std::max_element(all.begin(), all.end());
    };
    std::vector<int> twelve(12);
    for (int i = 0; i < 12; ++i) {
        twelve[static_cast<std::size_t>(i)] = i + 1;
    }
    dynamic_graph wide = fan(12);
    wide.add_output(join(wide, op::concat, twelve), "y");
    CHECK(widest(wide) == 12);

    dynamic_graph chain = fan(12);
    int sum = 1;
    for (int i = 2; i <= 12; ++i) {
        sum = join(chain, op::add, {i % 2 == 0 ? sum : i, i % 2 == 0 ? i : sum});
    }
    chain.add_output(sum, "y");
    CHECK(reconverging_branches(chain)[static_cast<std::size_t>(sum)] == 12);
    CHECK(reconverging_branches(chain)[static_cast<std::size_t>(sum - 1)] == 2); // inside the chain: its own operands

    // A value that another operation reads ends the chain: 2 + ... at the reader, the rest from there.
    dynamic_graph cut = fan(12);
    sum = 1;
    int middle = 0;
    for (int i = 2; i <= 12; ++i) {
        sum = join(cut, op::add, {sum, i});
        middle = i == 6 ? sum : middle;
    }
    cut.add_output(sum, "y");
    cut.add_output(middle, "z");
    CHECK(reconverging_branches(cut)[static_cast<std::size_t>(middle)] == 6);
    CHECK(reconverging_branches(cut)[static_cast<std::size_t>(sum)] == 7); // the six as one value, and six more

    dynamic_graph tree = fan(16);
    std::vector<int> level(16);
    for (int i = 0; i < 16; ++i) {
        level[static_cast<std::size_t>(i)] = i + 1;
    }
    while (level.size() > 1) {
        std::vector<int> next;
        for (std::size_t i = 0; i < level.size(); i += 2) {
            next.push_back(join(tree, op::add, {level[i], level[i + 1]}));
        }
        level = next;
    }
    tree.add_output(level[0], "y");
    CHECK(widest(tree) == 2);

    dynamic_graph repeated = fan(3);
    repeated.add_output(join(repeated, op::concat, {1, 1, 2, 3, 3, 0, 0}), "y"); // 0 is the input
    CHECK(widest(repeated) == 3);
}

TEST_CASE("branches that meet: the definition on random graphs") {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        const dynamic_graph made = passes_test::random_graph(seed, 60);
        const graph_view g = made;
        std::vector<int> readers(g.nodes.size());
        for (const int o : g.operand_pool) {
            ++readers[static_cast<std::size_t>(o)];
        }
        for (const output_port& p : g.outputs) {
            ++readers[static_cast<std::size_t>(p.node)];
        }
        const auto carried = [&](int i) {
            std::vector<int> all;
            for (const int o : g.operands(i)) {
                const op kind = g[i].kind;
                const bool joins = is_binary(kind) || kind == op::concat;
                if (joins && g[o].kind == kind && readers[static_cast<std::size_t>(o)] == 1) {
                    all.push_back(o);
                }
            }
            return all.size() == 1 ? all[0] : -1;
        };
        std::vector<bool> inside(g.nodes.size());
        for (int i = 0; i < g.size(); ++i) {
            if (carried(i) >= 0) {
                inside[static_cast<std::size_t>(carried(i))] = true;
            }
        }
        const sequence<char> known = constant_nodes(g);
        const sequence<int> found = reconverging_branches(g);
        for (int i = 0; i < g.size(); ++i) {
            std::set<int> values;
            int link = i;
            while (link >= 0) {
                const int next = inside[static_cast<std::size_t>(i)] ? -1 : carried(link);
                for (const int o : g.operands(link)) {
                    if (o != next && !is_source(g[o].kind) && known[static_cast<std::size_t>(o)] == 0) {
                        values.insert(o);
                    }
                }
                link = next;
            }
            CHECK(found[static_cast<std::size_t>(i)] == static_cast<int>(values.size()));
        }
    }
}

TEST_CASE("a long chain takes time in proportion to its length") {
    // Quadratic work would be 10^10 steps here.
    dynamic_graph g = fan(100000);
    int sum = 1;
    for (int i = 2; i <= 100000; ++i) {
        sum = join(g, op::add, {sum, i});
    }
    g.add_output(sum, "y");
    CHECK(reconverging_branches(g)[static_cast<std::size_t>(sum)] == 100000);
    CHECK(live_bytes(g).size() == g.nodes.size());
}

TEST_CASE("the rows and the summary of a model") {
    // x 1 x 64 x 56 x 56; a 3x3 convolution of 64 channels, a relu, a mean, a 1x1 convolution to 200.
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 64, 56, 56>);
        auto y = relu(conv2d<conv{.padding = same}>(x, g.weight("a.weight"_s, f16<64, 64, 3, 3>)));
        auto pooled = reduce_mean<axes{2, 3}>(y);
        g.output("y"_s, conv2d(pooled, g.weight("b.weight"_s, f16<200, 64, 1, 1>)));
    });
    constexpr residency_summary s = summarize(residency(model, h13), h13);
    static_assert(s.largest.bytes == 401408 && s.streamed == 0 && s.edge == 0);
    static_assert(s.peak.bytes == 2 * 401408 && !s.partitioned);
    static_assert(s.kernel_bytes == 73728 + 25600 && s.extra_layers == 1); // 73728 bytes are two kernel memories
    static_assert(s.needed == 2 * 401408 + 128 + 400);
    static_assert(s.stored == 2 * 401408 + (64 + 200) * 16);
    static_assert(s.winograd == 1);
    static_assert(s.direct == std::int64_t{64} * 64 * 9 * 56 * 56 + 64 * 200);
    static_assert(s.transformed == std::int64_t{64} * 64 * 4 * 56 * 56 + 64 * 200);
    static_assert(s.widest == 1 && s.colliding == 0);

    const sequence<node_residency> rows = residency(model, h13);
    REQUIRE(rows.size() == 4);
    CHECK(rows[3].groups.step);
    CHECK(rows[3].lanes.wasted() == 0.875);
    CHECK(rows[0].banks.stride == 112);
    // The lowered graph has no more layers here than biases: none.
    CHECK(residency(lower(model).view(), h13).size() == 4);
    // A device of one's own.
    const target_description tiny = derive(m1, [](target_description& d) {
        d.memory.working_set_nominal = 400000;
        d.memory.working_set_measured = 0;
    });
    const residency_summary small = summarize(residency(model, tiny), tiny);
    CHECK(small.streamed == 3); // the convolution, the relu and the mean
    CHECK(small.partitioned);
}

TEST_CASE("a right operand of 2 MiB does not stay (R058, guide chapter 21)") {
    const auto streams = [](std::int64_t columns) {
        const dynamic_graph g =
            one(op::matmul, transposed{},
                {{op::input, {8, 1024}, contract{}}, {op::input, {1024, columns}, contract{}}}, {8, columns});
        return residency(g, h13)[0].right_operand_streams;
    };
    CHECK_FALSE(streams(1023));
    CHECK(streams(1024));
}

TEST_CASE("the report: a row for each operation, limits marked, colour on demand") {
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 64, 128, 160>);
        auto y = conv2d<conv{.padding = same}>(x, g.weight("a.weight"_s, f16<64, 64, 3, 3>));
        g.output("y"_s, conv2d<conv{.stride = 6}>(y, g.weight("b.weight"_s, f16<200, 64, 1, 1>)));
    });
    // 2 621 440 bytes for x and y: streamed on h13, above the nominal size on h17s. 73 728 bytes of weights.
    const residency_report m1_report(model, h13);
    const std::string text = m1_report.str();
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("residency on h13 (M1 base): on-chip memory 2.10 MB, streamed above 2.28 MB (measured), kernel "
                    "memory 65.5 kB (16.8 MB streamed)\n") == 0);
    std::istringstream lines(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) {
        all.push_back(line);
        CHECK((line.empty() || line.back() != ' '));
    }
    // The head, the titles, two rows; totals: operations, peak, weights, lanes, Winograd, marks (nothing reconverges).
    REQUIRE(all.size() == 10);
    const auto words = [](const std::string& line) {
        std::istringstream in(line);
        std::vector<std::string> w;
        for (std::string word; in >> word;) {
            w.push_back(word);
        }
        return w;
    };
    // Rows of 320 bytes are 20 granules: g = 4, 128 rows over 16 banks are 8 requests.
    CHECK(words(all[2]) == std::vector<std::string>{"conv2d", "#2", "[1,", "64,", "128,", "160]", "2.62", "MB!", "5.24",
                                                    "MB!", "73.7", "kB!", "2!", "0.0", "%", "8", "64", "2.25x"});
    // 22 x 27 results: rows of 54 bytes are stored as 64; 4 granules, 22 rows over 16 banks.
    CHECK(words(all[3]) == std::vector<std::string>{"conv2d",      "#4",   "[1,",     "200,", "22,",  "27]",
                                                    "2.62",        "MB!",  "2.86",    "MB!",  "25.6", "kB",
                                                    "1",           "15.6", "%",       "2",    "13!",  "stride",
                                                    "decomposed,", "a",    "further", "pass", "in",   "part"});
    CHECK(text.find("split into at least 1 more layers") != std::string::npos);
    CHECK(text.find("working set measured") != std::string::npos);

    CHECK(m1_report.str(true).find("\x1b[1;31m2.62 MB!\x1b[0m") != std::string::npos);
    const std::string m5_text = residency_report(model, h17s).str();
    CHECK(m5_text.find("2.62 MB!") == std::string::npos);
    CHECK(m5_text.find("above the nominal size") != std::string::npos);
    CHECK(m5_text.find("no: target") != std::string::npos);
    CHECK(residency_report(model, h14).str().find("working set decompiled") != std::string::npos);

    std::ostringstream stream;
    stream << m1_report;
    CHECK(stream.str() == text);
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    m1_report.print(file);
    std::string written(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    CHECK(std::fread(written.data(), 1, written.size(), file) == written.size());
    std::fclose(file);
    CHECK(written == text);
}

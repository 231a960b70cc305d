// The families memory and layout: both sides of each limit. Working set, interleave and granule are in extent.cpp.

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/rules/conforms.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <vector>

using namespace one_node;

namespace {

dynamic_graph relu_over(const extents& shape) { return make(op::relu, no_attributes{}, {in(shape)}); }
dynamic_graph conv_of(const extents& kernel, conv values = {}, extents x = {1, 64, 32, 32}) {
    return make(op::conv2d, values, {in(x), weight(kernel)});
}
/// A 1x1 convolution whose weight is stored in a compressed form.
dynamic_graph compressed_conv(std::int64_t out, std::int64_t channels, const compression& form, conv values = {}) {
    dynamic_graph g = make(op::conv2d, values, {in({1, channels, 8, 8}), weight({out, channels, 1, 1})});
    g.nodes[1].kind = op::compressed;
    g.nodes[1].attributes = form;
    return g;
}
/// `count` branches from one input, joined by one concatenation or by a chain of additions.
dynamic_graph branches_of(int count, op join) {
    dynamic_graph g = make(op::relu, no_attributes{}, {in({1, 8})});
    std::vector<int> operands{1};
    for (int i = 1; i < count; ++i) {
        operands.push_back(g.append(g.nodes[1], std::array{0}));
    }
    node n;
    n.kind = join;
    n.shape = {1, 8};
    if (join == op::concat) {
        n.attributes = axis{0};
        n.shape = {count, 8};
        g.add_output(g.append(n, operands), "z");
        return g;
    }
    int sum = 1;
    for (int i = 1; i < count; ++i) {
        sum = g.append(n, std::array{sum, operands[static_cast<std::size_t>(i)]});
    }
    g.add_output(sum, "z");
    return g;
}

// Two values of 1 MiB are alive together; a third makes it too much for the on-chip memory of 2 MiB.
constexpr auto two_alive = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8, 256, 256>);
    auto y = relu(x);
    g.output("y"_s, exp(y));
});
constexpr auto three_alive = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8, 256, 256>);
    auto y = relu(x);
    g.output("y"_s, exp(y) + y);
});

constexpr auto chain_of_12 = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8>);
    auto sum = relu(x);
    for (int i = 1; i < 12; ++i) {
        sum = sum + exp(x);
    }
    g.output("y"_s, sum);
});
constexpr auto chain_of_11 = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8>);
    auto sum = relu(x);
    for (int i = 1; i < 11; ++i) {
        sum = sum + exp(x);
    }
    g.output("y"_s, sum);
});

static_assert(conforms<three_alive, h13>); // a note
static_assert(!conforms<three_alive, h13, as_error(rule::live_set_exceeds)>);
static_assert(conforms<two_alive, h13, as_error(rule::live_set_exceeds)>);
static_assert(conforms<chain_of_12, macs>); // a warning
static_assert(!conforms<chain_of_12, macs, as_error(rule::fan_in_exceeds)>);
static_assert(conforms<chain_of_11, macs, as_error(rule::fan_in_exceeds)>);
static_assert(conforms<chain_of_12, macs, as_error(rule::fan_in_exceeds) | waive(rule::fan_in_exceeds)>);

} // namespace

TEST_CASE("R110: between the nominal size and the measured knee") {
    CHECK_KEEPS(relu_over({1, 1, 1024, 1024}), working_set_exceeds_nominal, h13);
    CHECK_BREAKS(relu_over({1, 1, 1025, 1024}), working_set_exceeds_nominal, h13, 2099200, 2097152);
    CHECK_BREAKS(relu_over({1, 1, 1140, 1000}), working_set_exceeds_nominal, h13, 2280000, 2097152);
    CHECK_KEEPS(relu_over({1, 1, 1141, 1000}), working_set_exceeds_nominal, h13); // the warning has it
    CHECK_BREAKS(relu_over({1, 1, 1141, 1000}), working_set_exceeds, h13, 2282000, 2280000);
    CHECK_KEEPS(relu_over({1, 1, 1025, 1024}), working_set_exceeds_nominal, h14); // nobody measured a knee
    CHECK_BREAKS(relu_over({1, 1, 2360, 1000}), working_set_exceeds_nominal, h17s, 4720000, 2097152);
    // A note is no error unless a policy says so.
    CHECK(record_of(rule::working_set_exceeds_nominal).level == severity::note);
    CHECK(accepts(relu_over({1, 1, 1025, 1024}), describe(h13)));
    CHECK_FALSE(accepts(relu_over({1, 1, 1025, 1024}), describe(h13), as_error(rule::working_set_exceeds_nominal)));
    // The largest operand counts, wherever it stands.
    const dynamic_graph wide =
        make(op::linear, no_attributes{}, {in({1, 4096}), weight({4096, 4096})}); // guide chapter 21: 32 MiB
    CHECK_BREAKS(wide, working_set_exceeds, h13, 32 << 20, 2280000);
}

TEST_CASE("the live set, told where it begins") {
    CHECK_KEEPS(two_alive, live_set_exceeds, h13); // 2 MiB
    const violation v = find(three_alive, rule::live_set_exceeds);
    CHECK(v.broken);
    CHECK(v.got == 3 << 20);
    CHECK(v.limit == 2 << 20);
    CHECK(v.node == 3); // the addition: both of its operands and its result
    int told = 0;
    for (const violation& each : violations(three_alive, h13)) {
        told += each.rule == rule::live_set_exceeds ? 1 : 0;
    }
    CHECK(told == 1);
    // An input alone.
    CHECK_BREAKS(relu_over({1, 8, 512, 512}), live_set_exceeds, h13, 4 << 20, 2 << 20);
    CHECK_BREAKS(two_alive, live_set_exceeds, m9, 2 << 20, 1 << 20);
}

TEST_CASE("R057: kernel memory, dense and streamed") {
    const compression nibbles{.form = weight_form::palette, .bits = 4};
    CHECK_KEEPS(conv_of({512, 64, 1, 1}), weights_exceed_kernel_memory, h13); // 65536 bytes
    CHECK_BREAKS(conv_of({513, 64, 1, 1}), weights_exceed_kernel_memory, h13, 65664, 65536);
    CHECK_BREAKS(compressed_conv(513, 64, {.form = weight_form::affine, .bits = 8}), weights_exceed_kernel_memory, h13,
                 65664, 65536); // expanded on the M1
    CHECK_KEEPS(compressed_conv(513, 64, nibbles), weights_exceed_kernel_memory, h13);
    CHECK_BREAKS(compressed_conv(513, 64, nibbles, {.stride = 2}), weights_exceed_kernel_memory, h13, 65664, 65536);
    // Half a byte for each element and a table of 32 bytes: 16 MiB is reached with 2^25 - 64 elements.
    CHECK_KEEPS(compressed_conv((1 << 19) - 1, 64, nibbles), weights_exceed_kernel_memory, h13);
    CHECK_BREAKS(compressed_conv(1 << 19, 64, nibbles), weights_exceed_kernel_memory, h13, (16 << 20) + 32, 16 << 20);
    CHECK_KEEPS(compressed_conv(1 << 19, 64, nibbles), weights_exceed_kernel_memory, h14);

    const auto product = [](const source& right) { return make(op::matmul, transposed{}, {in({4, 1024}), right}); };
    CHECK_KEEPS(product(weight({1024, 32})), weights_exceed_kernel_memory, h13);
    CHECK_BREAKS(product(weight({1024, 33})), weights_exceed_kernel_memory, h13, 67584, 65536);
    CHECK_KEEPS(product(in({1024, 33})), weights_exceed_kernel_memory, h13); // computed: no weight
}

TEST_CASE("R113: twelve branches, whatever joins them") {
    for (const op join : {op::concat, op::add, op::mul, op::maximum}) {
        CAPTURE(name(join));
        CHECK_KEEPS(branches_of(11, join), fan_in_exceeds, h13);
        CHECK_BREAKS(branches_of(12, join), fan_in_exceeds, h13, 12, 11);
        CHECK_BREAKS(branches_of(40, join), fan_in_exceeds, h17s, 40, 11);
    }
    // One value read twelve times is one branch, and inputs are none.
    dynamic_graph same_value = make(op::relu, no_attributes{}, {in({1, 8})});
    node n;
    n.kind = op::concat;
    n.attributes = axis{0};
    n.shape = {12, 8};
    same_value.append(n, std::vector<int>(12, 1));
    CHECK_KEEPS(same_value, fan_in_exceeds, h13);
    const dynamic_graph inputs = make(op::concat, axis{0}, std::vector<source>(12, in({1, 8})));
    CHECK_KEEPS(inputs, fan_in_exceeds, h13);
    CHECK(find(branches_of(12, op::add), rule::fan_in_exceeds).node == 23); // the last addition
}

TEST_CASE("rows that share a bank") {
    CHECK_KEEPS(relu_over({1, 4, 8, 504}), rows_share_a_bank, h13);
    CHECK_BREAKS(relu_over({1, 4, 8, 512}), rows_share_a_bank, h13, 1024, 1024); // 64 granules
    CHECK_KEEPS(relu_over({1, 4, 8, 520}), rows_share_a_bank, h13);
    CHECK_BREAKS(relu_over({1, 4, 8, 511}), rows_share_a_bank, h13, 1024, 1024); // stored as 1024 bytes
    CHECK_KEEPS(relu_over({1, 4, 8, 768}), rows_share_a_bank, h13);              // 96 granules: two banks
    CHECK_BREAKS(relu_over({1, 4, 8, 1024}), rows_share_a_bank, h13, 2048, 1024);
    CHECK_KEEPS(relu_over({1, 4, 1, 512}), rows_share_a_bank, h13); // one row
    CHECK_BREAKS(relu_over({1, 4, 8, 32}), rows_share_a_bank, m9, 64, 64);
    CHECK_FALSE(accepts(relu_over({1, 4, 8, 512}), describe(h13), as_error(rule::rows_share_a_bank)));
}

TEST_CASE("R048: a 1x1 convolution between 192 and 256 output channels") {
    for (const std::int64_t channels : {8, 192, 256, 512}) {
        CHECK_KEEPS(conv_of({channels, 64, 1, 1}), output_channels_cross_a_pass, h13);
    }
    CHECK_BREAKS(conv_of({193, 64, 1, 1}), output_channels_cross_a_pass, h13, 193, 192);
    CHECK_BREAKS(conv_of({255, 64, 1, 1}), output_channels_cross_a_pass, h13, 255, 192);
    CHECK_BREAKS(conv_of({257, 64, 1, 1}), output_channels_cross_a_pass, h17s, 257, 192);
    CHECK_KEEPS(conv_of({200, 64, 3, 3}), output_channels_cross_a_pass, h13);
    CHECK_KEEPS(conv_of({200, 64, 1, 3}), output_channels_cross_a_pass, h13);
}

TEST_CASE("R047: a 3x3 convolution off the Winograd path") {
    CHECK_KEEPS(conv_of({8, 64, 3, 3}), winograd_needs_unit_stride, h13);
    CHECK_BREAKS(conv_of({8, 64, 3, 3}, {.stride = 2}), winograd_needs_unit_stride, h13, 2, 1);
    CHECK_BREAKS(conv_of({8, 64, 3, 3}, {.dilation = {1, 3}}), winograd_needs_unit_stride, h13, 3, 1);
    CHECK_KEEPS(conv_of({8, 64, 5, 5}, {.stride = 2}), winograd_needs_unit_stride, h13);
    CHECK_KEEPS(conv_of({8, 64, 3, 3}, {.stride = 2}), winograd_needs_unit_stride, h14); // no bit is known there
}

TEST_CASE("R073: a bound that nobody knows is advice, not a check") {
    const rule_record& r = record_of(rule::max_pool_channels_are_tiled);
    CHECK(r.scope == rule_scope::advice);
    CHECK_KEEPS(make(op::max_pool, pool{.kernel = 2}, {in({1, 65536, 4, 4})}), max_pool_channels_are_tiled, h13);
}

TEST_CASE("targets of equal figures get the same findings of these families") {
    const std::vector<dynamic_graph> graphs{
        relu_over({1, 8, 512, 512}),
        relu_over({1, 1, 1140, 1000}),
        conv_of({513, 64, 1, 1}, {.stride = 2}),
        conv_of({8, 64, 3, 3}, {.stride = 2}),
        conv_of({200, 64, 1, 1}),
        compressed_conv(513, 64, {.form = weight_form::palette, .bits = 6}),
        compressed_conv(513, 64, {.form = weight_form::palette, .bits = 4}),
        branches_of(12, op::add),
    };
    for (const rule r : {rule::working_set_exceeds_nominal, rule::live_set_exceeds, rule::weights_exceed_kernel_memory,
                         rule::fan_in_exceeds, rule::rows_share_a_bank, rule::output_channels_cross_a_pass,
                         rule::winograd_needs_unit_stride}) {
        CAPTURE(name(r));
        const policy p = as_error(r);
        for (const target a : all_targets) {
            for (const target b : all_targets) {
                if (a < b && detail::figures_for_rules(describe(a), p) == detail::figures_for_rules(describe(b), p)) {
                    for (const dynamic_graph& g : graphs) {
                        CHECK(find(g, r, a, p).broken == find(g, r, b, p).broken);
                        CHECK(find(g, r, a, p).got == find(g, r, b, p).got);
                        CHECK(find(g, r, a, p).limit == find(g, r, b, p).limit);
                    }
                }
            }
        }
    }
}

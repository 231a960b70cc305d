// Ranks, extents and element types.

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/passes/print.hpp"
#include "anemone/rules/acceptance.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <vector>

using namespace one_node;

namespace {
dynamic_graph relu_of(const extents& shape, dtype type = dtype::f16) {
    return make(op::relu, no_attributes{}, {{op::input, shape, {}, type}});
}
} // namespace

TEST_CASE("R010: rank five") {
    CHECK_KEEPS(relu_of({1, 1, 2, 2, 2}), rank_exceeds_five, h13);
    CHECK_BREAKS(relu_of({1, 1, 1, 2, 2, 2}), rank_exceeds_five, h13, 6, 5);
}

TEST_CASE("R015 R016 R017 R020: extents by axis and generation") {
    for (const target t : {h13, h14, h15, m11}) {
        CHECK_KEEPS(relu_of({16384}), tensor_width_exceeds, t);
        CHECK_BREAKS(relu_of({16385}), tensor_width_exceeds, t, 16385, 16384);
        CHECK_KEEPS(relu_of({16384, 8}), tensor_height_exceeds, t);
        CHECK_BREAKS(relu_of({16385, 8}), tensor_height_exceeds, t, 16385, 16384);
        CHECK_KEEPS(relu_of({1, 16384, 2, 2, 2}), tensor_depth_exceeds, t);
        CHECK_BREAKS(relu_of({1, 16385, 2, 2, 2}), tensor_depth_exceeds, t, 16385, 16384);
    }
    for (const target t : {h16, h17, h18}) {
        CHECK_KEEPS(relu_of({65536}), tensor_width_exceeds, t);
        CHECK_BREAKS(relu_of({65537}), tensor_width_exceeds, t, 65537, 65536);
        CHECK_BREAKS(relu_of({1, 65537, 2, 2, 2}), tensor_depth_exceeds, t, 65537, 65536);
    }
    CHECK_KEEPS(relu_of({1, 65536, 2, 2}), tensor_channels_exceed, h13);
    CHECK_BREAKS(relu_of({1, 65537, 2, 2}), tensor_channels_exceed, h13, 65537, 65536);
    CHECK_KEEPS(relu_of({65536, 1, 1, 1}), tensor_batch_exceeds, h13);
    CHECK_BREAKS(relu_of({65537, 1, 1, 1}), tensor_batch_exceeds, h13, 65537, 65536);
    CHECK_BREAKS(relu_of({4097, 1, 1, 1}), tensor_batch_exceeds, h12, 4097, 4096);
    CHECK_BREAKS(relu_of({1, 2, 2, 2, 2}), tensor_depth_exceeds, h12, 2, 1);
}

TEST_CASE("R018: a convolution's channels escape 16384") {
    const dynamic_graph g = make(op::conv2d, conv{}, {in({1, 16385, 4, 4}), weight({16385, 16385, 1, 1})});
    CHECK(accepts(g, describe(h13)));
}

TEST_CASE("R019: no empty axis") {
    CHECK_KEEPS(relu_of({1, 1}), extent_is_zero, h13);
    CHECK_BREAKS(relu_of({4, 0}), extent_is_zero, h13, 1, 1);
}

TEST_CASE("R001 R002: element types") {
    CHECK_KEEPS(relu_of({8}), element_type_is_not_f16, h13);
    CHECK_BREAKS(relu_of({8}, dtype::f32), element_type_is_not_f16, h13, 4, 3);
    CHECK_BREAKS(relu_of({8}, dtype::int8), element_type_is_not_f16, h18, 2, 3);
    // A port of int8 whose codes are dequantized: from A15 on (docs/conflicts.md).
    const dynamic_graph codes = make(op::dequantize, quantization{.type = dtype::int8, .axis = 0},
                                     {{op::input, {8}, {}, dtype::int8}, {op::constant, {}, {}, dtype::f16}});
    CHECK_FALSE(breaks(codes, rule::element_type_is_not_f16, h15));
    CHECK(breaks(codes, rule::element_type_is_not_f16, h14));
    CHECK_KEEPS(relu_of({8}, dtype::uint8), element_type_is_not_f16, h13);
    CHECK_BREAKS(relu_of({8}, dtype::uint8), uint8_reaches_arithmetic, h13, 0, 0);
    const dynamic_graph returned = build_graph([](auto& g) { g.output("y"_s, g.input("x"_s, u8<8>)); });
    CHECK(breaks(returned, rule::element_type_is_not_f16));
    const dynamic_graph reshaped = build_graph([](auto& g) {
        auto pixels = g.input("x"_s, u8<8>);
        g.output("y"_s, to_f16(reshape<2, 4>(pixels)));
    });
    CHECK_FALSE(breaks(reshaped, rule::element_type_is_not_f16));
    CHECK_FALSE(breaks(reshaped, rule::uint8_reaches_arithmetic));
    const dynamic_graph image = make(op::cast, no_attributes{}, {{op::input, {1, 3, 8, 8}, {}, dtype::uint8}});
    CHECK(accepts(image, describe(h13)));
}

TEST_CASE("R101 R103 R104: lanes that stay empty") {
    CHECK_KEEPS(relu_of({1, 6, 8, 8}), channels_do_not_interleave, h13);
    CHECK_BREAKS(relu_of({1, 5, 8, 8}), channels_do_not_interleave, h13, 5, 8);
    CHECK_KEEPS(relu_of({1, 1, 8, 8}), channels_do_not_interleave, h13);
    CHECK_KEEPS(relu_of({1, 4, 8, 16}), width_is_not_a_granule, h13);
    CHECK_BREAKS(relu_of({1, 4, 8, 12}), width_is_not_a_granule, h13, 24, 16);
    CHECK_KEEPS(relu_of({1, 4, 8, 12}), width_is_not_a_granule, m9); // a granule of one byte
    CHECK_KEEPS(relu_of({1, 4, 8, 2}), width_is_one, h13);
    CHECK_BREAKS(relu_of({1, 4, 8, 1}), width_is_one, h13, 4, 16);
    CHECK_KEEPS(relu_of({1, 1, 8, 1}), width_is_one, h13);
}

TEST_CASE("R110: the working set, measured before nominal") {
    CHECK_KEEPS(relu_of({1, 1, 1024, 1024}), working_set_exceeds, h14); // 2 MiB exactly
    CHECK_BREAKS(relu_of({1, 1, 1025, 1024}), working_set_exceeds, h14, 2099200, 2097152);
    CHECK_KEEPS(relu_of({1, 1, 1140, 1000}), working_set_exceeds, h13); // 2.28 MB
    CHECK_BREAKS(relu_of({1, 1, 1141, 1000}), working_set_exceeds, h13, 2282000, 2280000);
    CHECK_KEEPS(relu_of({1, 1, 2360, 1000}), working_set_exceeds, h17s); // 4.72 MB
    CHECK_BREAKS(relu_of({1, 1, 2361, 1000}), working_set_exceeds, h17s, 4722000, 4720000);
    CHECK(accepts(relu_of({1, 1, 2361, 1000}), describe(h13))); // a warning
    CHECK_FALSE(accepts(relu_of({1, 1, 2361, 1000}), describe(h13), as_error(rule::working_set_exceeds)));
}

// The search does not ask such shapes rule by rule, so none of those rules may have something to say of them.
TEST_CASE("a small shape breaks no rule of extents, on any target") {
    std::mt19937 random(20261121);
    const std::int64_t interesting[] = {-1, 0, 1, 2, 4088, 4095, 4096, 4097, 16376, 16384, 16385, 65535, 65536, 65537};
    int small = 0;
    for (int i = 0; i < 4000; ++i) {
        extents shape;
        for (int rank = static_cast<int>(random() % 7); rank > 0; --rank) {
            shape.append(interesting[random() % std::size(interesting)]);
        }
        CAPTURE(print(shape));
        const dynamic_graph g = relu_of(shape);
        const graph_view view = g;
        const std::vector<interval> known(2); // these rules read shapes only; such shapes have no sizes to compute with
        const std::vector<int> read(2, 1);
        const auto check = [&](const target_description& d) {
            if (!rules::is_small(shape, rules::small_shape_on(d))) {
                return;
            }
            ++small;
            const subject s{view, 1, view[1], d, known, read, compile_route::any};
            for (const rule_record& r : rules::extent) {
                CHECK_FALSE(r.check(s).broken);
            }
        };
        for (const target t : all_targets) {
            check(describe(t));
        }
        check(derive(describe(h13), [](auto& d) {
            d.limits.max_rank = 2;
            d.limits.tensor_c = 3;
        }));
    }
    CHECK(small > 10000);
}

// Rules of the other operations, on each side of their limits.

#include "one_node.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace one_node;

TEST_CASE("R012 R050: ranks of matrix products") {
    const auto product = [](const extents& a, const extents& b) {
        return make(op::matmul, transposed{}, {in(a), in(b)});
    };
    CHECK_KEEPS(product({2, 3, 4, 5}, {2, 3, 5, 6}), matmul_rank_exceeds_four, h13);
    CHECK_BREAKS(product({1, 1, 3, 4, 5}, {1, 1, 3, 5, 6}), matmul_rank_exceeds_four, h13, 5, 4);
    CHECK_KEEPS(product({1, 1, 3, 4, 5}, {1, 1, 3, 5, 6}), matmul_depth_exceeds_one, h13);
    CHECK_BREAKS(product({1, 2, 3, 4, 5}, {1, 2, 3, 5, 6}), matmul_depth_exceeds_one, h13, 2, 1);
}

TEST_CASE("R054: linear takes rank four") {
    CHECK_KEEPS(make(op::linear, no_attributes{}, {in({1, 2, 3, 8}), weight({4, 8})}), linear_rank_exceeds_four, h13);
    CHECK_BREAKS(make(op::linear, no_attributes{}, {in({1, 1, 2, 3, 8}), weight({4, 8})}), linear_rank_exceeds_four,
                 h13, 5, 4);
}

TEST_CASE("R052 R058: memory of matrix products") {
    const auto product = [](std::int64_t m, std::int64_t k, std::int64_t n) {
        return make(op::matmul, transposed{}, {in({m, k}), in({k, n})});
    };
    CHECK_KEEPS(product(32, 1024, 8), matmul_exceeds_kernel_memory, h13); // 64 KiB
    CHECK_BREAKS(product(33, 1024, 8), matmul_exceeds_kernel_memory, h13, 67584, 65536);
    CHECK_KEEPS(product(8, 1024, 1023), right_operand_is_not_resident, h13);
    CHECK_BREAKS(product(8, 1024, 1024), right_operand_is_not_resident, h13, 2097152, 2097151);
}

TEST_CASE("R060 R184 R185: windows") {
    const auto pool_of = [](op kind, pool a, const extents& x) { return make(kind, resolve(a, x), {in(x)}); };
    CHECK_KEEPS(pool_of(op::max_pool, {.kernel = 8, .stride = 1}, {1, 4, 8, 8}), pool_window_exceeds_input, h13);
    CHECK_BREAKS(pool_of(op::max_pool, {.kernel = {2, 9}, .stride = 1, .padding = 1}, {1, 4, 8, 8}),
                 pool_window_exceeds_input, h13, 9, 8);
    CHECK_KEEPS(pool_of(op::max_pool, {.kernel = 3, .stride = 2}, {1, 4, 12, 12}), pool_stride_is_three, h13);
    CHECK_BREAKS(pool_of(op::max_pool, {.kernel = 3}, {1, 4, 12, 12}), pool_stride_is_three, h13, 3, 2);
    CHECK_KEEPS(pool_of(op::avg_pool, {.kernel = 3}, {1, 4, 12, 12}), pool_stride_is_three, h13);
    CHECK_KEEPS(pool_of(op::avg_pool, {.kernel = 2}, {1, 4, 12, 12}), pool_extent_is_not_a_multiple_of_its_stride, h13);
    CHECK_BREAKS(pool_of(op::avg_pool, {.kernel = 2}, {1, 4, 12, 13}), pool_extent_is_not_a_multiple_of_its_stride, h13,
                 13, 2);
    CHECK_BREAKS(pool_of(op::avg_pool, {.kernel = 2}, {1, 4, 11, 12}), pool_extent_is_not_a_multiple_of_its_stride, h13,
                 11, 2);
    CHECK_KEEPS(pool_of(op::avg_pool, {.kernel = {29, 2}, .stride = 1}, {1, 4, 64, 64}), pool_window_is_not_native,
                h13);
    CHECK_BREAKS(pool_of(op::avg_pool, {.kernel = {30, 2}, .stride = 1}, {1, 4, 64, 64}), pool_window_is_not_native,
                 h13, 30, 29);
    CHECK_KEEPS(pool_of(op::avg_pool, {.kernel = 31, .stride = 1}, {1, 4, 64, 64}), pool_window_is_not_native, h14);
    CHECK(accepts(pool_of(op::avg_pool, {.kernel = 40, .stride = 1}, {1, 4, 64, 64}), describe(h13)));
}

TEST_CASE("R067 R070: reductions") {
    CHECK_KEEPS(make(op::arg_max, axis{1}, {in({4, 2048})}), arg_reduction_axis_exceeds, h13);
    CHECK_BREAKS(make(op::arg_max, axis{1}, {in({4, 2049})}), arg_reduction_axis_exceeds, h13, 2049, 2048);
    CHECK_BREAKS(make(op::arg_min, axis{0}, {in({2049, 4})}), arg_reduction_axis_exceeds, h17s, 2049, 2048);
    CHECK_KEEPS(make(op::reduce_sum, axes{4}, {in({1, 1, 2, 2, 8})}), reduced_axis_exceeds_four, h13);
    CHECK_BREAKS(make(op::reduce_sum, axes{5}, {in({1, 1, 1, 2, 2, 8})}), reduced_axis_exceeds_four, h13, 5, 4);
}

TEST_CASE("R021 R022 R189: transposes") {
    const auto moved = [](permutation p, const extents& x) { return make(op::transpose, p, {in(x)}); };
    CHECK_KEEPS(moved({0, 2, 1}, {16384, 4, 4}), transposed_extent_exceeds, h13);
    CHECK_KEEPS(moved({0, 2, 1, 3}, {1, 16384, 4, 4}), transposed_extent_exceeds, h13);
    CHECK_BREAKS(moved({0, 2, 1, 3}, {1, 16385, 4, 4}), transposed_extent_exceeds, h13, 16385, 16384);
    CHECK_KEEPS(moved({0, 1, 3, 2}, {1, 16385, 4, 4}), transposed_extent_exceeds, h13); // the long axis stays
    CHECK_KEEPS(moved({0, 2, 1, 3}, {1, 65536, 4, 4}), transposed_extent_exceeds, h17s);
    CHECK_BREAKS(moved({0, 2, 1, 3}, {1, 65537, 4, 4}), transposed_extent_exceeds, h17s, 65537, 65536);

    CHECK_KEEPS(moved({0, 3, 2, 1}, {1, 24, 1, 7}), channel_transpose_is_not_native, h12);
    CHECK_BREAKS(moved({0, 3, 2, 1}, {1, 10, 1, 7}), channel_transpose_is_not_native, h12, 10, 0);
    CHECK_BREAKS(moved({0, 2, 1, 3}, {1, 8, 2, 7}), channel_transpose_is_not_native, h12, 8, 0);
    CHECK_KEEPS(moved({0, 1, 3, 2}, {1, 10, 2, 7}), channel_transpose_is_not_native, h12);
    CHECK_KEEPS(moved({0, 3, 2, 1}, {1, 10, 1, 7}), channel_transpose_is_not_native, h13);

    CHECK_KEEPS(moved({1, 0, 2, 3}, {2, 1, 4, 4}), batch_transpose_has_channels, h13);
    CHECK_BREAKS(moved({1, 0, 2, 3}, {2, 3, 4, 4}), batch_transpose_has_channels, h13, 3, 1);
    CHECK_KEEPS(moved({1, 0, 2, 3}, {1, 3, 4, 4}), batch_transpose_has_channels, h13);
}

TEST_CASE("R023: concat") {
    const auto joined = [](std::vector<source> parts, int along) { return make(op::concat, axis{along}, parts); };
    CHECK_KEEPS(joined({in({1, 50000}), in({1, 50351})}, 1), concat_row_exceeds, h17s);
    CHECK_BREAKS(joined({in({1, 50000}), in({1, 50352})}, 1), concat_row_exceeds, h17s, 100352, 100351);
}

TEST_CASE("R096: padding") {
    const auto padded = [](pads p) { return make(op::pad, p, {in({1, 4, 8, 8}), {op::weight, {}}}); };
    CHECK_KEEPS(padded({{0, 0, 1, 1}, {0, 0, 1, 2}}), padding_is_not_on_height_or_width, h13);
    CHECK_BREAKS(padded({{0, 1, 0, 0}, {0, 0, 0, 0}}), padding_is_not_on_height_or_width, h13, 1, 2);
    CHECK_BREAKS(padded({{0, 0, 0, 0}, {1, 0, 0, 0}}), padding_is_not_on_height_or_width, h13, 0, 2);
}

TEST_CASE("R090 R091: slices that begin inside the last axis") {
    const auto cut = [](std::int64_t begin, contract promise) {
        return make(op::slice, window{{0, begin}, {4, 2}}, {in({4, 8}, promise)});
    };
    CHECK_KEEPS(cut(1, bounded(4094)), width_slice_may_saturate, h13);
    CHECK_BREAKS(cut(1, within(0, 4096)), width_slice_may_saturate, h13, 4096, 4094);
    CHECK_BREAKS(cut(1, within(-4096, 0)), width_slice_may_saturate, h14, 4096, 4094);
    CHECK_BREAKS(cut(1, {}), width_slice_may_saturate, h13, 65504, 4094);
    CHECK_KEEPS(cut(0, {}), width_slice_may_saturate, h13);
    for (const target t : {h15, h16g, h17s, m11}) {
        CHECK_KEEPS(cut(1, {}), width_slice_may_saturate, t);
    }
    // An operation in between can prove what the input does not promise.
    dynamic_graph g = make(op::sigmoid, no_attributes{}, {in({4, 8})});
    node n;
    n.kind = op::slice;
    n.attributes = window{{0, 1}, {4, 2}};
    n.shape = {4, 2};
    const int operands[] = {1};
    g.append(n, operands);
    CHECK_KEEPS(g, width_slice_may_saturate, h13);
}

TEST_CASE("R092: two such slices, joined") {
    for (const std::int64_t begin : {0, 2}) {
        dynamic_graph g = make(op::slice, window{{0, 1}, {4, 2}}, {in({4, 8}, within(0, 1))});
        node n;
        n.kind = op::slice;
        n.attributes = window{{0, begin}, {4, 2}};
        n.shape = {4, 2};
        const int from[] = {0};
        g.append(n, from);
        n.kind = op::concat;
        n.shape = {4, 4};
        n.attributes = axis{1};
        const int parts[] = {1, 2};
        g.append(n, parts);
        CHECK(breaks(g, rule::width_slices_are_joined, h13) == (begin == 2));
        CHECK_KEEPS(g, width_slices_are_joined, h15);
        g.nodes.back().attributes = axis{0};
        CHECK_KEEPS(g, width_slices_are_joined, h13);
    }
}

TEST_CASE("R083 R084 R085 R086: attention") {
    const auto attend = [](std::int64_t queries, std::int64_t keys) {
        return make(op::attention, score_scaling{1},
                    {in({1, 2, queries, 64}), in({1, 2, keys, 64}), in({1, 2, keys, 64})});
    };
    CHECK_KEEPS(attend(16, 2048), attention_sequence_exceeds, h13);
    CHECK_BREAKS(attend(16, 2049), attention_sequence_exceeds, h13, 2049, 2048);
    CHECK_BREAKS(attend(2049, 16), attention_sequence_exceeds, h13, 2049, 2048);
    CHECK_KEEPS(attend(511, 1024), attention_is_too_square, h13);
    CHECK_BREAKS(attend(512, 1024), attention_is_too_square, h13, 512, 511);

    const auto masked = [](const extents& mask) {
        return make(op::attention, score_scaling{1},
                    {in({1, 2, 8, 64}), in({1, 2, 16, 64}), in({1, 2, 16, 64}), in(mask)});
    };
    CHECK_KEEPS(masked({1, 1, 8, 16}), attention_mask_is_not_shared, h13);
    CHECK_BREAKS(masked({1, 2, 8, 16}), attention_mask_is_not_shared, h13, 1, 4);
    CHECK_BREAKS(masked({1, 1, 1, 16}), attention_mask_is_not_shared, h13, 2, 4);

    const auto shaped = [](const extents& q, const extents& k, const extents& v) {
        return make(op::attention, score_scaling{1}, {in(q), in(k), in(v)}, q, true);
    };
    CHECK_KEEPS(shaped({1, 8, 64}, {1, 16, 64}, {1, 16, 64}), attention_value_shape_differs, h13);
    CHECK_BREAKS(shaped({1, 8, 64}, {1, 16, 64}, {1, 16, 32}), attention_value_shape_differs, h13, 0, 0);
    CHECK_KEEPS(shaped({1, 1, 8, 64}, {1, 1, 8, 64}, {1, 1, 8, 64}), attention_rank_exceeds_four, h13);
    CHECK_BREAKS(shaped({1, 1, 1, 8, 64}, {1, 1, 1, 8, 64}, {1, 1, 1, 8, 64}), attention_rank_exceeds_four, h13, 5, 4);
}

TEST_CASE("attention with one or two queries, whole and in parts") {
    for (const std::int64_t queries : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}}) {
        const dynamic_graph whole =
            make(op::attention, score_scaling{1}, {in({1, 2, queries, 64}), in({1, 2, 16, 64}), in({1, 2, 16, 64})},
                 {1, 2, queries, 64}, true);
        CHECK(one_node::breaks(whole, rule::attention_has_few_queries, h17s) == (queries <= 2));
        // A product with a weight is a layer and no scores; a softmax over another axis weighs no keys.
        const auto product = [&](const source& right) {
            return then(sources_of({in({queries, 64}), right}), op::matmul, transposed{}, {0, 1});
        };
        const dynamic_graph scores = then(product(in({64, 16})), op::softmax, axis{-1}, {2});
        CHECK(one_node::breaks(scores, rule::attention_has_few_queries, h17s) == (queries <= 2));
        const dynamic_graph classes = then(product(one_node::weight({64, 16})), op::softmax, axis{-1}, {2});
        CHECK_KEEPS(classes, attention_has_few_queries, h17s);
        CHECK_KEEPS(then(product(in({64, 16})), op::softmax, axis{0}, {2}), attention_has_few_queries, h17s);
    }
    CHECK_KEEPS(make(op::softmax, axis{-1}, {in({1, 16})}), attention_has_few_queries, h17s);
}

TEST_CASE("floors: what is native from A13 on") {
    const auto one = [](op kind) { return make(kind, no_attributes{}, {in({4, 8})}, {4, 8}, true); };
    for (const op kind : {op::sqrt, op::rsqrt}) {
        dynamic_graph g = one(kind);
        g.nodes.back().attributes = stabilizer{};
        CHECK_BREAKS(g, operation_below_its_floor, h12, 1, 2);
        CHECK_BREAKS(g, operation_below_its_floor, u1, 0, 2);
        CHECK_KEEPS(g, operation_below_its_floor, h13);
    }
    const dynamic_graph g = make(op::softmax, axis{1}, {in({4, 8})});
    CHECK_BREAKS(g, operation_below_its_floor, h11, 1, 2);
    CHECK_KEEPS(g, operation_below_its_floor, m11);
    CHECK_KEEPS(one(op::relu), operation_below_its_floor, h11);
    CHECK_KEEPS(one(op::relu), operation_below_its_floor, u1);
    for (const op kind : {op::layer_norm, op::batch_norm, op::reduce_sum, op::reduce_mean, op::reduce_max,
                          op::reduce_min, op::arg_max, op::arg_min, op::attention}) {
        CHECK(floor_of(kind) == family::a13);
    }
    for (const op kind : {op::conv2d, op::conv_transpose2d, op::linear, op::matmul, op::exp, op::log, op::div,
                          op::max_pool, op::transpose, op::concat, op::slice, op::pad, op::cast, op::gelu}) {
        CHECK(floor_of(kind) == family::older);
    }
    // A device with the generation and without the capability.
    const target_description bare = derive(describe(h13), [](auto& d) { d.has.softmax = false; });
    CHECK(find(g, rule::softmax_is_not_supported, bare).broken);
    CHECK_KEEPS(g, softmax_is_not_supported, h13);
    CHECK_KEEPS(g, softmax_is_not_supported, h12); // one finding is enough
}

TEST_CASE("R178 R124 R176 OC9") {
    const auto divided = [](op divisor) { return make(op::div, no_attributes{}, {in({8}), {divisor, {8}}}); };
    CHECK_BREAKS(divided(op::input), divisor_is_not_constant, h12, 0, 0);
    CHECK_KEEPS(divided(op::weight), divisor_is_not_constant, h12);
    CHECK_KEEPS(divided(op::input), divisor_is_not_constant, h13);

    // A constant of rank 0 is repaired by lowering; a tensor of zeros is not.
    for (const auto& [factor, shape] : {std::pair{0.0f, extents{4, 1}}, {0.0f, extents{}}, {2.0f, extents{4, 1}}}) {
        dynamic_graph g = make(op::reduce_sum, axes{1}, {in({4, 8})});
        node n;
        n.kind = op::constant;
        n.shape = shape;
        const float values[] = {factor};
        n.attributes = g.keep(values);
        g.append(n, {});
        n = {};
        n.kind = op::mul;
        n.shape = {4, 1};
        const int operands[] = {2, 1};
        g.append(n, operands);
        CHECK(breaks(g, rule::reduction_is_multiplied_by_zero) == (factor == 0.0f && shape.rank > 0));
    }

    const dynamic_graph relu = make(op::relu, no_attributes{}, {in({8})});
    CHECK_KEEPS(relu, target_has_no_mil, h12);
    CHECK(breaks(relu, rule::target_has_no_mil, h12, on_route(compile_route::mil)));
    CHECK_FALSE(breaks(relu, rule::target_has_no_mil, h13, on_route(compile_route::mil)));
    const dynamic_graph index = make(op::arg_max, axis{1}, {in({4, 8})});
    CHECK_KEEPS(index, arg_reduction_has_no_mil_form, h13);
    CHECK_FALSE(breaks(index, rule::arg_reduction_has_no_mil_form, h13, on_route(compile_route::netplist)));
    CHECK(breaks(index, rule::arg_reduction_has_no_mil_form, h13, on_route(compile_route::mil)));
    const dynamic_graph scalar = make(op::relu, no_attributes{}, {in({})});
    CHECK_KEEPS(scalar, operation_is_not_written, h13);
    CHECK(breaks(scalar, rule::operation_is_not_written, h13, on_route(compile_route::mil)));
    CHECK_FALSE(breaks(relu, rule::operation_is_not_written, h13, on_route(compile_route::mil)));
}

TEST_CASE("R056 R150: what declared ranges allow") {
    const auto product = [](std::int64_t k, double x, contract w) {
        return make(op::linear, no_attributes{}, {in({1, k}, bounded(x)), weight({4, k}, w)});
    };
    CHECK_KEEPS(product(1023, 32, bounded(1)), contraction_may_reach_ceiling, h13); // 32736
    CHECK_BREAKS(product(1024, 32, bounded(1)), contraction_may_reach_ceiling, h13, 32768, 32768);
    CHECK_KEEPS(product(1024, 32, {}), contraction_may_reach_ceiling, h13); // nothing declared, nothing said
    const auto exponential = [](contract x) { return make(op::exp, no_attributes{}, {in({8}, x)}); };
    CHECK_KEEPS(exponential(within(-100, 11.0)), exponential_may_overflow, h13);
    CHECK_BREAKS(exponential(within(0, 11.125)), exponential_may_overflow, h13, 12, 11);
    CHECK_KEEPS(exponential({}), exponential_may_overflow, h13);
}

TEST_CASE("an input that nothing reads") {
    dynamic_graph g = make(op::relu, no_attributes{}, {in({8})});
    CHECK_KEEPS(g, input_is_not_used, h13);
    node n;
    n.attributes = contract{};
    n.shape = {8};
    g.append(n, {});
    CHECK(breaks(g, rule::input_is_not_used));
    CHECK(accepts(g, describe(h13)));
}

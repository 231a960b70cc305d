// The typed builders of elementwise operations, comparisons, pools, norms and reductions: shapes, types and attributes
// against written-out expectations, and both sides of every shape rule.

#include "../numbers.hpp"
#include <anemone/build.hpp>
#include <anemone/graph/op_set.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/passes/validate.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// The node that a function of x [2, 4, 6, 8] and of v [4] makes last.
template <class Function> node made(Function f) {
    const dynamic_graph g = build_graph([&](auto& b) {
        auto x = b.input("x"_s, f16<2, 4, 6, 8>);
        auto v = b.weight("v", f16<4>);
        b.output("y"_s, f(x, v));
    });
    validate(g);
    return g.nodes[static_cast<std::size_t>(g.outputs[0].node)];
}

constexpr extents whole{2, 4, 6, 8};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void check(const node& n, op kind, const extents& shape, const attributes& values, dtype type = dtype::f16) {
    CAPTURE(name(kind));
    CHECK(n.kind == kind);
    CHECK(n.shape == shape);
    CHECK(n.type == type);
    CHECK(n.attributes == values);
}

/// A model with every operation of the groups that stand here.
dynamic_graph everything() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 4, 6, 8>);
        auto y = g.input("y"_s, f16<4, 1, 8>);
        auto v = [&g](const char* name) { return g.weight(name, f16<4>); };
        auto a = x + y - pow(x, y) * floor_div(x, y) / minimum(x, maximum(y, 1));
        auto b = select(logical_not(equal(x, y)), a, 0);
        auto c = select(less(x, y), 1, select(greater(x, 0), b, select(not_equal(x, y), b, a)));
        auto d = to_f16(less_equal(1, x)) + to_f16(greater_equal(x, y));
        auto both = logical_and(less(x, y), logical_or(greater(x, 0), logical_xor(less(x, 1), greater(y, 1))));
        g.output("compared"_s, c + d + to_f16(both));
        auto e = relu(relu6(leaky_relu(clamp(x, -1, 1))));
        auto f = thresholded_relu(clamped_relu(elu(e), 0.5, 2));
        auto h = scaled_tanh(tanh(hard_sigmoid(sigmoid(f))), 1, 2);
        auto i = softsign(softplus(silu(gelu_sigmoid(gelu(h)))));
        g.output("activated"_s, parametric_softplus(prelu(i, v("slope")), v("alpha"), v("beta")));
        auto j = log(exp2(log2(exp(erf(x)))), 0.5);
        auto k = inverse(rsqrt(sqrt(j), 0.25), 0.125);
        auto l = round(floor(ceil(sign(abs(square(k))))));
        g.output("computed"_s, atan(cos(sin(l))));
        g.output("pooled"_s, l2_pool<pool{.kernel = 2}>(avg_pool<pool{.kernel = 2, .stride = 1}>(
                                 max_pool<pool{.kernel = 3, .stride = 1, .padding = 1}>(x))));
        auto m = layer_norm<axis{1}>(softmax(x), v("g1"), v("b1"));
        auto n = batch_norm(m, v("m2"), v("v2"), v("g2"), v("b2"));
        auto o = group_norm<2>(instance_norm(n, v("g3"), v("b3")), v("g4"), v("b4"));
        auto p = l2_norm<axis{1}>(rms_norm<axis{1}>(o, v("g5")));
        g.output("normal"_s, local_response_norm<3>(minmax_norm(p)));
        auto q = reduce_sum<axes{1}>(x) + reduce_mean<axes{1}>(x) + reduce_max<axes{1}>(x) + reduce_min<axes{1}>(x);
        auto r = reduce_sum_square<axes{1}>(x) + reduce_l1_norm<axes{1}>(x) + reduce_l2_norm<axes{1}>(x);
        auto s = reduce_log_sum<axes{1}>(x) + reduce_log_sum_exp<axes{1}>(x);
        auto t = arg_max<axis{1}>(x) + arg_min<axis{1}>(x) + global_arg_max<axis{1}>(x) + global_arg_min<axis{1}>(x);
        g.output("reduced"_s, cumsum(q + r + s + t));
    });
}

} // namespace

TEST_CASE("every operation of these groups has a builder, and infer agrees with it") {
    const dynamic_graph built = everything();
    const graph_view g = built;
    validate(g);
    op_set found;
    for (int i = 0; i < g.size(); ++i) {
        INFO(print(g, i));
        const inferred r = infer(g, g[i]);
        CHECK(r.ok());
        CHECK(r.shape == g[i].shape);
        if (!is_source(g[i].kind)) {
            const bool boolean = gives_booleans(g[i].kind);
            CHECK(g[i].type == (boolean ? dtype::boolean : dtype::f16));
            CHECK(inferred_type(g, g[i]) == g[i].type);
        }
        found.insert(g[i].kind);
    }
    for (const op_group group :
         {op_group::binary, op_group::comparison, op_group::logic, op_group::unary, op_group::parametric,
          op_group::window, op_group::normalization, op_group::reduction, op_group::arg_reduction, op_group::scan}) {
        for (std::size_t i = 0; i < op_count; ++i) {
            const op kind = static_cast<op>(i);
            CAPTURE(name(kind));
            CHECK((!ops_of(group).contains(kind) || found.contains(kind)));
        }
    }
}

TEST_CASE("two operands broadcast, and numbers are constants of rank 0") {
    const auto y = [](auto x) { return reduce_max<axes{0, 3}>(x); }; // [1, 4, 6, 1]
    check(made([](auto x, auto) { return pow(x, 2); }), op::pow, whole, no_attributes{});
    check(made([](auto x, auto) { return pow(2.0, x); }), op::pow, whole, no_attributes{});
    check(made([&](auto x, auto) { return pow(x, y(x)); }), op::pow, whole, no_attributes{});
    check(made([](auto x, auto) { return floor_div(x, 3); }), op::floor_div, whole, no_attributes{});
    check(made([](auto x, auto) { return floor_div(3, x); }), op::floor_div, whole, no_attributes{});
    check(made([&](auto x, auto) { return floor_div(y(x), x); }), op::floor_div, whole, no_attributes{});
    check(made([&](auto x, auto) { return floor_div(y(x), y(x)); }), op::floor_div, {1, 4, 6, 1}, no_attributes{});

    const dynamic_graph g = build_graph([](auto& b) { b.output("y"_s, floor_div(b.input("x"_s, f16<2>), 0.5)); });
    REQUIRE(g.nodes.size() == 3);
    CHECK(g.nodes[1].kind == op::constant);
    CHECK(g.nodes[1].shape == extents{});
    CHECK(g.view().value(g.nodes[1], 0) == 0.5F);
    CHECK(g.view().operands(2)[0] == 0);
    CHECK(g.view().operands(2)[1] == 1);
    CHECK_THROWS_AS(build_graph([](auto& b) { b.output("y"_s, pow(b.input("x"_s, f16<2>), 1e6)); }), error);
}

TEST_CASE("comparisons give booleans, which select, logical_not and to_f16 read") {
    const auto small = [](auto x) { return reduce_max<axes{2}>(x); }; // [2, 4, 1, 8]
    const auto comparison = [](const node& n, op kind) { check(n, kind, whole, no_attributes{}, dtype::boolean); };
    comparison(made([&](auto x, auto) { return equal(x, small(x)); }), op::equal);
    comparison(made([&](auto x, auto) { return not_equal(small(x), x); }), op::not_equal);
    comparison(made([](auto x, auto) { return greater(x, 1); }), op::greater);
    comparison(made([](auto x, auto) { return greater_equal(1, x); }), op::greater_equal);
    comparison(made([](auto x, auto) { return less(x, x); }), op::less);
    comparison(made([](auto x, auto) { return less_equal(x, -1); }), op::less_equal);
    comparison(made([](auto x, auto) { return logical_not(less(x, 0)); }), op::logical_not);

    check(made([](auto x, auto) { return to_f16(less(x, 0)); }), op::cast, whole, no_attributes{});
    check(made([&](auto x, auto) { return select(less(x, 0), small(x), x); }), op::select, whole, no_attributes{});
    // The condition broadcasts too, in both directions.
    check(made([&](auto x, auto) { return select(less(small(x), 0), x, 1); }), op::select, whole, no_attributes{});
    check(made([&](auto x, auto) { return select(less(x, 0), small(x), 1); }), op::select, whole, no_attributes{});
    check(made([](auto x, auto) { return select(less(x, 0), 0, x); }), op::select, whole, no_attributes{});

    static_assert(select_rule(dtype::boolean, {3, 1}, {1, 4}, {}).shape == extents{3, 4});
    static_assert(select_rule(dtype::f16, {3, 1}, {1, 4}, {}).broken ==
                  fault::operand_must_be_the_boolean_result_of_a_comparison);
    static_assert(select_rule(dtype::boolean, {3}, {1, 4}, {}).broken == fault::extents_must_be_equal_or_one_R026);
    static_assert(select_rule(dtype::boolean, {}, {3}, {4}).broken == fault::extents_must_be_equal_or_one_R026);
    static_assert(boolean_rule(dtype::boolean, {7}).shape == extents{7});
    static_assert(boolean_rule(dtype::uint8, {7}).broken == fault::operand_must_be_the_boolean_result_of_a_comparison);
}

TEST_CASE("comparisons are operators too") {
    const auto comparison = [](const node& n, op kind) { check(n, kind, whole, no_attributes{}, dtype::boolean); };
    comparison(made([](auto x, auto) { return x > 1; }), op::greater);
    comparison(made([](auto x, auto) { return 1 >= x; }), op::greater_equal);
    comparison(made([](auto x, auto) { return x < reduce_max<axes{2}>(x); }), op::less);
    comparison(made([](auto x, auto) { return x <= x; }), op::less_equal);
    check(made([](auto x, auto) { return select(x > 0, x, 0); }), op::select, whole, no_attributes{});
    const dynamic_graph g = build_graph([](auto& b) { b.output("y"_s, to_f16(0.5 < b.input("x"_s, f16<2>))); });
    CHECK(g.view()[g.view().operands(2)[0]].kind == op::constant); // the operands stay in their order
}

TEST_CASE("an assignment gives the variable a new value and leaves its copies alone") {
    const auto assigned = [](auto change, op kind) {
        const dynamic_graph g = build_graph([&](auto& b) {
            auto x = b.input("x"_s, f16<2, 3>);
            const auto before = x;
            change(x);
            b.output("y"_s, x);
            b.output("before"_s, before);
        });
        validate(g);
        CHECK(g.nodes[static_cast<std::size_t>(g.outputs[0].node)].kind == kind);
        CHECK(g.nodes[static_cast<std::size_t>(g.outputs[0].node)].shape == extents{2, 3});
        CHECK(g.nodes[static_cast<std::size_t>(g.outputs[1].node)].kind == op::input);
        CHECK(g.nodes[static_cast<std::size_t>(g.outputs[0].node)].where.line == g.nodes[0].where.line);
    };
    assigned([](auto& x) { x += x; }, op::add);
    assigned([](auto& x) { x -= reduce_mean<axes{1}>(x); }, op::sub);
    assigned([](auto& x) { x *= 2; }, op::mul);
    assigned([](auto& x) { (x /= 3) -= 1.5; }, op::sub);

    static_assert(shapes::broadcast_into::judge({2, 3}, {3}).ok());
    static_assert(shapes::broadcast_into::judge({2, 3}, {4}).broken == fault::extents_must_be_equal_or_one_R026);
    constexpr inferred wider = shapes::broadcast_into::judge({1, 3}, {2, 3});
    static_assert(wider.broken == fault::the_left_side_of_an_assignment_keeps_its_extents && wider.got == 2 &&
                  wider.want == 1);
    constexpr inferred longer = shapes::broadcast_into::judge({3}, {1, 3});
    static_assert(longer.broken == fault::the_left_side_of_an_assignment_keeps_its_rank && longer.got == 2 &&
                  longer.want == 1);
}

TEST_CASE("a builder that cannot be changed builds, and so does a temporary") {
    static constexpr float row[] = {1, 2, 3};
    constexpr auto model = graph([](const builder& g) {
        auto x = g.input("x"_s, f16<3>) + g.scope("a").weight("w", f16<3>);
        g.output("y"_s, x * g.constant(f16<3>, row) + g.constant(f16<3>, std::span<const float>(row)));
    });
    static_assert(model.view().find_output("y") == 0);
    std::vector<float> values{4, 5};
    const dynamic_graph g = build_graph([&](const auto& b) { b.output("y"_s, b.constant(f16<2>, values)); });
    CHECK(g.view().value(g.nodes[0], 1) == 5);
    values.push_back(6);
    CHECK_THROWS_WITH_AS(build_graph([&](auto& b) { b.output("y"_s, b.constant(f16<2>, values)); }),
                         doctest::Contains("3"), error);
    values = {1, 1e6F};
    CHECK_THROWS_AS(build_graph([&](auto& b) { b.output("y"_s, b.constant(f16<2>, values)); }), error);
}

TEST_CASE("a graph made at run time has its booleans checked") {
    dynamic_graph g;
    node in;
    in.kind = op::input;
    in.shape = {4};
    in.attributes = contract{};
    const int x = g.append(in, {});
    node n;
    n.shape = {4};
    n.kind = op::select;
    const int operands[] = {x, x, x};
    g.append(n, operands);
    g.add_output(1, "y");
    CHECK_THROWS_WITH(validate(g), "graph: select: the operand must be the boolean result of a comparison (3, not 11)");
}

TEST_CASE("activations and functions keep the shape and carry their coefficients") {
    const auto plain = [](const node& n, op kind) { check(n, kind, whole, no_attributes{}); };
    const auto with = [](const node& n, op kind, float alpha, float beta) {
        check(n, kind, whole, numbers::of(kind, {alpha, beta}));
    };
    const auto stabilised = [](const node& n, op kind, float epsilon) {
        check(n, kind, whole, stabilizer{.epsilon = epsilon});
    };
    plain(made([](auto x, auto) { return gelu_sigmoid(x); }), op::gelu_sigmoid);
    plain(made([](auto x, auto) { return softplus(x); }), op::softplus);
    plain(made([](auto x, auto) { return softsign(x); }), op::softsign);
    plain(made([](auto x, auto) { return erf(x); }), op::erf);
    plain(made([](auto x, auto) { return exp2(x); }), op::exp2);
    plain(made([](auto x, auto) { return log2(x); }), op::log2);
    plain(made([](auto x, auto) { return square(x); }), op::square);
    plain(made([](auto x, auto) { return sign(x); }), op::sign);
    plain(made([](auto x, auto) { return ceil(x); }), op::ceil);
    plain(made([](auto x, auto) { return floor(x); }), op::floor);
    plain(made([](auto x, auto) { return round(x); }), op::round);
    plain(made([](auto x, auto) { return sin(x); }), op::sin);
    plain(made([](auto x, auto) { return cos(x); }), op::cos);
    plain(made([](auto x, auto) { return atan(x); }), op::atan);
    with(made([](auto x, auto) { return thresholded_relu(x); }), op::thresholded_relu, 1, 0);
    with(made([](auto x, auto) { return thresholded_relu(x, 0.25); }), op::thresholded_relu, 0.25F, 0);
    with(made([](auto x, auto) { return clamped_relu(x, 0.25, 6); }), op::clamped_relu, 0.25F, 6);
    with(made([](auto x, auto) { return elu(x); }), op::elu, 1, 0);
    with(made([](auto x, auto) { return elu(x, 0.5); }), op::elu, 0.5F, 0);
    with(made([](auto x, auto) { return hard_sigmoid(x); }), op::hard_sigmoid, 0.2F, 0.5F);
    with(made([](auto x, auto) { return hard_sigmoid(x, 1, 0.25); }), op::hard_sigmoid, 1, 0.25F);
    with(made([](auto x, auto) { return scaled_tanh(x, 1.5, 0.75); }), op::scaled_tanh, 1.5F, 0.75F);
    stabilised(made([](auto x, auto) { return inverse(x); }), op::inverse, 0);
    stabilised(made([](auto x, auto) { return inverse(x, 0.5); }), op::inverse, 0.5F);
    CHECK_THROWS_AS(made([](auto x, auto) { return elu(x, 65505); }), error);
    CHECK_THROWS_AS(made([](auto x, auto) { return scaled_tanh(x, 1, -1e5); }), error);
    CHECK(made([](auto x, auto) { return elu(x, 65504); }).kind == op::elu);
    CHECK_THROWS_AS(made([](auto x, auto) { return leaky_relu(x, 65505); }), error);
}

TEST_CASE("a coefficient that is no finite fp16 number is refused") {
    CHECK_THROWS_AS(made([](auto x, auto) { return leaky_relu(x, not_a_number); }), error);
    CHECK_THROWS_AS(made([](auto x, auto) { return log(x, not_a_number); }), error);
    CHECK_THROWS_AS(made([](auto x, auto) { return rsqrt(x, 1e5); }), error);
    CHECK_THROWS_AS(made([](auto x, auto) { return inverse(x, -1e5); }), error);
    CHECK_THROWS_AS(made([](auto x, auto) { return l2_norm(x, not_a_number); }), error);
    CHECK_THROWS_AS(made([](auto x, auto v) { return batch_norm(x, v, v, v, v, not_a_number); }), error);
    CHECK_THROWS_AS(made([](auto x, auto v) { return instance_norm(x, v, v, not_a_number); }), error);
    CHECK_THROWS_AS(made([](auto x, auto v) { return group_norm<2>(x, v, v, 1e5); }), error);
    CHECK_THROWS_AS(made([](auto x, auto) { return attention(x, x, x, not_a_number); }), error);
}

TEST_CASE("the factors of a query and a key leave the scale of the scores a normal fp16 number") {
    CHECK_THROWS_AS(made([](auto x, auto) { return attention(scaled<7>(x), scaled<8>(x), x, 1.0); }), error);
    const node n = made([](auto x, auto) { return attention(scaled<7>(x), scaled<7>(x), x, 1.0); });
    check(n, op::attention, whole, score_scaling{0x1p-14F});
    // Without factors the scale is the caller's.
    CHECK(made([](auto x, auto) { return attention(x, x, x, 1e-6); }).kind == op::attention);
}

TEST_CASE("parameters for each channel: axis 1 of rank 3 or more") {
    check(made([](auto x, auto v) { return prelu(x, v); }), op::prelu, whole, no_attributes{});
    check(made([](auto x, auto v) { return parametric_softplus(x, v, v); }), op::parametric_softplus, whole,
          no_attributes{});
    static_assert(prelu_rule({1, 4, 1}, {4}).ok());
    static_assert(prelu_rule({1, 4}, {4}).broken == fault::input_must_have_channels_on_axis_1_and_rank_3);
    static_assert(prelu_rule({1, 4, 1}, {3}).broken == fault::parameter_must_have_one_value_for_each_channel);
    static_assert(prelu_rule({1, 4, 1}, {4, 1}).broken == fault::bias_or_parameter_must_have_rank_1);
    static_assert(parametric_softplus_rule({1, 4, 1}, {4}, {4}).shape == extents{1, 4, 1});
    static_assert(parametric_softplus_rule({1, 4}, {4}, {4}).broken ==
                  fault::input_must_have_channels_on_axis_1_and_rank_3);
    static_assert(parametric_softplus_rule({1, 4, 1}, {4}, {1}).broken ==
                  fault::parameter_must_have_one_value_for_each_channel);
    static_assert(parametric_softplus_rule({1, 4, 1}, {1}, {4}).broken ==
                  fault::parameter_must_have_one_value_for_each_channel);
}

TEST_CASE("l2_pool has the windows of the other pools") {
    check(made([](auto x, auto) {
              return l2_pool<pool{.kernel = {3, 2}, .stride = 2, .padding = {1, 1, 0, 0}}>(x);
          }),
          op::l2_pool, {2, 4, 3, 4}, pool{.kernel = {3, 2}, .stride = 2, .padding = {1, 1, 0, 0}});
    check(made([](auto x, auto) { return l2_pool<pool{.kernel = 2}>(x); }), op::l2_pool, {2, 4, 3, 4},
          pool{.kernel = 2, .stride = 2});
}

TEST_CASE("norms: the normalised axes, their parameters and both sides of their rules") {
    check(made([](auto x, auto v) { return instance_norm(x, v, v, 0.5); }), op::instance_norm, whole,
          stabilizer{.epsilon = 0.5F, .axis = 1});
    check(made([](auto x, auto v) { return group_norm<2>(x, v, v, 0.5); }), op::group_norm, whole,
          grouping{.groups = 2, .epsilon = 0.5F});
    check(made([](auto x, auto v) { return rms_norm<axis{-3}>(x, v, 0.5); }), op::rms_norm, whole,
          stabilizer{.epsilon = 0.5F, .axis = 1});
    check(made([](auto x, auto) { return l2_norm(x, 0.5); }), op::l2_norm, whole,
          stabilizer{.epsilon = 0.5F, .axis = 3});
    check(made([](auto x, auto) { return minmax_norm<axis{2}>(x, 0.5); }), op::minmax_norm, whole,
          stabilizer{.epsilon = 0.5F, .axis = 2});
    check(made([](auto x, auto) { return local_response_norm<3>(x, 0.5, 0.25, 2); }), op::local_response_norm, whole,
          response_norm_shape{.size = 3, .alpha = 0.5F, .beta = 0.25F, .k = 2});

    static_assert(instance_norm_rule({1, 4, 9}, {4}, {4}).ok());
    static_assert(instance_norm_rule({1, 4}, {4}, {4}).broken == fault::input_must_have_channels_on_axis_1_and_rank_3);
    static_assert(instance_norm_rule({1, 4, 9}, {9}, {4}).broken ==
                  fault::parameter_must_have_one_value_for_each_channel);
    static_assert(instance_norm_rule({1, 4, 9}, {4}, {1, 4}).broken == fault::bias_or_parameter_must_have_rank_1);
    static_assert(group_norm_rule(3, {1, 6, 9}, {6}, {6}).ok());
    static_assert(group_norm_rule(4, {1, 6, 9}, {6}, {6}).broken == fault::groups_must_divide_the_channels_R063);
    static_assert(group_norm_rule(1, {1, 6, 9}, {6}, {6}).ok());
    static_assert(group_norm_rule(0, {1, 6, 9}, {6}, {6}).broken == fault::groups_must_be_at_least_1);
    static_assert(group_norm_rule(2, {1, 6, 9}, {2}, {2}).broken ==
                  fault::parameter_must_have_one_value_for_each_channel);
    static_assert(rms_norm_rule(-1, {3, 5}, {5}).ok());
    static_assert(rms_norm_rule(0, {3, 5}, {5}).broken == fault::parameter_must_have_the_length_of_the_normalised_axis);
    static_assert(rms_norm_rule(2, {3, 5}, {5}).broken == fault::axis_must_be_one_of_the_tensor);
    static_assert(rms_norm_rule(-3, {3, 5}, {5}).broken == fault::axis_must_be_one_of_the_tensor);
    static_assert(shape_rule(response_norm_shape{.size = 1}, {1, 4, 9}).ok());
    static_assert(shape_rule(response_norm_shape{.size = 0}, {1, 4, 9}).broken ==
                  fault::window_must_reach_over_at_least_1_channel);
    static_assert(shape_rule(response_norm_shape{}, {1, 4}).broken ==
                  fault::input_must_have_channels_on_axis_1_and_rank_3);
}

TEST_CASE("reductions keep their axes as extents of 1, or drop them") {
    check(made([](auto x, auto) {
              return reduce_sum_square<axes{-1, 1}>(x);
          }),
          op::reduce_sum_square, {2, 1, 6, 1}, axes{3, 1});
    check(made([](auto x, auto) { return reduce_l1_norm<axes{0}>(x); }), op::reduce_l1_norm, {1, 4, 6, 8}, axes{0});
    check(made([](auto x, auto) { return reduce_l2_norm(x); }), op::reduce_l2_norm, {1, 1, 1, 1}, axes{0, 1, 2, 3});
    check(made([](auto x, auto) { return reduce_log_sum<axes{2}>(x); }), op::reduce_log_sum, {2, 4, 1, 8}, axes{2});
    check(made([](auto x, auto) { return reduce_log_sum_exp<axes{2}>(x); }), op::reduce_log_sum_exp, {2, 4, 1, 8},
          axes{2});
    check(made([](auto x, auto) {
              return reduce_log_sum_exp<axes{2, 3}, false>(x);
          }),
          op::reshape, {2, 4}, no_attributes{});
    check(made([](auto x, auto) { return global_arg_max(x); }), op::global_arg_max, {2, 4, 6, 1}, axis{3});
    check(made([](auto x, auto) { return global_arg_min<axis{0}>(x); }), op::global_arg_min, {1, 4, 6, 8}, axis{0});
    check(made([](auto x, auto) { return cumsum(x); }), op::cumsum, whole, cumulation{.axis = 3});
    check(made([](auto x, auto) {
              return cumsum<cumulation{-3, true, true}>(x);
          }),
          op::cumsum, whole, cumulation{.axis = 1, .exclusive = true, .reverse = true});
}

TEST_CASE("operations under Core ML's names") {
    check(made([](auto x, auto) { return real_div(x, 2); }), op::div, whole, no_attributes{});
    check(made([](auto x, auto) { return clip(x, -1, 2); }), op::clamp, whole, clip_range{-1, 2});
    check(made([](auto x, auto) { return threshold(x, 2); }), op::maximum, whole, no_attributes{});
    check(made([](auto x, auto) { return relu_n(x, 4); }), op::clamp, whole, clip_range{0, 4});
    CHECK_THROWS_AS(made([](auto x, auto) { return relu_n(x, 0); }), error);
    check(made([](auto x, auto) { return linear_activation(x, 2, 1); }), op::add, whole, no_attributes{});
    check(made([](auto x, auto) { return sigmoid_hard(x); }), op::hard_sigmoid, whole, clamped_line{0.2F, 0.5F});
    check(made([](auto x, auto) { return gelu_tanh_approx(x); }), op::gelu, whole, no_attributes{});
    check(made([](auto x, auto) { return gelu_sigmoid_approx(x); }), op::gelu_sigmoid, whole, no_attributes{});
    check(made([](auto x, auto v) { return softplus_parametric(x, v, v); }), op::parametric_softplus, whole,
          no_attributes{});
    check(made([](auto x, auto) { return reduce_argmax<axis{1}>(x); }), op::arg_max, {2, 1, 6, 8}, axis{1});
    check(made([](auto x, auto) { return reduce_argmin<axis{1}>(x); }), op::arg_min, {2, 1, 6, 8}, axis{1});
    check(made([](auto x, auto) { return global_argmax(x); }), op::global_arg_max, {2, 4, 6, 1}, axis{3});
    check(made([](auto x, auto) { return global_argmin(x); }), op::global_arg_min, {2, 4, 6, 1}, axis{3});
}

// The fp16 envelope: each limit from both sides, on the targets where it holds.

#include "anemone/analysis/envelope.hpp"

#include "../rules/one_node.hpp"
#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/rules/conforms.hpp"

#include <doctest/doctest.h>

using namespace ane;
using one_node::in;
using one_node::make;
using one_node::weight;

namespace {

/// The verdict of one hazard at the last node.
proof said(const graph_view& g, hazard h, target t = h13) {
    proof found = proof::open;
    bool any = false;
    for (const envelope_entry& e : envelope(g, t)) {
        if (e.hazard == h && e.node == g.size() - 1) {
            found = e.verdict;
            any = true;
        }
    }
    CHECK(any);
    return found;
}
bool mentioned(const graph_view& g, hazard h, target t) {
    for (const envelope_entry& e : envelope(g, t)) {
        if (e.hazard == h) {
            return true;
        }
    }
    return false;
}

dynamic_graph linear_of(double low, double high, contract w) {
    return make(op::linear, {}, {in({4, 1024}, within(low, high)), weight({10, 1024}, w)});
}
dynamic_graph unary_of(op kind, contract c, const attributes& a = {}) { return make(kind, a, {in({4, 8}, c)}); }
dynamic_graph slice_of(double most, int begin) {
    return make(op::slice, window{{0, begin}, {4, 4}}, {in({4, 8}, within(-most, most))});
}

} // namespace

TEST_CASE("the accumulator: sums of magnitudes against 32768") {
    // 1024 products of 1 and 31.98...: 32752 passes on every source, 32768 on none; between them sources differ.
    CHECK(said(linear_of(0, 1, row_l1(32752)), hazard::accumulator) == proof::proven);
    CHECK(said(linear_of(0, 1, row_l1(32760)), hazard::accumulator) == proof::open);
    CHECK(said(linear_of(0, 1, row_l1(32768)), hazard::accumulator) == proof::refuted);
    CHECK(said(linear_of(0, 1, {}), hazard::accumulator) == proof::open);
    CHECK_KEEPS(linear_of(0, 1, row_l1(32752)), contraction_may_reach_ceiling, h13);
    CHECK_BREAKS(linear_of(0, 1, row_l1(32768)), contraction_may_reach_ceiling, h13, 32768, 32768);
    // The tighter of the row's sum and of the number of products: 1024 * 0.5 * 8 = 4096 against 100 * 8.
    const auto both = linear_of(-8, 8, bounded(0.5) & row_l1(100));
    CHECK(ranges(both)[2].high == 800);
    CHECK(ranges(linear_of(-8, 8, bounded(0.5)))[2].high == 4096);
    CHECK(ranges(linear_of(-8, 8, bounded(0.5) & row_l1(1e5)))[2].high == 4096);
}

TEST_CASE("sums of the weight: which of its axes counts") {
    const contract rows = bounded(1) & contract{.row_l1 = 2};
    const contract columns = bounded(1) & contract{.column_l1 = 3};
    const auto most = [](const dynamic_graph& g) { return ranges(g).back().high; };
    const auto x = in({4, 16}, within(-1, 1));
    CHECK(most(make(op::matmul, transposed{}, {x, weight({16, 8}, columns)})) == 3);
    CHECK(most(make(op::matmul, transposed{}, {x, weight({16, 8}, rows)})) == 16);
    CHECK(most(make(op::matmul, transposed{.b = true}, {x, weight({8, 16}, rows)})) == 2);
    CHECK(most(make(op::matmul, transposed{.b = true}, {x, weight({8, 16}, columns)})) == 16);
    CHECK(most(make(op::matmul, transposed{}, {weight({8, 4}, rows), x})) == 2);
    CHECK(most(make(op::matmul, transposed{.a = true}, {weight({4, 8}, columns), x})) == 3);
    const auto image = in({1, 8, 4, 4}, within(-1, 1));
    CHECK(most(make(op::conv2d, conv{}, {image, weight({6, 8, 3, 3}, rows)})) == 2);
    CHECK(most(make(op::conv2d, conv{.groups = 2}, {image, weight({6, 4, 1, 1}, columns)})) == 4);
    CHECK(most(make(op::conv_transpose2d, conv_transpose{}, {image, weight({8, 6, 1, 1}, columns)})) == 3);
    CHECK(most(make(op::conv_transpose2d, conv_transpose{}, {image, weight({8, 6, 1, 1}, rows)})) == 8);
}

TEST_CASE("constant weights have exact sums, and the accumulator has those of their magnitudes") {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 3>, within(1, 2));
        b.output("y"_s, matmul(x, b.constant(f16<3, 2>, {1.0f, 0.5f, -1.0f, 0.5f, 0.0f, 0.5f})));
    });
    const interval y = ranges(g).back();
    CHECK(y.low == -1); // x0 - x1
    CHECK(y.high == 3); // half of x0 + x1 + x2
    const contraction_bound b = accumulator_bound(g, g.nodes.back(), ranges(g));
    CHECK(b.magnitudes == 4);
    CHECK(b.accumulator == 4 + 4 * 0x1p-17);
    CHECK(b.terms == 3);
}

TEST_CASE("a divisor that may be zero, by a promise or by what a byte may be") {
    const auto quotient = [](const contract& divisor, dtype type) {
        dynamic_graph g = one_node::sources_of({in({8}, within(-1, 1))});
        node n;
        n.kind = op::input;
        n.type = type;
        n.shape = {8};
        n.attributes = divisor;
        int by = g.append(n, {});
        if (type != dtype::f16) {
            node cast;
            cast.kind = op::cast;
            cast.shape = {8};
            const int operands[] = {by};
            by = g.append(cast, operands);
        }
        node divide;
        divide.kind = op::div;
        divide.shape = {8};
        const int operands[] = {0, by};
        g.append(divide, operands);
        return g;
    };
    CHECK(said(quotient(within(-1, 1), dtype::f16), hazard::reciprocal_of_zero) == proof::refuted);
    CHECK(said(quotient(within(0.5, 1), dtype::f16), hazard::reciprocal_of_zero) == proof::proven);
    CHECK(said(quotient({}, dtype::f16), hazard::reciprocal_of_zero) == proof::open);
    CHECK(said(quotient({}, dtype::uint8), hazard::reciprocal_of_zero) == proof::refuted);
    CHECK(said(quotient(within(0, 9), dtype::uint8), hazard::reciprocal_of_zero) == proof::refuted);
    CHECK(said(quotient(within(1, 9), dtype::uint8), hazard::reciprocal_of_zero) == proof::proven);
}

TEST_CASE("stored values, exponentials, squares") {
    CHECK(said(unary_of(op::exp, within(-5, 11.0)), hazard::exponential) == proof::proven);
    CHECK(said(unary_of(op::exp, within(-5, 11.125)), hazard::exponential) == proof::refuted);
    CHECK(said(unary_of(op::exp, {}), hazard::exponential) == proof::open);
    CHECK(said(unary_of(op::exp2, within(-5, 15.9)), hazard::exponential) == proof::proven);
    CHECK(said(unary_of(op::exp2, within(-5, 16)), hazard::exponential) == proof::refuted);
    CHECK_KEEPS(unary_of(op::square, within(-255, 255)), square_may_overflow, h13);
    CHECK_BREAKS(unary_of(op::square, within(-256, 256)), square_may_overflow, h13, 256, 256);
    CHECK_KEEPS(unary_of(op::square, {}), square_may_overflow, h13);
    CHECK(said(unary_of(op::square, within(-255, 255)), hazard::stored_value) == proof::proven);
    CHECK(said(unary_of(op::square, within(-256, 256)), hazard::stored_value) == proof::refuted);
    CHECK(said(unary_of(op::square, {}), hazard::stored_value) == proof::open);
    CHECK(proves(unary_of(op::square, within(-255, 255)), h13, hazard::stored_value));
}

TEST_CASE("width slices on the families that have the gain") {
    for (const target t : {h13, h14}) {
        CHECK(said(slice_of(4094, 2), hazard::width_slice, t) == proof::proven);
        CHECK(said(slice_of(4096, 2), hazard::width_slice, t) == proof::refuted);
        CHECK_KEEPS(slice_of(4094, 2), width_slice_may_saturate, t);
        CHECK_BREAKS(slice_of(4096, 2), width_slice_may_saturate, t, 4096, 4094);
    }
    CHECK_FALSE(mentioned(slice_of(65504, 0), hazard::width_slice, h13));
    CHECK_FALSE(mentioned(slice_of(65504, 2), hazard::width_slice, h16));
}

TEST_CASE("activations before int8 weights") {
    const auto model = [](double most, int bits) {
        dynamic_graph g;
        node x;
        x.kind = op::input;
        x.shape = {4, 8};
        x.attributes = within(-most, most);
        node w = x;
        w.kind = op::weight;
        w.shape = {3, 8};
        w.attributes = bounded(0.01);
        node c;
        c.kind = op::compressed;
        c.shape = w.shape;
        c.attributes = compression{.form = weight_form::affine, .bits = bits};
        node y;
        y.kind = op::linear;
        y.shape = {4, 3};
        const int first = g.append(x, {});
        const int operand[] = {g.append(w, {})};
        const int operands[] = {first, g.append(c, operand)};
        g.add_output(g.append(y, operands), "y");
        return g;
    };
    CHECK(said(model(4094, 8), hazard::int8_activation, h17s) == proof::proven);
    CHECK(said(model(4096, 8), hazard::int8_activation, h17s) == proof::refuted);
    CHECK_KEEPS(model(4094, 8), int8_activation_may_saturate, h13);
    CHECK_BREAKS(model(4096, 8), int8_activation_may_saturate, h13, 4096, 4094);
    CHECK_KEEPS(model(4096, 4), int8_activation_may_saturate, h13);
}

TEST_CASE("functions at the ends of their domains") {
    const stabilizer none{};
    CHECK_KEEPS(unary_of(op::log, within(0.5, 4), none), logarithm_of_zero, h13);
    CHECK_BREAKS(unary_of(op::log, within(0, 4), none), logarithm_of_zero, h13, 0, 0);
    CHECK_KEEPS(unary_of(op::log, within(0, 4), stabilizer{.epsilon = 1e-3F}), logarithm_of_zero, h13);
    CHECK_BREAKS(unary_of(op::log, within(0, 4), stabilizer{.epsilon = 1e-9F}), logarithm_of_zero, h13, 0, 0);
    CHECK_KEEPS(unary_of(op::log, {}, none), logarithm_of_zero, h13);
    CHECK_KEEPS(unary_of(op::inverse, within(0.5, 4), none), reciprocal_of_zero, h13);
    CHECK_BREAKS(unary_of(op::inverse, within(-1, 4), none), reciprocal_of_zero, h13, 0, 0);
    CHECK_KEEPS(unary_of(op::rsqrt, within(0, 4), stabilizer{.epsilon = 1e-3F}), reciprocal_of_zero, h13);
    CHECK_KEEPS(unary_of(op::sigmoid, within(-9.9, 8.3)), argument_leaves_the_table, h13);
    CHECK_BREAKS(unary_of(op::sigmoid, within(-9.9, 20)), argument_leaves_the_table, h13, 20, 8);
    CHECK(said(unary_of(op::sin, within(-3, 3)), hazard::trigonometric) == proof::proven);
    CHECK(said(unary_of(op::sin, within(-4, 3)), hazard::trigonometric) == proof::refuted);
    // softsign of e^x: the exponential may be infinite.
    const auto soft = [](double high) {
        return build_graph([high](builder& b) {
            auto x = b.input("x"_s, f16<4>, within(0, high));
            b.output("y"_s, softsign(exp(x)));
        });
    };
    CHECK_KEEPS(soft(11), infinity_becomes_zero, h13);
    CHECK(one_node::breaks(soft(12), rule::infinity_becomes_zero));
    CHECK(said(soft(12), hazard::infinite_argument) == proof::refuted);
}

TEST_CASE("subnormal operands count as zero on the A13 only") {
    const auto model = [](double most) {
        return make(op::linear, {}, {in({4, 8}, within(0, most)), weight({3, 8}, bounded(1))});
    };
    CHECK_KEEPS(model(0x1p-13), subnormal_operand_is_zero, h13);
    CHECK(one_node::breaks(model(0x1p-15), rule::subnormal_operand_is_zero, h13));
    CHECK_KEEPS(model(0x1p-15), subnormal_operand_is_zero, h17s);
    CHECK_FALSE(mentioned(model(0x1p-15), hazard::denormal, h17s));
    const auto away = make(op::linear, {}, {in({4, 8}, within(1, 2)), weight({3, 8}, within(0.5, 1))});
    CHECK(said(away, hazard::denormal) == proof::proven);
}

TEST_CASE("cancellation by its amplification") {
    // Weights that add up to nothing over a large common offset; what is left is the bias: 2 * 8192 / 0.5 and more.
    const auto model = [](double offset) {
        return build_graph([offset](builder& b) {
            auto x = b.input("x"_s, f16<1, 2>, within(offset, offset));
            b.output("y"_s, linear(x, b.constant(f16<1, 2>, {1.0f, -1.0f}), b.weight("b", f16<1>, within(-0.5, 0.5))));
        });
    };
    CHECK_KEEPS(model(2048), terms_cancel, h13);
    CHECK(said(model(2048), hazard::cancellation) == proof::proven);
    CHECK(one_node::breaks(model(8192), rule::terms_cancel));
    CHECK(said(model(8192), hazard::cancellation) == proof::refuted);
    // A measured result decides where ranges cannot: both operands near 8192, the difference within 0.25.
    const auto g = make(op::sub, {}, {in({4, 8}), in({4, 8})});
    CHECK(said(g, hazard::cancellation) == proof::proven); // by the types alone
    const measured_range seen[] = {{true, 8000, 8192, 0}, {true, 8000, 8192, 0}, {true, -0.25, 0.25, 0}};
    bool found = false;
    for (const envelope_entry& e : envelope(g, describe(h13), ranges(g, seen))) {
        if (e.hazard == hazard::cancellation) {
            found = true;
            CHECK(e.verdict == proof::refuted);
            CHECK(e.bound == 65536);
        }
    }
    CHECK(found);
}

TEST_CASE("a large loss scale before the windows of a weight gradient") {
    const auto model = [](double scale, contract c) {
        return build_graph([=](builder& b) {
            auto dy = b.input("dy"_s, f16<1, 4, 8, 8>, c) * scale;
            b.output("w"_s, slice<window{{0, 0, 0, 1}, {1, 4, 8, 7}}>(dy));
        });
    };
    CHECK_KEEPS(model(384, {}), loss_scale_exceeds, h13);
    CHECK_BREAKS(model(512, {}), loss_scale_exceeds, h13, 512, 512);
    CHECK_BREAKS(model(512, within(-9, 9)), loss_scale_exceeds, h14, 512, 512);
    CHECK_KEEPS(model(512, within(-1, 1)), loss_scale_exceeds, h13); // normalised
    CHECK_KEEPS(model(512, {}), loss_scale_exceeds, h16);
}

TEST_CASE("NaN is excluded by a promise, and measured ranges decide what contracts leave open") {
    const auto free = unary_of(op::exp, {});
    CHECK(envelope(free, h13)[0].hazard == hazard::nan_input);
    CHECK(envelope(free, h13)[0].verdict == proof::open);
    CHECK(envelope(unary_of(op::exp, within(0, 1)), h13)[0].verdict == proof::proven);
    const measured_range seen[] = {{true, -1, 2, 0}, {}};
    const std::vector<interval> known = ranges(free, seen);
    CHECK(known[1].high < 8);
    for (const envelope_entry& e : envelope(free, describe(h13), known)) {
        CHECK((e.hazard == hazard::nan_input || e.verdict == proof::proven));
    }
}

namespace {
constexpr auto small = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8>, within(-4, 4));
    g.output("y"_s, softmax(linear(x, g.weight("w", f16<4, 8>, row_l1(10)))));
});
static_assert(proves(small, h13, hazard::accumulator) && proves(small, h13, hazard::stored_value));
static_assert(conforms<small, macs>);
} // namespace

TEST_CASE("attention stores its scores, scaled and masked") {
    const auto scores = [](double magnitude, float scale, double mask) {
        return make(op::attention, score_scaling{scale},
                    {in({1, 4, 2}, bounded(magnitude)), in({1, 4, 2}, bounded(magnitude)), in({1, 4, 2}, bounded(1)),
                     in({1, 4, 4}, bounded(mask))});
    };
    CHECK(said(scores(100, 3, 5000), hazard::inner_value) == proof::proven); // 2 x 10000 x 3 + 5000 = 65000
    CHECK(said(scores(100, 3, 6000), hazard::inner_value) != proof::proven);
    CHECK(said(scores(100, 100, 0), hazard::inner_value) != proof::proven);
}

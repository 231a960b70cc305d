// Values held as a power of two less of themselves: in double precision nothing changes, whatever the operation.

#include <anemone/backend/samples.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rewrites/paired_sums.hpp>
#include <anemone/rewrites/scaled_region.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// Whether an operation has a form for scaled operands, and if so, that it computes the same behind one.
void check_behind_scaled(const char* what, const dynamic_graph& model, int node, int exponent) {
    CAPTURE(what);
    CAPTURE(exponent);
    std::vector<char> fits(model.nodes.size(), 1);
    fits[static_cast<std::size_t>(node)] = 0;
    const auto changed = detail::scaled_region(model, node, exponent, fits);
    REQUIRE(changed.has_value());
    CHECK(changed->graph.nodes.size() > model.nodes.size());
    CHECK(changed->origins.size() == changed->graph.nodes.size());
    const model_samples samples = random_samples(model, 3);
    const backend::any place = backend::wide{};
    const double error =
        relative_error(run_samples(model, {}, samples, place), run_samples(changed->graph, {}, samples, place));
    CHECK(error < 1e-3); // outputs are fp16: but for a rounding of a tie they are the same
}

/// x * 300, an operation on it, and its result: the product is scaled.
template <class Build> void check_unary(const char* what, const Build& build) {
    dynamic_builder b;
    const dynamic_tensor x = b.add(op::abs, {b.input("x", {2, 3, 4, 4})}, no_attributes{});
    const dynamic_tensor raised = b.add(op::add, {x, b.constant({}, 0.25)}, no_attributes{});
    const dynamic_tensor large = b.add(op::mul, {raised, b.constant({}, 20)}, no_attributes{});
    b.output("y", build(b, large));
    const dynamic_graph model = b.finish();
    int node = -1;
    for (int i = 0; i < model.view().size(); ++i) {
        node = model.view()[i].kind == op::mul && node < 0 ? i : node;
    }
    for (const int exponent : {3, 6, -3, 15}) {
        check_behind_scaled(what, model, node, exponent);
    }
}

} // namespace

TEST_CASE("functions, sums, moves and norms behind a scaled value") {
    const auto of = [](op kind, attributes how = no_attributes{}) {
        return [kind, how](dynamic_builder& b, const dynamic_tensor& x) { return b.add(kind, {x}, how); };
    };
    check_unary("square", of(op::square));
    check_unary("sqrt", of(op::sqrt));
    check_unary("rsqrt", of(op::rsqrt, stabilizer{.epsilon = 0.5F}));
    check_unary("inverse", of(op::inverse, stabilizer{.epsilon = 0.25F}));
    check_unary("log", of(op::log, stabilizer{.epsilon = 0.125F}));
    check_unary("relu", of(op::relu));
    check_unary("leaky_relu", of(op::leaky_relu, leakage{0.5F}));
    check_unary("abs", of(op::abs));
    for (const op kind : {op::reduce_sum, op::reduce_mean, op::reduce_max, op::reduce_min, op::reduce_l1_norm,
                          op::reduce_l2_norm, op::reduce_sum_square, op::reduce_log_sum}) {
        check_unary(name(kind).data(), of(kind, axes{1, 3}));
    }
    check_unary("cumsum", of(op::cumsum, cumulation{.axis = 1}));
    check_unary("max_pool", of(op::max_pool, pool{.kernel = 2}));
    check_unary("avg_pool", of(op::avg_pool, pool{.kernel = 2, .padding = 1}));
    check_unary("l2_pool", of(op::l2_pool, pool{.kernel = 2}));
    check_unary("transpose", of(op::transpose, permutation{0, 2, 1, 3}));
    check_unary("tile", of(op::tile, repeats{1, 2, 1, 1}));
    check_unary("l2_norm", of(op::l2_norm, stabilizer{.epsilon = 1e-3F, .axis = 1}));
    check_unary("minmax_norm", of(op::minmax_norm, stabilizer{.epsilon = 0.125F, .axis = 3}));
    const auto normed = [](op kind, attributes how, std::int64_t count) {
        return [=](dynamic_builder& b, const dynamic_tensor& x) {
            std::vector<float> gamma(static_cast<std::size_t>(count));
            for (std::size_t i = 0; i < gamma.size(); ++i) {
                gamma[i] = 0.5F + static_cast<float>(i) / 8;
            }
            const dynamic_tensor g = b.constant({count}, gamma);
            return kind == op::rms_norm ? b.add(kind, {x, g}, how) : b.add(kind, {x, g, g}, how);
        };
    };
    check_unary("layer_norm", normed(op::layer_norm, stabilizer{.epsilon = 1e-3F, .axis = 3}, 4));
    check_unary("rms_norm", normed(op::rms_norm, stabilizer{.epsilon = 1e-3F, .axis = 3}, 4));
    check_unary("instance_norm", normed(op::instance_norm, stabilizer{.epsilon = 1e-3F}, 3));
    check_unary("group_norm", normed(op::group_norm, grouping{.groups = 1, .epsilon = 1e-3F}, 3));
}

TEST_CASE("operations of two operands, of which one or both are scaled") {
    const auto with_itself = [](op kind) {
        return [kind](dynamic_builder& b, const dynamic_tensor& x) { return b.add(kind, {x, x}, no_attributes{}); };
    };
    const auto with_other = [](op kind, bool first) {
        return [=](dynamic_builder& b, const dynamic_tensor& x) {
            const dynamic_tensor other = b.constant({}, 3);
            return first ? b.add(kind, {x, other}, no_attributes{}) : b.add(kind, {other, x}, no_attributes{});
        };
    };
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::maximum, op::minimum}) {
        check_unary(name(kind).data(), with_itself(kind));
        check_unary(name(kind).data(), with_other(kind, true));
        check_unary(name(kind).data(), with_other(kind, false));
    }
    check_unary("select", [](dynamic_builder& b, const dynamic_tensor& x) {
        const dynamic_tensor condition = b.add(op::greater, {x, b.constant({}, 9)}, no_attributes{});
        return b.add(op::select, {condition, x, b.constant({}, -1)}, no_attributes{});
    });
    check_unary("concat", [](dynamic_builder& b, const dynamic_tensor& x) {
        return b.add(op::concat, {x, b.add(op::sin, {b.constant({2, 3, 4, 4}, {1})}, no_attributes{})}, axis{1});
    });
}

TEST_CASE("where an operation has no form, or an output would be scaled, nothing is made") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<4>) * 300;
        g.output("y"_s, tanh(x));
    });
    std::vector<char> fits(model.nodes.size(), 1);
    int product = 0;
    for (int i = 0; i < model.view().size(); ++i) {
        product = model.view()[i].kind == op::mul ? i : product;
    }
    CHECK(detail::scaled_region(model, product, 4, fits).has_value()); // back at once
    fits[static_cast<std::size_t>(product)] = 0;
    CHECK_FALSE(detail::scaled_region(model, product, 4, fits).has_value());
    const auto output = build_graph([](auto& g) { g.output("y"_s, g.input("x"_s, f16<4>) * 300); });
    CHECK_FALSE(detail::scaled_region(output, 2, 4, std::vector<char>(output.nodes.size(), 0)).has_value());
    CHECK_FALSE(detail::scaled_region(model, 0, 4, fits).has_value()); // an input
}

TEST_CASE("long sums in two stages") {
    const auto check = [](const dynamic_graph& model, op kind, bool has_form) {
        CAPTURE(name(kind));
        int node = -1;
        for (int i = 0; i < model.view().size(); ++i) {
            node = model.view()[i].kind == kind ? i : node;
        }
        const auto changed = detail::paired_sums(model, node);
        REQUIRE(changed.has_value() == has_form);
        if (has_form) {
            const model_samples samples = random_samples(model, 2);
            const backend::any place = backend::wide{};
            CHECK(relative_error(run_samples(model, {}, samples, place),
                                 run_samples(changed->graph, {}, samples, place)) < 1e-3);
            CHECK(changed->graph.nodes.size() > model.nodes.size());
        }
    };
    check(build_graph([](auto& g) { g.output("y"_s, reduce_sum<1>(g.input("x"_s, f16<2, 12, 3>))); }), op::reduce_sum,
          true);
    check(build_graph([](auto& g) { g.output("y"_s, reduce_mean<1>(g.input("x"_s, f16<2, 36, 3>))); }), op::reduce_mean,
          true);
    check(build_graph([](auto& g) { g.output("y"_s, reduce_sum<1>(g.input("x"_s, f16<2, 13, 3>))); }), op::reduce_sum,
          false); // a prime
    check(build_graph([](auto& g) {
              auto x = g.input("x"_s, f16<2, 7>);
              g.output("y"_s, matmul(x, g.input("w"_s, f16<7, 3>)));
          }),
          op::matmul, true);
    check(build_graph([](auto& g) {
              auto x = g.input("x"_s, f16<7, 2>);
              g.output("y"_s, matmul<transposed{.a = true, .b = true}>(x, g.input("w"_s, f16<3, 7>)));
          }),
          op::matmul, true);
    check(build_graph([](auto& g) {
              auto x = g.input("x"_s, f16<2, 1>);
              g.output("y"_s, matmul(x, g.input("w"_s, f16<1, 3>)));
          }),
          op::matmul, false);
}

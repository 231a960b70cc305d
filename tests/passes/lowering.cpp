#include <anemone/backend/cpu/constants.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/fusion.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/fold_constants.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ane;

namespace {

/// The operations of a lowered graph, without its sources, in order.
std::vector<op> operations(const graph_view& g) {
    std::vector<op> kinds;
    for (const node& n : g.nodes) {
        if (!is_source(n.kind)) {
            kinds.push_back(n.kind);
        }
    }
    return kinds;
}

template <class Function> lowered_graph lowered(const Function& describe) {
    lowered_graph result = lower(build_graph(describe));
    CHECK_NOTHROW(validate(result.view()));
    CHECK(result.origins.size() == result.graph.nodes.size());
    return result;
}

} // namespace

TEST_CASE("biases become additions, and fuse back into the accumulator") {
    const lowered_graph l = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 4, 4>);
        g.output("y"_s, relu(conv2d(x, g.weight("w", f16<3, 2, 1, 1>), g.weight("b", f16<3>))));
    });
    CHECK(operations(l.view()) == std::vector<op>{op::conv2d, op::reshape, op::add, op::relu});
    const auto roles = fuse(l.view());
    CHECK(roles[5].role == fused_as::bias);
    CHECK(roles[6].role == fused_as::activation);
    CHECK(roles[6].host == roles[5].host);
}

TEST_CASE("linear keeps the weight as it is stored, vectors included") {
    const lowered_graph l = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<5>);
        g.output("y"_s, linear(x, g.weight("w", f16<3, 5>)));
    });
    CHECK(operations(l.view()) == std::vector<op>{op::reshape, op::matmul, op::reshape});
    CHECK(l.graph.nodes[3].get<transposed>() == transposed{.b = true});
    CHECK(l.graph.nodes.back().shape == extents{3});
}

TEST_CASE("norms and attention are their parts") {
    const lowered_graph norm = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<2, 6>);
        g.output("y"_s, layer_norm(x, g.weight("g", f16<6>), g.weight("b", f16<6>)));
    });
    CHECK(operations(norm.view()) == std::vector<op>{op::reduce_mean, op::sub, op::mul, op::reduce_mean, op::add,
                                                     op::rsqrt, op::mul, op::reshape, op::mul, op::reshape, op::add});
    const lowered_graph attended = lowered([](auto& g) {
        auto q = g.input("q"_s, f16<1, 2, 4, 16>);
        g.output("y"_s, attention(q, q, q, g.weight("mask", f16<4, 4>)));
    });
    CHECK(operations(attended.view()) == std::vector<op>{op::matmul, op::mul, op::add, op::softmax, op::matmul});
}

TEST_CASE("operations that a format has a form for are kept whole") {
    const dynamic_graph model = build_graph([](auto& g) {
        auto q = g.input("q"_s, f16<1, 2, 4, 16>);
        g.output("y"_s, relu(attention(q, q, q, square(g.weight("mask", f16<4, 4>)))));
    });
    const lowered_graph kept = lower(model, {op::attention});
    CHECK_NOTHROW(validate(kept.view()));
    CHECK(operations(kept.view()) == std::vector<op>{op::mul, op::attention, op::relu});
    CHECK(kept.graph.nodes[3].get<score_scaling>() == model.nodes[3].get<score_scaling>());
}

TEST_CASE("every output is an operation of its own") {
    const lowered_graph l = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<4>);
        auto y = exp(x);
        g.output("same"_s, x);
        g.output("one"_s, y);
        g.output("two"_s, y);
    });
    CHECK(operations(l.view()) == std::vector<op>{op::exp, op::mul, op::mul});
    const graph_view g = l.graph;
    CHECK(g.outputs[0].node != g.outputs[1].node);
    CHECK(g.outputs[1].node != g.outputs[2].node);
}

TEST_CASE("a reduction times the number zero becomes a difference of the same shape") {
    const lowered_graph number = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<2, 8>);
        g.output("y"_s, reduce_sum<axes{-1}>(x) * 0);
    });
    CHECK(operations(number.view()) == std::vector<op>{op::reduce_sum, op::sub});
    const lowered_graph small = lowered([](auto& g) { // 1e-30 is written as the fp16 number that it is, zero
        auto x = g.input("x"_s, f16<2, 8>);
        g.output("y"_s, reduce_sum<axes{-1}>(x) * 1e-30);
    });
    CHECK(operations(small.view()) == std::vector<op>{op::reduce_sum, op::sub});
    const lowered_graph zeros = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<2, 8>);
        g.output("y"_s, reduce_sum<axes{-1}>(x) * g.constant(f16<2, 40>, 0));
    });
    CHECK(zeros.graph.nodes.back().shape == extents{2, 40});
}

TEST_CASE("a batch norm is one scale and one offset, rounded once") {
    const dynamic_graph model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 2, 2>);
        auto p = [&g](const char* name) { return g.weight(name, f16<1>); };
        g.output("y"_s, batch_norm(x, p("mean"), p("variance"), p("gamma"), p("beta"), 1e-12));
    });
    const lowered_graph l = lower(model);
    weight_store store;
    const auto add = [&store](const char* name, float value) {
        store.add(name, {1}, std::span<const float>(&value, 1));
    };
    add("mean", 0.5F), add("variance", 0), add("gamma", 0.001F), add("beta", 0.25F);
    // 1 / sqrt(1e-12) is 10^6, beyond fp16, but no device reads it: the scale, 10^3 times the rounded gamma, is read.
    const folded_constants constants = fold_constants(l.graph, store);
    const double scale = static_cast<double>(half(0.001)) / std::sqrt(static_cast<double>(1e-12F));
    std::vector<double> read;
    for (int i = 0; i < l.view().size(); ++i) {
        if (l.view()[i].kind == op::reshape) {
            read.push_back(static_cast<double>(constants.data(i)[0]));
        }
    }
    CHECK(read == std::vector<double>{static_cast<double>(half(scale)), static_cast<double>(half(0.25 - 0.5 * scale))});
    store = weight_store();
    add("mean", 0.5F), add("variance", 0), add("gamma", 1), add("beta", 0.25F);
    CHECK_THROWS_AS(fold_constants(l.graph, store), error);
}

TEST_CASE("factors in a row are folded into a weight as long as their product is a normal fp16 number") {
    const auto multiplications = [](double first, double second) {
        const lowered_graph l =
            lowered([=](auto& g) { g.output("y"_s, g.input("x"_s, f16<4>) * first * second * g.weight("w", f16<4>)); });
        return operations(l.view()).size();
    };
    CHECK(multiplications(0x1p-4, 0x1p-10) == 2);  // w 2^-14, and the product with x
    CHECK(multiplications(0x1p-5, 0x1p-10) == 2);  // x 2^-15, then w: a constant of 2^-15 would have nine digits
    CHECK(multiplications(0x1p-14, 0x1p-14) == 3); // 2^-28 is zero in fp16: x 2^-14, w 2^-14, their product

    const auto factor_is_zero = [](const lowered_graph& l) {
        for (const node& n : l.graph.nodes) {
            if (n.kind == op::constant && static_cast<double>(half(l.view().value(n, 0))) == 0) {
                return true;
            }
        }
        return false;
    };
    // 2^15 times 2^-26 is a fine number, 2^-26 is not.
    const lowered_graph vector = lowered([](auto& g) {
        auto c = g.constant(f16<2>, {32768.0F, 16384.0F});
        g.output("y"_s, g.input("x"_s, f16<2>) * 0x1p-13 * 0x1p-11 * c * 0x1p-2);
    });
    CHECK_FALSE(factor_is_zero(vector));
}

TEST_CASE("functions that the engine computes wrong are composed of right ones") {
    const lowered_graph soft = lowered([](auto& g) { g.output("y"_s, softplus(g.input("x"_s, f16<4>))); });
    CHECK(operations(soft.view()) == std::vector<op>{op::minimum, op::softplus, op::sub, op::relu, op::add});
    const lowered_graph nearest = lowered([](auto& g) { g.output("y"_s, round(g.input("x"_s, f16<4>)) * 3); });
    CHECK(operations(nearest.view()) == std::vector<op>{op::abs, op::less, op::round, op::select, op::mul});
    for (const node& n : nearest.graph.nodes) {
        CHECK(n.type == (n.kind == op::less ? dtype::boolean : dtype::f16));
    }
}

TEST_CASE("a number times floor or ceil becomes a constant of the full shape") {
    const auto factor_of = [](const auto& describe) {
        const lowered_graph l = lowered(describe);
        for (const node& n : l.graph.nodes) {
            if (n.kind == op::mul) {
                return l.view().operand(n, 1).shape;
            }
        }
        return extents{};
    };
    CHECK(factor_of([](auto& g) { g.output("y"_s, floor(g.input("x"_s, f16<2, 4>)) * 3); }) == extents{2, 4});
    CHECK(factor_of([](auto& g) { g.output("y"_s, 3 * ceil(g.input("x"_s, f16<2, 4>))); }) == extents{2, 4});
    CHECK(factor_of([](auto& g) { g.output("y"_s, floor(g.input("x"_s, f16<2, 4>)) * g.constant(f16<1, 1>, 3)); }) ==
          extents{2, 4});
    CHECK(factor_of([](auto& g) { g.output("y"_s, abs(g.input("x"_s, f16<2, 4>)) * 3); }) == extents{});
}

// The gradient of typed and of read models: closed forms, and what is refused.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/gradient/model_gradient.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace {

/// A step of logistic regression by gradient descent: the loss of the step before, and the new weight.
constexpr auto regression = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 2>, within(-2, 2));
    auto wanted = g.input("wanted"_s, f16<4, 1>, within(0, 1));
    auto w = g.state("w"_s, f16<1, 2>, within(-8, 8));
    auto p = sigmoid(linear(x, read(w)));
    auto loss = reduce_mean<axes{0, 1}>(square(p - wanted));
    auto [dw] = gradient(loss, read(w));
    g.output("loss"_s, loss);
    g.output("dw"_s, dw);
    write(w, clamp(read(w) - 4.0 * dw, -8, 8));
});
static_assert(conforms<regression, macs>);

std::string refusal_of(const graph_view& g, std::string_view loss, std::string_view by) {
    try {
        (void)with_gradient(g, loss, {by});
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("a typed step learns, and its gradient is the closed form") {
    const std::array<double, 8> x{1, 0.5, -1, 0.25, 0.5, -1.5, -0.5, 1};
    const std::array<double, 4> wanted{1, 0, 1, 0};
    ndarray<shape<4, 2>> inputs;
    ndarray<shape<4, 1>> labels;
    for (std::size_t i = 0; i < 8; ++i) {
        inputs[i] = half(x[i]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        labels[i] = half(wanted[i]);
    }
    auto program = compile<regression>(backend::cpu{}, weight_store{});
    double first = 0;
    double last = 0;
    for (int step = 0; step < 60; ++step) {
        const auto r = program({"x"_s = inputs, "wanted"_s = labels});
        last = static_cast<double>(r["loss"_s][0]);
        if (step == 0) {
            first = last;
            for (std::size_t k = 0; k < 2; ++k) { // w is 0, p is 1/2, and its slope 1/4
                double d = 0;
                for (std::size_t i = 0; i < 4; ++i) {
                    d += 2 * (0.5 - wanted[i]) * 0.25 * x[2 * i + k] / 4;
                }
                CHECK(static_cast<double>(r["dw"_s][k]) == doctest::Approx(d).epsilon(2e-3));
            }
        }
    }
    CHECK(first == doctest::Approx(0.25));
    CHECK(last < 0.6 * first);
}

TEST_CASE("a read model gets its gradients as outputs") {
    const dynamic_graph model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 3>);
        auto w = g.weight("w"_s, f16<2, 3>);
        g.output("loss"_s, reduce_sum<axes{0, 1}>(square(linear(x, w))));
        g.output("wide"_s, linear(x, w));
        g.output("step"_s, reduce_sum<axes{0, 1}>(floor(x)));
    });
    const dynamic_graph extended = with_gradient(model, "loss", {"w", "x"});
    REQUIRE(extended.outputs.size() == 5);
    CHECK(extended.view().name(extended.outputs[3]) == "w_gradient");
    CHECK(extended.view()[extended.outputs[3].node].shape == extents{2, 3});
    CHECK(extended.view()[extended.outputs[4].node].shape == extents{1, 3});

    CHECK(refusal_of(model, "lost", "w").find("lost: the model has no output of this name") != std::string::npos);
    CHECK(refusal_of(model, "wide", "w").find("a loss must have one element: reduce it (2, not 1)") !=
          std::string::npos);
    CHECK(refusal_of(model, "loss", "v").find("v: the model has no input or weight") != std::string::npos);
    CHECK(refusal_of(model, "step", "w").find("w: has no gradient: the loss does not depend on it") !=
          std::string::npos);
    const std::string step = refusal_of(model, "step", "x");
    CHECK(step.find("floor: has no derivative: it is a step") != std::string::npos);
    CHECK(step.find("; the loss depends on it by reduce_sum (") != std::string::npos);
    CHECK(step.find("gradient.cpp:") != std::string::npos);
}

TEST_CASE("names of weights with dots give ports, called as the weights are") {
    dynamic_builder b;
    const auto x = b.input("x", {1, 3});
    b.output("loss", b.add(op::reduce_sum, {b.add(op::linear, {x, b.weight("layers.0.w", {1, 3})})}, axes{0, 1}));
    const dynamic_graph extended = with_gradient(b.finish(), "loss", {"layers.0.w"});
    validate(extended);
    CHECK(extended.view().find_output("layers_0_w_gradient") == 1);
    CHECK(extended.view().called("layers_0_w_gradient") == "layers.0.w_gradient");
}

TEST_CASE("numbers of no node, and values without cotangents, are refused") {
    const dynamic_graph model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1>);
        g.output("y"_s, x * 2.0);
        g.output("positive"_s, greater(x, 0.0));
    });
    const int truth = model.view().outputs[1].node;
    for (const auto& [loss, by] : {std::pair{-1, 0}, {1000, 0}, {0, -1}, {0, 1000}, {truth, 0}, {0, truth}}) {
        CAPTURE(loss);
        CAPTURE(by);
        dynamic_graph g = copy_of(model);
        const int wrt[] = {by};
        int found[1]{};
        CHECK_THROWS_AS(append_gradient(g, loss, wrt, found), error);
        CHECK_THROWS_AS(append_gradient(g, 0, wrt, {}), error);
    }
}

TEST_CASE("places beyond 2048, which fp16 does not tell apart, get nothing or are refused") {
    constexpr std::int64_t rows = 2060;
    dynamic_builder b;
    const auto table = b.input("table", {rows, 1});
    const auto ids = b.input("ids", {3}, within(0, 2048));
    b.output("loss", b.add(op::reduce_sum, {b.add(op::gather, {table, ids}, axis{0})}, axes{0, 1}));
    const dynamic_graph model = with_gradient(b.finish(), "loss", {"table"});
    auto program = compile(model, backend::cpu{}, weight_store{});
    const std::vector<half> zeros(rows, half(0.0));
    const half places[] = {half(2048.0), half(7.0), half(2048.0)};
    half loss[1]{};
    std::vector<half> found(rows);
    const std::span<const std::byte> in[] = {std::as_bytes(std::span<const half>(zeros)),
                                             std::as_bytes(std::span<const half>(places))};
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span<half>(loss)),
                                        std::as_writable_bytes(std::span<half>(found))};
    program.run(in, out);
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        CHECK(static_cast<double>(found[i]) == (i == 2048 ? 2 : i == 7 ? 1 : 0));
    }

    dynamic_builder s;
    const auto x = s.input("x", {1, rows});
    s.output("loss", s.add(op::reduce_max, {s.add(op::sort, {x}, selection{.k = rows, .axis = 1})}, axes{0, 1}));
    CHECK(refusal_of(s.finish(), "loss", "x").find("an axis of at most 2049 elements") != std::string::npos);
}

TEST_CASE("what has no derivative says why and what to write instead") {
    for (std::size_t k = 0; k < op_count; ++k) {
        const no_derivative r = derivative_refusal(static_cast<op>(k));
        CAPTURE(name(static_cast<op>(k)));
        CHECK((*r.why == '\0') == (*r.instead == '\0'));
        CHECK(std::string_view(r.instead).size() <= detail::short_text::capacity); // a compiler prints all of it
    }
}

TEST_CASE("a loss may be what the gradient is by, and a value may be read twice") {
    const dynamic_graph model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1>);
        auto y = x * x + x; // 2 x + 1
        auto [dx, dy] = gradient(y, x, y);
        g.output("dx"_s, dx);
        g.output("dy"_s, dy);
    });
    auto program = compile(model, backend::cpu{}, weight_store{});
    const half x[] = {half(3.0)};
    half dx[1]{};
    half dy[1]{};
    const std::span<const std::byte> in[] = {std::as_bytes(std::span<const half>(x))};
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span<half>(dx)),
                                        std::as_writable_bytes(std::span<half>(dy))};
    program.run(in, out);
    CHECK(static_cast<double>(dx[0]) == 7);
    CHECK(static_cast<double>(dy[0]) == 1);
}

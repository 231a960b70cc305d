// What is told of two runs of one model: where they part, by how much, and by which rule of the arithmetic. Each model
// breaks one rule, with values whose results are known.

#include "../drawing/xml_check.hpp"
#include <anemone/backend/calibration.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/build.hpp>
#include <anemone/diff/diff.hpp>
#include <anemone/diff/trace.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/report/diff_drawing.hpp>
#include <anemone/report/diff_report.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace ane;

namespace {

const backend::cpu cpu;
const backend::oracle m1(h13);
const backend::oracle m5(h17s);

template <class Reference = backend::cpu>
model_difference difference_of(const graph_view& model, const std::vector<double>& x, const weight_store& weights = {},
                               const backend::oracle& engine = m1, const Reference& reference = cpu) {
    std::vector<half> values;
    for (const double v : x) {
        values.emplace_back(v);
    }
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span<const half>(values))};
    return diff(model, reference, engine, weights, inputs);
}

/// The only node of a kind.
const node_difference& only(const graph_view& model, const model_difference& d, op kind) {
    for (const node_difference& n : d.nodes) {
        if (model[n.node].kind == kind) {
            return n;
        }
    }
    throw error(errc::argument, std::string(name(kind)), "is not in the difference");
}

} // namespace

TEST_CASE("bins of the histogram: equal, 1, 2 to 3, 4 to 7, and not finite") {
    const auto bin = [](std::uint16_t a, std::uint16_t b) {
        return ulp_histogram::bin_of(half::from_bits(a), half::from_bits(b));
    };
    CHECK(bin(0x3C00, 0x3C00) == 0);
    CHECK(bin(0x0000, 0x8000) == 0);
    CHECK(bin(0x7E00, 0xFE01) == 0);
    CHECK(bin(0x3C00, 0x3C01) == 1);
    CHECK(bin(0x8001, 0x0001) == 2);
    CHECK(bin(0x3C00, 0x3C03) == 2);
    CHECK(bin(0x3C00, 0x3C04) == 3);
    CHECK(bin(0xFBFF, 0x7BFF) == 16); // 63486 apart
    CHECK(bin(0x7BFF, 0x7C00) == 17); // 65504 beside infinity: one apart, and not the same thing
    CHECK(bin(0x3C00, 0x7E00) == 17);
    ulp_histogram h = histogram_of(std::vector<half>{half(1.0), half(2.0), half(3.0), half(4.0)},
                                   std::vector<half>{half(1.0), half(2.0), half(3.0), half::from_bits(0x4401)});
    CHECK(h.total() == 4);
    CHECK(h.differing() == 0.25);
}

TEST_CASE("a model without arithmetic is the same everywhere") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 3>);
        g.output("y"_s, transpose<permutation{1, 0}>(relu(x)));
    });
    const model_difference d = difference_of(model, {-3, 2, 0.1, 5, -0.0, 60000});
    CHECK(d.identical());
    CHECK(d.nodes.size() == 2);
    for (const node_difference& n : d.nodes) {
        CHECK(n.whole.max_ulp == 0);
        CHECK(n.histogram.counts[0] == 6);
        CHECK(n.cause == difference_cause::none);
    }
    CHECK(diff_report(model, d).str().find("no node differs") != std::string::npos);
}

TEST_CASE("the ceiling of a product: found at the product, inherited behind it") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 2>);
        g.output("y"_s, relu(matmul(x, g.constant(f16<2, 2>, {1, 0, 1, 1}))));
    });
    const model_difference d = difference_of(model, {20000, 20000, 1, 2}); // the first sum is 40000
    const node_difference& product = only(model, d, op::matmul);
    CHECK(d.first_divergent == product.node);
    CHECK(product.cause == difference_cause::ceiling);
    CHECK(std::isinf(product.whole.max_abs));
    CHECK(product.histogram.counts[0] == 3);
    CHECK(product.histogram.counts[ulp_histogram::bins - 1] == 1);
    const node_difference& behind = only(model, d, op::relu);
    CHECK(std::isinf(behind.whole.max_abs));
    CHECK(behind.alone.max_ulp == 0);
    CHECK(behind.cause == difference_cause::none);
    const std::string text = diff_report(model, d).str();
    CAPTURE(text);
    CHECK(text.find("ceiling") != std::string::npos);
    CHECK(text.find("inherited") != std::string::npos);
    CHECK(text.find("first divergent node: matmul") != std::string::npos);
}

TEST_CASE("a bias or an offset is compared where it is rounded") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2>);
        auto y = matmul(x, g.constant(f16<2, 2>, {1, 1, 1, -1}));
        g.output("y"_s, y + g.constant(f16<2>, {1, 2}));
    });
    const model_difference d = difference_of(model, {30, 4});
    REQUIRE(d.nodes.size() == 1); // the product has no value of its own on the engine
    CHECK(model.view()[d.nodes[0].node].kind == op::add);
    CHECK(d.identical());
    // The same behind an operation of several steps: attention of one key returns its value.
    const auto behind_steps = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 1, 2>);
        g.output("y"_s, attention(x, x, x) + g.constant(f16<2>, {1, 2}));
    });
    const model_difference steps = difference_of(behind_steps, {3, 5});
    REQUIRE(steps.nodes.size() == 1);
    CHECK(steps.identical());
}

TEST_CASE("a node whose operand the engine holds in another type reads that operand's values") {
    const auto model = build_graph([](auto& g) {
        auto image = g.input("image"_s, u8<1, 1, 2, 2>);
        g.output("y"_s, to_f16(reshape<4>(image)) * 2);
    });
    const std::vector<std::byte> pixels{std::byte{1}, std::byte{2}, std::byte{100}, std::byte{255}};
    const std::span<const std::byte> inputs[] = {pixels};
    const model_difference d = diff(model, backend::cpu{}, m1, {}, inputs);
    CHECK(only(model, d, op::mul).alone.max_ulp == 0);
    CHECK(d.identical());
}

TEST_CASE("a model that computes nothing has no difference, and data of its inputs alone") {
    const dynamic_graph model = build_graph([](auto& g) { g.output("y"_s, g.input("x"_s, f16<3>)); });
    CHECK(difference_of(model, {1, -2, 3}).nodes.empty());
    calibration seen(backend::cpu{}, model, {});
    const std::array<half, 3> x{half(1.0), half(-2.0), half(3.0)};
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(x))};
    seen.run(inputs);
    CHECK(seen.measured()[0].low == -2);
    CHECK(seen.measured()[0].high == 3);
    CHECK_THROWS_AS(seen.run({}), error);
}

TEST_CASE("a graph that breaks a rule is refused, not run") {
    dynamic_graph g = build_graph([](auto& b) { b.output("y"_s, relu(b.input("x"_s, f16<2>))); });
    g.nodes.back().shape = {3};
    CHECK_THROWS_AS(difference_of(g, {1, 2}), error);
}

TEST_CASE("flush and fixed point: small products vanish, larger ones lose their low bits") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, matmul(x, g.weight("w", f16<4, 1>)));
    });
    const auto with_bias = build_graph([](auto& g) { // the sum stands for both
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, matmul(x, g.weight("w", f16<4, 1>)) + g.constant(f16<1>, 0));
    });
    const auto with_weight = [](const graph_view& g, op kind, double w, double x) {
        weight_store weights;
        weights.add("w", extents{4, 1}, std::vector<half>(4, half(w)));
        const model_difference d = difference_of(g, {x, x, x, x}, weights);
        return only(g, d, kind);
    };
    const auto check = [&](const graph_view& g, op kind) {
        CAPTURE(name(kind));
        // exponents -17; four times 1.877 * 2^-16
        const node_difference flushed = with_weight(g, kind, 0x1.fp-9, 0x1.fp-8);
        CHECK(flushed.cause == difference_cause::flush);
        CHECK(flushed.alone.max_abs == 4 * 0x1.fp-9 * 0x1.fp-8);
        // four times 1.25 * 2^-15: 2.5 units, taken as 3
        const node_difference rounded = with_weight(g, kind, 0x1.4p-7, 0x1p-8);
        CHECK(rounded.cause == difference_cause::fixed_point);
        CHECK(rounded.alone.max_abs == 0x1p-15);
    };
    check(model, op::matmul);
    check(with_bias, op::add);
}

TEST_CASE("an operation of several paths that looks nothing up is not a table") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 2, 2>);
        g.output("resized"_s, resize<sampling{.extent = {16, 16}}>(x));
        g.output("normal"_s, local_response_norm<1>(x, 1.0, 0.5));
        g.output("gate"_s, hard_sigmoid(x, 0.3, 0.1));
        g.output("divided"_s, x / 3);
    });
    const std::vector<double> x{0.3337, 1.7002, -0.9106, 2.445};
    const model_difference without_unit = difference_of(model, x);
    CHECK(only(model, without_unit, op::resize).cause == difference_cause::fixed_point);
    CHECK(only(model, without_unit, op::local_response_norm).cause == difference_cause::reduction);
    CHECK(only(model, without_unit, op::hard_sigmoid).cause != difference_cause::table);
    CHECK(only(model, without_unit, op::div).cause == difference_cause::table);
    const model_difference with_unit = difference_of(model, x, {}, m5);
    CHECK(only(model, with_unit, op::resize).cause == difference_cause::rounding);
}

TEST_CASE("tables, narrow sums and roundings are told apart") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("table"_s, sigmoid(x));
        g.output("sum"_s, reduce_sum<axes{1}>(x));
        g.output("rounding"_s, x * 1.5);
    });
    // 4096 + 1 + 1 + 1.25 in a tile loses its small terms (N003); 1.25 is between two knots of the sigmoid
    const model_difference d = difference_of(model, {4096, 1, 1, 1.25});
    CHECK(only(model, d, op::sigmoid).cause == difference_cause::table);
    CHECK(only(model, d, op::reduce_sum).cause == difference_cause::reduction);
    CHECK(only(model, d, op::reduce_sum).alone.max_abs == 4);
    CHECK(only(model, d, op::mul).cause == difference_cause::none);
    // 1.5 * 1025 = 1537.5: half to even on the CPU, half away on the M5
    const model_difference ties = difference_of(model, {1025, 1, 1, 1}, {}, m5);
    CHECK(only(model, ties, op::mul).cause == difference_cause::none);            // 1538 both ways
    const model_difference other = difference_of(model, {1027, 1, 1, 1}, {}, m5); // 1540.5: 1540 and 1541
    CHECK(only(model, other, op::mul).cause == difference_cause::rounding);
    CHECK(only(model, other, op::mul).alone.max_ulp == 1);
}

TEST_CASE("the gain of a width slice, on the M1 only; between two generations too") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, slice<window{{0, 2}, {1, 2}}>(x));
    });
    const std::vector<double> x{1, 2, 5000, 3};
    CHECK(only(model, difference_of(model, x), op::slice).cause == difference_cause::width_slice);
    CHECK(difference_of(model, x, {}, m5).identical());
    CHECK(only(model, difference_of(model, x, {}, m5, m1), op::slice).cause == difference_cause::width_slice);
    CHECK(difference_of(model, {1, 2, 4094, 3}).identical());
}

TEST_CASE("a step that leaves fp16, and forms that IEEE calls invalid") {
    const auto squares = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, layer_norm(x, g.constant(f16<4>, {1, 1, 1, 1}), g.constant(f16<4>, {0, 0, 0, 0})));
    });
    const node_difference norm = only(squares, difference_of(squares, {1000, -1000, 1000, -1000}), op::layer_norm);
    CHECK(norm.cause == difference_cause::overflow); // 1000^2 is infinite, its reciprocal root 0
    CHECK(norm.alone.max_abs == 1);
    const auto invalid = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2>);
        g.output("y"_s, x - x);
    });
    const double infinity = std::numeric_limits<double>::infinity();
    const node_difference zero = only(invalid, difference_of(invalid, {infinity, 1}), op::sub);
    CHECK(zero.cause == difference_cause::special_value);
    CHECK(zero.histogram.counts[ulp_histogram::bins - 1] == 1);
}

TEST_CASE("the picture is well-formed, has a row for each node and names the causes") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, gelu(matmul(x, g.weight("<&>.weight", f16<4, 4>))));
    });
    weight_store weights;
    weights.add("<&>.weight", extents{4, 4}, std::vector<half>(16, half(0.5)));
    const model_difference d = difference_of(model, {0.3, 0.7, -0.4, 0.2}, weights);
    const std::string svg = draw_diff(model, d);
    CHECK(drawing_test::xml_error(svg).empty());
    CHECK(svg.find("gelu") != std::string::npos);
    CHECK(svg.find("matmul") != std::string::npos);
    CHECK(svg.find(">table<") != std::string::npos);
}

TEST_CASE("states: their callers bind none, and they are zero before the run that is compared") {
    const dynamic_graph model = build_graph([](auto& b) {
        auto total = b.state("total"_s, f16<3>);
        write(total, exp(read(total) + b.input("x"_s, f16<3>)));
        b.output("y"_s, read(total) * 2);
    });
    const model_difference d = difference_of(model, {0, 5.3, -9});
    CHECK(only(model, d, op::add).whole.same_bits);
    CHECK(only(model, d, op::exp).alone.max_ulp > 0);
    const std::array<half, 3> zeros{};
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(zeros))};
    for (const trace& values : {trace_of(model, m1, {}, inputs), trace_of(model, backend::cpu{}, {}, inputs)}) {
        CHECK(static_cast<double>(values.halves(only(model, d, op::exp).node)[0]) == 1);
    }
}

TEST_CASE("a scale after the sum: a tie of the sum of codes is rounded before the scale") {
    dynamic_builder b;
    const auto w = b.add(op::compressed, {b.weight("w", {1, 2})}, compression{.form = weight_form::affine, .bits = 8});
    b.output("y", b.add(op::linear, {b.input("x", {1, 2}), w}));
    const dynamic_graph g = b.finish();
    // Codes 127 and 3 of scale 1.5 2^-7; 3 times 683/256 is 2049/256, between two values of fp16.
    const std::vector<half> values{half(127 * 0.01171875), half(3 * 0.01171875)};
    weight_store weights;
    weights.add("w", {1, 2}, std::span<const half>(values));
    const std::vector<half> x{half(0.0), half(683.0 / 256)};
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(x))};
    const model_difference d = diff(g, backend::cpu{}, backend::oracle(h17s), weights, inputs);
    const node_difference& y = only(g, d, op::linear);
    CHECK(y.cause == difference_cause::code_scale);
    CHECK(name(y.cause) == "scale after the sum");
    CHECK(y.alone.max_abs == 0x1p-14); // 2050 and 2049 times 1.5, rounded: 3076 and 3074 units of 2^-15
    CHECK(only(g, diff(g, backend::oracle(h13), backend::oracle(h17s), weights, inputs), op::linear).cause ==
          difference_cause::code_scale);
    CHECK(only(g, diff(g, backend::oracle(h14), backend::oracle(h17s), weights, inputs), op::linear).cause ==
          difference_cause::none);
}

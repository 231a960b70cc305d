// Which layer breaks against double precision, and why: each model breaks in one way, with values worked out here.

#include "wide_models.hpp"
#include <anemone/diff/diff.hpp>
#include <anemone/readers/mil.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace wide_models;

namespace {

template <class Judged>
wide_difference errors_of(const graph_view& model, const Judged& judged, const std::vector<std::vector<double>>& inputs,
                          const wide_diff_options& options = {}, const weight_store& weights = {}) {
    return diff(model, judged, exact, weights, sample_of(inputs), options);
}

} // namespace

TEST_CASE("both arithmetics are fp16 and agree, and the square overflows in both") {
    const auto model = root_mean_square();
    const model_samples samples = sample_of({large_row});
    const model_difference narrow = diff(model, plain, oracle13, {}, samples.inputs(0));
    for (const node_difference& n : narrow.nodes) {
        CHECK(n.alone.max_abs < 1); // nothing is told of infinity
    }
    const auto check = [&](const wide_difference& d) {
        CAPTURE(d.judged);
        REQUIRE(first_kind(model, d) == op::square);
        const layer_error& square = only(model, d, op::square);
        CHECK(square.cause == difference_cause::overflow);
        CHECK(square.whole.not_finite == 4);
        CHECK(square.whole.beyond == 4);
        CHECK(square.whole.count == 8);
        CHECK(std::isinf(square.whole.got));
        CHECK(square.whole.expected == 90000); // the first of those that are infinite
        CHECK(square.largest == 96100);
        CHECK_FALSE(square.fits);
        const layer_error& mean = only(model, d, op::reduce_mean);
        CHECK(mean.is_beyond());
        CHECK(mean.cause == difference_cause::none); // its operand does not fit
        const layer_error& ratio = only(model, d, op::div);
        CHECK(ratio.whole.beyond == 4);
        CHECK(ratio.alone.beyond == 0);
        CHECK(d.affected == 1);
        CHECK(d.broken == 1);
        CHECK(d.samples == 1);
        CHECK(d.outputs == std::vector<int>{3});
        CHECK(d.work.reference_layers == 4);
        CHECK(d.work.judged_layers == 4);
        CHECK(d.work.alone_layers == 4);
    };
    check(diff(model, plain, exact, {}, sample_of({large_row})));
    check(diff(model, oracle13, exact, {}, sample_of({large_row})));
}

TEST_CASE("a model that is a constant, with typed inputs") {
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<2>);
        g.output("y"_s, square(x));
    });
    ndarray<shape<2>> x{half(2.0), half(300.0)};
    const wide_difference d = diff<model>(plain, exact, {}, {"x"_s = x});
    REQUIRE(d.layers.size() == 1);
    CHECK(d.first == 0);
    CHECK(d.layers[0].whole.worst == 1);
    CHECK(diff<model>(oracle13, exact, {}, {"x"_s = x}, {.bound = {.relative = 2, .absolute = 1e6}}).first ==
          0); // infinite
}

TEST_CASE("a difference of squares magnifies their rounding, and is not wrong itself") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1>);
        auto y = g.input("y"_s, f16<1>);
        g.output("z"_s, square(x) - square(y));
    });
    // 10302.25 and 10289.566 are 10304 and 10288 in fp16, 16 apart instead of 12.684.
    for (const wide_difference& d :
         {errors_of(model, plain, {{101.5}, {101.4375}}), errors_of(model, oracle13, {{101.5}, {101.4375}})}) {
        REQUIRE(first_kind(model, d) == op::sub);
        const layer_error& difference = only(model, d, op::sub);
        CHECK(difference.cause == difference_cause::cancellation);
        CHECK(difference.whole.got == 16);
        CHECK(difference.whole.expected == doctest::Approx(101.5 * 101.5 - 101.4375 * 101.4375).epsilon(1e-15));
        CHECK(only(model, d, op::square).alone.beyond == 0);
    }
}

TEST_CASE("squares of small numbers vanish") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2>);
        g.output("y"_s, sqrt(square(x)));
    });
    for (const wide_difference& d :
         {errors_of(model, plain, {{1e-4, 2e-4}}), errors_of(model, oracle13, {{1e-4, 2e-4}})}) {
        REQUIRE(first_kind(model, d) == op::square);
        CHECK(only(model, d, op::square).cause == difference_cause::flush);
        CHECK(only(model, d, op::sqrt).whole.got == 0);
    }
}

TEST_CASE("a weight that fp16 has as zero is named where it is read") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1>);
        g.output("y"_s, matmul(x, g.weight("w"_s, f16<1, 1>)));
    });
    weight_store weights;
    weights.add("w", {1, 1}, {1e-8F});
    const wide_difference d = errors_of(model, plain, {{1000}}, {}, weights);
    CHECK(first_kind(model, d) == op::matmul);
    CHECK(only(model, d, op::matmul).cause == difference_cause::flush);
}

TEST_CASE("what a mask adds twice is infinite and spoils no output") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 3>);
        auto mask = g.constant(f16<3>, {0, 0, -40000});
        g.output("y"_s, softmax<axis{1}>(x + mask + mask));
    });
    const wide_difference d = errors_of(model, plain, {{1, 2, 3}});
    REQUIRE(first_kind(model, d) == op::add);
    const layer_error& second = d.layers[static_cast<std::size_t>(d.first)];
    CHECK(second.cause == difference_cause::mask);
    CHECK(second.whole.expected == -79997);
    CHECK(d.affected == 0);
    CHECK(d.broken == 1);
}

TEST_CASE("an index above 2048 reads another row") {
    const auto model = build_graph([](auto& g) {
        auto ones = g.input("ones"_s, f16<4001>);
        auto rows = g.input("rows"_s, f16<5000, 1>);
        g.output("y"_s, gather<axis{0}>(rows, reshape<1>(reduce_sum<0>(ones))));
    });
    std::vector<double> rows(5000, 0.0);
    rows[4001] = 1;
    const wide_difference d = errors_of(model, plain, {std::vector<double>(4001, 1.0), rows});
    REQUIRE(first_kind(model, d) == op::gather);
    CHECK(only(model, d, op::gather).cause == difference_cause::integer);
    CHECK(only(model, d, op::reduce_sum).whole.got == 4000);
    CHECK(only(model, d, op::reduce_sum).whole.expected == 4001);
}

TEST_CASE("the engine's own rules are found where fp16 alone has no error") {
    const auto product = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2>);
        g.output("y"_s, matmul(x, g.constant(f16<2, 1>, {1, 1})));
    });
    // As a sum, by the reading of the ones: N041 is of other weights.
    const auto weighted = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2>);
        g.output("y"_s, matmul(x, g.constant(f16<2, 1>, {1, 0.5})));
    });
    CHECK(errors_of(product, plain, {{20000, 20000}}).within_bound());
    CHECK(errors_of(weighted, plain, {{30000, 20000}}).within_bound());
    const wide_difference ceiling = errors_of(weighted, oracle13, {{30000, 20000}}); // 40000
    CHECK(only(weighted, ceiling, op::matmul).cause == difference_cause::ceiling);
    const wide_difference small = errors_of(weighted, oracle13, {{0x1p-18, 0x1p-17}});
    CHECK(small.first == 0);
    const difference_cause lost = only(weighted, small, op::matmul).cause;
    CHECK((lost == difference_cause::fixed_point || lost == difference_cause::flush));
    const auto function = build_graph([](auto& g) { g.output("y"_s, sigmoid(g.input("x"_s, f16<3>))); });
    const wide_diff_options narrow{.bound = {.relative = 0.0005}};
    CHECK(errors_of(function, plain, {{0.3, -1.7, 2.2}}, narrow).within_bound());
    CHECK(only(function, errors_of(function, oracle13, {{0.3, -1.7, 2.2}}, narrow), op::sigmoid).cause ==
          difference_cause::table);
}

TEST_CASE("a bias is rounded with its product on the engine, and the layer is that of the bias") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2>);
        auto y = matmul(x, g.constant(f16<2, 1>, {1, 0.5}));
        g.output("y"_s, y + g.constant(f16<1>, {-39000}));
    });
    const wide_difference d = errors_of(model, oracle13, {{30000, 20000}}); // the sum passes 2^15 on its way to 1000
    REQUIRE(d.layers.size() == 1);
    CHECK(first_kind(model, d) == op::add);
    CHECK(d.outputs == std::vector<int>{0});
    CHECK(d.layers[0].cause == difference_cause::ceiling);
    CHECK(errors_of(model, plain, {{30000, 20000}}).layers.size() == 2);
}

TEST_CASE("a product of int8 reads its integers, alone too") {
    dynamic_builder b;
    const auto x = b.input("x", {2, 4});
    const auto scale = b.constant({1}, 0.5);
    const auto q = b.add(op::quantize, {x, scale}, quantization{.type = dtype::int8});
    const auto back = b.add(op::dequantize, {q, scale}, quantization{.type = dtype::int8});
    const auto w = b.add(op::compressed, {b.weight("w", {3, 4})}, compression{.form = weight_form::affine, .bits = 8});
    b.output("y", b.add(op::linear, {back, w}, no_attributes{}));
    const dynamic_graph model = b.finish();
    weight_store weights;
    weights.add("w", {3, 4}, {1, 2, 3, 4, -1, -2, -3, -4, 0.5, 0.25, 0.125, 1});
    for (const target chip : {h13, h17s}) { // the latter adds integers
        const wide_difference d = errors_of(model, backend::oracle(chip), {{1, 2, 3, 4, 5, 6, 7, 8}}, {}, weights);
        CAPTURE(d.judged);
        CHECK(d.within_bound());
        CHECK(only(model, d, op::quantize).whole.max_abs == 0);
        CHECK(only(model, d, op::linear).alone.relative < 0.01);
    }
    const model_samples samples = sample_of({{1, 2, 3, 4, 5, 6, 7, 8}});
    CHECK(diff(model, plain, backend::oracle(h17s), weights, samples.inputs(0)).nodes.size() >= 2);
}

TEST_CASE("truth values and integers are compared as numbers") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<3>);
        auto above = square(x) > square(g.input("y"_s, f16<3>)); // 10302.25 and 10303.5 are one number in fp16
        g.output("z"_s, to_f16(above));
    });
    const double y = static_cast<double>(half(101.5)) + 0.0625;
    const wide_difference d = errors_of(model, plain, {{y, 1, 3}, {101.5, 2, 2}});
    const layer_error& comparison = only(model, d, op::greater);
    CHECK(comparison.whole.count == 3);
    CHECK(comparison.whole.beyond == (half(y * y).bits == half(101.5 * 101.5).bits ? 1 : 0));
    CHECK(only(model, d, op::cast).whole.beyond == comparison.whole.beyond);
}

TEST_CASE("infinities, NaN and zeros in the inputs are no errors by themselves") {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<4>);
        g.output("y"_s, relu(x) + x);
        g.output("z"_s, x * 0);
    });
    const wide_difference d = errors_of(model, plain, {{infinity, -infinity, nan, 0}});
    CHECK(d.within_bound());
    CHECK(d.affected == 0);
    const wide_difference engine = errors_of(model, oracle13, {{infinity, -infinity, nan, 0}});
    CHECK(engine.first >= 0); // NaN enters as +infinity, and infinity times zero is zero there
    CHECK(only(model, engine, op::mul).cause == difference_cause::special_value);
}

TEST_CASE("errors that add up are no layer's own") {
    dynamic_builder b;
    dynamic_tensor y = b.input("x", {1});
    for (int i = 0; i < 400; ++i) {
        y = b.add(op::mul, {y, b.constant({}, static_cast<double>(half(1.0010)))}, no_attributes{});
        y = b.add(op::abs, {y}, no_attributes{}); // so that no two products are folded
    }
    b.output("y", y);
    const dynamic_graph model = b.finish();
    const wide_difference d = errors_of(model, plain, {{1.5}}, {.bound = {.relative = 0.01}});
    REQUIRE(d.first >= 0);
    CHECK(d.first > 20);
    CHECK_FALSE(d.layers[static_cast<std::size_t>(d.first)].is_source());
    for (const layer_error& layer : d.layers) {
        CHECK(layer.alone.beyond == 0);
        CHECK(layer.sources == 0);
    }
}

TEST_CASE("samples: how many are affected, and which is the worst") {
    const auto model = root_mean_square();
    model_samples samples;
    for (const double scale : {0.1, 1.0, 0.2, 3.0, 0.05}) {
        std::vector<double> row = large_row;
        std::for_each(row.begin(), row.end(), [&](double& x) { x *= scale; });
        add_sample(samples, {row});
    }
    const wide_difference d = diff(model, plain, exact, {}, samples);
    CHECK(d.samples == 5);
    CHECK(d.affected == 2);
    CHECK(d.broken == 2);
    CHECK(only(model, d, op::square).samples == 2);
    CHECK(only(model, d, op::square).sources == 2);
    CHECK((d.worst_sample == 1 || d.worst_sample == 3));
    CHECK(d.work.judged_layers == 20);
}

TEST_CASE("states go on from sample to sample, in double precision and in fp16") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1>);
        auto s = g.state("s"_s, f16<1>);
        auto next = read(s) + x;
        write(s, next);
        g.output("y"_s, next);
    });
    model_samples samples;
    for (int i = 0; i < 2200; ++i) { // fp16 stays at 2048
        add_sample(samples, {{1}});
    }
    for (const wide_difference& d : {diff(model, plain, exact, {}, samples, {.bound = {.relative = 0.01}}),
                                     diff(model, oracle13, exact, {}, samples, {.bound = {.relative = 0.01}})}) {
        const layer_error& sum = only(model, d, op::add);
        CHECK(sum.whole.got == 2048);
        CHECK(sum.whole.expected == 2200);
        CHECK(d.worst_sample == 2199);
        CHECK(sum.samples > 80);
        CHECK(sum.samples < 130); // |y - 2048| > 0.02 y from 2090 on
        CHECK(sum.alone.beyond == 0);
        CHECK(d.affected == sum.samples);
    }
}

TEST_CASE("a thousand layers take a run in each arithmetic and a few layers more, and the memory of a few") {
    constexpr int layers = 1000;
    constexpr std::int64_t width = 512;
    dynamic_builder b;
    dynamic_tensor y = b.input("x", {1, width});
    const dynamic_tensor factor = b.constant({}, 300.0);
    for (int i = 0; i < layers; ++i) {
        y = i == 400 || i == 700 ? b.add(op::mul, {y, factor}, no_attributes{}) : b.add(op::abs, {y}, no_attributes{});
    }
    b.output("y", y);
    const dynamic_graph model = b.finish();
    const model_samples samples = sample_of({std::vector<double>(width, 1.5)});
    const auto check = [&](const wide_difference& d) {
        CAPTURE(d.judged);
        REQUIRE(d.first == 700);
        CHECK(d.layers[700].cause == difference_cause::overflow);
        CHECK(d.layers[700].alone.count == width);
        CHECK(d.layers[701].alone.count == 0); // what follows is inherited
        CHECK(d.work.reference_layers == layers);
        CHECK(d.work.judged_layers == layers);
        CHECK(d.work.alone_layers == 1);
        CHECK(d.work.reference_layers + d.work.judged_layers + d.work.alone_layers < 3 * layers);
        CHECK(d.work.most_bytes <= 4 * width * (8 + 2 + 2)); // an input and a result, in each arithmetic
        REQUIRE(d.part.graph.nodes.size() > 0);
        CHECK(d.part.samples.size() == 1);
    };
    const wide_diff_options quick{.every_layer_alone = false, .part_nodes = 50};
    check(diff(model, plain, exact, {}, samples, quick));
    check(diff(model, oracle13, exact, {}, samples, quick));
}

TEST_CASE("a bound that is finer than fp16 finds roundings") {
    const auto model = build_graph([](auto& g) { g.output("y"_s, abs(g.input("x"_s, f16<3>) * 1.1)); });
    const wide_difference d = errors_of(model, plain, {{1.1, -2.3, 3.7}}, {.bound = {.relative = 1e-6}});
    for (const layer_error& layer : d.layers) {
        CHECK(layer.is_beyond());
        CHECK(layer.cause == difference_cause::rounding);
        CHECK(layer.fits);
    }
}

TEST_CASE("weights are held while they are read") {
    constexpr int layers = 100;
    constexpr std::int64_t width = 64;
    dynamic_builder b;
    weight_store weights;
    std::vector<dynamic_tensor> matrices; // all before the first layer, as files have them
    const std::vector<float> identity = [] {
        std::vector<float> values(width * width);
        for (std::int64_t i = 0; i < width; ++i) {
            values[static_cast<std::size_t>(i * width + i)] = 1;
        }
        return values;
    }();
    for (int i = 0; i < layers; ++i) {
        const std::string called = "w" + std::to_string(i);
        matrices.push_back(b.weight(called, {width, width}));
        weights.add(called, {width, width}, std::span<const float>(identity));
    }
    dynamic_tensor y = b.input("x", {1, width});
    for (const dynamic_tensor& w : matrices) {
        y = b.add(op::linear, {y, w}, no_attributes{});
    }
    b.output("y", y);
    const dynamic_graph model = b.finish();
    const wide_difference d =
        diff(model, plain, exact, weights, sample_of({std::vector<double>(width, 1.0)}), {.every_layer_alone = false});
    CHECK(d.within_bound());
    CHECK(d.work.most_bytes < 2 * width * width * 8); // of a hundred matrices one at a time
}

TEST_CASE("a model of one node, of one element, of no node") {
    const auto one = build_graph([](auto& g) { g.output("y"_s, square(g.input("x"_s, f16<1>))); });
    CHECK(errors_of(one, plain, {{300}}).first == 0);
    CHECK(errors_of(one, plain, {{3}}).within_bound());
    const auto none = build_graph([](auto& g) { g.output("y"_s, g.input("x"_s, f16<3>)); });
    const wide_difference d = errors_of(none, plain, {{1, 2, 3}});
    CHECK(d.layers.empty());
    CHECK(d.outputs == std::vector<int>{-1});
    CHECK(d.within_bound());
    CHECK(errors_of(none, oracle13, {{1, 2, 3}}).within_bound());
}

TEST_CASE("nodes on the host are computed exactly, and rounded where others read them") {
    const auto model = root_mean_square();
    const graph_view g = model;
    std::vector<int> squares_to_roots;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::square || g[i].kind == op::reduce_mean || g[i].kind == op::sqrt) {
            squares_to_roots.push_back(i);
        }
    }
    const wide_difference d = errors_of(model, oracle13, {large_row}, {.on_host = squares_to_roots});
    CHECK(d.affected == 0);
    CHECK(only(model, d, op::sqrt).whole.relative < 0.001);
    const wide_difference rounds =
        errors_of(model, oracle13, {large_row}, {.on_host = squares_to_roots, .host_rounds = true});
    CHECK(rounds.affected == 1); // fp16 overflows there as well
    CHECK_THROWS_WITH_AS(errors_of(model, oracle13, {large_row}, {.on_host = {99}}), doctest::Contains("node 99"),
                         error);
}

TEST_CASE("what cannot be compared is an error that says what") {
    const auto model = root_mean_square();
    CHECK_THROWS_WITH_AS(diff(model, plain, exact, {}, model_samples{}), doctest::Contains("no samples"), error);
    CHECK_THROWS_WITH_AS(errors_of(model, plain, {{1, 2, 3}}), doctest::Contains("has 6 bytes, the port takes 16"),
                         error);
    CHECK_THROWS_WITH_AS(errors_of(model, plain, {large_row, {1}}), doctest::Contains("2 buffers are given"), error);
    CHECK_THROWS_WITH_AS(errors_of(model, plain, {large_row}, {.bound = {.relative = -1}}),
                         doctest::Contains("the bounds, relative -1"), error);
    const auto weighted = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2>);
        g.output("y"_s, matmul(x, g.weight("head"_s, f16<2, 1>)));
    });
    CHECK_THROWS_WITH_AS(errors_of(weighted, plain, {{1, 2}}), doctest::Contains("head"), error);
    CHECK_THROWS_WITH_AS(errors_of(weighted, oracle13, {{1, 2}}), doctest::Contains("head"), error);
}

TEST_CASE("both forms of gelu are one table: the reader says so, and the exact one is the reference") {
    const read_model tanh_form = read_mil_file(std::string(ANEMONE_TEST_DATA) + "/diff/cases/gelu_tanh.mil");
    REQUIRE(tanh_form.notes.size() == 1);
    CHECK(tanh_form.notes[0] == "the tanh form of gelu is read as the exact one: the engine has one table for both");
    std::vector<double> x(64);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<double>(i) / 8 - 4;
    }
    const wide_difference d = errors_of(tanh_form.graph, oracle13, {x}, {.bound = {.relative = 0.001}});
    CHECK(only(tanh_form.graph, d, op::gelu).cause == difference_cause::table);
}

// What a model gives in double precision. Each expectation is a closed form, worked out beside the library; NumPy and
// PyTorch referee all operations in tests/conformance, and random graphs in tests/differential.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace {

/// Runs a model of fp16 inputs once; the program keeps the values of all nodes.
backend::wide_program run(const graph_view& model, const std::vector<std::vector<double>>& inputs,
                          const weight_store& weights = {}, int threads = 1) {
    std::vector<std::vector<half>> memory;
    std::vector<std::span<const std::byte>> given;
    for (const std::vector<double>& each : inputs) {
        memory.emplace_back(each.begin(), each.end());
        std::transform(each.begin(), each.end(), memory.back().begin(), [](double x) { return half(x); });
    }
    for (const auto& each : memory) {
        given.push_back(std::as_bytes(std::span<const half>(each)));
    }
    std::vector<std::vector<std::byte>> returned;
    std::vector<std::span<std::byte>> outputs;
    for (const output_port& port : model.outputs) {
        if (!port.is_state()) {
            returned.emplace_back(
                static_cast<std::size_t>(bytes(model[port.node].type, model[port.node].shape.count())));
        }
    }
    outputs.assign(returned.begin(), returned.end());
    auto program = compile(model, backend::wide{}.threads(threads), weights);
    program.run(given, outputs);
    return program;
}

/// The value of the first output.
std::vector<double> value_of(const graph_view& model, const backend::wide_program& program) {
    const auto numbers = program.value(model.outputs[0].node);
    return {numbers.begin(), numbers.end()};
}

std::vector<double> result(const graph_view& model, const std::vector<std::vector<double>>& inputs,
                           const weight_store& weights = {}) {
    return value_of(model, run(model, inputs, weights));
}

} // namespace

TEST_CASE("nothing is rounded between operations, and nothing overflows") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<3>);
        g.output("y"_s, inverse(square(square(square(x)))));
    });
    const std::vector<double> y = result(model, {{300, 1e-3, 60000}});
    CHECK(y[0] == doctest::Approx(std::pow(300.0, -8)).epsilon(1e-15));
    CHECK(y[1] == doctest::Approx(std::pow(static_cast<double>(half(1e-3)), -8)).epsilon(1e-15));
    CHECK(y[2] == doctest::Approx(std::pow(60000.0, -8)).epsilon(1e-15));
}

TEST_CASE("weights have the digits of the store") {
    const auto model =
        build_graph([](auto& g) { g.output("y"_s, linear(g.input("x"_s, f16<1, 2>), g.weight("w"_s, f16<1, 2>))); });
    weight_store narrow;
    narrow.add("w", {1, 2}, std::vector<half>{half(1.0 / 3), half(0.1)});
    CHECK(result(model, {{1, 1}}, narrow)[0] == static_cast<double>(half(1.0 / 3)) + static_cast<double>(half(0.1)));
    weight_store single;
    single.add("w", {1, 2}, {1.0F / 3, 0.1F});
    CHECK(result(model, {{1, 1}}, single)[0] == static_cast<double>(1.0F / 3) + static_cast<double>(0.1F));
    const double numbers[] = {1.0 / 3, 0.1};
    std::vector<std::byte> memory(sizeof numbers);
    std::memcpy(memory.data(), numbers, sizeof numbers);
    weight_store wide;
    wide.add({"w", element_type::f64, {1, 2}, memory});
    CHECK(result(model, {{1, 1}}, wide)[0] == 1.0 / 3 + 0.1);
}

TEST_CASE("a stored weight is its integers times its scales, which fp16 rounds") {
    dynamic_builder b;
    const auto x = b.input("x", {1, 2});
    const auto w = b.add(op::compressed, {b.weight("w", {2, 2})}, compression{.form = weight_form::affine, .bits = 8});
    b.output("y", b.add(op::linear, {x, w}, no_attributes{}));
    const dynamic_graph model = b.finish();
    // Scales max |w| / 127 of each row in fp16, integers round(127 w / max |w|): 127 and 42, 127 and -64.
    weight_store weights;
    weights.add("w", {2, 2}, std::vector<half>{half(0.9), half(0.3), half(1.7), half(-0.85)});
    const double first = static_cast<double>(half(static_cast<double>(half(0.9)) / 127));
    const double second = static_cast<double>(half(static_cast<double>(half(1.7)) / 127));
    const std::vector<double> y = result(model, {{1, 2}}, weights);
    CHECK(y[0] == doctest::Approx(127 * first + 2 * 42 * first).epsilon(1e-15));
    CHECK(y[1] == doctest::Approx(127 * second - 2 * 64 * second).epsilon(1e-15));
}

TEST_CASE("whole numbers are exact beyond 2048") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 5000>);
        auto rows = g.input("rows"_s, f16<5000, 1>);
        auto place = arg_max<axis{1}>(x); // 4001, which fp16 does not have
        g.output("y"_s, reshape<1, 1>(gather<axis{0}>(rows, reshape<1>(place))));
        g.output("place"_s, place);
    });
    std::vector<double> x(5000, 0.0);
    std::vector<double> rows(5000, 0.0);
    x[4001] = 1;
    rows[4001] = 7;
    const auto program = run(model, {x, rows});
    CHECK(value_of(model, program)[0] == 7);
    CHECK(program.value(model.view().outputs[1].node)[0] == 4001);
}

TEST_CASE("sums of many terms keep their digits") {
    constexpr int count = 100000;
    const auto summed = build_graph([](auto& g) { g.output("y"_s, reduce_sum<0>(g.input("x"_s, f16<100000>))); });
    std::vector<double> x(count, 0.1);
    const double tenth = static_cast<double>(half(0.1));
    CHECK(result(summed, {x})[0] == tenth * count); // one rounding
    x.assign(count, 1);
    x[0] = 0x1p-24; // beside 10^5
    x[1] = 60000;
    x[2] = -60000;
    CHECK(result(summed, {x})[0] == count - 3 + 0x1p-24);
    const auto product = build_graph(
        [](auto& g) { g.output("y"_s, matmul(g.input("x"_s, f16<1, 100000>), g.input("w"_s, f16<100000, 1>))); });
    const std::vector<double> third(count, static_cast<double>(half(1.0 / 3)));
    const double exact = count * third[0] * third[0];
    CHECK(std::fabs(result(product, {third, third})[0] - exact) < 1e-13 * exact);
}

TEST_CASE("as many threads as wanted give the same bits") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 3, 9, 7>);
        auto y = conv2d<conv{.padding = 1}>(x, g.weight("w"_s, f16<5, 3, 3, 3>));
        g.output("y"_s, matmul<transposed{.b = true}>(y, y));
    });
    std::vector<double> x(189);
    std::vector<half> w;
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = std::sin(static_cast<double>(i));
    }
    for (int i = 0; i < 135; ++i) {
        w.emplace_back(std::cos(i));
    }
    weight_store weights;
    weights.add("w", {5, 3, 3, 3}, std::span<const half>(w));
    const std::vector<double> alone = value_of(model, run(model, {x}, weights));
    CHECK(value_of(model, run(model, {x}, weights, 2)) == alone);
    CHECK(value_of(model, run(model, {x}, weights, 5)) == alone);
}

TEST_CASE("convolutions of unit stride are their definition, with any padding, dilation and groups") {
    const auto check = [](const extents& shape, const extents& kernel, const conv& how, bool biased) {
        dynamic_builder b;
        std::vector<dynamic_tensor> operands{b.input("x", shape), b.weight("w", kernel)};
        if (biased) {
            operands.push_back(b.weight("b", {kernel[0]}));
        }
        b.output("y", b.add(op::conv2d, operands, how));
        const dynamic_graph model = b.finish();
        std::vector<double> x(static_cast<std::size_t>(shape.count()));
        std::vector<half> w(static_cast<std::size_t>(kernel.count()));
        std::vector<half> bias(static_cast<std::size_t>(kernel[0]));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<double>(half(std::sin(static_cast<double>(3 * i + 1))));
        }
        for (std::size_t i = 0; i < w.size(); ++i) {
            w[i] = half(std::cos(static_cast<double>(7 * i + 2)));
        }
        for (std::size_t i = 0; i < bias.size(); ++i) {
            bias[i] = half(0.5 + static_cast<double>(i));
        }
        weight_store weights;
        weights.add("w", kernel, std::span<const half>(w));
        if (biased) {
            weights.add("b", {kernel[0]}, std::span<const half>(bias));
        }
        const std::vector<double> got = value_of(model, run(model, {x}, weights, 2));
        const extents& out = model.view()[model.view().outputs[0].node].shape;
        const auto of_x = [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
            const bool inside = i >= 0 && j >= 0 && i < shape[2] && j < shape[3];
            return inside ? x[static_cast<std::size_t>(((n * shape[1] + c) * shape[2] + i) * shape[3] + j)] : 0.0;
        };
        std::size_t at = 0;
        double farthest = 0;
        for (std::int64_t n = 0; n < out[0]; ++n) {
            for (std::int64_t o = 0; o < out[1]; ++o) {
                for (std::int64_t i = 0; i < out[2]; ++i) {
                    for (std::int64_t j = 0; j < out[3]; ++j, ++at) {
                        double sum = biased ? static_cast<double>(bias[static_cast<std::size_t>(o)]) : 0.0;
                        const std::int64_t first = o / (out[1] / how.groups) * kernel[1];
                        for (std::int64_t c = 0; c < kernel[1]; ++c) {
                            for (std::int64_t k = 0; k < kernel[2]; ++k) {
                                for (std::int64_t l = 0; l < kernel[3]; ++l) {
                                    const auto of_w = ((o * kernel[1] + c) * kernel[2] + k) * kernel[3] + l;
                                    sum += static_cast<double>(w[static_cast<std::size_t>(of_w)]) *
                                           of_x(n, first + c, i + k * how.dilation.height - how.padding.top,
                                                j + l * how.dilation.width - how.padding.left);
                                }
                            }
                        }
                        farthest = std::max(farthest, std::fabs(got[at] - sum));
                    }
                }
            }
        }
        CHECK(at == got.size());
        CHECK(farthest < 1e-11);
    };
    check({1, 3, 5, 6}, {4, 3, 1, 1}, {}, false);
    check({2, 8, 7, 9}, {10, 4, 3, 2}, {.dilation = {2, 3}, .padding = {4, 1, 0, 5}, .groups = 2}, true);
    check({1, 40, 3, 3}, {9, 40, 3, 3}, {.padding = 1}, true);             // 360 terms: blocks of sums
    check({1, 4, 1, 1}, {8, 1, 3, 3}, {.padding = 1, .groups = 4}, false); // two planes of a group
    check({1, 4, 2, 1}, {16, 1, 2, 3}, {.padding = {3, 0, 2, 2}, .groups = 4}, true);
}

TEST_CASE("around a convolution's x is nothing, whatever its weights are") {
    dynamic_builder b;
    b.output("y", b.add(op::conv2d, {b.input("x", {1, 1, 1, 2}), b.input("w", {4, 1, 1, 2})},
                        conv{.padding = {0, 0, 1, 0}}));
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> y = result(b.finish(), {{1, 2}, {infinity, 1, 1, 1, 1, 1, 1, 1}});
    CHECK(y == std::vector<double>{1, infinity, 1, 3, 1, 3, 1, 3}); // not infinity times the 0 of a margin
}

TEST_CASE("a NaN stays one, and what infinities give is IEEE 754's") {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<4>);
        g.output("y"_s, relu(x));
        g.output("largest"_s, reduce_max<0>(x));
        g.output("soft"_s, softmax<axis{0}>(x));
        g.output("sum"_s, reduce_sum<0>(x));
    });
    const auto program = run(model, {{nan, -infinity, 2, infinity}});
    const auto output = [&](std::size_t i) { return program.value(model.view().outputs[i].node); };
    CHECK(std::isnan(output(0)[0]));
    CHECK(output(0)[1] == 0);
    CHECK(output(0)[3] == infinity);
    CHECK(std::isnan(output(1)[0]));
    CHECK(std::isnan(output(2)[2]));
    CHECK(std::isnan(output(3)[0]));
    const auto masked = build_graph([](auto& g) { g.output("y"_s, softmax<axis{1}>(g.input("x"_s, f16<2, 2>))); });
    const std::vector<double> rows = result(masked, {{-infinity, 0, -infinity, -infinity}});
    CHECK(rows[0] == 0);
    CHECK(rows[1] == 1);
    CHECK(std::isnan(rows[2])); // a row of masked scores alone
}

TEST_CASE("states keep their digits from run to run, but for elements that are written") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2>);
        auto s = g.state("s"_s, f16<2>);
        auto next = read(s) + x;
        write(s, next);
        g.output("y"_s, next * 1);
    });
    auto program = compile(model.view(), backend::wide{});
    const std::vector<half> x{half(1e-4), half(1.0)};
    std::vector<half> y(2);
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span<const half>(x))};
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span<half>(y))};
    for (int i = 0; i < 4000; ++i) { // fp16 would stay at 0.25, where half a unit is 1.2e-4
        program.run(inputs, outputs);
    }
    CHECK(program.value(model.view().outputs[static_cast<std::size_t>(model.view().find_output("y"))].node)[0] ==
          doctest::Approx(4000 * static_cast<double>(half(1e-4))).epsilon(1e-12));
    CHECK(program.value(model.view().outputs[static_cast<std::size_t>(model.view().find_output("y"))].node)[1] == 4000);
    const std::span<std::byte> memory = program.state("s");
    REQUIRE(memory.size() == 4);
    reinterpret_cast<half*>(memory.data())[1] = half(10.0);
    program.run(inputs, outputs);
    CHECK(program.value(model.view().outputs[static_cast<std::size_t>(model.view().find_output("y"))].node)[0] ==
          doctest::Approx(4001 * static_cast<double>(half(1e-4))).epsilon(1e-12));
    CHECK(program.value(model.view().outputs[static_cast<std::size_t>(model.view().find_output("y"))].node)[1] == 11);
    program.reset();
    program.run(inputs, outputs);
    CHECK(program.value(model.view().outputs[static_cast<std::size_t>(model.view().find_output("y"))].node)[1] == 1);
    CHECK_THROWS_WITH_AS(program.state("t"), doctest::Contains("is not a state of the program, which has s"), error);
}

TEST_CASE("random numbers are those of every backend") {
    const auto model = build_graph([](auto& g) {
        g.output("y"_s, random_uniform(g, f16<3, 50>, -2, 5));
        g.output("z"_s, random_uniform(g, f16<7>, 0, 1));
    });
    const auto program = run(model, {});
    std::vector<half> y(150);
    std::vector<half> z(7);
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span<half>(y)),
                                            std::as_writable_bytes(std::span<half>(z))};
    compile(model.view(), backend::cpu{}).run({}, outputs);
    for (std::size_t i = 0; i < y.size(); ++i) {
        CHECK(program.value(model.view().outputs[0].node)[i] == static_cast<double>(y[i]));
    }
    CHECK(program.value(model.view().outputs[1].node)[6] == static_cast<double>(z[6]));
}

TEST_CASE("what is missing or misshapen is told by name") {
    const auto model = build_graph(
        [](auto& g) { g.output("y"_s, linear(g.input("x"_s, f16<1, 2>), g.weight("head.w"_s, f16<1, 2>))); });
    CHECK_THROWS_WITH_AS(compile(model.view(), backend::wide{}), doctest::Contains("head.w"), error);
    weight_store large;
    large.add("head.w", {1, 2}, {1.0F, 1e6F});
    CHECK_THROWS_WITH_AS(compile(model.view(), backend::wide{}, large),
                         doctest::Contains("element 1 is 1000000, above the largest fp16 value"), error);
    weight_store weights;
    weights.add("head.w", {1, 2}, {1.0F, 2.0F});
    auto program = compile(model.view(), backend::wide{}, weights);
    std::vector<half> y(1);
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span<half>(y))};
    CHECK_THROWS_AS(program.run({}, outputs), error);
    CHECK_THROWS_WITH_AS(program.value(0), doctest::Contains("nothing ran yet"), error);
    CHECK_THROWS_AS(program.value(99), error);
    const auto other = std::move(program);
    CHECK_THROWS_AS(program.value(0), error); // NOLINT(bugprone-use-after-move): what it tests
    CHECK_THROWS_AS(backend::wide{}.threads(0), error);
    CHECK(backend::wide{}.name() == "f64");
}

TEST_CASE("indices outside their axis are an error that names the operation") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<3, 1>);
        g.output("y"_s, gather<axis{0}>(x, g.input("i"_s, f16<1>)));
    });
    CHECK(result(model, {{1, 2, 3}, {-1}})[0] == 3);
    CHECK_THROWS_WITH_AS(run(model, {{1, 2, 3}, {3}}), doctest::Contains("index 0 is 3, outside -3 to 2"), error);
    CHECK_THROWS_WITH_AS(run(model, {{1, 2, 3}, {0.5}}), doctest::Contains("not a whole number"), error);
}

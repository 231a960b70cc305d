// The CPU backend's elementwise operations, norms and reductions in whole graphs: attributes, booleans between nodes,
// broadcasting and axes arrive at the kernels as the builders mean them.

#include "../composer.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

using namespace composing;

namespace {

constexpr unsigned seed = 23;

/// The outputs of a graph whose one input is x.
std::vector<std::vector<double>> outputs_of(const dynamic_graph& g, const std::vector<half>& x,
                                            const weight_store& weights = {}) {
    const graph_view view = g;
    port_memory outputs = memory_of_outputs(view);
    const std::vector<std::span<const std::byte>> inputs{std::as_bytes(std::span(x))};
    compile(g, ane::backend::cpu{}, weights).run(inputs, outputs.outputs());
    std::vector<std::vector<double>> values;
    for (std::size_t port = 0; port < view.outputs.size(); ++port) {
        values.emplace_back();
        for (const half h : outputs.halves(port)) {
            values.back().push_back(static_cast<double>(h));
        }
    }
    return values;
}

std::vector<half> random_halves(std::size_t count, double low, double high) {
    random_engine random(seed);
    std::vector<half> x(count);
    std::generate(x.begin(), x.end(), [&] { return half(uniform(random, low, high)); });
    return x;
}

/// Within an ulp of fp16, and `absolute`.
bool near(double got, double wanted, double absolute = 0) {
    return (std::isnan(got) && std::isnan(wanted)) || got == wanted ||
           std::fabs(got - wanted) <= std::max(std::fabs(wanted) * 0x1p-10, 0x1p-24) + absolute;
}

} // namespace

TEST_CASE("cpu: functions of one operand with their coefficients, in a graph") {
    using enum op;
    struct function {
        op kind;
        attributes values;
        std::function<double(double)> of;
    };
    const function functions[] = {
        {thresholded_relu, relu_threshold{0.5F}, [](double x) { return x >= 0.5 ? x : 0; }},
        {clamped_relu, clamped_leakage{0.25F, 2}, [](double x) { return std::min(x < 0 ? 0.25 * x : x, 2.0); }},
        {elu, saturation{1.5F}, [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }},
        {hard_sigmoid, clamped_line{0.25F, 0.5F},
         [](double x) { return std::min(std::max(0.25 * x + 0.5, 0.0), 1.0); }},
        {scaled_tanh, tanh_scaling{2, 0.5F}, [](double x) { return 2 * std::tanh(0.5 * x); }},
        {gelu_sigmoid, {}, [](double x) { return x / (1 + std::exp(-1.702 * x)); }},
        {softplus, {}, [](double x) { return std::log1p(std::exp(x)); }},
        {softsign, {}, [](double x) { return x / (1 + std::fabs(x)); }},
        {erf, {}, [](double x) { return std::erf(x); }},
        {exp2, {}, [](double x) { return std::exp2(x); }},
        {inverse, stabilizer{.epsilon = 0.125F}, [](double x) { return 1 / (x + 0.125); }},
        {square, {}, [](double x) { return x * x; }},
        {sign, {}, [](double x) { return static_cast<double>((x > 0) - (x < 0)); }},
        {ceil, {}, [](double x) { return std::ceil(x); }},
        {floor, {}, [](double x) { return std::floor(x); }},
        {round, {}, [](double x) { return std::nearbyint(x); }},
        {sin, {}, [](double x) { return std::sin(x); }},
        {cos, {}, [](double x) { return std::cos(x); }},
        {atan, {}, [](double x) { return std::atan(x); }},
        {identity, {}, [](double x) { return x; }},
        {dropout, drop_ratio{0}, [](double x) { return x; }},
        {dropout, drop_ratio{0.5F}, [](double x) { return x; }}}; // inference drops nothing
    composer c;
    const int x = c.input({3, 70});
    for (const function& f : functions) {
        c.output(c.add(f.kind, f.values, {x}));
    }
    const std::vector<half> values = random_halves(210, -5, 5);
    const auto got = outputs_of(c.finish(), values);
    for (std::size_t port = 0; port < got.size(); ++port) {
        CAPTURE(name(functions[port].kind));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto v = static_cast<double>(values[i]);
            CAPTURE(v);
            CHECK(near(got[port][i], functions[port].of(v)));
        }
    }
}

TEST_CASE("cpu: comparisons, booleans between nodes, selections, powers and floored quotients") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<2, 3, 4>);
        auto limits = b.constant(f16<3, 1>, {-1, 0, 1});
        auto above = greater(x, limits);
        b.output("selected"_s, select(above, x, 9));
        b.output("not"_s, to_f16(logical_not(above)));
        b.output("at_least"_s, to_f16(greater_equal(x, limits)) + to_f16(less(x, limits)));
        b.output("equal"_s, to_f16(equal(x, x)) - to_f16(not_equal(x, x)));
        b.output("at_most"_s, select(less_equal(x, 0), limits, x));
        b.output("power"_s, pow(abs(x), limits + 1.5));
        b.output("quotient"_s, floor_div(x, 0.75));
        b.output("flipped"_s, select(logical_not(logical_not(less(x, 0))), 0.0 - x, x));
        b.output("and"_s, to_f16(logical_and(above, less(x, 2))));
        b.output("or"_s, to_f16(logical_or(above, less(limits, 0))));
        b.output("xor"_s, to_f16(logical_xor(less(x, 2), above)));
    });
    std::vector<half> x = random_halves(24, -3, 3);
    x[0] = std::numeric_limits<half>::quiet_NaN();
    x[5] = half(0);
    const auto got = outputs_of(g, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(i);
        const auto v = static_cast<double>(x[i]);
        const double limit = static_cast<double>(i / 4 % 3) - 1;
        const bool nan = std::isnan(v);
        CHECK(near(got[0][i], v > limit ? v : 9));
        CHECK(got[1][i] == (v > limit ? 0 : 1));
        CHECK(got[8][i] == (v > limit && v < 2 ? 1 : 0));
        CHECK(got[9][i] == (v > limit || limit < 0 ? 1 : 0));
        CHECK(got[10][i] == ((v > limit) != (v < 2) ? 1 : 0));
        CHECK(got[2][i] == (nan ? 0 : 1));
        CHECK(got[3][i] == (nan ? -1 : 1));
        CHECK(near(got[4][i], v <= 0 ? limit : v));
        CHECK(near(got[5][i], std::pow(std::fabs(v), limit + 1.5)));
        CHECK(near(got[6][i], std::floor(v / 0.75)));
        CHECK(near(got[7][i], v < 0 ? -v : v));
    }
}

TEST_CASE("cpu: parameters for each channel, norms of channels") {
    composer c;
    const int x = c.input({2, 6, 3, 5});
    const int a = c.constant({6}, {0.5, -1, 2, 0.25, 1, 3});
    const int b = c.constant({6}, {1, 2, 0.5, 1, -1, 0.25});
    c.output(c.add(op::prelu, {x, a}));
    c.output(c.add(op::parametric_softplus, {x, a, b}));
    c.output(c.add(op::instance_norm, stabilizer{.epsilon = 0.5F, .axis = 1}, {x, a, b}));
    c.output(c.add(op::group_norm, grouping{.groups = 2, .epsilon = 0.5F}, {x, a, b}));
    const std::vector<half> values = random_halves(180, -3, 3);
    const auto got = outputs_of(c.finish(), values);
    const double alpha[] = {0.5, -1, 2, 0.25, 1, 3};
    const double beta[] = {1, 2, 0.5, 1, -1, 0.25};
    const auto normal = [&](std::size_t i, std::size_t size) { // the norm of element i among its `size` neighbours
        const auto first = i / size * size;
        double mean = 0;
        double variance = 0;
        for (std::size_t k = first; k < first + size; ++k) {
            mean += static_cast<double>(values[k]) / static_cast<double>(size);
        }
        for (std::size_t k = first; k < first + size; ++k) {
            variance += std::pow(static_cast<double>(values[k]) - mean, 2) / static_cast<double>(size);
        }
        return (static_cast<double>(values[i]) - mean) / std::sqrt(variance + 0.5);
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(i);
        const auto v = static_cast<double>(values[i]);
        const std::size_t channel = i / 15 % 6;
        CHECK(near(got[0][i], v < 0 ? alpha[channel] * v : v));
        CHECK(near(got[1][i], alpha[channel] * std::log1p(std::exp(beta[channel] * v))));
        CHECK(near(got[2][i], alpha[channel] * normal(i, 15) + beta[channel], 0x1p-18));
        CHECK(near(got[3][i], alpha[channel] * normal(i, 45) + beta[channel], 0x1p-18));
    }
}

TEST_CASE("cpu: norms along each axis and reductions over it") {
    const extents shape{3, 4, 5};
    const std::vector<half> values = random_halves(60, 0.25, 3);
    for (int axis = 0; axis < 3; ++axis) {
        CAPTURE(axis);
        const std::int64_t stride = axis == 0 ? 20 : axis == 1 ? 5 : 1;
        composer c;
        const int x = c.input(shape);
        const int gamma = c.constant({shape[axis]}, std::vector<float>(static_cast<std::size_t>(shape[axis]), 1.5F));
        const stabilizer s{.epsilon = 0.25F, .axis = axis};
        c.output(c.add(op::rms_norm, s, {x, gamma}));
        c.output(c.add(op::l2_norm, s, {x}));
        c.output(c.add(op::minmax_norm, s, {x}));
        c.output(c.add(op::layer_norm, s, {x, gamma, gamma}));
        for (const op kind : {op::reduce_sum_square, op::reduce_l1_norm, op::reduce_l2_norm, op::reduce_log_sum,
                              op::reduce_log_sum_exp}) {
            c.output(c.add(kind, axes{axis}, {x}));
        }
        const auto got = outputs_of(c.finish(), values);
        for (std::int64_t i = 0; i < shape.count(); ++i) {
            CAPTURE(i);
            const auto n = static_cast<double>(shape[axis]);
            const std::int64_t place = i / stride % shape[axis];
            double sum = 0;
            double squares = 0;
            double powers = 0;
            double least = 1e9;
            double most = -1e9;
            for (std::int64_t k = 0; k < shape[axis]; ++k) {
                const auto v = static_cast<double>(values[static_cast<std::size_t>(i + (k - place) * stride)]);
                sum += v;
                squares += v * v;
                powers += std::exp(v);
                least = std::min(least, v);
                most = std::max(most, v);
            }
            const auto at = static_cast<std::size_t>(i);
            const auto v = static_cast<double>(values[at]);
            const double variance = squares / n - sum / n * (sum / n);
            CHECK(near(got[0][at], 1.5 * v / std::sqrt(squares / n + 0.25)));
            CHECK(near(got[1][at], v / std::sqrt(squares)));
            CHECK(near(got[2][at], (v - least) / (most - least + 0.25)));
            CHECK(near(got[3][at], 1.5 * (v - sum / n) / std::sqrt(variance + 0.25) + 1.5, 0x1p-18));
            const auto row = static_cast<std::size_t>(i / (stride * shape[axis]) * stride + i % stride);
            CHECK(near(got[4][row], squares));
            CHECK(near(got[5][row], sum)); // all are positive
            CHECK(near(got[6][row], std::sqrt(squares)));
            CHECK(near(got[7][row], std::log(sum), 0x1p-20));
            CHECK(near(got[8][row], std::log(powers), 0x1p-20));
        }
    }
}

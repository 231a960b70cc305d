// scaled<k>: the same function on the CPU, a more exact one on the engine, and free where another gain follows.

#include "composer.hpp"
#include <anemone/analysis/error_envelope.hpp>
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/rules/conforms.hpp>
#include <anemone/values/compare.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/fold_constants.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ane;
using namespace composing;

namespace {

/// The operations of a lowered graph, without its sources and without what is computed when it is compiled.
std::vector<op> layers(const graph_view& g) {
    const sequence<char> known = constant_nodes(g);
    std::vector<op> kinds;
    for (int i = 0; i < g.size(); ++i) {
        if (!is_source(g[i].kind) && known[static_cast<std::size_t>(i)] == 0) {
            kinds.push_back(g[i].kind);
        }
    }
    return kinds;
}

/// Gaussian values of a contract's deviation, their root mean square exactly that, none outside its range.
void fill(std::span<half> values, const contract& c, random_engine& random) {
    std::normal_distribution<double> normal(0, c.deviation);
    std::vector<double> drawn;
    double square = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        drawn.push_back(std::fmax(c.low, std::fmin(c.high, normal(random))));
        square += drawn.back() * drawn.back();
    }
    const double factor = c.deviation / std::sqrt(square / static_cast<double>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = half(std::fmax(c.low, std::fmin(c.high, drawn[i] * factor)));
    }
}

/// Values for the weights of a graph, all of which declare a deviation.
weight_store gaussian_weights(const graph_view& g, random_engine& random) {
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight && !store.contains(g.name(i))) {
            std::vector<half> values(static_cast<std::size_t>(g[i].shape.count()));
            fill(values, g[i].get<contract>(), random);
            store.add(std::string(g.name(i)), g[i].shape, std::span<const half>(values));
        }
    }
    return store;
}

/// The same for its inputs.
port_memory gaussian_inputs(const graph_view& g, random_engine& random) {
    std::vector<std::size_t> sizes;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            sizes.push_back(port_bytes(n));
        }
    }
    port_memory memory(sizes);
    std::size_t port = 0;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            fill(memory.halves(port++), n.get<contract>(), random);
        }
    }
    return memory;
}

template <class Backend>
std::vector<half> run(const graph_view& g, const Backend& place, const weight_store& weights,
                      const port_memory& inputs) {
    auto program = compile(g, place, weights);
    port_memory outputs = memory_of_outputs(g);
    const auto in = inputs.inputs();
    const auto out = outputs.outputs();
    program.run(in, out);
    const auto values = outputs.halves(0);
    return {values.begin(), values.end()};
}

double distance(const std::vector<half>& a, const std::vector<double>& exact) {
    double error = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error += (static_cast<double>(a[i]) - exact[i]) * (static_cast<double>(a[i]) - exact[i]);
        size += exact[i] * exact[i];
    }
    return std::sqrt(error / size);
}

double farthest(const std::vector<half>& a, const std::vector<double>& exact) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::fmax(most, std::fabs(static_cast<double>(a[i]) - exact[i]));
    }
    return most;
}

constexpr contract small_values = bounded(0.125) & deviating(1.0 / 64);
constexpr contract around_one = bounded(6) & deviating(1.0);
constexpr contract modest = bounded(1) & deviating(0.25);

/// Every contraction, with and without scales, far from the quantum and from the ceiling.
template <int K, class Builder> constexpr void every_contraction(Builder& g) {
    auto x = g.input("x"_s, f16<1, 8, 12, 12>, around_one);
    auto c = conv2d<conv{.padding = same, .groups = 2}>(x, scaled<K>(g.weight("c", f16<8, 4, 3, 3>, modest)),
                                                        g.weight("cb", f16<8>, modest));
    auto t = conv_transpose2d<conv_transpose{.stride = 2}>(c, scaled<K>(g.weight("t", f16<8, 4, 2, 2>, modest)),
                                                           g.weight("tb", f16<4>, modest));
    auto l = linear(scaled<K>(t), g.weight("l", f16<5, 24>, modest), g.weight("lb", f16<5>, modest));
    auto m = matmul<transposed{.a = true}>(scaled<K>(l), scaled<-K / 2>(l));
    g.output("y"_s, m);
}
constexpr auto as_it_is = graph([](auto& g) { every_contraction<0>(g); });
constexpr auto rescaled = graph([](auto& g) { every_contraction<2>(g); });

template <int K, class Builder> constexpr void classifier(Builder& g) {
    auto x = g.input("x"_s, f16<8, 4096>, small_values);
    g.output("y"_s,
             linear(x, scaled<K>(g.weight("w", f16<32, 4096>, small_values)), g.weight("b", f16<32>, small_values)));
}
constexpr auto narrow = graph([](auto& g) { classifier<0>(g); });
constexpr auto of_large_scale = graph([](auto& g) { classifier<7>(g); });
template <int K> constexpr auto slightly = graph([](auto& g) { classifier<K>(g); });
static_assert(conforms<of_large_scale, macs>);
static_assert(conforms<of_large_scale, macs, as_error(rule::products_are_near_the_quantum)>);
static_assert(!conforms<narrow, macs, as_error(rule::products_are_near_the_quantum)>);

template <int K, class Builder> constexpr void convolution(Builder& g) {
    auto x = g.input("x"_s, f16<1, 64, 10, 10>, small_values);
    g.output("y"_s, conv2d(x, scaled<K>(g.weight("w", f16<16, 64, 3, 3>, small_values)),
                           g.weight("b", f16<16>, small_values)));
}
constexpr auto narrow_conv = graph([](auto& g) { convolution<0>(g); });
constexpr auto wide_conv = graph([](auto& g) { convolution<7>(g); });
static_assert(conforms<wide_conv, macs>);

template <int K> dynamic_graph attended(bool masked) {
    return build_graph([masked](builder& b) {
        auto q = b.input("q"_s, f16<1, 2, 8, 16>, around_one);
        auto v = b.input("v"_s, f16<1, 2, 8, 16>, around_one);
        auto m = b.input("m"_s, f16<8, 8>, around_one);
        if (masked) {
            b.output("y"_s, attention(scaled<K>(q), q, scaled<K + 1>(v), m));
        } else {
            b.output("y"_s, attention(q, scaled<-K>(q), scaled<K>(v), 0.5));
        }
        b.output("unused"_s, m + 1.0);
    });
}

/// One product of either model of x by w with its bias, exact: the operands of output element `e`.
template <class Operands>
std::vector<double> sums(std::int64_t count, std::int64_t terms, std::span<const half> bias, Operands operands) {
    std::vector<double> result;
    for (std::int64_t e = 0; e < count; ++e) {
        const auto [channel, x_of, w_of] = operands(e);
        double sum = static_cast<double>(bias[static_cast<std::size_t>(channel)]);
        for (std::int64_t i = 0; i < terms; ++i) {
            sum += static_cast<double>(x_of(i)) * static_cast<double>(w_of(i));
        }
        result.push_back(sum);
    }
    return result;
}

/// The measured relative errors of both models against the exact sums, held against the pass.
void check_gain(const graph_view& small, const graph_view& large, double least, random_engine& random) {
    const weight_store weights = gaussian_weights(small, random);
    port_memory inputs = gaussian_inputs(small, random);
    const std::span<const half> x = inputs.halves(0);
    const std::vector<half> w = to_half(weights.at("w"));
    const std::vector<half> b = to_half(weights.at("b"));
    const extents& y = small[small.outputs[0].node].shape;
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    std::vector<double> exact;
    if (y.rank == 2) {
        exact = sums(y.count(), 4096, b, [&](std::int64_t e) {
            const std::int64_t channel = e % y.width();
            return std::tuple{channel, [&, e](std::int64_t i) { return x[at(e / y.width() * 4096 + i)]; },
                              [&, channel](std::int64_t i) { return w[at(channel * 4096 + i)]; }};
        });
    } else { // 64 channels of 10 x 10, kernels of 3 x 3, results of 8 x 8
        exact = sums(y.count(), 576, b, [&](std::int64_t e) {
            const std::int64_t channel = e / 64;
            const std::int64_t corner = e % 64 / 8 * 10 + e % 8;
            return std::tuple{
                channel, [&, corner](std::int64_t i) { return x[at(i / 9 * 100 + i % 9 / 3 * 10 + i % 3 + corner)]; },
                [&, channel](std::int64_t i) { return w[at(channel * 576 + i)]; }};
        });
    }
    const ane::backend::oracle engine(h16);
    const std::vector<half> narrow_result = run(small, engine, weights, inputs);
    const std::vector<half> wide_result = run(large, engine, weights, inputs);
    const double before = distance(narrow_result, exact);
    const double after = distance(wide_result, exact);
    const contraction_error expected = error_envelope(small).at(0);
    const contraction_error remaining = error_envelope(large).at(0);
    CAPTURE(before);
    CAPTURE(after);
    CHECK(before > least * after);
    CHECK(farthest(narrow_result, exact) <= expected.worst);
    CHECK(before < 2 * expected.expected_relative());
    CHECK(before > expected.expected_relative() / 2);
    CHECK(after < 2 * remaining.expected_relative());
    CHECK(after > remaining.expected_relative() / 2);
    CHECK(expected.scale >= 6);
}

} // namespace

TEST_CASE("a scale does not change the function") {
    random_engine random(3);
    CAPTURE(3);
    const weight_store weights = gaussian_weights(as_it_is, random);
    for (int round = 0; round < 4; ++round) {
        const port_memory inputs = gaussian_inputs(as_it_is, random);
        const auto a = run(as_it_is.view(), ane::backend::cpu{}, weights, inputs);
        const auto b = run(rescaled.view(), ane::backend::cpu{}, weights, inputs);
        CHECK(compare(a, b).max_ulp <= 1);
    }
}

TEST_CASE("the engine's arithmetic gains what the pass expects, at K = 4096 more than a factor of ten") {
    const unsigned seed = 11;
    CAPTURE(seed);
    random_engine random(seed);
    check_gain(narrow, of_large_scale, 10, random);
    check_gain(narrow_conv, wide_conv, 10, random);
    check_gain(narrow, slightly<2>, 4, random);
    check_gain(narrow, slightly<4>, 10, random);
    check_gain(narrow, slightly<-1>, 0.2, random);
    CHECK(error_envelope(of_large_scale).at(0).scale == 0);
}

TEST_CASE("attention takes scaled queries, keys and values") {
    const unsigned seed = 9;
    CAPTURE(seed);
    random_engine random(seed);
    for (const bool masked : {false, true}) {
        const dynamic_graph a = attended<0>(masked);
        const dynamic_graph b = attended<3>(masked);
        const port_memory inputs = gaussian_inputs(a, random);
        CHECK(compare(run(a, ane::backend::cpu{}, {}, inputs), run(b, ane::backend::cpu{}, {}, inputs)).max_ulp <= 1);
    }
}

TEST_CASE("weights and bias are scaled when they are loaded, and refused where they leave fp16") {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 2>);
        b.output("y"_s, linear(x, scaled<6>(b.weight("w", f16<1, 2>)), b.weight("b", f16<1>)));
    });
    const lowered_graph lowered = lower(g);
    CHECK(layers(lowered.view()) == std::vector<op>{op::matmul, op::add, op::mul});
    const auto store = [](float w, float b) {
        weight_store s;
        const float ws[] = {w, 1};
        s.add("w", {1, 2}, ws);
        s.add("b", {1}, std::span<const float>(&b, 1));
        return s;
    };
    CHECK_NOTHROW(fold_constants(lowered.graph, store(1023, 1023)));
    for (const auto& [w, b] : {std::pair{1024.0F, 0.0F}, std::pair{0.0F, -1024.0F}}) {
        try {
            compile(g, ane::backend::cpu{}, store(w, b));
            FAIL("accepted");
        } catch (const error& e) {
            CHECK(e.code() == errc::weights);
            CHECK(std::string(e.what()).find("65536") != std::string::npos);
        }
    }
}

TEST_CASE("the inverse folds into the gain that follows") {
    const auto lowered = [](auto describe) { return lower(build_graph(describe)); };
    const lowered_graph norm = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 4, 4>);
        auto p = [&g](const char* name) { return g.weight(name, f16<3>); };
        auto y = conv2d(x, scaled<5>(g.weight("w", f16<3, 2, 1, 1>)));
        g.output("y"_s, relu(batch_norm(y, p("mean"), p("variance"), p("gamma"), p("beta"))));
    });
    CHECK(layers(norm.view()) == std::vector<op>{op::conv2d, op::mul, op::add, op::relu});
    CHECK_NOTHROW(validate(norm.view()));
    CHECK(norm.origins.size() == norm.graph.nodes.size());

    // Numbers: a power of two and any other factor; two that cancel; one with an input's scale.
    const lowered_graph numbers = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<4, 8>);
        g.output("y"_s, relu(linear(x, scaled<5>(g.weight("w", f16<3, 8>))) * 3.0));
    });
    CHECK(layers(numbers.view()) == std::vector<op>{op::matmul, op::mul, op::relu});
    bool found = false;
    for (const node& n : numbers.graph.nodes) {
        found = found || (n.kind == op::constant && numbers.view().value(n, 0) == 3.0F / 32);
    }
    CHECK(found);
    const lowered_graph chain = lowered([](auto& g) {
        auto x = g.input("x"_s, f16<4, 8>);
        auto y = linear(x, scaled<5>(g.weight("w", f16<3, 8>)));
        g.output("y"_s, linear(scaled<5>(y), g.weight("v", f16<2, 3>)));
    });
    CHECK(layers(chain.view()) == std::vector<op>{op::matmul, op::matmul, op::mul});

    // Not where the value between is read elsewhere, or is an output, or where digits would be lost.
    CHECK(layers(lowered([](auto& g) {
                     auto y = g.input("x"_s, f16<4, 8>) * 0.5;
                     g.output("y"_s, y * 3.0 + y);
                 }).view()) == std::vector<op>{op::mul, op::mul, op::add});
    CHECK(layers(lowered([](auto& g) {
                     auto y = g.output("a"_s, g.input("x"_s, f16<4, 8>) * 0.5);
                     g.output("y"_s, y * 3.0);
                 }).view()) == std::vector<op>{op::mul, op::mul});
    CHECK(layers(lowered([](auto& g) { g.output("y"_s, g.input("x"_s, f16<4, 8>) * 3.0 * 5.0); }).view()) ==
          std::vector<op>{op::mul, op::mul});
    CHECK(layers(lowered([](auto& g) {
                     g.output("y"_s, g.input("x"_s, f16<4, 8>) * 0x1p-14 * 0.0999755859375);
                 }).view()) == std::vector<op>{op::mul, op::mul});
    CHECK(layers(lowered([](auto& g) {
                     g.output("y"_s, g.input("x"_s, f16<4>) * 0.5 * g.constant(f16<4>, {1.0F, 2.0F, 3.0F, 4.0F}));
                 }).view()) == std::vector<op>{op::mul});
    CHECK(layers(lowered([](auto& g) {
                     g.output("y"_s, reduce_sum<axes{-1}>(g.input("x"_s, f16<4, 8>)) * 0.5 * 0.0);
                 }).view()) == std::vector<op>{op::reduce_sum, op::mul, op::mul});
    // An output stays an operation of its own.
    CHECK(layers(lowered([](auto& g) { g.output("y"_s, g.input("x"_s, f16<4>) * 0.5 * 2.0); }).view()) ==
          std::vector<op>{op::mul});
}

TEST_CASE("folding does not change a result") {
    const unsigned seed = 5;
    CAPTURE(seed);
    random_engine random(seed);
    const auto model = [](bool folded) {
        return build_graph([folded](builder& b) {
            auto x = b.input("x"_s, f16<1, 8, 6, 6>, around_one);
            auto p = [&b](const char* name) { return b.weight(name, f16<8>, within(0.5, 2) & deviating(1.0)); };
            auto w = b.weight("w", f16<8, 8, 3, 3>, around_one);
            auto y = folded ? conv2d(x, scaled<4>(w)) : conv2d(x, w);
            b.output("y"_s, batch_norm(y, p("mean"), p("variance"), p("gamma"), p("beta")));
        });
    };
    const dynamic_graph a = model(false);
    const dynamic_graph b = model(true);
    const weight_store weights = gaussian_weights(a, random);
    const port_memory inputs = gaussian_inputs(a, random);
    // Of order one the quantum is invisible: the same bits on the CPU, and at most an ulp on the engine.
    CHECK(compare(run(a, ane::backend::cpu{}, weights, inputs), run(b, ane::backend::cpu{}, weights, inputs)).max_ulp <=
          1);
    CHECK(
        compare(run(a, ane::backend::oracle(h13), weights, inputs), run(b, ane::backend::oracle(h13), weights, inputs))
            .max_ulp <= 1);
}

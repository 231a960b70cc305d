// No value that the CPU or the oracle computes from data inside the contracts leaves its bound: ten thousand random
// graphs over every operation that has a kernel.

#include "../sanitized.hpp"
#include "anemone/analysis/affine.hpp"
#include "anemone/analysis/envelope.hpp"
#include "anemone/backend/calibration.hpp"
#include "anemone/backend/kernels/gather.hpp"
#include "anemone/graph/op_set.hpp"
#include "anemone/passes/print.hpp"
#include "nan_and_gain.hpp"
#include "sound_graphs.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/catalogue/catalogue.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace ane;

namespace {

constexpr unsigned first_seed = 20260101;
constexpr int graphs = sanitized ? 6000 : 30000;

/// Operations that a backend runs and that compute fp16 from fp16.
template <class Backend> std::vector<op> kinds_of() {
    std::vector<op> all;
    for (std::size_t k = 0; k < op_count; ++k) {
        const op kind = static_cast<op>(k);
        if (!is_source(kind) && kind != op::cast && Backend::supports(kind)) {
            all.push_back(kind);
        }
    }
    return all;
}

struct tally {
    std::array<int, op_count> seen{};
    int values = 0;
    int failures = 0;
    int refused = 0;
};

template <class Backend>
void hold(const Backend& backend, const dynamic_graph& g, const weight_store& weights,
          const std::vector<std::vector<half>>& inputs, unsigned seed, tally& t) {
    const std::vector<interval> known = ranges(g);
    const std::vector<bool> nan = sound::may_be_nan(g, known);
    const std::vector<bool> saturates = sound::may_saturate(g, known);
    std::string failure;
    try {
        calibration<Backend> all(backend, g, weights);
        std::vector<std::span<const std::byte>> buffers;
        for (const auto& x : inputs) {
            buffers.push_back(std::as_bytes(std::span(x)));
        }
        all.run(buffers);
        for (int i = 0; i < graph_view(g).size(); ++i) {
            const node& n = g.nodes[static_cast<std::size_t>(i)];
            const interval& r = known[static_cast<std::size_t>(i)];
            if (saturates[static_cast<std::size_t>(i)]) {
                continue;
            }
            for (const half h : all.values(i)) {
                const auto v = static_cast<double>(h);
                ++t.values;
                const bool inside = is_nan(h)        ? static_cast<bool>(nan[static_cast<std::size_t>(i)])
                                    : is_infinite(h) ? (v > 0 ? r.high >= unbounded : r.low <= -unbounded)
                                                     : r.contains(v);
                if (!inside && failure.empty()) {
                    failure = std::string(name(n.kind)) + " (node " + std::to_string(i) + ") holds " +
                              std::to_string(v) + ", its range is " + std::to_string(r.low) + " to " +
                              std::to_string(r.high);
                    for (const int operand : graph_view(g).operands(n)) {
                        const interval& of = known[static_cast<std::size_t>(operand)];
                        failure += ", operand " + std::to_string(of.low) + " to " + std::to_string(of.high);
                    }
                }
            }
            ++t.seen[static_cast<std::size_t>(n.kind)];
        }
    } catch (const error& e) {
        if (e.code() == errc::weights) { // weights that fold to no number
            ++t.refused;
        } else {
            failure = e.what();
        }
    }
    if (!failure.empty() && ++t.failures <= 12) {
        CHECK_MESSAGE(false, backend.name(), ", seed ", seed, ": ", failure, "\n", print(g));
    }
}

std::vector<std::vector<half>> data_of(sound::maker& m, const graph_view& g) {
    std::vector<std::vector<half>> all;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            all.push_back(m.values(n));
        }
    }
    return all;
}

template <class Backend> tally run(const std::vector<Backend>& backends, int count, unsigned seed) {
    const std::vector<op> kinds = kinds_of<Backend>();
    tally t;
    for (int i = 0; i < count; ++i) {
        const unsigned mine = seed + static_cast<unsigned>(i);
        sound::maker m(mine, kinds);
        dynamic_graph g = m.make(kinds[static_cast<std::size_t>(i) % kinds.size()], 1 + i % 5);
        if (g.outputs.empty()) {
            continue;
        }
        const weight_store weights = m.weights(g);
        hold(backends[static_cast<std::size_t>(i) % backends.size()], g, weights, data_of(m, g), mine, t);
    }
    for (const op kind : kinds) {
        WARN_MESSAGE(t.seen[static_cast<std::size_t>(kind)] > 0, std::string(name(kind)), " was never tried");
    }
    MESSAGE("seeds from ", seed, ": ", count, " graphs, ", t.values, " values");
    CHECK(t.failures == 0);
    CHECK(t.refused < 1 + count / 50);
    return t;
}

} // namespace

TEST_CASE("ten thousand random graphs keep their bounds on the CPU") {
    run(std::vector<ane::backend::cpu>(1), graphs / 2, first_seed);
}

TEST_CASE("and on the oracle of every generation") {
    std::vector<ane::backend::oracle> machines;
    for (const target t : {h13, h14, h15, h16, h17s, h18}) {
        machines.emplace_back(t);
    }
    run(machines, graphs / 2, first_seed + graphs);
}

namespace {

/// A graph whose inputs and weights hold the given values, and promise just these.
struct fixed_graph {
    dynamic_graph graph;
    weight_store weights;
    std::vector<std::vector<half>> inputs;

    int source(op kind, const extents& shape, const std::vector<double>& values) {
        std::vector<half> all;
        for (const double v : values) {
            all.emplace_back(v);
        }
        const auto [low, high] = std::minmax_element(all.begin(), all.end());
        node n;
        n.kind = kind;
        n.shape = shape;
        n.attributes = within(static_cast<double>(*low), static_cast<double>(*high));
        const std::string name = "v" + std::to_string(graph.nodes.size());
        n.name = graph.intern(name);
        if (kind == op::weight) {
            weights.add(name, shape, std::span<const half>(all));
        } else {
            inputs.push_back(all);
        }
        return graph.append(n, {});
    }
    int add(op kind, const attributes& values, const std::vector<int>& operands) {
        node n;
        n.kind = kind;
        n.attributes = values;
        const int index = graph.append(n, operands);
        const inferred r = infer(graph, graph.nodes.back());
        REQUIRE(r.ok());
        graph.nodes.back().shape = r.shape;
        graph.add_output(index, "y" + std::to_string(index));
        return index;
    }
    void hold() const {
        tally t;
        ::hold(ane::backend::cpu{}.rounding(ane::rounding::each_operation), graph, weights, inputs, 0, t);
        for (const target on : {h13, h14, h15, h17s}) {
            ::hold(ane::backend::oracle(on), graph, weights, inputs, 0, t);
        }
        CHECK(t.failures == 0);
    }
};

} // namespace

TEST_CASE("a batch norm whose scale or offset overflows on the device") {
    for (const double variance : {1e-7, 0.01, 1.0}) {
        for (const double gamma : {1.0, 300.0, 60000.0}) {
            for (const double mean : {0.001, 1000.0}) {
                for (const double beta : {0.0, 60000.0, -60000.0}) {
                    for (const double x : {0.0, 0.001, 1000.0}) {
                        CAPTURE(variance);
                        CAPTURE(gamma);
                        CAPTURE(mean);
                        fixed_graph g;
                        std::vector<int> operands{g.source(op::input, {1, 1, 1, 2}, {x, x * 1.002})};
                        for (const double p : {mean, variance, gamma, beta}) {
                            operands.push_back(g.source(op::input, {1}, {p}));
                        }
                        g.add(op::batch_norm, stabilizer{1e-5F, 1}, operands);
                        g.hold();
                    }
                }
            }
        }
    }
}

TEST_CASE("a batch norm whose offset is large is rounded to the offset's last place") {
    fixed_graph g;
    std::vector<int> operands{g.source(op::input, {1, 1, 1, 2}, {60000, -60000})};
    for (const double p : {-60000.0, 60000.0, 1.0, 60000.0}) {
        operands.push_back(g.source(op::weight, {1}, {p}));
    }
    g.add(op::batch_norm, stabilizer{1e-5F, 1}, operands);
    g.hold();
}

TEST_CASE("a batch norm whose scale is subnormal") {
    for (const double gamma : {1.8e-7, -4e-6, 9e-8}) {
        CAPTURE(gamma);
        fixed_graph g;
        std::vector<int> operands{g.source(op::input, {1, 1, 1, 2}, {57984, 0})};
        for (const double p : {0.0, 0.2, gamma, 0.0}) {
            operands.push_back(g.source(op::weight, {1}, {p}));
        }
        g.add(op::batch_norm, stabilizer{1e-5F, 1}, operands);
        g.hold();
    }
}

TEST_CASE("a norm whose product with gamma overflows before beta is added") {
    fixed_graph g;
    const int x = g.source(op::input, {1, 4}, {1, 0, 0, 0});
    const int gamma = g.source(op::weight, {4}, {40000, 40000, 40000, 40000});
    const int beta = g.source(op::weight, {4}, {-60000, -60000, -60000, -60000});
    const int y = g.add(op::layer_norm, stabilizer{1e-5F, 1}, {x, gamma, beta});
    CHECK(ranges(g.graph)[static_cast<std::size_t>(y)].high >= unbounded);
    g.hold();
}

TEST_CASE("coefficients and stabilizers that leave fp16 on the device") {
    for (const float epsilon : {1000.0F, 65504.0F}) {
        CAPTURE(epsilon);
        fixed_graph g;
        g.add(op::log, stabilizer{.epsilon = epsilon}, {g.source(op::input, {2}, {65504, 64000})});
        g.hold();
    }
    for (const float slope : {65504.0F, 1e-8F}) {
        CAPTURE(slope);
        fixed_graph g;
        const int x = g.source(op::input, {2}, {-65504, -65472});
        const auto y = static_cast<std::size_t>(g.add(op::leaky_relu, leakage{slope}, {x}));
        g.hold();
        const interval r = affine_ranges(g.graph)[y];
        CHECK(r.low <= r.high);
        CHECK(r.contains(slope < 1 ? 0.0 : -unbounded)); // 1e-8 is zero in fp16
    }
}

TEST_CASE("infinities of opposite signs have no bounded sum") {
    const interval plus{unbounded, unbounded, true};
    const interval minus{-unbounded, -unbounded, true};
    CHECK_FALSE(ane::detail::sum(plus, minus).bounded());
    CHECK_FALSE(ane::detail::difference(plus, plus).bounded());
    CHECK(ane::detail::difference(minus, plus).high <= -unbounded);
    CHECK(ane::detail::sum({1, 2, true}, {-3, 4, true}) == interval{-2, 6, true});
}

TEST_CASE("a measured node of infinities alone has no bound") {
    fixed_graph g;
    const auto x = static_cast<std::size_t>(g.source(op::input, {2}, {1, 2}));
    const auto y = static_cast<std::size_t>(g.add(op::tanh, no_attributes{}, {static_cast<int>(x)}));
    std::vector<measured_range> measured(g.graph.nodes.size());
    CHECK(ranges(g.graph, measured)[y].bounded());
    measured[y].infinities = 2;
    CHECK_FALSE(ranges(g.graph, measured)[y].bounded());
}

TEST_CASE("integers beyond fp16 are infinite once they are cast") {
    dynamic_graph g;
    node n;
    n.kind = op::input;
    n.type = dtype::int32;
    n.shape = {2};
    n.attributes = within(-5, 100000);
    n.name = g.intern("x");
    const int operands[] = {g.append(n, {})};
    node cast;
    cast.kind = op::cast;
    cast.shape = {2};
    g.append(cast, operands);
    CHECK(ranges(g).back() == interval{-5, unbounded, true});
}

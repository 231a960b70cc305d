#include "../../from_environment.hpp"
#include "../../sanitized.hpp"
#include "../composer.hpp"
#include "naive.hpp"
#include "whole_models.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/passes/fused_layers.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

using namespace composing;
using namespace whole_models;

namespace {

/// Random graphs of hosts with functions of elements around them: none amplifies a rounding much.
class layer_generator {
public:
    explicit layer_generator(unsigned seed) : random_(seed) {}

    dynamic_graph make() {
        const int start = host();
        const extents shape = g_.shape(start);
        values_ = {start};
        const int wanted = 2 + below(random_, 9);
        for (int i = 0; i < wanted; ++i) {
            values_.push_back(stage(shape));
        }
        int all = values_[0]; // every value is read, so that all are in one layer, or nearly
        for (std::size_t i = 1; i < values_.size(); ++i) {
            if (!g_.is_read(values_[i])) {
                all =
                    all == values_[i] ? all : g_.add(below(random_, 2) == 0 ? op::add : op::maximum, {all, values_[i]});
            }
        }
        if (shape.rank >= 3 && below(random_, 3) == 0) { // rows in another order, if they are long enough
            const permutation order = shape.rank == 3 ? permutation{1, 0, 2} : permutation{2, 0, 1, 3};
            all = g_.add(op::transpose, order, {all});
        }
        g_.output(all);
        return g_.finish();
    }

private:
    int extent(int most) { return 1 + below(random_, most); }

    int host() {
        switch (below(random_, 5)) {
        case 0: {
            const int k = extent(40);
            const int x = g_.input({extent(9), extent(5), k});
            const int n = extent(70);
            const int w = g_.weight({n, k});
            return below(random_, 2) == 0 ? g_.add(op::linear, {x, w}) : g_.add(op::linear, {x, w, g_.weight({n})});
        }
        case 1: {
            const int k = extent(30);
            const int heads = extent(3);
            return g_.add(op::matmul, transposed{},
                          {g_.input({heads, extent(9), k}), g_.input({heads, k, extent(40)})});
        }
        case 2: {
            const int c = extent(6);
            const int o = extent(20);
            const int x = g_.input({extent(2), c, extent(9), extent(12)});
            return g_.add(op::conv2d, conv{.padding = same}, {x, g_.weight({o, c, 3, 3})});
        }
        case 3: {
            const int c = extent(4);
            return g_.add(op::conv_transpose2d, conv_transpose{.stride = {2, 2}},
                          {g_.input({1, c, extent(5), extent(5)}), g_.weight({c, extent(5), 2, 2})});
        }
        default: return g_.input({extent(3), extent(5), extent(7), extent(90)});
        }
    }

    /// An operand that repeats over the shape, or does not.
    int other(const extents& shape) {
        extents e = shape;
        switch (below(random_, 6)) {
        case 0: return values_[static_cast<std::size_t>(below(random_, static_cast<int>(values_.size())))];
        case 1: return g_.constant(static_cast<float>(uniform(random_, -1, 1)));
        case 2: { // a vector of one axis
            const int kept = below(random_, e.rank);
            for (int a = 0; a < e.rank; ++a) {
                e[a] = a == kept ? e[a] : 1;
            }
            break;
        }
        case 3: e[below(random_, e.rank)] = 1; break;
        default: break;
        }
        return below(random_, 2) == 0 ? g_.input(e) : g_.weight(e);
    }

    int stage(const extents& shape) {
        const int x =
            values_[static_cast<std::size_t>(std::max(0, static_cast<int>(values_.size()) - 1 - below(random_, 3)))];
        switch (below(random_, 10)) {
        case 0: return g_.add(op::relu, {x});
        case 1: return g_.add(op::tanh, {x});
        case 2: return g_.add(op::sigmoid, {x});
        case 3: return g_.add(op::gelu, {x});
        case 4: return g_.add(op::leaky_relu, leakage{.alpha = 0.25F}, {x});
        case 5: return g_.add(op::clamp, clip_range{.min = -1.5F, .max = 2.5F}, {x});
        case 6: return g_.add(op::sub, {x, other(shape)});
        case 7: return g_.add(op::add, {other(shape), x});
        default: return g_.add(op::mul, {x, other(shape)});
        }
    }

    random_engine random_;
    composer g_;
    std::vector<int> values_;
};

struct errors {
    double square = 0; ///< mean, of shares of the largest value
    double largest = 0;
};

errors error_of(port_memory& got, const std::vector<naive::array>& wanted) {
    double scale = 1e-4;
    for (const double v : wanted[0].values) {
        scale = std::max(scale, std::fabs(v));
    }
    errors e;
    for (std::size_t i = 0; i < wanted[0].values.size(); ++i) {
        const double off = std::fabs(static_cast<double>(got.halves(0)[i]) - wanted[0].values[i]) / scale;
        e.square += off * off / static_cast<double>(wanted[0].values.size());
        e.largest = std::max(e.largest, off);
    }
    return e;
}

port_memory result_of(const graph_view& g, const backend::cpu& place, const weight_store& weights,
                      const port_memory& inputs) {
    port_memory outputs = memory_of_outputs(g);
    compile(g, place, weights).run(inputs.inputs(), outputs.outputs());
    return outputs;
}

} // namespace

TEST_CASE("cpu fused: one rounding a layer is no worse than one an operation") {
    const unsigned start = from_environment::seed();
    thread_pool pool(3);
    double fused_square = 0;
    double apart_square = 0;
    int fused_layers_seen = 0;
    int better = 0;
    int worse = 0;
    int overflowed = 0;
    for (unsigned seed = start; seed < start + (sanitized ? 80 : 250); ++seed) {
        CAPTURE(seed);
        const dynamic_graph graph = layer_generator(seed).make();
        const graph_view g = graph;
        random_engine random(seed);
        const weight_store weights = random_weights(g, random);
        const port_memory inputs = random_inputs(g, random, false);
        const auto exact = naive::run(g, weights, inputs.inputs(), false);
        port_memory fused = result_of(g, backend::cpu{}, weights, inputs);
        port_memory apart = result_of(g, backend::cpu{}.rounding(rounding::each_operation), weights, inputs);
        REQUIRE(result_of(g, backend::cpu{}.executor(pool).threads(5), weights, inputs).bytes == fused.bytes);
        REQUIRE(result_of(g, backend::cpu{}.threads(1), weights, inputs).bytes == fused.bytes);
        const errors of_fused = error_of(fused, exact);
        const errors of_apart = error_of(apart, exact);
        if (!std::isfinite(
                of_apart.square)) { // a value between two operations is beyond fp16: no error to compare with
            ++overflowed;
            continue;
        }
        // Half an ulp of fp16 for each rounding that is left: those of the layer's end and of at most one value before it.
        CHECK(of_fused.largest <= 0x1p-10 + 2 * of_apart.largest);
        CHECK(std::isfinite(of_fused.square));
        fused_square += of_fused.square;
        apart_square += of_apart.square;
        better += of_fused.square < of_apart.square ? 1 : 0;
        worse += of_fused.square > of_apart.square ? 1 : 0;
        const auto layers = fuse_layers(g, op_set{op::conv2d, op::linear, op::matmul});
        for (int i = 0; i < g.size(); ++i) {
            fused_layers_seen += layers.end_of(i) == i && !layers.alone(i) ? 1 : 0;
        }
    }
    MESSAGE("mean square error fused ", fused_square, ", each operation ", apart_square, "; better ", better,
            ", worse ", worse, "; overflowed ", overflowed);
    CHECK(overflowed < 25);
    CHECK(fused_layers_seen > (sanitized ? 30 : 100));
    CHECK(fused_square < apart_square);
    CHECK(better > 5 * worse);
}

TEST_CASE("cpu fused: between operations of a layer values are fp32") {
    dynamic_builder b;
    const auto x = b.input("x", {3, 40});
    b.output("y", b.add(op::mul, {b.add(op::mul, {x, b.constant(60000.0)}), b.constant(0.001)}));
    const dynamic_graph graph = b.finish();
    const graph_view g = graph;
    port_memory inputs({240});
    for (std::size_t i = 0; i < 120; ++i) {
        inputs.halves(0)[i] = half(static_cast<double>(i));
    }
    port_memory fused = result_of(g, backend::cpu{}, {}, inputs);
    port_memory apart = result_of(g, backend::cpu{}.rounding(rounding::each_operation), {}, inputs);
    for (std::size_t i = 0; i < 120; ++i) {
        const auto number = static_cast<double>(i);
        const auto thousandth = static_cast<double>(half(0.001));
        CHECK(static_cast<double>(fused.halves(0)[i]) == static_cast<double>(half(number * 60000 * thousandth)));
        CHECK((static_cast<double>(apart.halves(0)[i]) < 7000) == (i < 2)); // 2 * 60000 is infinite in fp16
    }
}

TEST_CASE("cpu fused: NaN, infinities and zeros pass as through the operations one by one") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const dynamic_graph graph = layer_generator(seed).make();
        const graph_view g = graph;
        random_engine random(seed);
        const weight_store weights = random_weights(g, random);
        port_memory inputs = random_inputs(g, random, false);
        for (auto& memory : inputs.bytes) { // a few of them: sums with several would all be NaN
            reinterpret_cast<half*>(memory.data())[0] = half::from_bits(0x7E00);
            reinterpret_cast<half*>(memory.data())[memory.size() / 4] = half::from_bits(0xFC00);
        }
        port_memory fused = result_of(g, backend::cpu{}, weights, inputs);
        port_memory apart = result_of(g, backend::cpu{}.rounding(rounding::each_operation), weights, inputs);
        for (std::size_t i = 0; i < fused.halves(0).size(); ++i) {
            const half a = fused.halves(0)[i];
            const half b = apart.halves(0)[i];
            CAPTURE(i);
            REQUIRE(std::isnan(static_cast<double>(a)) == std::isnan(static_cast<double>(b)));
            REQUIRE((is_finite(a) || a.bits == b.bits || std::isnan(static_cast<double>(a))));
        }
    }
}

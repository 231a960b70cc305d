// Calibration: what a model was seen to hold, the same pass on it, and how loose the static bounds are over the models
// of the examples.

#include "anemone/backend/calibration.hpp"

#include "../../examples/digits/model.hpp"
#include "../../examples/encoder/block.hpp"
#include "anemone/analysis/envelope.hpp"
#include "anemone/report/calibration_report.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

constexpr unsigned seed = 20260418;

constexpr auto polyline = graph([](auto& g) {
    auto x = g.input("x"_s, f16<65, 1>, within(0, 1));
    auto hidden = relu(linear(x, g.weight("hidden.weight"_s, f16<16, 1>, bounded(1)),
                              g.weight("hidden.bias"_s, f16<16>, within(-1, 0))));
    g.output("y"_s, linear(hidden, g.weight("output.weight"_s, f16<1, 16>, bounded(0.125))));
});
/// Promises about the sums of the rows: the same network, told more.
constexpr auto promised = graph([](auto& g) {
    auto x = g.input("x"_s, f16<65, 1>, within(0, 1));
    auto hidden = relu(linear(x, g.weight("hidden.weight"_s, f16<16, 1>, bounded(1)),
                              g.weight("hidden.bias"_s, f16<16>, within(-1, 0))));
    g.output("y"_s, linear(hidden, g.weight("output.weight"_s, f16<1, 16>, bounded(0.125) & row_l1(1))));
});
constexpr auto residual = graph([](auto& g) {
    constexpr conv padded{.padding = same};
    auto h = relu6(conv2d<padded>(g.input("image"_s, f16<1, 3, 16, 16>, within(0, 1)),
                                  g.weight("stem"_s, f16<16, 3, 3, 3>, bounded(0.5))));
    for (int i = 0; i < 3; ++i) {
        auto s = g.scope("blocks", i);
        auto a = relu6(conv2d<padded>(h, s.weight("conv1"_s, f16<16, 16, 3, 3>, bounded(0.5))));
        h = relu6(h + conv2d<padded>(a, s.weight("conv2"_s, f16<16, 16, 3, 3>, bounded(0.5))));
    }
    g.output("features"_s, reduce_mean<axes{2, 3}>(h));
});
/// Eight steps of the heat equation: the weights of a step are constants that add up to one, so no bound grows.
constexpr auto heat = graph([](auto& g) {
    auto u = g.input("u"_s, f16<1, 1, 31, 31>, within(-1, 1));
    auto stencil = g.constant(f16<1, 1, 3, 3>, {0, 0.125F, 0, 0.125F, 0.5F, 0.125F, 0, 0.125F, 0});
    for (int i = 0; i < 8; ++i) {
        u = conv2d<conv{.padding = same}>(u, stencil);
    }
    g.output("later"_s, u);
});
static_assert(conforms<heat, macs>);

std::vector<half> uniform(std::mt19937& random, const node& n) {
    const contract& c = n.get<contract>();
    std::uniform_real_distribution<double> d(c.declared ? c.low : -0.05, c.declared ? c.high : 0.05);
    std::vector<half> all(static_cast<std::size_t>(n.shape.count()));
    double rows = 0;
    for (half& h : all) {
        h = half(d(random));
        rows += std::fabs(static_cast<double>(h));
    }
    if (c.row_l1 < contract::any) { // one row here: keep the promise
        for (half& h : all) {
            h = half(static_cast<double>(h) * std::min(1.0, 0.99 * c.row_l1 / rows));
        }
    }
    return all;
}

weight_store random_weights(const graph_view& g) {
    std::mt19937 random(seed);
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            const std::vector<half> all = uniform(random, g[i]);
            store.add(std::string(g.name(i)), g[i].shape, std::span<const half>(all));
        }
    }
    return store;
}

template <class Backend>
std::vector<measured_range> measure(const Backend& backend, const graph_view& g, const weight_store& weights,
                                    int runs) {
    std::mt19937 random(seed + 1);
    calibration<Backend> all(backend, g, weights);
    for (int r = 0; r < runs; ++r) {
        std::vector<std::vector<half>> inputs;
        std::vector<std::span<const std::byte>> buffers;
        for (const node& n : g.nodes) {
            if (n.kind == op::input) {
                inputs.push_back(uniform(random, n));
            }
        }
        for (const auto& x : inputs) {
            buffers.push_back(std::as_bytes(std::span(x)));
        }
        all.run(buffers);
    }
    return {all.measured().begin(), all.measured().end()};
}

/// Every measured value lies in its static bound; prints how loose the bounds are.
tightness check_model(const char* title, const graph_view& g, const weight_store& weights) {
    const std::vector<interval> bounds = ranges(g);
    const std::vector<measured_range> seen = measure(ane::backend::cpu{}, g, weights, 4);
    for (const looseness& l : compare(g, bounds, seen)) {
        CHECK(l.bound.low <= l.measured.low);
        CHECK(l.measured.high <= l.bound.high);
    }
    const tightness t = summarise(g, compare(g, bounds, seen));
    MESSAGE(std::string(title), ": seed ", seed, ", bound / observed: median ", t.median, ", worst ", t.worst, " over ",
            t.nodes, " nodes, ", t.unbounded_nodes, " without a bound");
    return t;
}

} // namespace

TEST_CASE("measured ranges are the extremes of the data, over all runs") {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<4>);
        b.output("y"_s, relu(x * 2.0));
    });
    calibration<ane::backend::cpu> all({}, g, {});
    const std::vector<half> first{1.0_h, half(-2.0), 0.5_h, 0.0_h};
    const std::vector<half> second{3.0_h, half(-1.0), 0.5_h, half(60000.0)};
    for (const auto* data : {&first, &second}) {
        const std::span<const std::byte> buffer[] = {std::as_bytes(std::span(*data))};
        all.run(buffer);
    }
    const auto seen = all.measured();
    const auto at = [&](int i) { return seen[static_cast<std::size_t>(i)]; };
    CHECK(at(0).low == -2);
    CHECK(at(0).high == 60000);
    const int product = graph_view(g).operands(g.outputs[0].node)[0];
    CHECK(at(product).low == -4);
    CHECK(at(product).high == 6); // 120000 is infinite
    CHECK(at(product).infinities == 1);
    CHECK(at(g.outputs[0].node).low == 0);
    // The pass on measured ranges: an infinity that was seen is not forgotten.
    const std::vector<interval> known = ranges(g, seen);
    CHECK(known[0] == interval{-2, 60000, true});
    CHECK_FALSE(known[static_cast<std::size_t>(product)].bounded());
    const std::string table = calibration_table(g, ranges(g), seen);
    CHECK(table.find("1 infinite") != std::string::npos);
    CHECK(table.find("median") != std::string::npos);
}

TEST_CASE("what contracts leave open, data decides") {
    const graph_view g = digits;
    const weight_store weights = load_safetensors(ANEMONE_TEST_DATA "/../examples/digits/digits.safetensors");
    CHECK_FALSE(proves(g, h13, hazard::accumulator)); // fc1 and fc2 promise nothing
    const std::vector<measured_range> seen = measure(ane::backend::oracle(h13), g, weights, 2);
    int proven = 0;
    for (const envelope_entry& e : envelope(g, describe(h13), ranges(g, seen))) {
        proven += e.hazard == hazard::stored_value && e.verdict == proof::proven ? 1 : 0;
        CHECK((e.hazard != hazard::stored_value || e.verdict == proof::proven));
    }
    CHECK(proven > 8);
    MESSAGE(calibration_table(g, ranges(g), seen));
}

TEST_CASE("tightness over the models of the examples") {
    check_model("polyline", polyline, random_weights(polyline));
    CHECK(ranges(promised).back().high < ranges(polyline).back().high);
    check_model("polyline, rows promised", promised, random_weights(promised));
    check_model("residual", residual, random_weights(residual));
    const tightness steps = check_model("heat", heat, {});
    CHECK(steps.worst < 8);
    CHECK(ranges(heat).back().high < 1.01);
    check_model("encoder", block, random_weights(block));
    check_model("digits", digits, load_safetensors(ANEMONE_TEST_DATA "/../examples/digits/digits.safetensors"));
}

TEST_CASE("states go on from run to run, from zeros, and are measured") {
    const ane::dynamic_graph g = ane::build_graph([](auto& b) {
        auto total = b.state("total"_s, ane::f16<2>);
        write(total, read(total) + b.input("x"_s, ane::f16<2>));
        b.output("y"_s, 2 * read(total));
    });
    const auto measures = [&](auto all) {
        const std::array<ane::half, 2> x{ane::half(1.0), ane::half(-3.0)};
        for (int run = 1; run <= 3; ++run) {
            const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
            all.run(in);
            const ane::measured_range total =
                all.measured()[static_cast<std::size_t>(g.view().find(ane::op::input, "total"))];
            CHECK(total.low == -3 * run);
            CHECK(total.high == run);
        }
    };
    measures(ane::calibration<ane::backend::cpu>({}, g, {}));
    measures(ane::calibration<ane::backend::oracle>(ane::backend::oracle(ane::h13), g, {}));
}

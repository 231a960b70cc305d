// What segments cost: an engine's program what `estimate` says of it, a host's layers what a placement charges.

#include "decoder.hpp"
#include <anemone/base/error.hpp>
#include <anemone/model.hpp>
#include <anemone/segments/constant_costs.hpp>
#include <anemone/segments/cost.hpp>
#include <anemone/segments/print.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace ane;
using namespace ane::literals;

namespace segment_cost_tests {
namespace {

constexpr time_interval clock_of(const graph_view& g, target t, const op_set& whole = {}) {
    return estimate(lower(g, whole).view(), t).clock;
}
/// But for a multiply-add, which one compiler rounds once and another twice.
constexpr bool same(double a, double b) { return a - b <= 1e-12 * a && b - a <= 1e-12 * a; }
constexpr bool same(const time_interval& a, const time_interval& b) {
    return same(a.typical, b.typical) && same(a.at_least, b.at_least) && same(a.at_most, b.at_most);
}

constexpr auto plain = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4, 8, 8>);
    g.output("y"_s, relu(conv2d(x, g.weight("w"_s, f16<4, 4, 1, 1>))));
});

// A model that is one segment costs what the whole costs.
constexpr auto plain_costs = [](target t) { return segment_costs_of(plain, segments_of(plain, t), t); };
static_assert(plain_costs(h13).size() == 1);
static_assert(same(*plain_costs(h13).clock, clock_of(plain, h13)));
static_assert(same(*plain_costs(h17s).clock, clock_of(plain, h17s)));
static_assert(plain_costs(h13).taken_bytes == 0);
static_assert(plain_costs(h13).host_seconds == 0);
static_assert(plain_costs(h13)[0].limit == bound::dispatch);
static_assert(same(*plain_costs(h11)[0].clock, clock_of(plain, h11)) && plain_costs(h11)[0].place == door::netplist);

// Two programs, which by hand are these two models.
constexpr auto marked = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4, 8, 8>);
    auto y = cut(relu(conv2d(x, g.weight("w"_s, f16<4, 4, 1, 1>))));
    g.output("y"_s, tanh(y + x));
});
constexpr auto second_of_marked = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4, 8, 8>);
    g.output("y"_s, tanh(g.input("relu_3"_s, f16<1, 4, 8, 8>) + x));
});
static_assert(segment_costs<marked, h16>.taken_bytes == 2 * 4 * 8 * 8);
static_assert(same(*segment_costs<marked, h16>[0].clock, clock_of(plain, h16)));
static_assert(same(*segment_costs<marked, h16>[1].clock, clock_of(second_of_marked, h16)));

// The M1 has no top-k: the host takes 16 halves and makes 5.
constexpr auto selecting = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16>);
    auto best = top_k<5>(exp(x));
    g.output("y"_s, best.values * 2);
});
constexpr auto first_of_selecting = graph([](auto& g) { g.output("e"_s, exp(g.input("x"_s, f16<1, 16>))); });
constexpr auto last_of_selecting = graph([](auto& g) { g.output("y"_s, g.input("best"_s, f16<1, 5>) * 2); });
// So slow a memory that nothing else matters: a byte a microsecond.
constexpr device_rates slow{.product = 1e15, .convolution = 1e15, .bandwidth = 1e6, .launch = 7e-6, .layer = 5e-6};
constexpr double host_by_hand = 7e-6 + 5e-6 + (2 * 16 + 2 * 5) * 1e-6;

// The first program reads what the second left in the run before.
constexpr auto remembering = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    auto latest = g.state("latest", f16<1, 4>);
    auto y = tanh(cut(exp(x + read(latest))));
    write(latest, y);
    g.output("y"_s, y);
});

/// The message of the error that a function throws.
template <class Function> std::string refusal_by(const Function& function) {
    try {
        function();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing thrown";
}

} // namespace

TEST_CASE("two segments cost what two models cost that are written by hand") {
    for (const target t : {h13, h14, h16, h17s, h18}) {
        CAPTURE(describe(t).name);
        const segmentation_costs costs = segment_costs_of(marked, segments_of(marked, t), t);
        REQUIRE(costs.size() == 2);
        const time_interval first = clock_of(plain, t);
        const time_interval second = clock_of(second_of_marked, t);
        CHECK(same(*costs[0].clock, first));
        CHECK(same(*costs[1].clock, second));
        CHECK(costs.clock->typical == doctest::Approx(first.typical + second.typical));
        CHECK(costs.clock->at_least == doctest::Approx(first.at_least + second.at_least));
        CHECK(costs.clock->at_most == doctest::Approx(first.at_most + second.at_most));
        const cost_rates r = rates_of(t); // of the three inputs one is the second of its program
        CHECK(costs.dispatch_seconds == doctest::Approx(2 * r.floor + r.port));
        CHECK(costs.clock->typical > clock_of(marked, t).typical); // a program more is a dispatch more
        CHECK(costs.engine_known_by == r.known_by);
    }
}

TEST_CASE("the host's layers cost what its rates say, and their ends are the typical time") {
    const segmentation cuts = segments_of(selecting, h13);
    const segmentation_costs costs = segment_costs_of(selecting, cuts, h13, {.host = &slow});
    REQUIRE(costs.size() == 3);
    CHECK(costs[1].clock->typical == doctest::Approx(host_by_hand));
    CHECK(costs[1].clock->at_least == costs[1].clock->typical);
    CHECK(costs[1].clock->at_most == costs[1].clock->typical);
    CHECK(costs[1].dispatch_seconds == 0);
    CHECK(costs[1].taken_bytes == 2 * 16);
    CHECK(costs[2].taken_bytes == 2 * 5);
    CHECK(costs.taken_bytes == 2 * 16 + 2 * 5);
    CHECK(costs.host_seconds == doctest::Approx(host_by_hand));
    const time_interval first = clock_of(first_of_selecting, h13);
    const time_interval last = clock_of(last_of_selecting, h13);
    CHECK(same(*costs[0].clock, first));
    CHECK(same(*costs[2].clock, last));
    CHECK(costs.clock->typical == doctest::Approx(first.typical + host_by_hand + last.typical));
    CHECK(costs.clock->at_most == doctest::Approx(first.at_most + host_by_hand + last.at_most));

    const segmentation_costs beside = segment_costs_of(selecting, cuts, h13); // 10 us a layer on the CPU of an M1
    CHECK(beside[1].clock->typical == doctest::Approx(10e-6).epsilon(0.01));
    CHECK(beside.host_known_by == mark::predicted);
}

TEST_CASE("constants and values cost alike") {
    const auto alike = [](const segmentation_costs& constant, const segmentation_costs& value) {
        REQUIRE(constant.size() == value.size());
        for (int k = 0; k < value.size(); ++k) {
            CHECK(constant[k].place == value[k].place);
            CHECK(same(*constant[k].clock, *value[k].clock));
            CHECK(same(constant[k].dispatch_seconds, value[k].dispatch_seconds));
            CHECK(constant[k].limit == value[k].limit);
            CHECK(constant[k].taken_bytes == value[k].taken_bytes);
        }
        CHECK(constant.target == value.target);
        CHECK(same(*constant.clock, *value.clock));
        CHECK(same(constant.dispatch_seconds, value.dispatch_seconds));
        CHECK(same(constant.host_seconds, value.host_seconds));
        CHECK(constant.taken_bytes == value.taken_bytes);
        CHECK(constant.engine_known_by == value.engine_known_by);
        CHECK(constant.host_known_by == value.host_known_by);
    };
    static constexpr segment_limits one_layer{.decoder_layers = 1};
    static constexpr segment_cost_options unit{.whole = op_set{op::attention}, .host = &slow};
    const graph_view g = decoders::decoder<3>;
    alike(segment_costs<decoders::decoder<3>, h17s, one_layer>,
          segment_costs_of(g, segments_of(g, h17s, one_layer), h17s));
    alike(segment_costs<decoders::decoder<3>, h17s, one_layer, unit>,
          segment_costs_of(g, segments_of(g, h17s, one_layer), h17s, unit));
    alike(segment_costs<selecting, h13, segment_limits{}, unit>,
          segment_costs_of(selecting, segments_of(selecting, h13), h13, unit));
}

TEST_CASE("an attention is its parts, unless the engine gets it whole") {
    const graph_view g = decoders::decoder<2>;
    const segmentation cuts = segments_of(g, h17s);
    REQUIRE(cuts.size() == 1);
    const op_set unit{op::attention};
    CHECK(same(*segment_costs_of(g, cuts, h17s).clock, clock_of(g, h17s)));
    CHECK(same(*segment_costs_of(g, cuts, h17s, {.whole = unit}).clock, clock_of(g, h17s, unit)));
    CHECK(clock_of(g, h17s).typical != clock_of(g, h17s, unit).typical);
}

TEST_CASE("a state that a segment keeps is no port, one that two share is a port of both") {
    const graph_view g = decoders::token_decoder<2>;
    const segmentation whole = segments_of(g, h17s);
    REQUIRE(whole.size() == 1);
    CHECK(same(*segment_costs_of(g, whole, h17s).clock, clock_of(g, h17s)));
    const segmentation_costs costs = segment_costs_of(g, segments_of(g, h17s, {.decoder_layers = 1}), h17s);
    REQUIRE(costs.size() == 2);
    // In: x, the place and the mask, then the latter two with the two values handed over. Out: those two, then y.
    const cost_rates r = rates_of(h17s);
    CHECK(costs.dispatch_seconds == doctest::Approx(2 * r.floor + (2 + 1 + 3) * r.port));

    const graph_view shared = remembering; // in: x and the state, then a value; out: the value, then y and the state
    const segmentation_costs carried = segment_costs_of(shared, segments_of(shared, h17s), h17s);
    REQUIRE(carried.size() == 2);
    CHECK(carried.dispatch_seconds == doctest::Approx(2 * r.floor + (1 + 1) * r.port));
    CHECK(carried.taken_bytes == 2 * 4);
}

TEST_CASE("where no rates are known there is no time, and what is handed over is told all the same") {
    const segmentation cuts = segments_of(marked, u1, {});
    const segmentation_costs costs = segment_costs_of(marked, cuts, u1);
    CHECK_FALSE(costs.clock.has_value());
    for (const segment_cost& each : costs.list) {
        CHECK_FALSE(each.clock.has_value());
    }
    const std::string text = print(marked, cuts, u1);
    CHECK(text.find("no rates of u1 are known, and so no time; ") != std::string::npos);
    CHECK(text.find("costs") == std::string::npos);
    const graph_view g = selecting; // a caller may know the host, but then the engine is unknown still
    const segmentation_costs by_caller = segment_costs_of(g, segments<selecting, h13>, u1, {.host = &slow});
    CHECK(by_caller[1].clock->typical == doctest::Approx(host_by_hand));
    CHECK_FALSE(by_caller.clock.has_value());
    CHECK(by_caller.taken_bytes == 42);
}

TEST_CASE("cuts of another model, costs of other cuts and rates that are none are refused") {
    CHECK(refusal_by([] { segment_costs_of(plain, segments<selecting, h13>, h13); }) ==
          "argument: segments: are of a model with 5 nodes, this one has 4");
    CHECK(refusal_by([] { print(plain, segments<selecting, h13>); }) ==
          "argument: segments: are of a model with 5 nodes, this one has 4");
    CHECK(refusal_by([] { print(marked, segments<marked, h13>, plain_costs(h13)); }) ==
          "argument: segments: are 2, the costs are of 1");
    for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        device_rates host = slow;
        host.bandwidth = wrong;
        CHECK(refusal_by([&] { segment_costs_of(selecting, segments<selecting, h13>, h13, {.host = &host}); }) ==
              "argument: segments: rates of a host must be above 0, and its times not below");
    }
}

TEST_CASE("the text of the segments ends with what a run costs") {
    CHECK(print(selecting, segments<selecting, h13>, h13) ==
          "3 segments, 2 programs of the engine\n"
          "#0 direct: 1 operation, 0 bytes of weights\n"
          "    from exp #1 on: begins on the direct route\n"
          "    costs 211 us, 176 to 253 in nine of ten runs, dispatch-bound\n"
          "#1 host: 1 operation, 0 bytes of weights\n"
          "    from top_k #2 on: no route of the target has the operation\n"
          "    takes exp_1 from segment #0: fp16 [1, 16], 32 bytes\n"
          "    costs 10 us on the CPU\n"
          "#2 direct: 1 operation, 2 bytes of weights\n"
          "    from mul #4 on: reads what another door computed\n"
          "    takes top_k_2 from segment #1: fp16 [1, 5], 10 bytes\n"
          "    costs 211 us, 176 to 253 in nine of ten runs, dispatch-bound\n"
          "a run costs 432 us on h13, 362 to 516 by the sums of the ends; 422 us of it are dispatches; "
          "42 bytes handed over\n"
          "by the cost model: rates of the engine measured, of the CPU predicted; how far a CPU's times spread is not "
          "known\n");
    const std::string whole = print(plain, segments_of(plain, h15), h15);
    CHECK(whole.find("by the cost model: rates of the engine predicted\n") != std::string::npos);
}

} // namespace segment_cost_tests

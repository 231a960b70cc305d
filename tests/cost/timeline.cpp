#include <anemone/build.hpp>
#include <anemone/cost/batch_sweep.hpp>
#include <anemone/cost/timeline.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

constexpr double us = 1e-6, ms = 1e-3;
constexpr timeline_options always_warm{.first_calls = warm_up::none, .pauses = idle_cost::none};

// The program of the published budget of a dispatch: it takes 190 us, as the shortest of many.
constexpr program_time tiny_program{.fixed = 190 * us};
// The chain of eight products whose first calls and pauses were measured (guide chapter 10): 2.11 ms.
constexpr program_time measured_chain{.fixed = 190 * us, .work = 1920 * us};

// `callers` threads, each of which calls again as soon as it has its result.
std::vector<request> loops(int callers, int calls) {
    std::vector<request> list(static_cast<std::size_t>(callers * calls));
    for (int i = callers; i < callers * calls; ++i) {
        list[static_cast<std::size_t>(i)].after = i - callers;
    }
    return list;
}

std::string refusal_of(const std::vector<program_time>& programs, const std::vector<request>& list,
                       const timeline_options& options = {}, target t = h13) {
    try {
        simulate(programs, list, t, options);
    } catch (const error& e) {
        CHECK(e.code() == errc::argument);
        return e.what();
    }
    return "";
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("one warm call takes its parts, in their order") {
    constexpr served_request s = [] {
        const program_time programs[] = {{.fixed = 190e-6, .ports = 20e-6, .work = 300e-6}};
        const request list[] = {{0, 1e-3}};
        return simulate(programs, list, h13, always_warm).requests[0];
    }();
    CHECK(s.ready - s.arrival == doctest::Approx(6.5 * us));
    CHECK(s.start == s.ready);
    CHECK(s.engine - s.start == doctest::Approx((25 + 20 + 16 + 2.5) * us));
    CHECK(s.engine_end - s.engine == doctest::Approx((130 + 300) * us));
    CHECK(s.end - s.engine_end == doctest::Approx(10 * us));
    CHECK(s.latency() == doctest::Approx(510 * us));
    static_assert(s.arrival == 1e-3 && s.wake == 0 && s.cause == wake_cause::none && !s.switched);
}

// A latency that a compiler holds: 128 requests at once, one after the other.
static_assert([] {
    const program_time programs[] = {{.fixed = 190e-6}};
    const request list[128]{};
    const timeline t = simulate(programs, list, h13, always_warm);
    return t.latency(100) < 24e-3 && t.held_back == 1;
}());

TEST_CASE("the parts of a dispatch are those of the M1, and other chips have the same shares of their floor") {
    const dispatch_parts m1 = parts_of(190 * us);
    CHECK(m1.binding == doctest::Approx(25 * us));         // bud_001
    CHECK(m1.request == doctest::Approx(16 * us));         // bud_002
    CHECK(m1.doorbell >= 2 * us);                          // bud_003
    CHECK(m1.doorbell <= 3 * us);                          // bud_003
    CHECK(m1.round_trip == doctest::Approx(130 * us));     // bud_004
    CHECK(m1.completion == doctest::Approx(10 * us));      // bud_005
    CHECK(m1.seconds() == doctest::Approx(190 * us));      // bud_006
    CHECK(std::fabs(m1.submit() / (163 * us) - 1) < 0.03); // guide chapter 2: the external method
    const dispatch_parts m5 = parts_of(rates_of(h17s).floor);
    CHECK(m5.seconds() == doctest::Approx(110 * us));
    CHECK(m5.round_trip / m5.seconds() == doctest::Approx(130.0 / 190));
    CHECK(m5.caller / m5.seconds() == doctest::Approx(6.5 / 190));
}

TEST_CASE("the first calls of the measured chain take what was published, then it is steady") {
    const std::vector<program_time> programs{measured_chain};
    const timeline t = simulate(programs, loops(1, 6), h13);
    const auto call = [&](std::size_t i) { return t.requests[i].latency(); };
    CHECK(std::fabs(call(0) / (7.6 * ms) - 1) < 0.01); // pow_001
    CHECK(std::fabs(call(1) / (4.6 * ms) - 1) < 0.04);
    CHECK(call(2) <= 1.13 * 2.15 * ms);
    CHECK(std::fabs(call(3) / (2.15 * ms) - 1) < 0.02);
    CHECK(call(5) == doctest::Approx(call(3)));
    CHECK(t.warm_ups == 3);
    CHECK(t.known_by == mark::measured);

    // The other reading adds the same time to every program; on the measured one both agree.
    const timeline added = simulate(programs, loops(1, 6), h13, {.first_calls = warm_up::added});
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(std::fabs(added.requests[i].latency() / call(i) - 1) < 0.03);
    }
    const std::vector<program_time> small{tiny_program};
    CHECK(simulate(small, loops(1, 1), h13).requests[0].latency() == doctest::Approx(3.6 * 190 * us));
    CHECK(simulate(small, loops(1, 1), h13, {.first_calls = warm_up::added}).requests[0].latency() ==
          doctest::Approx(5.45 * ms + 190 * us));
}

TEST_CASE("a call after a pause: 260 ms after five seconds, 1.2 to 1.7 times below one, and the other side of CC17") {
    const std::vector<program_time> programs{measured_chain};
    const timeline_options warm{.first_calls = warm_up::none};
    const auto after = [&](double pause, const timeline_options& options) {
        return simulate(programs, std::vector<request>{{0, 0}, {0, pause, 0}, {0, 0, 1}}, h13, options);
    };
    const timeline long_pause = after(5, warm);
    CHECK(std::fabs(long_pause.requests[1].latency() / (260 * ms) - 1) < 0.001); // pow_002, R174
    CHECK(std::fabs(long_pause.requests[1].latency() / long_pause.requests[2].latency() / 123 - 1) < 0.01);
    CHECK(long_pause.requests[2].latency() == doctest::Approx(2.11 * ms)); // the very next call
    CHECK(long_pause.re_wakes == 1);

    for (const double pause : {0.1, 0.3, 0.99}) {
        timeline_options o = warm;
        const double typical = after(pause, o).requests[1].latency() / (2.11 * ms);
        o.pace = pace::at_least;
        CHECK(after(pause, o).requests[1].latency() / (2.11 * ms) == doctest::Approx(1.2));
        o.pace = pace::at_most;
        CHECK(after(pause, o).requests[1].latency() / (2.11 * ms) == doctest::Approx(1.7));
        CHECK(typical > 1.2);
        CHECK(typical < 1.7);
    }
    CHECK(after(1.5, warm).unmeasured_pauses == 1);
    CHECK(after(1.5, warm).requests[1].latency() == doctest::Approx(after(0.9, warm).requests[1].latency()));
    CHECK(after(0.9, warm).unmeasured_pauses == 0);
    CHECK(after(5, warm).unmeasured_pauses == 0);

    timeline_options plateau = warm;
    plateau.pauses = idle_cost::plateau; // guide chapter 31
    CHECK(after(5, plateau).requests[1].latency() == doctest::Approx(2.61 * ms));
    CHECK(after(0.1, plateau).requests[1].latency() == doctest::Approx(2.61 * ms));
    CHECK(after(0.05, plateau).requests[1].wake == doctest::Approx(0.25 * ms).epsilon(0.001));
    CHECK(after(0, plateau).requests[1].wake < 0.001 * ms);

    // Before the first request nothing has paused, unless it is said.
    CHECK(simulate(programs, std::vector<request>{{0, 100}}, h13, warm).requests[0].wake == 0);
    CHECK(simulate(programs, std::vector<request>{{0, 0}}, h13, {.idle_before = 5}).requests[0].cause ==
          wake_cause::re_wake);
}

TEST_CASE("two threads gain 1.04: the runtime serves one call at a time") {
    const std::vector<program_time> programs{tiny_program};
    const double alone = simulate(programs, loops(1, 2000), h13, always_warm).throughput();
    const double two = simulate(programs, loops(2, 1000), h13, always_warm).throughput();
    CHECK(alone == doctest::Approx(1 / (190 * us)));
    CHECK(two == doctest::Approx(1 / (183.5 * us)).epsilon(0.001));
    CHECK(std::fabs(two / alone - 1.04) < 0.005); // guide chapter 2, bud_006
    const double four = simulate(programs, loops(4, 500), h13, always_warm).throughput();
    CHECK(four == doctest::Approx(two).epsilon(0.001));

    // If only the engine were held, the round trip would bind: 190 / 130.
    timeline_options engine = always_warm;
    engine.held = held_part::engine;
    CHECK(simulate(programs, loops(1, 100), h13, engine).throughput() == doctest::Approx(alone));
    CHECK(simulate(programs, loops(2, 1000), h13, engine).throughput() ==
          doctest::Approx(1 / (130 * us)).epsilon(0.001));
}

TEST_CASE("a burst waits for its turns, and its percentiles are those of an arithmetic series") {
    const std::vector<program_time> programs{tiny_program};
    const timeline t = simulate(programs, std::vector<request>(100), h13, always_warm);
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(t.requests[i].waited() == doctest::Approx(static_cast<double>(i) * 183.5 * us));
    }
    CHECK(t.latency(50) == doctest::Approx((190 + 49 * 183.5) * us));
    CHECK(t.latency(99) == doctest::Approx((190 + 98 * 183.5) * us));
    CHECK(t.latency(99.1) == t.latency(100));
    CHECK(t.latency(0.5) == doctest::Approx(190 * us));
    CHECK(t.mean_latency() == doctest::Approx((190 + 49.5 * 183.5) * us));
    CHECK(t.seconds() == doctest::Approx((190 + 99 * 183.5) * us));
    CHECK(t.utilisation() == doctest::Approx(100 * 130 / (190 + 99 * 183.5)));
    CHECK(t.work_share() == 0);
    CHECK(t.held_back == 0);
}

TEST_CASE("a program has 127 requests outstanding; those of another pass the callers that are held back") {
    const std::vector<program_time> programs{tiny_program, tiny_program};
    std::vector<request> list(130, request{0, 0});
    list.push_back({1, 1 * us}); // ready after all of them
    const timeline t = simulate(programs, list, h13, always_warm);
    CHECK(t.held_back == 3);
    CHECK(t.requests[126].queued == t.requests[126].ready);
    CHECK(t.requests[127].queued == t.requests[0].end);
    CHECK(t.requests[129].queued == t.requests[2].end);
    CHECK(t.requests[130].start < t.requests[127].start);
    CHECK(t.requests[130].start == doctest::Approx(t.requests[126].end));
    CHECK(t.switches == 2);
}

TEST_CASE("a switch of the program costs what it is said to cost, and nothing otherwise") {
    const std::vector<program_time> programs{tiny_program, measured_chain};
    const std::vector<request> list{{0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 2}};
    const timeline free = simulate(programs, list, h13, always_warm);
    timeline_options o = always_warm;
    o.switch_seconds = 50 * us;
    const timeline t = simulate(programs, list, h13, o);
    CHECK(t.switches == 2);
    CHECK(t.until - free.until == doctest::Approx(100 * us));
    CHECK(free.until == doctest::Approx((190 + 2110 + 2110 + 190) * us));
}

TEST_CASE("a loop of single calls draws the published power, and waking draws static power") {
    const program_time small = program_time_of(5 * us, h13);
    const std::vector<program_time> programs{small};
    const timeline t = simulate(programs, loops(1, 1000), h13, always_warm);
    CHECK(std::fabs(t.joules / t.seconds() / 0.755 - 1) < 0.01); // guide chapter 10
    const timeline woken = simulate(programs, std::vector<request>{{0, 0}}, h13, {.idle_before = 6});
    CHECK(woken.joules - small.joules == doctest::Approx(0.755 * 0.25789));
    const std::vector<program_time> unknown{small, tiny_program};
    CHECK(simulate(unknown, std::vector<request>{{0, 0}, {1, 0}}, h13).joules == 0);
}

TEST_CASE("times of an estimate add up to it, and other chips are predicted") {
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 8, 32, 32>);
        auto y = relu(conv2d<conv{.padding = 1}>(x, g.weight("w"_s, f16<8, 8, 3, 3>)));
        g.output("y"_s, reduce_mean<axes{2, 3}>(y));
    });
    const lowered_graph lowered = lower(model.view());
    for (const target t : {h13, h14, h17s, h16}) {
        const cost c = estimate(lowered.view(), t);
        CHECK(program_time_of(c).seconds() == doctest::Approx(c.clock.typical));
        CHECK(program_time_of(c, pace::at_least).seconds() == doctest::Approx(c.clock.at_least));
        CHECK(program_time_of(c, pace::at_most).seconds() == doctest::Approx(c.clock.at_most));
        CHECK(program_time_of(c, pace::shortest).seconds() == doctest::Approx(c.least.typical));
        CHECK(program_time_of(c).joules == doctest::Approx(c.joules));
        const std::vector<program_time> programs{program_time_of(c)};
        const timeline one = simulate(programs, loops(1, 1), t, always_warm);
        CHECK(one.requests[0].latency() == doctest::Approx(c.clock.typical));
        CHECK(one.known_by == (t == h13 ? mark::measured : mark::predicted));
    }
    // The budget of the guide is of this program: 190 us in a hot loop, 98 % of it no computation.
    const std::vector<program_time> shortest{program_time_of(estimate(lowered.view(), h13), pace::shortest)};
    const timeline t = simulate(shortest, loops(1, 100), h13, always_warm);
    CHECK(std::fabs(t.mean_latency() / (190 * us) - 1) < 0.02);
    CHECK(t.work_share() < 0.04);
}

TEST_CASE("a batch of 512 takes a 127th of the time for each sample") {
    // fus_002: 196 us alone, 1.5 in a batch of 512. A shared part of 190 us and the rest for each sample give both.
    const double floor = rates_of(h13).least_floor;
    const int batches[] = {1, 8, 64, 512};
    const auto sweep = batch_sweep(batches, h13, [&](int batch) {
        return program_time{.fixed = 190 * us, .work = batch * (1.5 * us - 190 * us / 512)};
    });
    CHECK(sweep[0].seconds_per_sample() == doctest::Approx(191.1 * us).epsilon(0.001));
    CHECK(std::fabs(sweep[3].gain / 127 - 1) < 0.02);
    CHECK(std::fabs(sweep[3].seconds_per_sample() / (1.5 * us) - 1) < 0.01);
    CHECK(sweep[0].fixed_share() > 0.99);
    CHECK(std::fabs(floor / (190 * us) - 1) < 0.03);

    // The shape is not published; a small convolution comes within the interval of the model's work.
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 8, 16, 16>);
        g.output("y"_s, reduce_mean<axes{2, 3}>(relu(conv2d<conv{.padding = 1}>(x, g.weight("w"_s, f16<8, 8, 3, 3>)))));
    });
    const lowered_graph lowered = lower(model.view());
    const auto modelled = batch_sweep(lowered.view(), batches, h13, pace::shortest);
    for (std::size_t i = 1; i < modelled.size(); ++i) {
        CHECK(modelled[i].seconds_per_sample() < modelled[i - 1].seconds_per_sample());
        CHECK(modelled[i].time.seconds() > modelled[i - 1].time.seconds());
    }
    CHECK(modelled[3].gain > 127 / 1.7); // the interval of the model's work
    CHECK(modelled[3].gain < 127 * 1.7);
}

TEST_CASE("a swept batch costs what a graph of that batch does") {
    const auto of_batch = [](auto shape) {
        dynamic_graph g;
        builder b(g);
        auto x = b.input("x", shape);
        auto y = relu(conv2d<conv{.padding = 1}>(x, b.weight("w", f16<16, 8, 3, 3>)));
        b.output("y", max_pool<pool{.kernel = 2, .stride = 2}>(y));
        return g;
    };
    const auto one = of_batch(f16<1, 8, 32, 32>), many = of_batch(f16<24, 8, 32, 32>);
    const lowered_graph lowered_one = lower(graph_view(one)), lowered_many = lower(graph_view(many));
    const int batches[] = {1, 24};
    for (const target t : {h13, h14, h17s}) {
        const auto sweep = batch_sweep(lowered_one.view(), batches, t);
        CHECK(sweep[0].time.seconds() == doctest::Approx(estimate(lowered_one.view(), t).clock.typical));
        CHECK(sweep[1].time.seconds() == doctest::Approx(estimate(lowered_many.view(), t).clock.typical));
        CHECK(sweep[1].time.joules == doctest::Approx(estimate(lowered_many.view(), t).joules).epsilon(1e-9));
        CHECK(batched(demand_of(lowered_one.view(), describe(t)), 24).layers[1].work.flops() ==
              demand_of(lowered_many.view(), t).layers[1].work.flops());
    }
}

TEST_CASE("what cannot be is refused with the thing, the value and the limit") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    CHECK(refusal_of({{-1e-9}}, {}) == "argument: program 0: its fixed time is -1e-09 s, it must be 0 to 100000000 s");
    CHECK(holds(refusal_of({tiny_program, {.ports = nan}}, {}), "program 1: the time of its ports is "));
    CHECK(holds(refusal_of({{.work = inf}}, {}), "program 0: its work is inf s"));
    CHECK(holds(refusal_of({{.joules = -1}}, {}), "program 0: its energy is -1 J, it must be 0 to 1e+09 J"));
    CHECK(holds(refusal_of({{.joules = nan}}, {}), "program 0: its energy is "));
    CHECK(holds(refusal_of({tiny_program}, {{0, 9e7}, {0, 9e7, 0}}), "request 1: its end is 1800"));
    CHECK(refusal_of({tiny_program}, {{0, -2}}) ==
          "argument: request 0: its time is -2 s, it must be 0 to 100000000 s");
    CHECK(holds(refusal_of({tiny_program}, {{0, 0}, {0, nan}}), "request 1: its time is "));
    CHECK(refusal_of({tiny_program}, {{0, 0}, {1, 0}}) ==
          "argument: request 1: of program 1, there are 1, counted from 0");
    CHECK(holds(refusal_of({tiny_program}, {{-1, 0}}), "of program -1"));
    CHECK(holds(refusal_of({}, {{0, 0}}), "there are 0"));
    CHECK(refusal_of({tiny_program}, {{0, 0, 0}}) == "argument: request 0: after request 0, it must be -1 or below 0");
    CHECK(holds(refusal_of({tiny_program}, {{0, 0, -2}}), "after request -2"));
    CHECK(refusal_of(std::vector<program_time>(129, tiny_program), {}) ==
          "argument: programs: 129 are loaded, at most 128 can be (R116)");
    CHECK(refusal_of(std::vector<program_time>(128, tiny_program), {{127, 0}}) == "");
    CHECK(refusal_of({tiny_program}, {}, {.switch_seconds = -1}) ==
          "argument: switch_seconds: is -1 s, it must be 0 to 100000000 s");
    CHECK(holds(refusal_of({tiny_program}, {}, {.idle_before = nan}), "idle_before"));
    CHECK(holds(refusal_of({tiny_program}, {}, {}, u1), "no timeline: 0 points of its clock are known"));
    CHECK_THROWS_AS(program_time_of(1e-3, u1), error);
    CHECK_THROWS_AS(program_time_of(nan, h13), error);
    CHECK_THROWS_AS(program_time_of(cost{}), error);

    const int none[] = {0}, many[] = {1, 2000000000};
    const auto time_of = [](int) { return tiny_program; };
    CHECK_THROWS_WITH_AS(batch_sweep(none, h13, time_of), doctest::Contains("batch 0: 0 samples, it must be 1 to"),
                         error);
    CHECK_THROWS_WITH_AS(batch_sweep(many, h13, time_of), doctest::Contains("batch 1: 2000000000 samples"), error);
    CHECK_THROWS_AS(batch_sweep(std::span(many, 1), h13, [&](int) { return program_time{.work = -1}; }), error);

    const std::vector<program_time> programs{tiny_program};
    const timeline empty = simulate(programs, std::vector<request>{}, h13);
    CHECK(empty.throughput() == 0);
    CHECK_THROWS_WITH_AS(empty.latency(50), doctest::Contains("of 0 requests"), error);
    const timeline one = simulate(programs, std::vector<request>(1), h13);
    for (const double percent : {0.0, -1.0, 100.5, nan}) {
        CHECK_THROWS_AS(one.latency(percent), error);
    }
}

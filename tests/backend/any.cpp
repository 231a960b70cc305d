#include "standin_control.hpp"
#include <anemone/backend/any.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace ane;

namespace {

constexpr auto bend = graph([](auto& g) {
    auto x = g.input("x"_s, f16<6>);
    g.output("y"_s, relu(x * 2 - 3));
});

std::vector<float> result_of(program<bend, any_program>& bent) {
    const ndarray<shape<6>> x{0, 1, 1.5, 2, 3, 4};
    const auto y = bent({"x"_s = x})["y"_s];
    return {y.begin(), y.end()};
}

constexpr auto scaled_by_weight = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2>);
    g.output("y"_s, x * g.weight("w", f16<2>, within(-1, 1)));
});

weight_store weights_of(std::vector<float> values) {
    weight_store store;
    store.add("w", extents{2}, std::span<const float>(values));
    return store;
}

/// A user's backend, which reads no weights and so checks none.
struct indifferent {
    struct program {
        void run(input_buffers, output_buffers) const {}
    };
    std::string name() const { return "indifferent"; }
    static constexpr bool supports(op) { return true; }
    program compile(const graph_view&, const weight_store&) const { return {}; }
};

} // namespace

static_assert(runnable_backend<backend::any>);
static_assert(executable<any_program>);
static_assert(!std::is_copy_constructible_v<any_program> && std::is_nothrow_move_constructible_v<any_program>);
static_assert(!std::is_convertible_v<int, backend::any> && !std::is_convertible_v<int, any_program>);

TEST_CASE("one type of program, whichever backend it runs on") {
    const std::vector<float> expected{0, 0, 0, 1, 3, 5};
    const std::vector<backend::any> places{backend::cpu{}, backend::oracle{h13}, standin::engine(h13)};
    const std::vector<std::string> names{backend::cpu{}.name(), "oracle H13", "engine H13"};
    for (std::size_t i = 0; i < places.size(); ++i) {
        CHECK(places[i].name() == names[i]);
        CHECK(places[i].supports(op::relu));
        auto bent = compile<bend>(places[i]);
        CHECK(result_of(bent) == expected);
    }
    CHECK_FALSE(places[2].supports(op::sort));

    backend::any place = backend::cpu{};
    place = backend::oracle{h13};
    CHECK(place.name() == "oracle H13");
    const backend::any copy = place;
    place = backend::cpu{};
    CHECK(copy.name() == "oracle H13");
    place = copy;
    backend::any moved = std::move(place);
    CHECK(moved.name() == "oracle H13");
    const backend::any nothing = place; // NOLINT(bugprone-use-after-move)
    CHECK_THROWS_WITH_AS(nothing.name(), "argument: backend: was moved from", error);
    place = std::move(moved);
    CHECK(place.supports(op::relu));
}

TEST_CASE("a program of one backend becomes a program of any") {
    program<bend, any_program> bent = compile<bend>(backend::cpu{});
    CHECK(result_of(bent) == std::vector<float>{0, 0, 0, 1, 3, 5});
    bent = compile<bend>(backend::oracle{h13});
    CHECK(result_of(bent) == std::vector<float>{0, 0, 0, 1, 3, 5});
}

TEST_CASE("what a program throws comes through, and a moved-from one says so") {
    any_program first = backend::cpu{}.compile(bend, {});
    CHECK_THROWS_WITH_AS(first.run({}, {}), "port: inputs: 0 buffers are given, the program has 1 inputs", error);
    any_program second = std::move(first);
    CHECK_THROWS_WITH_AS(first.run({}, {}), "argument: program: was moved from",
                         error); // NOLINT(bugprone-use-after-move)
    CHECK_THROWS_AS(second.run({}, {}), error);
}

TEST_CASE("weights are checked whichever backend compiles, whether it reads them or not") {
    const auto refuses = [](const auto& place) {
        CAPTURE(place.name());
        const float not_a_number = std::numeric_limits<float>::quiet_NaN();
        CHECK_NOTHROW(compile<scaled_by_weight>(place, weights_of({1, -1})));
        CHECK_NOTHROW(compile(scaled_by_weight.view(), place, weights_of({1, -1})));
        for (const auto& [values, told] :
             {std::pair{std::vector<float>{1, -2}, "w: element 1 is -2, outside the declared bound [-1, 1]"},
              {std::vector<float>{not_a_number, 0}, "w: element 0"}}) {
            const std::string wanted = told;
            for (const bool typed : {true, false}) {
                try {
                    if (typed) {
                        compile<scaled_by_weight>(place, weights_of(values));
                    } else {
                        compile(scaled_by_weight.view(), place, weights_of(values));
                    }
                    FAIL("nothing was thrown");
                } catch (const error& e) {
                    CHECK(e.code() == errc::weights);
                    CHECK(std::string(e.what()).find(wanted) != std::string::npos);
                }
            }
        }
        CHECK_THROWS_AS(compile<scaled_by_weight>(place, {}), error);
        weight_store more = weights_of({1, -1});
        const float nothing = 0;
        more.add("nobody", extents{1}, std::span<const float>(&nothing, 1));
        CHECK_THROWS_AS(compile<scaled_by_weight>(place, more), error);
    };
    refuses(backend::cpu{});
    refuses(backend::oracle{h13});
    refuses(standin::engine(h13));
    refuses(indifferent{});
    refuses(backend::any(backend::oracle{h13}));
    refuses(backend::any(indifferent{}));
}

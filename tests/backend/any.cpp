#include "standin_control.hpp"
#include <anemone/backend/any.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

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

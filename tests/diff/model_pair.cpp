// Two models beside each other: what belongs together, what is told of a change, and what must not be compared. Values
// are small integers, whose results follow by hand.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/diff/model_pair.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/report/model_pair_report.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace ane;

namespace {

const std::array<half, 4> ones{half(1.0), half(1.0), half(1.0), half(1.0)};

pair_difference compared(const dynamic_graph& first, const dynamic_graph& second,
                         const weight_store& first_weights = {}, const weight_store& second_weights = {}) {
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span<const half>(ones))};
    return diff(first, first_weights, second, second_weights, backend::cpu{}, inputs);
}

/// y = |(relu(x) + number) * w|, whose layers may be named.
dynamic_graph chain(double number, bool named, std::string_view port = "x") {
    dynamic_builder g;
    const auto x = g.input(port, {1, 4});
    const auto moved = g.add(op::add, {g.add(op::relu, {x}), g.constant(number)});
    const auto w = g.weight("w", {1, 4});
    const auto y = g.add(op::mul, {named ? g.layer("moved", moved) : moved, w});
    g.output("y", g.add(op::abs, {y}));
    return g.finish();
}

weight_store weights(float value) {
    weight_store store;
    const std::vector<float> values(4, value);
    store.add("w", {1, 4}, std::span<const float>(values));
    return store;
}

const node_pair& pair_of(const dynamic_graph& first, const pair_difference& found, op kind) {
    for (const node_pair& pair : found.nodes) {
        if (first.view()[pair.first].kind == kind) {
            return pair;
        }
    }
    throw error(errc::argument, std::string(name(kind)), "has no pair");
}

} // namespace

TEST_CASE("a model beside itself, with and without the names of its layers, whatever its input is called") {
    const dynamic_graph a = chain(2, false);
    for (const dynamic_graph& b : {chain(2, false), chain(2, true), chain(2, true, "image")}) {
        const pair_difference found = compared(a, b, weights(3), weights(3));
        CHECK(found.same_outputs);
        CHECK(found.first_divergent == -1);
        CHECK(found.only_first.empty());
        CHECK(found.only_second.empty());
        CHECK(found.nodes.size() == 6); // relu, the number, add, the weight, mul, abs
    }
}

TEST_CASE("another weight is data, what reads it inherits: 9 against 12") {
    const dynamic_graph a = chain(2, true);
    const pair_difference found = compared(a, a, weights(3), weights(4));
    CHECK(!found.same_outputs);
    REQUIRE(found.first_divergent >= 0);
    CHECK(a.view()[found.nodes[static_cast<std::size_t>(found.first_divergent)].first].kind == op::weight);
    CHECK(pair_of(a, found, op::weight).cause == pair_cause::data);
    CHECK(pair_of(a, found, op::add).cause == pair_cause::none);
    CHECK(pair_of(a, found, op::mul).cause == pair_cause::inherited);
    CHECK(pair_of(a, found, op::abs).values.max_abs == 3);
    const std::string text = pair_text(a, a, found);
    CHECK(text.find("first divergent node: weight \"w\"") != std::string::npos);
    CHECK(text.find("the outputs differ") != std::string::npos);
}

TEST_CASE("another number, another operation, other attributes, other operands") {
    const dynamic_graph a = chain(2, false);
    const dynamic_graph b = chain(5, false);
    CHECK(pair_of(a, compared(a, b, weights(1), weights(1)), op::constant).cause == pair_cause::data);

    const auto ended = [](op kind, int axis_of_sum, bool swapped) {
        dynamic_builder g;
        const auto x = g.input("x", {1, 4});
        const auto grown = g.add(op::add, {x, g.constant({1, 4}, std::array<float, 4>{1, 2, 3, 4})});
        const auto sum = g.add(op::cumsum, {grown}, cumulation{.axis = axis_of_sum});
        const auto left = g.layer("left", g.add(op::relu, {sum}));
        const auto right = g.layer("right", g.add(op::square, {sum}));
        g.output("y", swapped ? g.add(kind, {right, left}) : g.add(kind, {left, right}));
        return g.finish();
    };
    const dynamic_graph first = ended(op::sub, 1, false);
    const pair_difference operation = compared(first, ended(op::mul, 1, false));
    CHECK(pair_of(first, operation, op::sub).cause == pair_cause::operation);
    const pair_difference attribute = compared(first, ended(op::sub, 0, false));
    CHECK(pair_of(first, attribute, op::cumsum).cause == pair_cause::attributes);
    CHECK(pair_of(first, attribute, op::sub).cause == pair_cause::inherited);
    const pair_difference swapped = compared(first, ended(op::sub, 1, true));
    CHECK(pair_of(first, swapped, op::sub).cause == pair_cause::operands);
    CHECK(swapped.only_first.empty());
}

TEST_CASE("operations without a partner, and models that compute the same in other ways") {
    const auto doubled = [](bool by_sum) {
        dynamic_builder g;
        const auto x = g.input("x", {1, 4});
        g.output("y", by_sum ? g.add(op::add, {x, x}) : g.add(op::identity, {g.add(op::mul, {x, g.constant(2)})}));
        return g.finish();
    };
    const dynamic_graph a = doubled(true);
    const dynamic_graph b = doubled(false);
    const pair_difference found = compared(a, b);
    CHECK(found.same_outputs);
    CHECK(found.only_second.size() == 1);
    CHECK(pair_text(a, b, found).find("only in the second: mul #") != std::string::npos);
}

TEST_CASE("results of another shape are told and not compared, and inputs must be the same") {
    const auto reshaped = [](const extents& to) {
        dynamic_builder g;
        g.output("y", g.reshape(g.input("x", {1, 4}), to));
        return g.finish();
    };
    const dynamic_graph a = reshaped({2, 2});
    const pair_difference found = compared(a, reshaped({4, 1}));
    CHECK(found.nodes.front().cause == pair_cause::shape);
    CHECK(!found.same_outputs);

    dynamic_builder wider;
    wider.output("y", wider.add(op::relu, {wider.input("x", {1, 5})}));
    CHECK_THROWS_WITH_AS(compared(a, wider.finish()),
                         "port: x: is fp16 [1, 4] in the first model and fp16 [1, 5] in the second", error);
    dynamic_builder more;
    more.output("y", more.add(op::add, {more.input("x", {1, 4}), more.input("z", {1, 4})}));
    CHECK_THROWS_WITH_AS(compared(a, more.finish()), "port: z: is an input of the second model alone", error);
}

TEST_CASE("inputs in another order go to the ports of their names, in the oracle too") {
    const auto difference = [](bool turned) {
        dynamic_builder g;
        dynamic_tensor a = g.input(turned ? "b" : "a", {1, 4});
        dynamic_tensor b = g.input(turned ? "a" : "b", {1, 4});
        g.output("y", turned ? g.add(op::sub, {b, a}) : g.add(op::sub, {a, b}));
        return g.finish();
    };
    const std::array<half, 4> threes{half(3.0), half(3.0), half(3.0), half(3.0)};
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span<const half>(threes)),
                                                 std::as_bytes(std::span<const half>(ones))};
    const dynamic_graph a = difference(false);
    const dynamic_graph b = difference(true);
    CHECK(diff(a, {}, b, {}, backend::oracle(h13), inputs).same_outputs);
    CHECK(diff(a, {}, b, {}, backend::cpu{}, inputs).first_divergent == -1);
}

// Points at which a model leaves fp16: found at the ends of its ranges, and only there.

#include <anemone/diff/overflow_search.hpp>
#include <anemone/dynamic_builder.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ane;

namespace {

/// The operations that overflow, and where, of what a function builds on x.
template <class Make>
std::vector<std::string> found_in(contract x, Make make, const weight_store& weights = {}, std::size_t random = 3) {
    dynamic_builder b;
    b.output("y", make(b, b.input("x", {4, 8}, x)));
    const dynamic_graph g = b.finish();
    std::vector<std::string> all;
    for (const overflow_found& each : find_overflows(g, weights, random)) {
        all.push_back(std::string(name(g.nodes[static_cast<std::size_t>(each.node)].kind)) + ": " + each.at);
    }
    return all;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("a product, a sum, a square inside a norm, a divisor and a logarithm that leave fp16") {
    const auto times = [](float factor) {
        return [=](dynamic_builder& b, const dynamic_tensor& x) { return b.add(op::mul, {x, b.constant(factor)}); };
    };
    CHECK(found_in(within(-400, 400), times(300)) == names{"mul: every input at its largest"});
    CHECK(found_in(within(-218, 218), times(300)).empty());
    CHECK(found_in(within(-400, 1), times(300)) == names{"mul: every input at its smallest"});

    const auto reciprocal = [](dynamic_builder& b, const dynamic_tensor& x) {
        return b.add(op::div, {b.constant(1.0F), x});
    };
    CHECK(found_in(within(-2, 3), reciprocal) == names{"div: every input as near to zero as it may be"});
    CHECK(found_in(within(0.5, 3), reciprocal).empty());

    const auto logarithm = [](dynamic_builder& b, const dynamic_tensor& x) {
        return b.add(op::log, {x}, stabilizer{});
    };
    CHECK(found_in(within(0, 3), logarithm) == names{"log: every input at its smallest"});

    // Squares of distances from the mean: none where all elements are equal.
    const auto centred = [](dynamic_builder& b, const dynamic_tensor& x) {
        return b.add(op::layer_norm, {x, b.weight("gamma", {8}), b.weight("beta", {8})}, stabilizer{1e-5F, 1});
    };
    weight_store weights;
    weights.add("gamma", extents{8}, std::span<const half>(std::vector<half>(8, half(1.0F))));
    weights.add("beta", extents{8}, std::span<const half>(std::vector<half>(8)));
    CHECK(found_in(within(-310, 310), centred, weights) == names{"layer_norm: inputs at random ends of their ranges"});
    CHECK(found_in(within(-120, 120), centred, weights).empty());
}

TEST_CASE("a sum of products reaches its ceiling before fp16 ends, and what follows it is not told") {
    weight_store weights;
    weights.add("w", extents{3, 8}, std::span<const half>(std::vector<half>(24, half(1.0F))));
    const auto layer = [](dynamic_builder& b, const dynamic_tensor& x) {
        const dynamic_tensor y = b.add(op::linear, {x, b.weight("w", {3, 8})});
        return b.add(op::mul, {b.add(op::square, {y}), b.constant(2.0F)});
    };
    CHECK(found_in(within(-5000, 5000), layer, weights) ==
          names{"linear: every input at its largest", "square: inputs at random ends of their ranges"});
    CHECK(found_in(within(-20, 20), layer, weights).empty());
    // At random ends the square may hold where its double does not.
    CHECK(found_in(within(-60, 60), layer, weights, 0) == names{"square: every input at its largest"});
}

TEST_CASE("states go on from run to run") {
    dynamic_builder b;
    const dynamic_tensor total = b.input("total", {8}, bounded(60000));
    const dynamic_tensor sum = b.add(op::add, {total, b.input("x", {8}, bounded(60000))});
    b.keep(total, sum);
    b.output("y", sum);
    const dynamic_graph g = b.finish();
    CHECK(find_overflows(g, {}, 0).empty()); // 60000, then 0, then 0
    const std::vector<overflow_found> found = find_overflows(g, {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at == "inputs at random ends of their ranges"); // the same end twice
}

// Layers that a target refuses: what optimize writes instead is accepted, and no rewrite makes others.

#include "../from_environment.hpp"
#include "models.hpp"
#include "same.hpp"
#include <anemone/passes/validate.hpp>
#include <anemone/rewrites/optimize.hpp>
#include <anemone/rules/evaluate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using namespace ane;
using namespace rewriting;

namespace {

int errors_of(const graph_view& g, target t) {
    int found = 0;
    for (const violation& v : violations(g, t)) {
        found += v.is_error ? 1 : 0;
    }
    return found;
}

/// A border of any kind, around any of the axes of a tensor of rank 1 to 4.
dynamic_graph any_border(std::mt19937& random) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
    const op kinds[] = {op::reflect_pad, op::symmetric_pad, op::replicate_pad};
    const op kind = kinds[below(3)];
    extents shape;
    pads border;
    for (int k = 1 + below(4); k > 0; --k) {
        const int extent = 2 + below(9);
        shape.append(extent);
        border.before.append(below(2) * below(extent));
        border.after.append(below(2) * below(extent));
    }
    dynamic_builder g;
    g.output("y", g.add(kind, {g.add(op::relu, {g.input("x", shape)})}, border));
    return g.finish();
}

} // namespace

TEST_CASE("random borders in parts are what they were, and no target refuses them") {
    const auto first = from_environment::seed();
    for (std::uint32_t seed = first; seed < first + 100; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const dynamic_graph model = any_border(random);
        const rewritten made = detail::borders_as_parts(model, describe(h13));
        CHECK(made.places == 1);
        validate(made.graph);
        CHECK(compare(model, made.graph, h13, seed, 1).same_bits);
        CHECK(errors_of(model, h13) > 0);
        CHECK(errors_of(made.graph, h13) == 0);
        CHECK(detail::borders_as_parts(model, describe(h14)).places == 0); // has a texture engine
    }
}

TEST_CASE("a border that would take too many parts stays") {
    dynamic_builder g;
    g.output("tall", g.add(op::reflect_pad, {g.input("x", {600, 4})}, pads{{300, 0}, {0, 0}}));
    g.output("wide", g.add(op::reflect_pad, {g.input("z", {16384})}, pads{{0}, {129}}));
    CHECK(detail::borders_as_parts(g.finish(), describe(h13)).places == 0);
}

TEST_CASE("what a target refuses for borders, slices, windows and codes is mended by one search") {
    dynamic_builder g;
    const auto x = g.add(op::reflect_pad, {g.input("x", {1, 1, 1, 512})}, pads{{0, 0, 0, 0}, {0, 0, 0, 64}});
    const auto y = g.add(op::conv2d, {x, g.weight("w", {16, 1, 1, 256})}, conv{.stride = size2{1, 128}});
    g.output("y", y);
    const dynamic_graph voice = g.finish();
    for (const dynamic_graph& model : {voice, dynamic_codes_model(), borders_model(), halves_model()}) {
        CHECK(errors_of(model, h13) + detail::products_of_dynamic_codes(model) > 0);
        const optimized found = optimize(model, h13);
        CHECK(found.refused_before > 0);
        CHECK(found.refused_after == 0);
        for (const violation& v : violations(found.graph, h13)) {
            CAPTURE(name(v.rule));
            CHECK(!v.is_error);
        }
        CHECK(compare(model, found.graph, h13, 5, 1).worst < 0x1p-6);
    }
}

TEST_CASE("a rewrite writes no tensor that is longer than a target takes") {
    dynamic_builder g; // 160 x 160 pixels are a row of 25600, and h13 ends at 16384
    const auto x = g.input("x", {1, 48, 160, 160});
    const auto wide = g.add(op::conv2d, {x, g.weight("a", {16, 48, 1, 1})}, conv{});
    const auto half = g.add(op::conv2d, {wide, g.weight("b", {32, 16, 3, 3})}, conv{.stride = 2});
    g.output("y", g.add(op::conv2d, {half, g.weight("c", {48, 32, 1, 1})}, conv{}));
    const dynamic_graph model = g.finish();
    CHECK(detail::pointwise_as_product(model, describe(h13)).places == 1);
    CHECK(detail::pointwise_as_product(model, describe(h16)).places == 2);
    dynamic_builder rows;
    rows.output("y", rows.add(op::linear, {rows.input("x", {20000, 8}), rows.weight("w", {16, 8})}));
    CHECK(detail::linear_as_convolution(rows.finish(), describe(h13)).places == 0);
    CHECK(errors_of(model, h13) == 0);
    CHECK(errors_of(optimize(model, h13).graph, h13) == 0);
}

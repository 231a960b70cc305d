#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/device_placement_of.hpp>

#include <doctest/doctest.h>

using namespace ane;

namespace {

constexpr auto pair_of_layers = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 64, 32, 32>);
    auto c = relu(conv2d<conv{.padding = same}>(x, g.weight("w"_s, f16<64, 64, 3, 3>), g.weight("b"_s, f16<64>)));
    auto d = conv2d<conv{.padding = same}>(c, g.weight("v"_s, f16<64, 64, 3, 3>));
    g.output("y"_s, arg_max<axis{1}>(relu(d + c)));
});
constexpr auto small_product =
    graph([](auto& g) { g.output("y"_s, linear(g.input("x"_s, f16<64, 256>), g.weight("w"_s, f16<256, 256>))); });
constexpr auto wide_index =
    graph([](auto& g) { g.output("y"_s, arg_max<axis{-1}>(relu(g.input("x"_s, f16<1, 8, 4, 4096>)))); });

constexpr device_rates own_gpu{
    .product = 1e15, .convolution = 1e15, .bandwidth = 1e13, .launch = 1e-6, .known_by = mark::measured};
constexpr target_description fast_m1 = derive(describe(h13), [](auto& d) { d.runtime = "fast"; });

using enum compute_device;
using enum placement_model;

static_assert(placed<pair_of_layers, h17s>.fastest == engine);
static_assert(placed<pair_of_layers, h17s>.regime == workload_regime::convolution);
static_assert(placed<pair_of_layers, h17s>.segments.size() == 1);
static_assert(placed<pair_of_layers, h17s, placement_options{.model = placement_model::system}>.segments.size() == 2);
static_assert(placed<pair_of_layers, h17s, placement_options{.goal = placement_goal::energy}>.most_efficient == engine);
static_assert(placed<pair_of_layers, h17s, placement_options{.gpu = &own_gpu}>.fastest == gpu);
static_assert(placed<small_product, h13>.fastest == cpu);
static_assert(placed<small_product, h13>.regime == workload_regime::tiny);
static_assert(placed<small_product, &fast_m1>.target == "fast");

} // namespace

TEST_CASE("a placement as a constant is the one at run time") {
    const device_plan p = place_model(pair_of_layers, h17s);
    const auto& c = placed<pair_of_layers, h17s>;
    REQUIRE(p.layers.size() == c.layers.size());
    REQUIRE(p.segments.size() == c.segments.size());
    CHECK(p.seconds == c.seconds);
    CHECK(p.joules == c.joules);
    for (std::size_t i = 0; i < p.layers.size(); ++i) {
        CHECK(p.layers[i].node == c.layers[i].node);
        CHECK(p.layers[i].seconds == c.layers[i].seconds);
    }
}

TEST_CASE("what the rules refuse is kept from the engine") {
    // An index along 4096 is beyond what fp16 counts to: axes above 2048 are refused.
    REQUIRE(!blockers_of(wide_index, h17s).empty());
    const device_plan p = place_model(wide_index, h17s);
    CHECK(!p.on(engine).possible);
    CHECK(!p.layers[p.layers.size() - 1].can_be_on(engine));
    CHECK(p.fastest != engine);
    CHECK(device_placement(lower(wide_index).view(), h17s).on(engine).possible); // the pass alone knows no limits
    static_assert(!placed<wide_index, h17s>.on(engine).possible);
}

TEST_CASE("the system keeps off the engine what its compiler refuses, in the file too, and no wrong values") {
    constexpr auto hazardous = graph([](auto& g) { // squares beyond fp16
        auto x = g.input("x"_s, f16<64, 512, 512>, within(-1000, 1000));
        g.output("y"_s, relu(square(x)));
    });
    REQUIRE(!blockers_of(hazardous, h17s).empty());
    CHECK(place_model(hazardous, h17s, {.model = placement_model::system}).layers[0].can_be_on(engine));
    CHECK(!place_model(hazardous, h17s).layers[0].can_be_on(engine));

    constexpr auto curve = graph([](auto& g) { g.output("y"_s, softplus(g.input("x"_s, f16<64, 512, 512>))); });
    const placement_options by_system{.model = placement_model::system};
    const device_plan written = place_model(curve, h17s, by_system);
    CHECK(written.layers.size() > 1);
    const device_plan own = place_model(curve, h17s, by_system, {.layers = layer_forms::own, .refused = {}});
    REQUIRE(own.layers.size() == 1);
    CHECK(own.layers[0].on == engine);
    CHECK(own.known_by == mark::decompiled);
    file_layers file{layer_forms::own, sequence<char>(2, 0)};
    file.refused[1] = 1;
    const device_plan refused = place_model(curve, h17s, by_system, file);
    CHECK(!refused.layers[0].can_be_on(engine));
    CHECK(refused.known_by == mark::predicted);
    CHECK(place_model(curve, h17s, {}, file).layers[0].can_be_on(engine));
    file.refused = sequence<char>(1, 0);
    CHECK_THROWS_WITH_AS(place_model(curve, h17s, {}, file),
                         doctest::Contains("a length of the nodes that are refused of 1 where the nodes are 2"), error);
}

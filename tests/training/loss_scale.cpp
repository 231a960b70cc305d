// Which loss scales the declared ranges prove, on each chip.

#include <anemone/model.hpp>
#include <anemone/training/loss_scale_verdict.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

constexpr auto bounded_layer = graph([](auto& g) {
    auto x = g.input("x"_s, f16<8, 16>, within(-1, 1));
    g.output("y"_s, linear(x, g.weight("w", f16<4, 16>, bounded(0.5))));
});
constexpr training_options absolute{.loss = {.kind = loss_kind::mean_absolute}};

// The slope is at most scale / 32, the gradient of a weight a sum of 8 of them: below 32752 up to 2^16.
static_assert(judge_loss_scale(bounded_layer, absolute, h13, 1).verdict == proof::proven);
static_assert(judge_loss_scale(bounded_layer, absolute, h13, 65536).verdict == proof::proven);

/// One sample and one output: the slope is the scale itself.
constexpr auto one_output = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16>, within(-1, 1));
    g.output("y"_s, linear(x, g.weight("w", f16<1, 16>, bounded(0.5))));
});
constexpr scale_verdict too_much = judge_loss_scale(one_output, absolute, h13, 32768);
static_assert(too_much.verdict == proof::refuted && too_much.hazard == hazard::accumulator);
static_assert(judge_loss_scale(one_output, absolute, h13, 16384).verdict == proof::proven);

} // namespace

TEST_CASE("a loss scale is open where the weights promise nothing, until they have a limit") {
    const dynamic_graph model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 16>, within(-1, 1));
        auto y = linear(x, g.weight("w", f16<8, 16>));
        g.output("y"_s, linear(y, g.weight("v", f16<4, 8>)));
    });
    CHECK(judge_loss_scale(model, absolute, h13, 1).verdict == proof::open);
    training_options limited = absolute;
    limited.weight_limit = 1;
    CHECK(judge_loss_scale(model, limited, h13, 1).verdict == proof::proven);
    const std::vector<scale_verdict> all = judge_loss_scales(model, limited, h13);
    REQUIRE(all.size() == 17);
    CHECK(all.back().verdict == proof::refuted);
    for (std::size_t i = 1; i < all.size(); ++i) {
        CHECK((all[i - 1].verdict == proof::proven || all[i].verdict == proof::refuted)); // one threshold
    }
}

TEST_CASE("slices of the width bound the loss scale on M1, and not on M5") {
    // The gradient of a concat on the last axis goes through a slice that begins inside of it.
    const dynamic_graph model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 16>, within(-1, 1));
        auto a = linear(x, g.weight("a", f16<4, 16>));
        auto b = linear(x, g.weight("b", f16<4, 16>));
        g.output("y"_s, concat<axis{1}>(a, b));
    });
    training_options limited = absolute;
    limited.weight_limit = 1;
    // The slope is scale / 8: at 16384 it is 2048, at 65536 it is 8192, which is 16 times too much on M1.
    CHECK(judge_loss_scale(model, limited, h17s, 65536).verdict == proof::proven);
    const scale_verdict on_m1 = judge_loss_scale(model, limited, h13, 65536);
    CHECK(on_m1.verdict == proof::refuted);
    CHECK(on_m1.operation == op::slice);
    CHECK(on_m1.hazard == hazard::loss_scale);
    CHECK(judge_loss_scale(model, limited, h13, 16384).verdict == proof::proven);
}

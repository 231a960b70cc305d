// A step of a transformer block with everything that a step can have, which every Mac takes: proven by the compiler.

#include <anemone/model.hpp>
#include <anemone/training/constant.hpp>

#include <doctest/doctest.h>

using namespace ane;

namespace {

constexpr auto transformer_block = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 8, 16>, within(-2, 2));
    auto n = layer_norm<axis{2}>(x, g.weight("n.g", f16<16>), g.weight("n.b", f16<16>), 1e-2);
    auto q = linear(n, g.weight("q", f16<16, 16>));
    auto k = linear(n, g.weight("k", f16<16, 16>));
    auto v = linear(n, g.weight("v", f16<16, 16>));
    auto h = x + linear(attention(q, k, v), g.weight("o", f16<16, 16>));
    auto m = rms_norm<axis{2}>(h, g.weight("m.g", f16<16>), 1e-2);
    auto f = linear(gelu(linear(m, g.weight("up", f16<32, 16>))), g.weight("down", f16<16, 32>));
    g.output("y"_s, linear(h + f, g.weight("head", f16<5, 16>)));
});
constexpr training_options everything{.loss = {.smoothing = 0.125, .labels = true, .masked = true},
                                      .by = adamw{},
                                      .clip = {.value = 8, .norm = 1},
                                      .scale = dynamic_loss_scale,
                                      .pairs = true};
static_assert(conforms<training_graph<transformer_block, everything>, macs>);

} // namespace

TEST_CASE("a step keeps its weights, their low parts and their moments as states of the program") {
    const training_step s = make_training_step(transformer_block, everything);
    CHECK(s.states.size() == 10 * 5);
    int scaled = 0;
    for (const training_state& each : s.states) {
        CHECK(s.graph.view().next_of(each.input) >= 0);
        scaled += each.is_scaled ? 1 : 0;
    }
    CHECK(scaled == 10 * 3);
    CHECK(s.graph.view()[s.mask].shape == extents{2, 8, 1});
    CHECK(s.graph.view()[s.wanted].shape == extents{2, 8});
}

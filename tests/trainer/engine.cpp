// A training on the engine's door, by the stand-in: weights and moments are buffers that stay with the program.

#include "../processes/scratch_folder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/model.hpp>
#include <anemone/trainer/trainer.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace ane;

namespace {

/// The declared ranges prove that nothing overflows in the forward pass.
constexpr auto bounded_net = graph([](auto& g) {
    auto x = g.input("x"_s, f16<8, 2>, within(-2, 2));
    auto hidden = relu(linear(x, g.weight("first.w", f16<16, 2>), g.weight("first.b", f16<16>)));
    g.output("logits"_s, linear(hidden, g.weight("last.w", f16<3, 16>), g.weight("last.b", f16<3>)));
});

training_result trained_at(const backend::any& place) {
    trainer t(bounded_net, random_weights(bounded_net, 3), {.by = momentum{}, .weight_limit = 2}, place);
    weight_store data;
    std::vector<float> points;
    for (int i = 0; i < 48; ++i) {
        points.push_back(static_cast<float>(i % 7) / 4 - 1);
    }
    data.add("x", {24, 2}, points);
    data.add("wanted", {24}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
    return t.train(sample_arrays(t.ports(), data), {.steps = 6, .rate = {.rate = 0.1}});
}

} // namespace

TEST_CASE("a training through the engine's library has the losses of the oracle, bit by bit") {
    const scratch_folder folder;
    const training_result wanted = trained_at(backend::oracle{h13});
    const training_result got =
        trained_at(backend::engine{h13, {.directory = folder.path(), .library = ANEMONE_STANDIN_PATH, .session = {}}});
    CHECK(got.history == wanted.history);
    CHECK(got.history.steps[5].loss < got.history.steps[0].loss);
}

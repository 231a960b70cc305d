// A checkpoint belongs to one model: another one of the same shapes and names is refused.

#include "../processes/scratch_folder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/trainer/trainer.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace ane;

namespace {

/// What lies before the first weight has no derivative that would tell its attributes.
dynamic_graph leaky_net(float slope, float factor) {
    dynamic_builder b;
    const auto given = b.add(op::mul, {b.input("x", {4, 2}), b.constant({2}, std::vector<float>{factor, 1})});
    const auto x = b.add(op::leaky_relu, {given}, leakage{.alpha = slope});
    const auto hidden = b.add(op::relu, {b.add(op::linear, {x, b.weight("w", {3, 2})})});
    b.output("y", b.add(op::linear, {hidden, b.weight("fixed", {2, 3})}));
    return b.finish();
}

/// Some steps on, from the last checkpoint of a folder.
void go_on(const dynamic_graph& model, std::uint64_t seed, const std::string& folder, std::int64_t steps) {
    const std::string_view fixed[] = {"fixed"};
    trainer t(model, random_weights(model, seed), {.loss = {.kind = loss_kind::mean_squared}, .frozen = fixed},
              backend::cpu{}.threads(1));
    weight_store data;
    data.add("x", {4, 2}, {1, 0, 0, 1, -1, 1, 0.5F, -1});
    data.add("wanted", {4, 2}, {1, 0, 0, 1, 1, 1, 0, 0});
    t.train(sample_arrays(t.ports(), data), {.steps = steps, .checkpoints = {.folder = folder, .resume = true}});
}

} // namespace

TEST_CASE("a checkpoint is of one model: its attributes, its constants and its frozen weights") {
    const scratch_folder folder;
    const std::string path = folder / "run";
    const doctest::Contains other("is a checkpoint of another training: its model is");
    go_on(leaky_net(0.1F, 1), 3, path, 2);
    CHECK_NOTHROW(go_on(leaky_net(0.1F, 1), 3, path, 3));
    CHECK_THROWS_WITH(go_on(leaky_net(0.2F, 1), 3, path, 4), other);
    CHECK_THROWS_WITH(go_on(leaky_net(0.1F, 2), 3, path, 4), other);
    CHECK_THROWS_WITH(go_on(leaky_net(0.1F, 1), 4, path, 4), other);
}

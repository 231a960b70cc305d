// Recompute against store: fewer values at once, the same gradients.

#include "../from_environment.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/model.hpp>
#include <anemone/segments/recompute.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// A chain of layers, each with a value of its own to keep.
dynamic_graph deep_chain(int layers, bool residual) {
    dynamic_builder g;
    auto x = g.input("x", {256, 32}, within(-1, 1));
    for (int i = 0; i < layers; ++i) {
        const auto w = g.weight("layer" + std::to_string(i), {32, 32});
        const auto y = g.add(op::tanh, {g.add(op::linear, {x, w})});
        x = residual && i > 0 ? g.add(op::add, {x, y}) : y;
    }
    g.output("y", g.add(op::linear, {x, g.weight("head", {4, 32})}));
    return g.finish();
}

constexpr training_options chain_training{.loss = {.labels = true}, .by = momentum{}, .scale = {.fixed = 64}};

/// The states and the loss after some steps, as bytes.
std::vector<std::byte> after_steps(const training_step& step, int steps) {
    const graph_view g = step.graph;
    backend::cpu_program program = backend::cpu().threads(1).rounding(rounding::each_operation).compile(g, {});
    std::mt19937 random(from_environment::seed());
    std::vector<std::vector<std::byte>> memory;
    std::vector<std::span<const std::byte>> inputs;
    std::vector<std::span<std::byte>> outputs;
    std::vector<std::byte> all;
    const auto put = [](half value, std::byte* to) { std::memcpy(to, &value, sizeof value); };
    for (int i = 0; i < g.size() && g[i].kind == op::input; ++i) {
        const bool is_state = g.next_of(i) >= 0;
        const auto count = static_cast<std::size_t>(g[i].shape.count());
        std::vector<std::byte> values(2 * count);
        for (std::size_t k = 0; k < count; ++k) {
            const double drawn = static_cast<double>(random() % 2001) / 1000 - 1;
            const double value = i == step.rate ? 0.05 : i == step.wanted ? static_cast<double>(k % 4) : drawn / 4;
            put(half(value), values.data() + 2 * k);
        }
        if (is_state) {
            const std::string_view name = g.name(i);
            const bool is_weight = name.find("momentum") == std::string_view::npos;
            const std::span<std::byte> to = program.state(name);
            REQUIRE(to.size() == values.size());
            if (is_weight) {
                std::memcpy(to.data(), values.data(), values.size());
            }
            continue;
        }
        memory.push_back(values);
    }
    for (const auto& each : memory) {
        inputs.emplace_back(each);
    }
    std::vector<std::byte> loss(2);
    outputs.emplace_back(loss);
    for (int i = 0; i < steps; ++i) {
        program.run(inputs, outputs);
        all.insert(all.end(), loss.begin(), loss.end());
    }
    for (int i = 0; i < g.size() && g[i].kind == op::input; ++i) {
        if (g.next_of(i) >= 0) {
            const auto values = program.state(g.name(i));
            all.insert(all.end(), values.begin(), values.end());
        }
    }
    return all;
}

} // namespace

TEST_CASE("recompute: of a deep chain fewer values are alive at once, and the gradients have the same bits") {
    for (const bool residual : {false, true}) {
        CAPTURE(residual);
        const dynamic_graph model = deep_chain(24, residual);
        const training_step step = make_training_step(model, chain_training);
        const recomputed_step ordered = recompute(step, target::h13, {.most_bytes = 1 << 30});
        CHECK(ordered.segments == 1);
        CHECK(ordered.repeated == 0);
        CHECK(ordered.fits);
        const recomputed_step found = recompute(step, target::h13, {.most_bytes = 1});
        CHECK_FALSE(found.fits);
        CHECK(found.segments > 1);
        CHECK(found.repeated >= 12);
        CHECK(found.repeated <= 24 * 3);
        const std::int64_t value = 256 * 32 * 2;
        CHECK(found.bytes_before >= 24 * value); // every layer's
        CHECK(2 * found.bytes < found.bytes_before);
        CHECK(found.bytes == peak_live_bytes(found.step.graph.view()));
        CHECK(found.seconds > found.seconds_before); // what is computed again takes its time
        CHECK(found.seconds < 2 * found.seconds_before);
        CHECK(after_steps(found.step, 3) == after_steps(step, 3));
    }
}

TEST_CASE("recompute: as few segments as the limit asks for, and none where everything has room") {
    const training_step step = make_training_step(deep_chain(24, false), chain_training);
    const recomputed_step least = recompute(step, target::h13, {.most_bytes = 1});
    const recomputed_step half_way =
        recompute(step, target::h13, {.most_bytes = (least.bytes + least.bytes_before) / 2});
    CHECK(half_way.fits);
    CHECK(half_way.segments < least.segments);
    CHECK(half_way.bytes <= (least.bytes + least.bytes_before) / 2);
    CHECK(half_way.seconds <= least.seconds);
    const recomputed_step small = recompute(step, target::h17s);
    CHECK(small.fits); // half a megabyte within the chip's memory
    CHECK(small.repeated == 0);
    CHECK(small.bytes <= small.bytes_before);
}

namespace {
constexpr auto chain_of_two = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>, within(-1, 1));
    auto a = tanh(linear(x, g.weight("a", f16<8, 8>)));
    g.output("y"_s, linear(a, g.weight("b", f16<2, 8>)));
});
constexpr bool computed_by_the_compiler = [] {
    const training_step step = make_training_step(chain_of_two, chain_training);
    const recomputed_step found = recompute(step, target::h13, {.most_bytes = 1});
    return found.bytes > 0 && found.bytes <= found.bytes_before;
}();
static_assert(computed_by_the_compiler);
} // namespace

#include "random_graph.hpp"
#include <anemone/analysis/arena.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

using namespace ane;

namespace {

// Nodes: x 0, a 1 (256 B), b 2, r 3 (reshape of b), c 4, y 5 (output).
constexpr auto chain = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2, 8, 8>);
    auto a = relu(x);
    auto b = exp(a);
    auto r = reshape<1, 128>(b);
    auto c = abs(r);
    g.output("y"_s, sqrt(c));
});

constexpr auto residual = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2, 8, 8>);
    auto a = relu(x);
    auto b = exp(a);
    auto w = g.weight("w"_s, f16<2>);
    auto scaled = exp(b) * reshape<1, 2, 1, 1>(w);
    g.output("y"_s, scaled + a);
});

// The definition of the peak, step by step.
std::int64_t peak_by_definition(const graph_view& g, const sequence<lifetime>& alive) {
    std::int64_t peak = 0;
    for (int step = 0; step <= g.size(); ++step) {
        std::int64_t live = 0;
        for (int i = 0; i < g.size(); ++i) {
            const lifetime& l = alive[static_cast<std::size_t>(i)];
            live += l.first >= 0 && l.first <= step && step <= l.last ? bytes(g[i].type, g[i].shape.count()) : 0;
        }
        peak = std::max(peak, live);
    }
    return peak;
}

} // namespace

TEST_CASE("a value lives from its operation to its last reader, an output to the end") {
    static_assert(lifetimes(chain)[0] == lifetime{}); // an input is the caller's memory
    static_assert(lifetimes(chain)[1] == lifetime{1, 2});
    static_assert(lifetimes(chain)[3] == lifetime{3, 4});
    static_assert(lifetimes(chain)[5] == lifetime{5, 6});
    static_assert(lifetimes(chain, {.inputs = true})[0] == lifetime{0, 1});
    constexpr graph_view g = residual;
    static_assert(lifetimes(g)[1].last == g.size() - 1);
    constexpr int w = g.find(op::weight, "w");
    static_assert(!lifetimes(g)[w].stored());
    for (int i = 0; i < g.size(); ++i) {
        const bool result = g[i].kind != op::input && g[i].kind != op::weight && g[i].kind != op::reshape;
        CHECK(lifetimes(g)[static_cast<std::size_t>(i)].stored() == result); // the reshape of a weight is folded
    }
    static_assert(lifetimes(g, {.constants = true})[w].stored());
}

TEST_CASE("the arena of a chain is two values, and a reshape is no third") {
    static_assert(peak_live_bytes(chain) == 512);
    static_assert(plan_arena(chain).bytes == 512);
    static_assert(plan_arena(chain).offsets[2] == plan_arena(chain).offsets[3]);
    static_assert(plan_arena(chain).offsets[0] == -1);
    static_assert(plan_arena(residual).bytes == 3 * 256);
}

TEST_CASE("a reshape has a place of its own where its operand lives on or is an input") {
    constexpr auto shared = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 32>);
        auto r = reshape<32>(x);
        auto a = relu(r);
        auto flat = reshape<2, 16>(a);
        g.output("flat"_s, flat);
        g.output("a"_s, exp(a));
    });
    static_assert(plan_arena(shared).offsets[1] >= 0);
    static_assert(plan_arena(shared).offsets[2] != plan_arena(shared).offsets[3]);
}

TEST_CASE("properties on random graphs") {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        const dynamic_graph graph = passes_test::random_graph(seed, 3 + static_cast<int>(seed % 60));
        const graph_view g = graph;
        const liveness_options options{.inputs = seed % 3 == 0, .constants = seed % 5 == 0};
        const auto alive = lifetimes(g, options);
        const auto owners = storage_owners(g, alive);
        const arena plan = plan_arena(g, options);
        CHECK(peak_live_bytes(g, alive) == peak_by_definition(g, alive));
        CHECK(peak_live_bytes(g, options) <= peak_live_bytes(g, alive));
        CHECK(plan.bytes >= peak_live_bytes(g, options));
        CHECK(plan.bytes % arena_alignment == 0);
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            CAPTURE(i);
            REQUIRE((plan.offsets[i] >= 0) == alive[i].stored());
            if (!alive[i].stored()) {
                continue;
            }
            const std::int64_t end = plan.offsets[i] + bytes(g.nodes[i].type, g.nodes[i].shape.count());
            CHECK(plan.offsets[i] % arena_alignment == 0);
            CHECK(end <= plan.bytes);
            for (std::size_t k = 0; k < i; ++k) {
                // A reshape and what it took over hold the same bytes.
                if (!alive[i].overlaps(alive[k]) || owners[i] == owners[k]) {
                    continue;
                }
                const std::int64_t end_k = plan.offsets[k] + bytes(g.nodes[k].type, g.nodes[k].shape.count());
                CAPTURE(k);
                CHECK((end <= plan.offsets[k] || end_k <= plan.offsets[i]));
            }
        }
    }
}

TEST_CASE("values written into the arena in order are intact when they are read") {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        const dynamic_graph graph = passes_test::random_graph(seed, 40);
        const graph_view g = graph;
        const arena plan = plan_arena(g);
        const auto alive = lifetimes(g);
        const auto owners = storage_owners(g, alive);
        std::vector<int> memory(static_cast<std::size_t>(plan.bytes), -1);
        const auto intact = [&](int i) {
            const auto at = static_cast<std::size_t>(i);
            for (std::int64_t b = 0; alive[at].stored() && b < bytes(g[i].type, g[i].shape.count()); ++b) {
                if (memory[static_cast<std::size_t>(plan.offsets[at] + b)] != owners[at]) {
                    return false;
                }
            }
            return true;
        };
        for (int i = 0; i < g.size(); ++i) {
            for (const int o : g.operands(i)) {
                CHECK(intact(o));
            }
            const auto at = static_cast<std::size_t>(i);
            for (std::int64_t b = 0; alive[at].stored() && b < bytes(g[i].type, g[i].shape.count()); ++b) {
                memory[static_cast<std::size_t>(plan.offsets[at] + b)] = owners[at];
            }
        }
        for (const output_port& port : g.outputs) {
            CHECK(intact(port.node));
        }
    }
}

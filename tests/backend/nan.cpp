// NaN on the engine: +infinity to every arithmetic but that of products, which from A14 on reads the number that its
// bits spell.

#include "both_backends.hpp"
#include "every_operation.hpp"
#include "standin_control.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

using namespace both;

namespace {

half bits(std::uint16_t pattern) { return half::from_bits(pattern); }

/// NaN and the numbers that a multiplier reads times 2^-12: facts, section 1, rule 1; the second has its quiet bit set.
struct reading {
    std::uint16_t nan;
    double as_number;
};
constexpr reading readings[] = {
    {0x7E00, 24}, {0x7C01, 24.015625}, {0xFE00, -24}, {0xFC01, -24.015625}, {0x7FFF, 31.984375}};
constexpr double as_infinity = 16; // 2^16 2^-12
constexpr float small = 0x1p-12F;

/// What a graph of one input of two values makes of {NaN, 0} on a generation, and that the stand-in agrees.
std::vector<half> value_of(const std::function<void(composer&, int)>& describe, std::uint16_t nan, target t) {
    composer c;
    describe(c, c.input({1, 2}));
    const dynamic_graph g = c.finish();
    const std::vector<dense> x{dense({1, 2}, {bits(nan), half{}})};
    const dense y = run(g, ane::backend::oracle{t}, x)[0];
    const standin::host here(t);
    CHECK(unequal_bits(run(g, standin::engine(t), x)[0], y) == "");
    return y.values;
}

/// The first value is the NaN as a product with 2^-12 reads it: as a number, on A13 as infinity.
void check_product(const std::function<void(composer&, int)>& describe) {
    for (const reading& r : readings) {
        CAPTURE(r.nan);
        for (const target t : {h14, h15, h16, h17s, h18}) {
            CAPTURE(std::string(name(t)));
            CHECK(wide(value_of(describe, r.nan, t)[0]) == r.as_number);
        }
        CHECK(wide(value_of(describe, r.nan, h13)[0]) == as_infinity);
    }
}

} // namespace

TEST_CASE("NaN: a product reads the number that its bits spell") {
    check_product([](composer& c, int x) { // either operand of a matrix product
        c.output(c.add(op::matmul, transposed{.b = true}, {x, c.constant({1, 2}, {small, 0})}));
    });
    check_product([](composer& c, int x) {
        c.output(c.add(op::matmul, transposed{.b = true}, {c.constant({1, 2}, {small, 0}), x}));
    });
    check_product([](composer& c, int x) {
        c.output(c.add(op::linear, no_attributes{}, {x, c.constant({3, 2}, {small, 0, 1, 0, 0, 1})}));
    });
    check_product([](composer& c, int x) { // 1x1 over two channels
        const int image = c.reshape(x, {1, 2, 1, 1});
        c.output(c.add(op::conv2d, conv{}, {image, c.constant({1, 2, 1, 1}, {small, 0})}));
    });
    check_product([](composer& c, int x) {
        const int image = c.reshape(x, {1, 2, 1, 1});
        c.output(c.add(op::conv_transpose2d, conv_transpose{}, {image, c.constant({2, 1, 1, 1}, {small, 0})}));
    });
}

TEST_CASE("NaN: it passes what only moves it on its way to a product") {
    const auto product = [](composer& c, int row) {
        c.output(c.add(op::matmul, transposed{}, {row, c.constant({2, 1}, {small, 0})}));
    };
    check_product([&](composer& c, int x) {
        product(c, c.add(op::transpose, permutation{1, 0}, {c.reshape(x, {2, 1})}));
    });
    check_product([&](composer& c, int x) {
        const int both = c.add(op::concat, axis{0}, {c.constant({1, 2}, {1}), x});
        product(c, c.add(op::slice, window{{1, 0}, {1, 2}}, {both}));
    });
    check_product([&](composer& c, int x) {
        const int padded = c.add(op::pad, pads{{1, 0}, {0, 0}}, {x, c.constant(0)});
        product(c, c.add(op::slice, window{{1, 0}, {1, 2}}, {padded}));
    });
}

TEST_CASE("NaN: what reads it elementwise reads infinity, also beside a product of the same input") {
    for (const target t : {h13, h14, h16, h18}) {
        CAPTURE(std::string(name(t)));
        composer c;
        const int x = c.input({1, 2});
        const int moved = c.add(op::transpose, permutation{1, 0}, {x});
        c.output(c.add(op::matmul, transposed{.b = true}, {x, c.constant({1, 2}, {small, 0})}));
        c.output(c.add(op::add, {x, c.constant(0)}));
        c.output(c.add(op::sigmoid, {moved}));
        c.output(c.add(op::reduce_max, axes{1}, {x}));
        c.output(moved);
        c.output(x);
        c.output(c.add(op::matmul, transposed{.b = true}, // arithmetic in between: infinity, 2^16 to the product
                       {c.add(op::relu, {x}), c.constant({1, 2}, {small, 0})}));
        const dynamic_graph g = c.finish();
        const std::vector<dense> in{dense({1, 2}, {bits(0xFE00), half{}})};
        const std::vector<dense> y = run(g, ane::backend::oracle{t}, in);
        CHECK(wide(y[0].values[0]) == (t == h13 ? 16 : -24));
        CHECK(wide(y[1].values[0]) == infinite);
        CHECK(wide(y[2].values[0]) == 1);
        CHECK(wide(y[3].values[0]) == infinite);
        CHECK(wide(y[4].values[0]) == infinite); // none comes out, also of one that was only moved (N080)
        CHECK(wide(y[5].values[0]) == infinite);
        CHECK(wide(y[6].values[0]) == 16);
    }
}

TEST_CASE("NaN: attention and a sum of many, where the number passes the ceiling") {
    composer c;
    const int x = c.input({1, 2});
    c.output(c.add(op::matmul, transposed{.b = true}, {x, c.constant({1, 2}, {1, 0})}));
    c.output(c.add(op::attention, score_scaling{1}, {c.constant({2, 2}, {0}), c.constant({1, 2}, {0}), x}));
    const dynamic_graph g = c.finish();
    for (const std::uint16_t nan : {std::uint16_t{0x7E00}, std::uint16_t{0xFE00}}) {
        const std::vector<dense> in{dense({1, 2}, {bits(nan), half{}})};
        // 1.5 2^16 is beyond 2^15, with its sign; on A13 the infinity has none.
        const double later = nan == 0x7E00 ? infinite : -infinite;
        CHECK(wide(run(g, m6, in)[0].values[0]) == later);
        CHECK(wide(run(g, m6, in)[1].values[0]) == later);
        CHECK(wide(run(g, m1, in)[0].values[0]) == infinite);
        CHECK(wide(run(g, m1, in)[1].values[0]) == infinite);
    }
}

TEST_CASE("NaN: which one a product reads is a parameter") {
    composer c;
    c.output(c.add(op::matmul, transposed{.b = true}, {c.input({1, 2}), c.constant({1, 2}, {small, 0})}));
    const dynamic_graph g = c.finish();
    numerics::datapath own = numerics::datapath_of(h18);
    own.mac_nan = numerics::nan_rule::infinity;
    const std::vector<dense> in{dense({1, 2}, {bits(0x7E00), half{}})};
    CHECK(wide(run(g, ane::backend::oracle(own), in)[0].values[0]) == 16);
    CHECK(wide(run(g, m6, in)[0].values[0]) == 24);
}

TEST_CASE("NaN: every operation but products takes it as +infinity") {
    constexpr unsigned seed = 80;
    MESSAGE("seed " << seed);
    random_engine random(seed);
    int runs = 0;
    for (const op kind : every_operation::all()) {
        CAPTURE(name(kind));
        const lowered_graph parts = lower(every_operation::draw(kind, seed).graph);
        const auto nodes = std::span(parts.graph.nodes.begin(), parts.graph.nodes.end());
        if (std::any_of(nodes.begin(), nodes.end(),
                        [](const node& n) { return is_contraction(n.kind) || n.kind == op::cross_correlation; })) {
            continue;
        }
        for (unsigned round = 0; round < 6; ++round) {
            every_operation::sample s = every_operation::draw(kind, seed + round);
            std::vector<dense> infinities = s.inputs;
            for (std::size_t port = 0; port < s.inputs.size(); ++port) {
                for (std::size_t i = 0; i < s.inputs[port].values.size(); ++i) {
                    if (below(random, 4) == 0) {
                        s.inputs[port].values[i] = bits(readings[static_cast<std::size_t>(below(random, 5))].nan);
                        infinities[port].values[i] = bits(0x7C00);
                    }
                }
            }
            for (const target t : {h13, h14, h18}) {
                const auto on = [&](const std::vector<dense>& x) {
                    auto program = compile(s.graph, ane::backend::oracle{t}, s.weights);
                    port_memory in = port_memory({});
                    for (const dense& d : x) {
                        const auto given = std::as_bytes(std::span(d.values));
                        in.bytes.emplace_back(given.begin(), given.end());
                    }
                    port_memory out = memory_of_outputs(s.graph);
                    program.run(in.inputs(), out.outputs());
                    return out.bytes;
                };
                CHECK(on(s.inputs) == on(infinities));
                ++runs;
            }
        }
    }
    CHECK(runs > 1000);
}

// Affine forms: tighter than intervals where a value meets itself, and as sound.

#include "anemone/analysis/affine.hpp"

#include "anemone/backend/calibration.hpp"
#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/passes/print.hpp"
#include "sound_graphs.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ane;

namespace {

struct pair_of_ranges {
    interval plain, affine;
};

template <class Function> pair_of_ranges both(contract promise, Function f) {
    const dynamic_graph g =
        build_graph([&](builder& b) { b.output("y"_s, f(b, b.input("x"_s, f16<1, 4, 8, 8>, promise))); });
    const auto at = static_cast<std::size_t>(g.outputs[0].node);
    return {ranges(g)[at], affine_ranges(g)[at]};
}
double width(const interval& x) { return x.high - x.low; }

} // namespace

TEST_CASE("x - x / 2 is as wide as x / 2") {
    const auto r = both(within(-8, 8), [](auto&, auto x) { return x - x * 0.5; });
    CHECK(r.plain.high == 12);
    CHECK(r.affine.high < 4.02);
    CHECK(r.affine.high >= 4);
    CHECK(r.affine.low > -4.02);
    const auto nothing = both(within(100, 200), [](auto&, auto x) { return x - x; });
    CHECK(nothing.plain.high == 100);
    CHECK(nothing.affine.high < 0.1);
}

TEST_CASE("a residual sum that is taken apart again") {
    const auto r = both(within(-4, 4), [](auto& g, auto x) {
        auto f = tanh(conv2d<conv{.padding = same}>(x, g.weight("w", f16<4, 4, 3, 3>, bounded(1))));
        return (x + f) - x;
    });
    CHECK(width(r.plain) > 17);
    CHECK(width(r.affine) < 2.1);
    // The negative part of x, as x - relu(x): in [-4, 0].
    const auto part = both(within(-4, 4), [](auto&, auto x) { return x - relu(x); });
    CHECK(part.plain.low == -8);
    CHECK(part.affine.low > -4.1);
    CHECK(part.affine.low <= -4);
    CHECK(part.affine.high < 2.1);
}

TEST_CASE("centred values: a mean of eight moves with each of them") {
    const auto centred = both(within(10, 12), [](auto&, auto x) { return x - reduce_mean<axes{-1}>(x); });
    CHECK(centred.plain.high >= 2);
    CHECK(centred.affine.high < 1.95); // 2 * 7 / 8 and the error of a mean
    CHECK(centred.affine.high >= 1.75);
    // Centring twice changes nothing; intervals double.
    const auto twice = both(within(-1, 1), [](auto&, auto x) {
        auto c = x - reduce_mean<axes{-1}>(x);
        return c - reduce_mean<axes{-1}>(c);
    });
    CHECK(twice.plain.high >= 4);
    CHECK(twice.affine.high < 1.9);
    CHECK(twice.affine.high >= 1.75);
    // Over another axis the means are not those of the same elements.
    const auto other = both(within(-1, 1), [](auto&, auto x) {
        return transpose<permutation{0, 1, 3, 2}>(x) - reduce_mean<axes{-1}>(x);
    });
    CHECK(other.affine.high >= 2);
}

TEST_CASE("usable in constant expressions") {
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 8>, within(-8, 8));
        g.output("y"_s, x - x * 0.5);
    });
    static_assert(affine_ranges(model).back().high < 4.02);
}

TEST_CASE("affine ranges are sound") {
    constexpr unsigned first_seed = 4242;
    constexpr int graphs = 6000;
    const std::vector<op> kinds{op::add,  op::sub,         op::mul,        op::relu,  op::leaky_relu, op::reduce_mean,
                                op::tanh, op::add,         op::sub,        op::clamp, op::conv2d,     op::linear,
                                op::abs,  op::reduce_mean, op::batch_norm, op::sub,   op::reshape};
    int tighter = 0;
    int failures = 0;
    for (int i = 0; i < graphs; ++i) {
        const unsigned seed = first_seed + static_cast<unsigned>(i);
        sound::maker m(seed, kinds);
        dynamic_graph g = m.make(kinds[static_cast<std::size_t>(i) % kinds.size()], 2 + i % 8);
        if (g.outputs.empty()) {
            continue;
        }
        const weight_store weights = m.weights(g);
        std::vector<std::vector<half>> inputs;
        std::vector<std::span<const std::byte>> buffers;
        for (const node& n : g.nodes) {
            if (n.kind == op::input) {
                inputs.push_back(m.values(n));
            }
        }
        for (const auto& x : inputs) {
            buffers.push_back(std::as_bytes(std::span(x)));
        }
        const std::vector<interval> plain = ranges(g);
        const std::vector<interval> tight = affine_ranges(g);
        const auto hold = [&](auto& run) {
            run.run(buffers);
            for (std::size_t k = 0; k < tight.size(); ++k) {
                for (const half h : run.values(static_cast<int>(k))) {
                    const auto v = static_cast<double>(h);
                    if (is_finite(h) && !tight[k].contains(v) && ++failures < 8) {
                        CHECK_MESSAGE(false, "seed ", seed, ": node ", k, " holds ", v, ", range ", tight[k].low,
                                      " to ", tight[k].high, "\n", print(g));
                    }
                    if (!is_finite(h) && tight[k].bounded() && plain[k].bounded() && !is_nan(h)) {
                        ++failures;
                    }
                }
            }
        };
        if (i % 2 == 0) {
            calibration<ane::backend::cpu> run({}, g, weights);
            hold(run);
        } else {
            calibration<ane::backend::oracle> run(ane::backend::oracle(i % 4 == 1 ? h13 : h17s), g, weights);
            hold(run);
        }
        for (std::size_t k = 0; k < tight.size(); ++k) {
            tighter += width(tight[k]) < 0.99 * width(plain[k]) ? 1 : 0;
        }
    }
    MESSAGE("seeds from ", first_seed, ": ", graphs, " graphs, ", tighter, " nodes tighter than by intervals");
    CHECK(failures == 0);
    CHECK(tighter > 500);
}

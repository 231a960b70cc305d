// Operations on constants alone: computed when a program is compiled, for every operation, and then the same in both
// formats and on every backend.

#include "../analysis/sound_graphs.hpp"
#include "../sanitized.hpp"
#include "both_backends.hpp"
#include "every_operation.hpp"
#include "standin_control.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/rules/evaluate.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace both;

namespace {

/// A graph whose outputs all have the input "zero" added to them, the last of its inputs.
dynamic_graph with_zero(dynamic_graph g) {
    node zero;
    zero.kind = op::input;
    zero.shape = {1};
    zero.attributes = contract{};
    zero.name = g.intern("zero");
    const int added = g.append(zero, {});
    const auto outputs = g.outputs;
    g.outputs = {};
    for (const output_port& port : outputs) {
        node sum;
        sum.kind = op::add;
        sum.shape = g.nodes[static_cast<std::size_t>(port.node)].shape;
        const int operands[] = {port.node, added};
        g.add_output(g.append(sum, operands), "y" + std::to_string(g.outputs.size()));
    }
    return g;
}

/// The same with every input but "zero" a constant of the given values.
dynamic_graph folded(const graph_view& g, const std::vector<dense>& inputs) {
    rewriter w(g);
    std::size_t port = 0;
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        if (g[i].kind != op::input || g.name(i) == "zero") {
            w.rename(i, w.copy(i));
            continue;
        }
        std::vector<float> values;
        for (const half h : inputs[port++].values) {
            values.push_back(static_cast<float>(h));
        }
        w.rename(i, w.reshape(w.vector(values), g[i].shape));
    }
    for (const output_port& port_of : g.outputs) {
        w.add_output(w.renamed(port_of.node), g.name(port_of));
    }
    return w.result();
}

/// Where two results are farther apart than some units in the last place or a part of the largest value.
std::string apart(const std::vector<dense>& got, const std::vector<dense>& wanted, int ulps, double part) {
    for (std::size_t port = 0; port < wanted.size(); ++port) {
        double largest = 0;
        for (const half h : wanted[port].values) {
            largest = std::max(largest, std::fabs(wide(h)));
        }
        for (std::size_t i = 0; i < wanted[port].values.size(); ++i) {
            const half a = got[port].values[i];
            const half b = wanted[port].values[i];
            const bool close = (wide(a) == 0 && wide(b) == 0) || ulp_distance(a, b) <= ulps ||
                               std::fabs(wide(a) - wide(b)) <= part * largest;
            if (!close) {
                return fmt::format("output {} element {}: {} instead of {}", port, i, wide(a), wide(b));
            }
        }
    }
    return {};
}

/// What a lowered graph leaves to the device.
std::vector<op> computed(const lowered_graph& l, const folded_constants& constants) {
    std::vector<op> kinds;
    for (int i = 0; i < l.view().size(); ++i) {
        if (l.view()[i].kind != op::input && !constants.known(i)) {
            kinds.push_back(l.view()[i].kind);
        }
    }
    return kinds;
}

} // namespace

TEST_CASE("folding: every operation on constants alone, in both formats and on every backend") {
    constexpr unsigned seed = 4041;
    MESSAGE("seed " << seed);
    const standin::host here(h16);
    std::map<op, int> folded_of;
    for (const op kind : every_operation::all()) {
        CAPTURE(name(kind));
        for (unsigned round = 0; round < (sanitized ? 5 : 12); ++round) {
            CAPTURE(round);
            every_operation::sample s = every_operation::draw(kind, seed + round);
            const dynamic_graph inputs = with_zero(s.graph);
            s.inputs.emplace_back(extents{1});
            const std::vector<dense> zero{s.inputs.back()};
            const std::vector<dense> wanted = run(inputs, plain, s.inputs, s.weights);
            const bool finite = std::all_of(wanted.begin(), wanted.end(), [](const dense& d) {
                return std::all_of(d.values.begin(), d.values.end(), [](half h) { return is_finite(h); });
            });
            if (!finite) {
                continue; // no constant of a program is infinite: the next test
            }
            const dynamic_graph g = folded(inputs, s.inputs);
            CHECK(apart(run(g, plain, zero, s.weights), wanted, 1, 0) == "");

            const lowered_graph lowered = lower(g);
            folded_constants constants;
            try {
                constants = fold_constants(lowered.view(), s.weights);
            } catch (const error& e) { // a part of the operation leaves fp16, as it would in a run
                CHECK(every_operation::is_lowered(kind));
                CHECK(std::string(e.what()).find("outside fp16") != std::string::npos);
                continue;
            }
            CHECK(computed(lowered, constants) == std::vector<op>(g.outputs.size(), op::add));
            CHECK_NOTHROW(emit_mil(lowered.view(), constants));
            CHECK_NOTHROW(emit_netplist(lowered.view(), constants, "folded"));
            for (const violation& v : violations(g, h16)) {
                CAPTURE(std::string(record_of(v.rule).sentence));
                CHECK((v.operation == op::compressed || !v.is_error)); // a stored form of a weight is no operation
            }

            // Lowering takes some operations apart, and rounds between the parts.
            const std::vector<dense> on_oracle = run(g, ane::backend::oracle{h16}, zero, s.weights);
            const double part = signature(kind).group == op_group::normalization ? 0x1p-5
                                : every_operation::is_lowered(kind)              ? 0x1p-7
                                                                                 : 0;
            CHECK(apart(on_oracle, wanted, 1, part) == "");
            CHECK(apart(run(g, m1, zero, s.weights), on_oracle, 0, 0) == ""); // the host's work, not the device's
            const std::vector<dense> on_standin = run(g, standin::engine(h16), zero, s.weights);
            CHECK(apart(on_standin, on_oracle, 0, 0) == "");
            ++folded_of[kind];
        }
        CHECK(folded_of[kind] >= 1);
    }
}

TEST_CASE("folding: a value outside fp16 that a device would read is an error, one between constants is none") {
    composer c;
    const int x = c.input({2});
    const int large = c.add(op::exp2, {c.constant({2}, {15, 17})});
    c.output(c.add(op::add, {x, large}));
    const dynamic_graph g = c.finish();
    for (const auto& compiled : {+[](const graph_view& v) { static_cast<void>(compile(v, plain, {})); },
                                 +[](const graph_view& v) { static_cast<void>(compile(v, m6, {})); }}) {
        try {
            compiled(g);
            FAIL("an infinite constant is taken");
        } catch (const error& e) {
            CHECK(e.code() == errc::weights);
            const std::string text = e.what();
            CAPTURE(text);
            CHECK(text.find("exp2") != std::string::npos);
            CHECK(text.find("folded element 1 is inf, outside fp16") != std::string::npos);
        }
    }
    composer between;
    const int y = between.input({2});
    const int wild = between.add(op::exp2, {between.constant({2}, {15, 17})});
    between.output(between.add(op::add, {y, between.add(op::clamp, clip_range{0, 100}, {wild})}));
    CHECK(wide(run(between.finish(), m6, {dense({2})})[0].values[1]) == 100);
}

TEST_CASE("folding: a causal mask from comparisons, tiled, and an output that is a constant") {
    composer c;
    const int x = c.input({2, 4, 4});
    const int line = c.constant({4}, {0, 1, 2, 3});
    const int later = c.add(op::greater, {c.reshape(line, {1, 4}), c.reshape(line, {4, 1})});
    const int mask = c.add(op::select, {later, c.constant({4, 4}, {-10000}), c.constant({4, 4}, {0})});
    const int tiled = c.add(op::tile, repeats{2, 1, 1}, {c.reshape(mask, {1, 4, 4})});
    c.output(c.add(op::softmax, axis{2}, {c.add(op::add, {x, tiled})}));
    c.output(tiled);
    c.output(c.add(op::cumsum, cumulation{0, false, false}, {c.constant({5}, {1})})); // 1 to 5
    const dynamic_graph g = c.finish();
    const lowered_graph lowered = lower(g);
    const folded_constants constants = fold_constants(lowered.view(), {});
    CHECK(computed(lowered, constants) == std::vector<op>{op::add, op::softmax, op::mul, op::mul});
    CHECK_NOTHROW(emit_mil(lowered.view(), constants));
    CHECK_NOTHROW(emit_netplist(lowered.view(), constants, "mask"));
    const standin::host here(h16);
    const std::vector<dense> in{dense({2, 4, 4})};
    for (const auto& y : {run(g, plain, in), run(g, ane::backend::oracle{h16}, in), run(g, standin::engine(h16), in)}) {
        for (std::int64_t row = 0; row < 4; ++row) {
            for (std::int64_t column = 0; column < 4; ++column) {
                const double share = column > row ? 0 : 1 / (static_cast<double>(row) + 1);
                CHECK(wide(y[0]({1, row, column})) == doctest::Approx(share).epsilon(2e-3).scale(0.1));
                CHECK(wide(y[1]({1, row, column})) == (column > row ? -10000 : 0));
            }
        }
        CHECK(y[2].values == std::vector<half>{half(1.0), half(2.0), half(3.0), half(4.0), half(5.0)});
    }
}

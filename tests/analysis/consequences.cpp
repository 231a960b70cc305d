// An overflow is told once, where it begins: what follows from it is not told again, and what has a cause of its own is.

#include "../from_environment.hpp"
#include "../sanitized.hpp"
#include "anemone/passes/print.hpp"
#include "anemone/rules/evaluate.hpp"
#include "sound_graphs.hpp"
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/dynamic_builder.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// The hazards of a model, as "rule of operation".
std::vector<std::string> told_of(const dynamic_graph& g) {
    std::vector<std::string> all;
    for (const violation& v : violations(g, h15)) {
        if (record_of(v.rule).level == severity::hazard) {
            all.push_back(std::string(name(v.rule)) + " of " + std::string(name(v.operation)));
        }
    }
    return all;
}

using names = std::vector<std::string>;
const std::string of_scaling = "value_may_leave_half_precision of mul";

dynamic_tensor overflowing(dynamic_builder& b) {
    return b.add(op::mul, {b.input("x", {1, 16, 8, 8}, within(-400, 400)), b.constant(300)});
}

std::vector<rule> hazards_at(const std::vector<violation>& all, int node) {
    std::vector<rule> rules;
    for (const violation& v : all) {
        if (v.node == node && record_of(v.rule).level == severity::hazard) {
            rules.push_back(v.rule);
        }
    }
    return rules;
}

bool has(const std::vector<rule>& all, rule id) { return std::find(all.begin(), all.end(), id) != all.end(); }

bool overflows(const interval& r) { return r.declared && !r.bounded(); }

/// The same graph with an input in the place of every operand of a node that may be infinite: of numbers near one, as far
/// as its sign allows.
dynamic_graph without_overflows_before(dynamic_graph g, int behind, const std::vector<interval>& known) {
    const graph_view before = g;
    const std::vector<int> operands(before.operands(behind).begin(), before.operands(behind).end());
    for (const int i : operands) {
        const interval& r = known[static_cast<std::size_t>(i)];
        if (overflows(r)) {
            const bool below = r.high < unbounded;
            const bool above = r.low > -unbounded;
            const std::string port = "cut" + std::to_string(i);
            node& n = g.nodes[static_cast<std::size_t>(i)];
            n.kind = op::input;
            n.name = g.intern(port);
            n.operands = {0, 0};
            n.attributes = within(below   ? std::min(r.high, -1.0)
                                  : above ? r.low
                                          : 1,
                                  below   ? r.high
                                  : above ? std::max(r.low, 1.0)
                                          : 1);
        }
    }
    return g;
}

/// Whether an operand of a node is computed from another one that may be infinite, so that an input in the place of that one
/// changes both.
bool has_tangled_operands(const graph_view& g, int behind, const std::vector<interval>& known) {
    const std::span<const int> operands = g.operands(behind);
    std::vector<char> reached(static_cast<std::size_t>(behind), 0);
    for (const int o : operands) {
        reached[static_cast<std::size_t>(o)] = overflows(known[static_cast<std::size_t>(o)]) ? 0 : 1;
    }
    for (int i = behind; i-- > 0;) {
        if (reached[static_cast<std::size_t>(i)] != 0) {
            for (const int o : g.operands(i)) {
                reached[static_cast<std::size_t>(o)] = 1;
            }
        }
    }
    return std::any_of(operands.begin(), operands.end(), [&](int o) {
        return overflows(known[static_cast<std::size_t>(o)]) && reached[static_cast<std::size_t>(o)] != 0;
    });
}

} // namespace

TEST_CASE("what reads an overflow is not told of it") {
    const auto unary = [](op kind) {
        dynamic_builder b;
        const bool has_epsilon = signature(kind).attributes == attribute_kind::stabilizer;
        b.output("y", has_epsilon ? b.add(kind, {overflowing(b)}, stabilizer{}) : b.add(kind, {overflowing(b)}));
        return told_of(b.finish());
    };
    for (const op kind : {op::exp, op::square, op::log, op::inverse, op::sin, op::round, op::softplus, op::sqrt}) {
        CHECK_MESSAGE(unary(kind) == names{of_scaling}, std::string(name(kind)));
    }
    dynamic_builder b;
    const dynamic_tensor y = overflowing(b);
    const dynamic_tensor w = b.weight("w", {4, 16, 1, 1}, bounded(1));
    const dynamic_tensor c = b.add(op::conv2d, {y, w}, conv{});
    b.output("y", b.add(op::reduce_sum_square, {b.add(op::mul, {c, c})}, axes{1}));
    CHECK(told_of(b.finish()) == names{of_scaling});
}

TEST_CASE("what has a cause of its own is told behind an overflow too") {
    dynamic_builder b;
    const dynamic_tensor y = overflowing(b);
    const dynamic_tensor small = b.input("d", {1, 16, 8, 8}, within(-1, 1));
    const dynamic_tensor large = b.input("l", {1, 16, 8, 8}, within(-65000, 65000));
    const dynamic_tensor gamma = b.weight("gamma", {16}, within(30000, 60000)); // of numbers of any size
    const dynamic_tensor beta = b.weight("beta", {16}, bounded(1));
    b.output("quotient", b.add(op::div, {y, small}));
    b.output("sum", b.add(op::add, {y, b.add(op::add, {large, large})}));
    b.output("logarithm", b.add(op::log, {b.add(op::relu, {y})}, stabilizer{0.0F}));
    b.output("norm", b.add(op::group_norm, {y, gamma, beta}, grouping{.groups = 4}));
    const names told = told_of(b.finish());
    CHECK(told == names{of_scaling, "divisor_may_be_zero of div", "value_may_leave_half_precision of add",
                        "logarithm_of_zero of log", "value_may_leave_half_precision of group_norm"});
}

TEST_CASE("exponentials of x - max(x) add up to a number between one and how many they are") {
    dynamic_builder b;
    const dynamic_tensor x = b.input("x", {1, 16, 8, 8}, within(-50, 50));
    const dynamic_tensor shifted = b.add(op::sub, {x, b.add(op::reduce_max, {x}, axes{1})});
    const dynamic_tensor e = b.add(op::exp, {shifted});
    const dynamic_tensor sum = b.add(op::reduce_sum, {e}, axes{1});
    b.output("y", b.add(op::div, {e, sum}));
    b.output("z", b.add(op::log, {sum}, stabilizer{0.0F}));
    const dynamic_graph g = b.finish();
    const std::vector<interval> known = ranges(g);
    const auto of = [&](const dynamic_tensor& t) { return known[static_cast<std::size_t>(t.node())]; };
    CHECK(of(shifted).high == 0);
    CHECK(of(shifted).low <= -100);
    CHECK(of(e).high < 1.02);
    CHECK(of(sum).low > 0.98);
    CHECK(of(sum).high < 16.4);
    CHECK(told_of(g).empty());
}

TEST_CASE("a finding behind an overflow is there without the overflow too, and the first overflow is told") {
    const int graphs = static_cast<int>(from_environment::number("ANEMONE_TEST_GRAPHS", sanitized ? 200 : 1000));
    const unsigned seed = from_environment::seed() * 1'000'000;
    constexpr std::array chips{h13, h14, h15, h16, h17s, h18};
    std::vector<op> all;
    for (std::size_t k = 0; k < op_count; ++k) {
        const op kind = static_cast<op>(k);
        if (!is_source(kind) && kind != op::cast && kind != op::random_uniform && backend::oracle::supports(kind)) {
            all.push_back(kind);
        }
    }
    int followers = 0;
    int of_their_own = 0;
    int begun = 0;
    int failures = 0;
    for (int i = 0; i < graphs; ++i) {
        const unsigned mine = seed + static_cast<unsigned>(i);
        sound::maker m(mine, all);
        m.promise(-2, 15, 15.9);
        const dynamic_graph made = m.make(all[static_cast<std::size_t>(i) % all.size()], 2 + i % 5);
        const graph_view g = made;
        const target t = chips[static_cast<std::size_t>(i / 7) % chips.size()];
        const std::vector<interval> known = ranges(g);
        const sequence<char> constant = known_nodes_of_model(g);
        const std::vector<violation> told = violations(g, t);
        const auto is_known = [&](int node) {
            return is_foldable(g[node].kind) && constant[static_cast<std::size_t>(node)] != 0;
        };
        const auto is_infinite = [&](int node) {
            return overflows(known[static_cast<std::size_t>(node)]) && !is_known(node);
        };
        const auto complain = [&](int node, const std::string& what) {
            if (++failures <= 10) {
                CHECK_MESSAGE(false, "seed ", mine, " on ", name(t), ", node ", node, ": ", what, "\n", print(g));
            }
        };
        for (int node = 0; node < g.size(); ++node) {
            if (is_source(g[node].kind) || is_known(node)) {
                continue;
            }
            const std::span<const int> operands = g.operands(node);
            const std::vector<rule> here = hazards_at(told, node);
            if (std::any_of(operands.begin(), operands.end(), is_infinite)) {
                if (has_tangled_operands(g, node, known)) {
                    continue;
                }
                ++followers;
                const std::vector<rule> alone =
                    hazards_at(violations(without_overflows_before(made, node, known), t), node);
                for (const rule id : here) {
                    ++of_their_own;
                    if (!has(alone, id) && !record_of(id).of_infinity) {
                        complain(node, std::string(name(id)) + " follows from an overflow");
                    }
                }
                for (const rule id : alone) {
                    if (!has(here, id)) {
                        complain(node, std::string(name(id)) + " has a cause of its own and is not told");
                    }
                }
            } else if (is_infinite(node) && g[node].type == dtype::f16) {
                ++begun;
                const bool harmless = every_reader(g, node, [&](int reader, int) {
                    const op kind = g[reader].kind;
                    return kind == op::tanh || kind == op::sigmoid || kind == op::erf || kind == op::relu6 ||
                           kind == op::softmax || signature(kind).attributes == attribute_kind::clip_range;
                });
                if (here.empty() && (is_output(g, node) || !harmless)) {
                    complain(node, "an overflow begins here and is not told");
                }
            }
        }
    }
    MESSAGE(graphs, " graphs from seed ", seed, ": ", begun, " overflows, ", followers, " nodes behind them, ",
            of_their_own, " findings of their own");
    CHECK(failures == 0);
    CHECK(begun > graphs / 10);
    CHECK(followers > graphs / 10);
    CHECK(of_their_own > 0);
}

// Divergence between two targets: against the oracle, which runs both arithmetics.

#include "anemone/rules/divergence.hpp"

#include "../backend/random_graphs.hpp"
#include "../numbers.hpp"
#include "anemone/backend/oracle/oracle.hpp"
#include "anemone/build.hpp"
#include "anemone/numerics/elementwise.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/report/divergence_report.hpp"
#include "one_node.hpp"
#include <anemone/ops/functions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace ane;
using composing::random_engine;

namespace {

constexpr auto plain = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 8>);
    auto cut = slice<window{{0, 2}, {2, 4}}>(x);
    g.output("y"_s, gelu(cut + 0.5F));
    g.output("z"_s, relu(x));
});
static_assert(diverges<plain, h16, h18>.empty() && diverges<plain, h13, h13g>.empty());
static_assert(diverges<plain, h13, h17s>[0].kind == divergence::infinity);
static_assert(diverges<plain, h13, h17s>[0].operation == op::slice);
static_assert(diverges<plain, h13, h17s>[0].evidence == mark::measured);
static_assert(diverges<plain, h13, h17s>[1].kind == divergence::one_ulp);
static_assert(diverges<plain, h13, h15>[0].evidence == mark::predicted);
constexpr target_description no_mil = derive(describe(h13), [](auto& d) { d.limits.max_rank = 1; });
static_assert(diverges<plain, h13, &no_mil>[0].kind == divergence::support);

bool has(const std::vector<divergent_node>& found, divergence kind, int node = -1) {
    return std::any_of(found.begin(), found.end(),
                       [&](const divergent_node& d) { return d.kind == kind && (node < 0 || d.node == node); });
}

/// M4 with another arithmetic: nothing but the arithmetic differs from `machine_of(h16)`.
template <class Change> machine altered(Change change) {
    machine m = machine_of(h16);
    change(m.arithmetic);
    return m;
}

/// Units in the last place between two finite fp16 values.
int ulps(half a, half b) {
    const auto ordered = [](half v) { return (v.bits & 0x8000U) != 0 ? -static_cast<int>(v.bits & 0x7FFFU) : v.bits; };
    return std::abs(ordered(a) - ordered(b));
}

/// Whether a machine refuses a node: of such nothing but that is told.
bool refuses(const graph_view& g, const machine& m, int index) {
    for (const violation& v : violations(g, m.device)) {
        if (v.node == index && v.severity == severity::reject) {
            return true;
        }
    }
    return false;
}

/// Runs a graph on two machines and holds every node that is the first to differ against the list.
struct witness {
    int differing = 0;         ///< nodes that differ although what they read does not
    bool unlisted = false;     ///< one of them is not in the list
    int worst_ulp_of_ties = 0; ///< of nodes that are listed with `one_ulp` alone
    std::string where;
};
witness run_both(const graph_view& g, const machine& a, const machine& b, random_engine& random, bool wild,
                 const std::vector<divergent_node>& found) {
    const weight_store weights = composing::random_weights(g, random);
    auto on_a = backend::oracle(a.arithmetic).compile(g, weights);
    auto on_b = backend::oracle(b.arithmetic).compile(g, weights);
    composing::port_memory inputs = composing::random_inputs(g, random, wild);
    for (std::size_t port = 0; port < inputs.bytes.size(); ++port) {
        for (half& h : inputs.halves(port)) { // bytes of an image do no harm as others
            h = is_nan(h) ? half::from_bits(0x7C00) : h;
        }
    }
    composing::port_memory out_a = composing::memory_of_outputs(g);
    composing::port_memory out_b = composing::memory_of_outputs(g);
    on_a.run(inputs.inputs(), out_a.outputs());
    on_b.run(inputs.inputs(), out_b.outputs());

    witness w;
    const lowered_graph& lowered = on_a.lowered();
    const graph_view l = lowered.view();
    const sequence<char> constant = constant_nodes(l);
    const sequence<fusion> stages = fuse(l);
    std::vector<char> differs(l.nodes.size(), 0);
    for (int i = 0; i < l.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (is_source(l[i].kind) || constant[at] != 0) {
            continue;
        }
        const auto left = on_a.value(i);
        const auto right = on_b.value(i);
        int worst = 0;
        bool infinite = false;
        for (std::size_t k = 0; k < left.size(); ++k) {
            if (left[k].bits != right[k].bits) {
                differs[at] = 1;
                infinite = infinite || !is_finite(left[k]) || !is_finite(right[k]);
                worst = std::max(worst, ulps(left[k], right[k]));
            }
        }
        bool reads_difference = false;
        for (const int o : l.operands(i)) {
            reads_difference = reads_difference || differs[static_cast<std::size_t>(o)] != 0;
        }
        if (differs[at] == 0 || reads_difference) {
            continue;
        }
        ++w.differing;
        const int origin = lowered.origins[at];
        bool listed = false;
        bool ties_only = true;
        for (const divergent_node& d : found) {
            listed = listed || d.node == origin;
            ties_only = ties_only && (d.node != origin || d.kind == divergence::one_ulp);
        }
        if (!listed && !(refuses(g, a, origin) && refuses(g, b, origin))) {
            w.unlisted = true;
            w.where = print(l, i);
        } else if (listed && ties_only) {
            w.worst_ulp_of_ties = std::max(w.worst_ulp_of_ties, infinite ? 1000 : worst);
        }
    }
    return w;
}

std::vector<std::pair<machine, machine>> pairs() {
    using numerics::datapath;
    const machine m4 = machine_of(h16);
    return {
        {machine_of(h13), machine_of(h17s)},
        {machine_of(h13), machine_of(h14)},
        {machine_of(h14), machine_of(h15)},
        {machine_of(h16), machine_of(h18)},
        {m4, altered([](datapath& d) { d.elementwise_ties = numerics::tie_rule::half_even; })},
        {m4, altered([](datapath& d) { d.reduction_ties = numerics::tie_rule::half_even; })},
        {m4, altered([](datapath& d) { d.mac_ties = numerics::tie_rule::half_even; })},
        {m4, altered([](datapath& d) { d.mac_keeps_subnormals = false; })},
        {m4, altered([](datapath& d) { d.mac_exponent_floor = -12; })},
        {m4, altered([](datapath& d) { d.mac_ceiling = false; })},
        {m4, altered([](datapath& d) { d.order = numerics::contraction_order::row_column_channel; })},
        {m4, altered([](datapath& d) { d.width_slice_gain = 16; })},
        {m4, altered([](datapath& d) { d.tables = numerics::table_variant::m1; })},
        {m4, altered([](datapath& d) { d.reduction_tile = 8; })},
        {m4, altered([](datapath& d) { d.mean = numerics::mean_rule::scale_stored_sum; })},
    };
}

} // namespace

TEST_CASE("no node differs in the oracle that is not listed; a tie costs one unit at most") {
    const unsigned seed = 20261;
    MESSAGE("seed " << seed);
    random_engine random(seed);
    const auto all = pairs();
    int differing = 0;
    for (unsigned round = 0; round < 600; ++round) {
        const dynamic_graph g = composing::graph_generator(seed + round).make();
        const auto& [a, b] = all[round % all.size()];
        const std::vector<divergent_node> found = divergences_of(g, a, b);
        const witness w = run_both(g, a, b, random, round % 3 == 0, found);
        CAPTURE(round);
        CAPTURE(w.where);
        CHECK_FALSE(w.unlisted);
        CHECK(w.worst_ulp_of_ties <= 1);
        differing += w.differing;
    }
    MESSAGE(differing << " nodes differed");
    CHECK(differing > 100); // the test has something to find
}

TEST_CASE("a product with constant ones is a sum on A13 only") {
    const auto product = [](float value) {
        return one_node::make(op::matmul, transposed{}, {one_node::in({1, 4}), one_node::constant({4, 1}, value)});
    };
    const std::vector<divergent_node> found = divergences_of(product(1), h13, h16);
    CHECK(has(found, divergence::infinity, 2));
    CHECK(has(divergences_of(product(1), h16, h17s), divergence::infinity) == false);
    CHECK(has(divergences_of(product(2), h13, h16), divergence::infinity) == false);
    const dynamic_graph small =
        one_node::make(op::matmul, transposed{}, {one_node::in({1, 4}, within(0, 1)), one_node::constant({4, 1}, 1)});
    CHECK(has(divergences_of(small, h13, h16), divergence::rounding, 2));
}

TEST_CASE("operations of one operand, over all fp16 values: listed exactly where something differs") {
    const machine m1 = machine_of(h13);
    const machine m6 = machine_of(h18);
    std::vector<half> every;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        if ((bits & 0x7C00U) != 0x7C00U) {
            every.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
        }
    }
    for (const op kind : {op::relu, op::relu6, op::leaky_relu, op::clamp, op::sigmoid, op::tanh, op::gelu, op::silu,
                          op::exp, op::log, op::sqrt, op::rsqrt, op::abs}) {
        CAPTURE(name(kind));
        attributes values = no_attributes{};
        if (numbers::has_own(kind)) {
            values = numbers::of(kind, {0.3F, 6.0F});
        } else if (signature(kind).attributes == attribute_kind::stabilizer) {
            values = stabilizer{};
        }
        const dynamic_graph g = one_node::make(kind, values, {one_node::in({8})});
        bool differs = false;
        for (const half x : every) {
            const float p0 = kind == op::leaky_relu || kind == op::clamp ? 0.3F : 0.0F;
            const float p1 = kind == op::clamp ? 6.0F : 0.0F;
            differs = differs || numerics::unary(m1.arithmetic, kind, x, p0, p1).bits !=
                                     numerics::unary(m6.arithmetic, kind, x, p0, p1).bits;
        }
        CHECK(divergences_of(g, m1, m6).empty() == !differs);
    }
}

TEST_CASE("what only a range can rule out") {
    using one_node::in;
    const auto slice_of = [](contract promise) {
        return one_node::make(op::slice, window{{0, 2}, {2, 4}}, {in({2, 8}, promise)});
    };
    CHECK(has(divergences_of(slice_of({}), h13, h16), divergence::infinity));
    CHECK(divergences_of(slice_of(within(-4094, 4094)), h13, h16).empty()); // 4094 x 16 is 65504
    CHECK(has(divergences_of(slice_of(within(-4096, 0)), h13, h16), divergence::infinity));
    CHECK(divergences_of(one_node::make(op::slice, window{{0, 0}, {2, 4}}, {in({2, 8})}), h13, h16).empty());

    // A subnormal counts only beside an operand of at least 2^-2: the exponents must add up to -16.
    const auto product = [](contract x, contract y) {
        return one_node::make(op::matmul, transposed{}, {in({4, 4}, x), in({4, 4}, y)});
    };
    CHECK(has(divergences_of(product(within(-1, 1), within(-1, 1)), h13, h17), divergence::denormals));
    CHECK(divergences_of(product(within(-0.2, 0.2), within(-0.2, 0.2)), h13, h17).empty());
    CHECK(divergences_of(product(within(1, 2), within(1, 2)), h13, h17).empty());

    const machine endless = altered([](numerics::datapath& d) { d.mac_ceiling = false; });
    CHECK(divergences_of(product(within(1, 90), within(1, 90)), machine_of(h16), endless).empty()); // 4 x 8100
    CHECK(has(divergences_of(product(within(1, 91), within(1, 91)), machine_of(h16), endless), divergence::infinity));
}

TEST_CASE("exact products, doubled sums and the stages of a layer are not listed") {
    const auto listed = [](auto describe) { return divergences_of(build_graph(describe), h13, h18).size(); };
    const auto times = [&](float factor) {
        return listed([=](builder& b) { b.output("y"_s, b.input("x"_s, f16<4, 8>) * factor); });
    };
    CHECK(times(2.0F) == 0);
    CHECK(times(1.0F) == 0);
    CHECK(times(3.0F) == 1);
    CHECK(times(0.5F) == 1); // exact but for subnormals
    CHECK(listed([](builder& b) {
              auto x = b.input("x"_s, f16<4, 8>);
              b.output("y"_s, x + x);
          }) == 0);
    // A bias starts the accumulator, which rounds alike on both.
    CHECK(listed([](builder& b) {
              auto x = b.input("x"_s, f16<1, 8, 4, 4>, within(1, 2));
              auto w = b.weight("w", f16<8, 8, 1, 1>, within(1, 2));
              b.output("y"_s, conv2d(x, w, b.weight("b", f16<8>, within(1, 2))));
          }) == 0);
}

TEST_CASE("refusals, routes and the model's own nodes") {
    const dynamic_graph wide = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 16, 32, 32>);
        b.output("y"_s, conv2d(x, b.weight("stem.weight", f16<16, 16, 3, 14>)));
    });
    const auto found = divergences_of(wide, h13, h16);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == divergence::support);
    CHECK(found[0].refusal.rule == rule::kernel_width_exceeds);
    CHECK(found[0].refusal.target == h13);
    CHECK(divergences_of(wide, h16, h13)[0].refusal.target == h13);
    CHECK(divergences_of(wide, h13, h14).empty()); // both refuse it

    // The parts of a composed operation are told as the model's node, each difference once.
    const dynamic_graph norm = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<4, 8>);
        b.output("y"_s, layer_norm(x, b.weight("g", f16<8>), b.weight("b", f16<8>)));
    });
    const auto parts = divergences_of(norm, h13, h18);
    CHECK(has(parts, divergence::one_ulp));
    CHECK(has(parts, divergence::rounding));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(norm.nodes[static_cast<std::size_t>(parts[i].node)].kind == op::layer_norm);
        for (std::size_t k = 0; k < i; ++k) {
            CHECK_FALSE((parts[i].kind == parts[k].kind &&
                         std::string_view(parts[i].reason) == std::string_view(parts[k].reason)));
        }
    }
}

TEST_CASE("other routes, by the capabilities that the sources give") {
    const auto squares =
        one_node::make(op::reduce_sum_square, axes{1}, {one_node::in({4, 8}, within(0, 1))}, {4, 1}, true);
    const auto fused = [](bool yes, bool sure = true) {
        machine m = machine_of(h16);
        m.device.has.square_after_reduction = yes;
        if (!sure) {
            m.device.assume(assumption::square_after_reduction);
        }
        return m;
    };
    const auto found = divergences_of(squares, fused(true), fused(false));
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == divergence::rounding);
    CHECK(std::string_view(found[0].source) == "R071");
    CHECK(divergences_of(squares, fused(true), fused(true)).empty());
    CHECK(divergences_of(squares, fused(true), fused(false, false)).empty()); // nobody has read that byte

    const auto resized = one_node::make(op::resize, sampling{}, {one_node::in({1, 4, 8, 8})}, {1, 4, 16, 16}, true);
    const auto sampler = [](bool texture) {
        machine m = machine_of(h16);
        m.device.has.texture_engine = texture;
        return m;
    };
    CHECK(divergences_of(resized, sampler(true), sampler(true)).empty());
    const auto other = divergences_of(resized, sampler(true), sampler(false));
    REQUIRE_FALSE(other.empty());
    CHECK((other[0].kind == divergence::support || std::string_view(other[0].source) == "R179"));
}

TEST_CASE("the report names the node, the part and the outputs that follow") {
    const divergence_report r = differences(plain, h13, h17s);
    CHECK_FALSE(r.same());
    CHECK(r.outputs() == std::vector<std::string>{"y"});
    const std::string text = r.str();
    CHECK(text.find("infinity: slice #") != std::string::npos);
    CHECK(text.find("(divergence.cpp:") != std::string::npos);
    CHECK(text.find("measured]") != std::string::npos);
    CHECK(text.find("h13 (M1 base) and h17s (M5 Pro, Max): 4 differences; 1 of 2 outputs can differ: \"y\"\n") !=
          std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(r.str(true).find("\x1b[1;31minfinity\x1b[0m") != std::string::npos);
    CHECK(differences(plain, h16, h18).str().find("no difference is known\n") != std::string::npos);
    CHECK(differences(plain, h16, h17).str().find("the knots of its table differ") != std::string::npos);
}

TEST_CASE("every pair of targets of one family computes alike, and the order of a pair does not matter") {
    for (const target a : all_targets) {
        for (const target b : all_targets) {
            const auto ab = divergences_of(plain, a, b);
            const auto ba = divergences_of(plain, b, a);
            REQUIRE(ab.size() == ba.size());
            for (std::size_t i = 0; i < ab.size(); ++i) {
                CHECK((ab[i].kind == ba[i].kind && ab[i].node == ba[i].node && ab[i].evidence == ba[i].evidence));
            }
            if (describe(a).tier == describe(b).tier) {
                CHECK(ab.empty());
            }
        }
    }
}

TEST_CASE("int8 weights may stand at the left of a product") {
    using namespace one_node;
    const auto model = [](double reach) {
        const std::vector<source> sources{one_node::weight({4, 16}), in({16, 8}, bounded(reach))};
        const compression int8{.form = weight_form::affine, .bits = 8};
        return then(then(sources_of(sources), op::compressed, int8, {0}), op::matmul, transposed{}, {2, 1});
    };
    const machine gains = machine_of(h16);
    const machine plain_machine = altered([](auto& d) { d.int8_activation_gain = 1; });
    CHECK(has(divergences_of(model(4096), gains, plain_machine), divergence::infinity, 3));
    CHECK_FALSE(has(divergences_of(model(4094), gains, plain_machine), divergence::infinity));
}

TEST_CASE("products of int8 by int8 where one engine adds integers and the other fp16") {
    using namespace one_node;
    const auto model = [](double reach, bool quantized) {
        const std::vector<source> sources{in({4, 16}, bounded(reach)), constant({1}, 0.5F), one_node::weight({8, 16})};
        dynamic_graph g = then(sources_of(sources), op::compressed, compression{affine_int8}, {2});
        g = then(g, op::quantize, quantization{dtype::int8, 0}, {0, 1});
        g = then(g, op::dequantize, quantization{dtype::int8, 0}, {4, 1});
        return then(g, op::linear, no_attributes{}, {quantized ? 5 : 0, 3});
    };
    const machine integers = machine_of(h16);
    const machine halves = altered([](auto& d) { d.int8_products = false; });
    CHECK_FALSE(divergences_of(model(100, true), integers, halves).empty());
    CHECK(divergences_of(model(100, true), integers, integers).empty());
    CHECK(divergences_of(model(100, false), integers, halves).empty());
}

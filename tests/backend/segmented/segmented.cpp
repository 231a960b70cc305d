// Models in segments give the bits of the whole.

#include "../../segments/decoder.hpp"
#include "../byte_runs.hpp"
#include "../engine/objc/door.hpp"
#include "../random_graphs.hpp"
#include "../standin_control.hpp"
#include <anemone/backend/program.hpp>
#include <anemone/backend/segmented/segmented.hpp>
#include <anemone/model.hpp>
#include <anemone/segments/print.hpp>
#include <anemone/segments/wiring.hpp>
#include <anemone/values/mask.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace ane;
using namespace ane::literals;

namespace {

/// The rounding that segments do not change: layers end where programs do.
const backend::cpu each_operation = backend::cpu{}.rounding(rounding::each_operation);

using composing::below;
using composing::random_engine;

std::vector<std::vector<std::byte>> random_inputs(const graph_view& g, random_engine& random) {
    std::vector<std::vector<std::byte>> inputs;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            inputs.push_back(
                composing::bytes_of(composing::gaussian(random, static_cast<std::size_t>(n.shape.count()), 1.0)));
        }
    }
    return inputs;
}

/// The outputs as patterns of bits, of the whole and of its segments.
template <class Backend>
void gives_the_same(const dynamic_graph& g, const Backend& whole, const backend::segmented& parts,
                    random_engine& random) {
    const weight_store weights = composing::random_weights(g, random);
    const auto inputs = random_inputs(g, random);
    const auto wanted = composing::run(whole, g, weights, inputs);
    const auto got = composing::run(parts, g, weights, inputs);
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK(composing::patterns(got[i]) == composing::patterns(wanted[i]));
    }
}

/// A device that writes down what it compiles and which memory its programs get.
struct recorder {
    struct seen {
        std::vector<dynamic_graph> graphs;
        std::vector<std::vector<std::string>> weights;
        std::vector<std::vector<const std::byte*>> inputs;
        std::vector<std::vector<const std::byte*>> outputs;
    };
    struct program {
        backend::oracle_program inner;
        std::shared_ptr<seen> into;
        void run(input_buffers inputs, output_buffers outputs) {
            inner.run(inputs, outputs);
            into->inputs.emplace_back();
            for (const auto& each : inputs) {
                into->inputs.back().push_back(each.data());
            }
            into->outputs.emplace_back();
            for (const auto& each : outputs) {
                into->outputs.back().push_back(each.data());
            }
        }
        std::span<std::byte> state(std::string_view name) { return inner.state(name); }
        void reset() { inner.reset(); }
    };
    std::string name() const { return "recorder"; }
    static constexpr bool supports(op) { return true; }
    static constexpr bool verifies_weights = true;
    program compile(const graph_view& g, const weight_store& weights) const {
        into->graphs.emplace_back();
        into->graphs.back() = prune(g);
        into->weights.emplace_back();
        for (const stored_tensor& each : weights) {
            into->weights.back().push_back(each.name);
        }
        return {backend::oracle{h13}.compile(g, weights), into};
    }
    std::shared_ptr<seen> into = std::make_shared<seen>();
};

static_assert(runnable_backend<backend::segmented>);
static_assert(keeps_states<backend::segmented_program>);

} // namespace

TEST_CASE("random graphs, cut anywhere, have the bits of the whole") {
    int most = 0;
    int cut_graphs = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        random_engine random(seed);
        dynamic_graph g = composing::graph_generator(seed).make();
        const int share = 1 + below(random, 40);
        for (node& n : g.nodes) {
            n.ends_segment = !is_source(n.kind) && below(random, 100) < share;
        }
        const target t = std::vector{h11, h13, h14, h16, h17s}[seed % 5];
        backend::segmented_options options;
        options.limits.operations = below(random, 3) == 0 ? 3 + below(random, 6) : 0;
        const segmentation cuts = segments_of(g, h17s, options.limits);
        CAPTURE(print(g, cuts));
        CAPTURE(print(g));
        most = std::max(most, cuts.size());
        cut_graphs += cuts.size() > 1 ? 1 : 0;
        gives_the_same(g, backend::oracle{t}, backend::segmented(h17s, backend::oracle{t}, options), random);
        for (node& n : g.nodes) {
            n.on_host = !is_source(n.kind) && below(random, 8) == 0; // where device and host are one, no bit changes
        }
        gives_the_same(g, each_operation, backend::segmented(h17s, each_operation, options), random);
    }
    MESSAGE("at most ", most, " segments, ", cut_graphs, " graphs in several");
    CHECK(cut_graphs > 250);
    CHECK(most > 6);
}

namespace {

/// An intermediate value would overflow, were the two products not merged as the engine's compiler merges them.
constexpr auto merged_scales = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    g.output("y"_s, cut(x * 1024) * 0.0009765625 + 1);
});

} // namespace

TEST_CASE("what lowering merges or takes into account is not cut apart") {
    auto program = compile<merged_scales>(backend::segmented(h13, backend::oracle{h13}));
    REQUIRE(program.compiled().segments().size() == 2);
    CHECK(program.compiled().segments()[0].operations == 2); // the cut falls behind both products
    CHECK(program({"x"_s = ndarray<shape<1, 4>>{1000, 1, 2, 3}})["y"_s](0, 0) == half(1001.0));

    // A number behind floor becomes a tensor, which is no gain; a reduction times zero a difference with itself.
    random_engine random(5);
    for (const op before : {op::floor, op::reduce_max}) {
        dynamic_builder g;
        const dynamic_tensor x = g.input("x", {2, 6});
        const dynamic_tensor whole = before == op::floor ? g.add(before, {x}) : g.add(before, {x}, axes{1});
        const dynamic_tensor product = g.add(op::mul, {g.cut(whole), g.constant(before == op::floor ? 0.37 : 0.0)});
        g.output("y", g.add(op::sigmoid, {g.add(op::add, {product, g.constant(0.11)})}));
        g.output("z", g.add(op::exp, {whole}));
        for (const target t : {h11, h13, h17s}) {
            gives_the_same(g.finish(), backend::oracle{t}, backend::segmented(t, backend::oracle{t}), random);
        }
    }
}

TEST_CASE("a product of integers keeps its integers") {
    random_engine random(6);
    int cut_models = 0;
    for (const bool reshaped : {false, true}) {
        dynamic_builder g;
        const dynamic_tensor x = g.input("x", {4, 32});
        const dynamic_tensor scale = g.constant({1}, 0.031);
        const dynamic_tensor stored =
            g.add(op::quantize, {g.add(op::sigmoid, {x}), scale}, quantization{dtype::int8, 0});
        dynamic_tensor read = g.cut(g.add(op::dequantize, {stored, scale}, quantization{dtype::int8, 0}));
        read = reshaped ? g.reshape(read, {2, 2, 32}) : read;
        const auto weight = [&](const char* name) {
            return g.add(op::compressed, {g.weight(name, {16, 32})}, compression{weight_form::affine, 8});
        };
        g.output("y", g.add(op::linear, {read, weight("first")}));
        g.output("z", g.add(op::softmax, {g.cut(g.add(op::linear, {read, weight("second")}))}, axis{-1}));
        const dynamic_graph model = g.finish();
        cut_models += segments_of(model, h17s).size() > 1 ? 1 : 0;
        for (const target t : {h13, h14, h16, h17s}) {
            gives_the_same(model, backend::oracle{t}, backend::segmented(h17s, backend::oracle{t}), random);
        }
    }
    CHECK(cut_models == 2);
}

TEST_CASE("twelve decoder layers in three programs have the bits of one, on four targets and through the runtime") {
    random_engine random(12);
    dynamic_graph g = prune(decoders::decoder<12>);
    const backend::segmented_options four{.limits = {.decoder_layers = 4}};
    for (const target t : {h13, h14, h16, h17s}) {
        gives_the_same(g, backend::oracle{t}, backend::segmented(t, backend::oracle{t}, four), random);
    }
    gives_the_same(g, each_operation, backend::segmented(h13, each_operation, four), random);
    const standin::host here(h13);
    gives_the_same(g, backend::oracle{h13}, backend::segmented(h13, standin::engine(h13), four), random);
}

TEST_CASE("values are handed over in the memory that their program wrote; each gets its own weights") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {1, 4}, within(-1, 1));
    const dynamic_tensor shared = g.weight("shared", {4, 4}, bounded(1));
    const dynamic_tensor a = g.cut(g.add(op::linear, {g.add(op::tanh, {x}), shared}));
    const dynamic_tensor b = g.cut(g.add(op::linear, {a, g.weight("second", {4, 4}, bounded(1))}));
    g.output("b", b);
    g.output("y", g.add(op::add, {g.add(op::linear, {b, shared}), a}));
    g.output("linear_3", g.add(op::exp, {x})); // takes the name that a would have
    const dynamic_graph model = g.finish();
    random_engine random(3);
    const weight_store weights = composing::random_weights(model, random);

    const recorder device;
    auto program = backend::segmented(h13, device).compile(model, weights);
    const recorder::seen& seen = *device.into;
    CHECK(seen.weights == std::vector<std::vector<std::string>>{{"shared"}, {"second"}, {"shared"}});
    const auto inputs = random_inputs(model, random);
    const std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
    composing::port_memory memory = composing::memory_of_outputs(model);
    const auto out = memory.outputs();
    program.run(in, out);
    REQUIRE(seen.inputs.size() == 3);
    CHECK(seen.inputs[0][0] == inputs[0].data());
    CHECK(seen.outputs[1][0] == memory.bytes[0].data()); // into the caller's memory,
    CHECK(std::count(seen.inputs[2].begin(), seen.inputs[2].end(), memory.bytes[0].data()) == 1); // and read from there
    CHECK(seen.inputs[1][0] == seen.outputs[0].back());
    CHECK(std::count(seen.inputs[2].begin(), seen.inputs[2].end(), seen.outputs[0].back()) == 1);

    // A port of its own has a name that no other has, and promises what the model proves: |a| <= 4 tanh(1) here.
    for (const dynamic_graph& part : seen.graphs) {
        CHECK_NOTHROW(validate(part));
    }
    const graph_view second = seen.graphs[1];
    CAPTURE(print(second));
    const contract promise = second[0].get<contract>();
    CHECK(promise.declared);
    CHECK(promise.high >= 4 * std::tanh(1.0));
    CHECK(promise.high < 1.02 * 4 * std::tanh(1.0));
    CHECK(promise.low == -promise.high);
    CHECK(second.name(0) == "linear_3_");
}

namespace {

/// The state is read and written in the first program; another one in two.
constexpr auto accumulators = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    auto total = g.state("total"_s, f16<1, 4>);
    auto latest = g.state("latest"_s, f16<1, 4>);
    write(total, read(total) + x);
    auto sum = cut(read(total) * 2);
    auto before = read(latest);
    write(latest, relu(sum));
    g.output("y"_s, sum - before);
    g.output("z"_s, x + before); // in the first program
});

template <class Program> std::vector<half> three_runs(Program program) {
    std::vector<half> all;
    for (int run = 1; run <= 5; ++run) {
        const auto r = program({"x"_s = ndarray<shape<1, 4>>{1.0F, static_cast<float>(-run), 0.5F, 2.0F}});
        all.insert(all.end(), r["y"_s].begin(), r["y"_s].end());
        all.insert(all.end(), r["z"_s].begin(), r["z"_s].end());
        const auto total = program.state("total"_s);
        const auto latest = program.state("latest"_s);
        all.insert(all.end(), total.begin(), total.end());
        all.insert(all.end(), latest.begin(), latest.end());
        if (run == 2) {
            program.state("total"_s)(0, 1) = half(40.0);
            program.state("latest"_s)(0, 1) = half(-3.0);
        }
        if (run == 4) {
            program.reset();
        }
    }
    return all;
}

} // namespace

TEST_CASE("a state stays in the program that reads and writes it, and goes along where that is two") {
    const auto wanted = three_runs(compile<accumulators>(backend::oracle{h13}));
    CHECK(wanted[0] == half(2.0));
    auto cut_in_two = compile<accumulators>(backend::segmented(h13, backend::oracle{h13}));
    CHECK(cut_in_two.compiled().segments().size() == 2);
    CHECK(cut_in_two.compiled().report().find("state \"latest\" goes from segment to segment: 8 bytes") !=
          std::string::npos);
    CHECK(cut_in_two.compiled().report().find("state \"total\"") == std::string::npos);
    CHECK(cut_in_two.compiled().report() == print(accumulators, cut_in_two.compiled().segments(), h13)); // with costs
    CHECK(cut_in_two.compiled().program(0).state("total").size() == 8);
    CHECK_THROWS_AS(cut_in_two.compiled().program(1).state("latest"), error);
    CHECK_THROWS_WITH(cut_in_two.compiled().state("sum"),
                      doctest::Contains("is not a state of the program, which has latest, total"));
    CHECK_THROWS_WITH(cut_in_two.compiled().program(2), doctest::Contains("has no segment 2, only 2"));
    CHECK(three_runs(std::move(cut_in_two)) == wanted);
    const standin::host here(h13);
    CHECK(three_runs(compile<accumulators>(backend::segmented(h13, standin::engine(h13)))) == wanted);
}

namespace {

/// The bits of all tokens, one by one.
template <class Program> std::vector<std::uint16_t> decode(Program program) {
    std::vector<std::uint16_t> bits;
    for (int t = 0; t < decoders::length; ++t) {
        ndarray<shape<1, decoders::width>> x;
        ndarray<shape<1, decoders::length>> mask;
        for (std::size_t i = 0; i < x.size; ++i) {
            x[i] = half(std::sin(1.7 * static_cast<double>(i + 3 * static_cast<std::size_t>(t))));
        }
        for (int i = t + 1; i < decoders::length; ++i) {
            mask(0, i) = half(-1e4);
        }
        const auto at = ones_at<shape<decoders::length, 1>>(t);
        const auto y = program({"x"_s = x, "at"_s = at, "mask"_s = mask})["y"_s];
        for (const half h : y) {
            bits.push_back(h.bits);
        }
    }
    return bits;
}

} // namespace

TEST_CASE("a decoder with caches, token by token: each cache stays in the program of its layer") {
    constexpr auto& model = decoders::token_decoder<6>;
    const weight_store weights = random_weights(model, 5);
    const backend::segmented_options two{.limits = {.decoder_layers = 2}};
    const auto in_segments = [&](target t, const backend::any& device) {
        auto program = compile<model>(backend::segmented(t, device, two), weights);
        CHECK(program.compiled().segments().size() == 3);
        CHECK(program.compiled().report().find("goes from segment to segment") == std::string::npos);
        CHECK(program.compiled().program(2).state("values_f").size() == 2 * decoders::length * decoders::width);
        return decode(std::move(program));
    };
    for (const target t : {h13, h16}) {
        CHECK(in_segments(t, backend::oracle{t}) == decode(compile<model>(backend::oracle{t}, weights)));
    }
    CHECK(in_segments(h13, each_operation) == decode(compile<model>(each_operation, weights)));
    const standin::host here(h13);
    CHECK(in_segments(h13, standin::engine(h13)) == decode(compile<model>(backend::oracle{h13}, weights)));
}

namespace {

constexpr auto island = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64>);
    g.output("y"_s, on_host(exp(x * 0.5)) * 1.5);
});
constexpr auto of_exp = graph([](auto& g) { g.output("y"_s, exp(g.input("x"_s, f16<1, 64>))); });

} // namespace

TEST_CASE("the host computes in fp32 and rounds once; the engine's arithmetic is around it") {
    ndarray<shape<1, 64>> x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = half(-4 + 0.13 * static_cast<double>(i));
    }
    const auto y = compile<island>(backend::segmented(h13, backend::oracle{h13}))({"x"_s = x})["y"_s];
    const auto own = compile<island>(backend::oracle{h13})({"x"_s = x})["y"_s];
    const auto halved = [&] {
        ndarray<shape<1, 64>> all;
        std::transform(x.begin(), x.end(), all.begin(), [](half v) { return half(static_cast<double>(v) * 0.5); });
        return all;
    }();
    const auto by_cpu = compile<of_exp>(backend::cpu{})({"x"_s = halved})["y"_s];
    int different = 0;
    for (std::size_t i = 0; i < x.size; ++i) {
        const half exact(std::exp(static_cast<double>(halved[i])));
        CHECK(by_cpu[i] == exact); // the reference: the CPU backend, here correctly rounded
        CHECK(y[i] == half(static_cast<double>(exact) * 1.5));
        different += y[i] == own[i] ? 0 : 1;
    }
    CHECK(different > 0); // the engine has a table for exp
}

TEST_CASE("segments run where they can: the host, a place for netplists, the device") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {1, 16});
    const dynamic_tensor sorted = g.add(op::sort, {g.add(op::exp, {x})}, selection{.k = 16, .axis = 1});
    g.output("y", g.add(op::mul, {sorted, x}));
    const dynamic_graph model = g.finish();
    random_engine random(8);
    const standin::host here(h14);
    // The stand-in reads MIL text alone, so the netplist's segment needs a place of its own.
    const backend::segmented alone(h14, backend::any(standin::engine(h14)));
    CHECK_THROWS_WITH_AS(alone.compile(model, {}), doctest::Contains("sort"), error);
    const backend::segmented both(h14, standin::engine(h14), {.netplist = objc_standin::engine(h14)});
    gives_the_same(model, backend::oracle{h14}, both, random);
    CHECK(standin::engine(h14).by_netplists().supports(op::sort)); // what an engine brings along
    const backend::segmented placed(h14, standin::engine(h14), {.netplist = backend::oracle{h14}});
    CHECK(placed.compile(model, {}).segments().count(door::netplist) == 1);
    CHECK(placed.name() == standin::engine(h14).name() + " in segments");
    CHECK(placed.supports(op::sort));
    gives_the_same(model, backend::oracle{h14}, placed, random);
}

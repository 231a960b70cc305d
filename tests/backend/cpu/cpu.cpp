#include "../random_graphs.hpp"
#include "naive.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/cpu/step.hpp>
#include <anemone/backend/engine/temporary_directory.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/oracle/step.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/io/file.hpp>
#include <anemone/numerics/path.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/safetensors.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace composing;

namespace {

constexpr auto digits = graph([](auto& g) {
    auto x = g.input("image"_s, f16<1, 1, 28, 28>, within(0, 1));
    auto a = relu(conv2d<conv{.padding = same}>(x, g.weight("conv1.weight"_s, f16<16, 1, 3, 3>),
                                                g.weight("conv1.bias"_s, f16<16>)));
    auto b = max_pool<pool{.kernel = 2, .stride = 2}>(a);
    auto c = relu(conv2d<conv{.padding = same}>(b, g.weight("conv2.weight"_s, f16<32, 16, 3, 3>),
                                                g.weight("conv2.bias"_s, f16<32>)));
    auto d = max_pool<pool{.kernel = 2, .stride = 2}>(c);
    auto e = relu(linear(flatten(d), g.weight("fc1.weight"_s, f16<64, 1568>), g.weight("fc1.bias"_s, f16<64>)));
    g.output("probabilities"_s,
             softmax(linear(e, g.weight("fc2.weight"_s, f16<10, 64>), g.weight("fc2.bias"_s, f16<10>))));
});

constexpr auto residual = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 6, 9, 9>);
    auto block = [&g](auto in, int number) {
        auto s = g.scope("block", number);
        auto y = conv2d<conv{.padding = same}>(in, s.weight("conv", f16<6, 6, 3, 3>));
        auto n = batch_norm(y, s.weight("mean", f16<6>), g.weight("positive.variance", f16<6>),
                            s.weight("gamma", f16<6>), s.weight("beta", f16<6>));
        return relu(n + in);
    };
    auto y = block(block(block(x, 0), 1), 2);
    auto d = conv2d<conv{.stride = 2, .padding = 1, .groups = 6}>(y, g.weight("depthwise"_s, f16<6, 1, 3, 3>));
    auto u = conv_transpose2d<conv_transpose{.stride = 2, .padding = 1, .groups = 2}>(
        d, g.weight("up"_s, f16<6, 2, 3, 3>), g.weight("up_bias"_s, f16<4>));
    g.output("y"_s, y);
    g.output("up"_s, u);
    g.output("mean"_s, avg_pool<pool{.kernel = 3, .stride = 2, .padding = 1, .exclude_padding = true}>(y));
});

constexpr auto encoder = graph([](auto& g) {
    auto x = g.input("tokens"_s, f16<2, 7, 16>);
    auto mask = g.input("mask"_s, f16<7, 7>);
    auto q = linear(x, g.weight("q"_s, f16<16, 16>));
    auto k = linear(x, g.weight("k"_s, f16<16, 16>), g.weight("k_bias"_s, f16<16>));
    auto v = linear(x, g.weight("v"_s, f16<16, 16>));
    auto heads = [](auto t) { return transpose<permutation{0, 2, 1, 3}>(reshape<2, 7, 4, 4>(t)); };
    auto a = attention(heads(q), heads(k), heads(v), mask);
    auto joined = reshape<2, 7, 16>(transpose<permutation{0, 2, 1, 3}>(a));
    auto n = layer_norm(joined + x, g.weight("gamma"_s, f16<16>), g.weight("beta"_s, f16<16>));
    auto h = gelu(linear(n, g.weight("up"_s, f16<32, 16>), g.weight("up_bias"_s, f16<32>)));
    g.output("out"_s, linear(h, g.weight("down"_s, f16<16, 32>)) + n);
    g.output("scores"_s, softmax<axis{1}>(matmul<transposed{.b = true}>(q, k)));
});

constexpr auto values = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 3, 4, 5>);
    auto y = g.input("y"_s, f16<3, 1, 5>);
    auto p = abs(x) + 0.5;
    g.output("sum"_s, reduce_sum<axes{1, 3}>(x));
    g.output("mean"_s, reduce_mean(x * y));
    g.output("max"_s, reduce_max<axes{0}, false>(x));
    g.output("min"_s, reduce_min<axes{2}>(maximum(x, y)));
    g.output("first"_s, arg_max<axis{1}>(x));
    g.output("last"_s, arg_min<axis{-1}>(x));
    g.output("curves"_s,
             concat<axis{1}>(sigmoid(x), tanh(x), silu(x), leaky_relu(x, 0.1), relu6(x * 4.0), clamp(x, -1, 0.5)));
    g.output("roots"_s, concat<axis{-1}>(sqrt(p), rsqrt(p, 1e-2), log(p), exp(minimum(x, 2.0)), y / p));
    g.output("shares"_s, softmax<axis{1}>(x));
    g.output("norm"_s, layer_norm<axis{1}>(x, g.weight("gamma"_s, f16<3>), g.weight("beta"_s, f16<3>)));
});

constexpr auto movement = graph([](auto& g) {
    auto image = g.input("image"_s, u8<1, 3, 6, 7>);
    auto x = to_f16(image) / 255.0;
    auto t = transpose<permutation{3, 1, 0, 2}>(x);
    auto s = slice<window{.begin = {2, 1, 0, 3}, .size = {4, 2, 1, 3}}>(t);
    auto p = pad<pads{.before = {0, 1, 0, 2}, .after = {1, 0, 2, 0}}>(s, -0.25);
    g.output("image_back"_s, x);
    g.output("padded"_s, p);
    g.output("flat"_s, flatten<axis{2}>(p));
    g.output("joined"_s, concat<axis{2}>(p, p, relu(p)));
    g.output("row"_s, reshape<-1>(s));
});

/// Every value in memory of its own, by the same steps: what the plan of the arena must not change.
port_memory run_apart(const graph_view& g, const weight_store& weights,
                      const std::vector<std::span<const std::byte>>& inputs) {
    const materialized constants = materialize(g, weights);
    const ane::cpu::binding_context context{g, constants, ane::cpu::best_kernels()};
    std::vector<std::vector<std::byte>> memory(g.nodes.size());
    std::vector<const std::byte*> at(g.nodes.size());
    std::size_t port = 0;
    for (int i = 0; i < g.size(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (g[i].kind == op::input) {
            at[place] = inputs[port++].data();
        } else if (constants.known(i)) {
            at[place] = constants.memory(i);
        } else {
            memory[place].resize(port_bytes(g[i]), std::byte{0x7F});
            at[place] = memory[place].data();
            std::vector<const std::byte*> operands;
            for (const int o : g.operands(i)) {
                operands.push_back(at[static_cast<std::size_t>(o)]);
            }
            ane::cpu::every_step()[static_cast<std::size_t>(g[i].kind)](context, i)({operands, memory[place].data()});
        }
    }
    port_memory outputs = memory_of_outputs(g);
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
        std::memcpy(outputs.bytes[i].data(), at[static_cast<std::size_t>(g.outputs[i].node)], outputs.bytes[i].size());
    }
    return outputs;
}

void check_against_naive(const graph_view& g, double tolerance) {
    random_engine random(3);
    const weight_store weights = random_weights(g, random);
    auto program = compile(g, backend::cpu{}, weights);
    for (int run = 0; run < 2; ++run) {
        const port_memory inputs = random_inputs(g, random, false);
        port_memory outputs = memory_of_outputs(g);
        program.run(inputs.inputs(), outputs.outputs());
        const auto wanted = naive::run(g, weights, inputs.inputs());
        for (std::size_t port = 0; port < wanted.size(); ++port) {
            double largest = 0;
            for (const double v : wanted[port].values) {
                largest = std::max(largest, std::fabs(v));
            }
            const auto got = outputs.halves(port);
            CAPTURE(g.name(g.outputs[port]));
            for (std::size_t i = 0; i < got.size(); ++i) {
                CAPTURE(i);
                REQUIRE(std::fabs(static_cast<double>(got[i]) - wanted[port].values[i]) <= tolerance * largest);
            }
        }
        port_memory again = memory_of_outputs(g);
        program.run(inputs.inputs(), again.outputs());
        CHECK(again.bytes == outputs.bytes); // nothing of a run is left for the next one
        CHECK(run_apart(g, weights, inputs.inputs()).bytes == outputs.bytes);
    }
}

} // namespace

TEST_CASE("cpu: whole models against double precision, rounded to fp16 after each operation") {
    // The tolerance is a share of the output's largest value: a few units of 2^-11 that later operations have spread.
    SUBCASE("digits") { check_against_naive(digits, 0.004); }
    SUBCASE("residual") { check_against_naive(residual, 0.004); }
    SUBCASE("encoder") { check_against_naive(encoder, 0.006); }
    SUBCASE("values") { check_against_naive(values, 0.002); }
    SUBCASE("movement") { check_against_naive(movement, 0.0); }
}

TEST_CASE("cpu: the arena changes no bit of random graphs") {
    std::size_t saved = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        const dynamic_graph graph = graph_generator(seed).make();
        const graph_view g = graph;
        random_engine random(seed);
        const weight_store weights = random_weights(g, random);
        const port_memory inputs = random_inputs(g, random, seed % 2 == 0);
        auto program = compile(g, backend::cpu{}, weights);
        port_memory outputs = memory_of_outputs(g);
        program.run(inputs.inputs(), outputs.outputs());
        REQUIRE(run_apart(g, weights, inputs.inputs()).bytes == outputs.bytes);
        port_memory again = memory_of_outputs(g);
        program.run(inputs.inputs(), again.outputs());
        REQUIRE(again.bytes == outputs.bytes);
        std::size_t apart = 0;
        const materialized constants = materialize(g, weights);
        for (int i = 0; i < g.size(); ++i) {
            apart += g[i].kind == op::input || constants.known(i) ? 0 : (port_bytes(g[i]) + 63) / 64 * 64;
        }
        CHECK(program.arena_bytes() <= apart);
        saved += apart - std::min(apart, program.arena_bytes());
    }
    CHECK(saved > 0);
}

TEST_CASE("cpu: weights that went through a safetensors file give the same bits") {
    random_engine random(5);
    const graph_view g = digits;
    const weight_store weights = random_weights(g, random);
    const e5rt::temporary_directory directory("anemone-weights");
    save_safetensors(directory.path() / "weights.safetensors", weights);
    const weight_store read = load_safetensors(directory.path() / "weights.safetensors");
    const port_memory inputs = random_inputs(g, random, false);
    port_memory one = memory_of_outputs(g);
    port_memory two = memory_of_outputs(g);
    compile(g, backend::cpu{}, weights).run(inputs.inputs(), one.outputs());
    compile(g, backend::cpu{}, read).run(inputs.inputs(), two.outputs());
    CHECK(one.bytes == two.bytes);
}

TEST_CASE("every operation has a kernel on the CPU and a model of the engine's arithmetic, at compile time too") {
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        CAPTURE(name(kind));
        CHECK(backend::cpu::supports(kind));
        CHECK(backend::oracle::supports(kind));
        CHECK((ane::cpu::every_step()[i] == nullptr) == (is_source(kind) || kind == op::compressed));
        CHECK((oracle_steps::every_step()[i] == nullptr) ==
              (is_source(kind) || is_composed(kind) || kind == op::compressed)); // expanded before a run
    }
#ifndef __SANITIZE_ADDRESS__ // with sanitizers g++ 12 does not compare addresses of functions in constant expressions
    static_assert(backend::cpu::supports(op::attention) && backend::cpu::supports(op::arg_max));
#endif
    static_assert(runnable_backend<backend::cpu>);
    CHECK(backend::cpu{}.name().rfind("cpu ", 0) == 0);
}

TEST_CASE("cpu: outputs that are inputs, weights, or one value twice") {
    composer c;
    const int x = c.input({2, 3});
    const int w = c.weight({3});
    const int y = c.add(op::exp, {x});
    for (const int value : {x, w, y, y, c.reshape(y, {6})}) {
        c.output(value);
    }
    check_against_naive(c.finish(), 0.001);
}

// Files for tests/python/peer.py, which computes the same in NumPy: weights, inputs and outputs as raw fp16.
TEST_CASE("peer: models, inputs and outputs as files") {
    const char* const wanted = std::getenv("ANEMONE_PEER_DIR");
    if (wanted == nullptr) {
        return;
    }
    const std::filesystem::path directory(wanted);
    const auto write = [&](const std::string& name, std::span<const half> data) {
        write_file(directory / name, std::as_bytes(data));
    };
    const std::pair<const char*, graph_view> models[] = {
        {"residual", residual}, {"encoder", encoder}, {"values", values}};
    for (const auto& [name, g] : models) {
        random_engine random(17);
        const weight_store weights = random_weights(g, random);
        port_memory inputs = random_inputs(g, random, false);
        port_memory outputs = memory_of_outputs(g);
        compile(g, backend::cpu{}, weights).run(inputs.inputs(), outputs.outputs());
        const std::string stem = std::string(name) + ".";
        for (const stored_tensor& t : weights) {
            write(stem + t.name + ".raw", to_half(t));
        }
        for (int i = 0, port = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                write(stem + std::string(g.name(i)) + ".raw", inputs.halves(static_cast<std::size_t>(port++)));
            }
        }
        for (std::size_t i = 0; i < g.outputs.size(); ++i) {
            write(stem + "output." + std::string(g.name(g.outputs[i])) + ".raw", outputs.halves(i));
        }
    }
    // The digits network on the images that the script has decoded.
    std::ifstream in(directory / "digits.images.raw", std::ios::binary);
    const std::string pixels(std::istreambuf_iterator<char>(in), {});
    REQUIRE(pixels.size() % (784 * sizeof(half)) == 0);
    REQUIRE_FALSE(pixels.empty());
    const weight_store trained =
        load_safetensors(std::string(ANEMONE_SOURCE_DIR) + "/examples/digits/digits.safetensors");
    auto program = compile<digits>(backend::cpu{}, trained);
    std::vector<half> probabilities;
    for (std::size_t at = 0; at < pixels.size(); at += 784 * sizeof(half)) {
        ndarray<shape<1, 1, 28, 28>> image;
        std::memcpy(image.data(), pixels.data() + at, 784 * sizeof(half));
        const auto r = program({"image"_s = image});
        probabilities.insert(probabilities.end(), r["probabilities"_s].begin(), r["probabilities"_s].end());
    }
    write("digits.probabilities.raw", probabilities);
}

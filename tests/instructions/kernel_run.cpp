// Runs one kernel of the CPU once between two calls that a counter of instructions can see (instructions.py).
//   kernel_run <instruction set> <kernel>;  kernel_run --list

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/base/error.hpp>
#include <anemone/dynamic_builder.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ane;

dynamic_graph product(std::int64_t rows, std::int64_t depth, std::int64_t columns) {
    dynamic_builder g;
    const auto x = g.input("x", {rows, depth});
    g.output("y", g.add(op::linear, {x, g.weight("w", {columns, depth}), g.weight("b", {columns})}));
    return g.finish();
}

dynamic_graph convolution(std::int64_t in, std::int64_t out, std::int64_t size, int kernel, int stride,
                          int groups = 1) {
    dynamic_builder g;
    const auto x = g.input("x", {1, in, size, size});
    const auto w = g.weight("w", {out, in / groups, kernel, kernel});
    g.output("y", g.add(op::conv2d, {x, w, g.weight("b", {out})},
                        conv{.stride = stride, .padding = kernel / 2, .groups = groups}));
    return g.finish();
}

template <class Make> dynamic_graph rows(const Make& make) {
    dynamic_builder g;
    g.output("y", make(g, g.input("x", {64, 768})));
    return g.finish();
}

dynamic_graph attention() {
    dynamic_builder g;
    const auto of = [&](const char* name) { return g.input(name, {1, 2, 96, 64}); };
    g.output("y", g.add(op::attention, {of("q"), of("k"), of("v")}, score_scaling{}));
    return g.finish();
}

const std::map<std::string, std::function<dynamic_graph()>, std::less<>>& kernels() {
    static const std::map<std::string, std::function<dynamic_graph()>, std::less<>> all{
        {"gemm", [] { return product(96, 256, 192); }},
        {"gemv", [] { return product(1, 512, 512); }},
        {"conv_1x1", [] { return convolution(64, 64, 28, 1, 1); }},
        {"conv_3x3", [] { return convolution(32, 32, 28, 3, 1); }},
        {"conv_3x3_stride_2", [] { return convolution(32, 32, 28, 3, 2); }},
        {"winograd", [] { return convolution(32, 32, 28, 3, 1); }},
        {"depthwise", [] { return convolution(64, 64, 28, 3, 1, 64); }},
        {"attention", attention},
        {"softmax", [] { return rows([](auto& g, auto x) { return g.add(op::softmax, {x}, axis{-1}); }); }},
        {"layer_norm",
         [] {
             return rows([](auto& g, auto x) {
                 return g.add(op::layer_norm, {x, g.weight("g", {768}), g.weight("h", {768})},
                              stabilizer{.epsilon = 1e-5F});
             });
         }},
        {"gelu", [] { return rows([](auto& g, auto x) { return g.add(op::gelu, {x}); }); }},
        {"tanh", [] { return rows([](auto& g, auto x) { return g.add(op::tanh, {x}); }); }},
    };
    return all;
}

std::vector<half> values(std::int64_t count) {
    std::vector<half> list;
    for (std::int64_t i = 0; i < count; ++i) {
        list.emplace_back(static_cast<double>(i * 37 % 101 - 50) / 64);
    }
    return list;
}

} // namespace

/// Counters are switched on while this runs.
extern "C" [[gnu::noinline]] void counted_run(ane::backend::cpu_program& program, ane::input_buffers inputs,
                                              ane::output_buffers outputs) {
    program.run(inputs, outputs);
    asm volatile("" ::: "memory"); // no tail call
}

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--list") {
        for (const auto& [name, make] : kernels()) {
            std::puts(name.c_str());
        }
        return 0;
    }
    const auto found = argc == 3 ? kernels().find(std::string_view(argv[2])) : kernels().end();
    if (found == kernels().end()) {
        std::fputs("usage: kernel_run <instruction set> <kernel>, or --list\n", stderr);
        return 2;
    }
    try {
        backend::cpu place = backend::cpu{}.threads(1);
        for (const isa_level level : {isa_level::generic, isa_level::avx2, isa_level::avx512, isa_level::neon}) {
            if (name(level) == std::string_view(argv[1])) {
                place = place.level(level);
            }
        }
        if (found->first == "winograd") {
            place = place.winograd(winograd_tiles::of_four);
        }
        const dynamic_graph graph = found->second();
        const graph_view g = graph;
        weight_store weights;
        std::vector<std::vector<half>> given;
        std::vector<std::span<const std::byte>> inputs;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::weight) {
                weights.add(std::string(g.name(i)), g[i].shape, std::span<const half>(values(g[i].shape.count())));
            } else if (g[i].kind == op::input) {
                given.push_back(values(g[i].shape.count()));
            }
        }
        for (const auto& list : given) {
            inputs.push_back(std::as_bytes(std::span(list)));
        }
        std::vector<half> y(static_cast<std::size_t>(g[g.outputs[0].node].shape.count()));
        const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(y))};
        backend::cpu_program program = place.compile(graph, weights);
        program.run(inputs, outputs); // what only a first run does
        counted_run(program, inputs, outputs);
    } catch (const error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}

#include "decoder.hpp"
#include "guide_figures.hpp"
#include "guide_models.hpp"
#include <anemone/cost/device_flow.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

using namespace ane;

namespace guide_figures {

namespace {

/// Decode of chapter 14, TinyLlama's sizes: queries, keys, gate, up and the head on the engine, two programs a layer and one
/// for the head, 45 in all; values, output projection and down projection in fp32 on the CPU.
struct hybrid {
    static constexpr std::int64_t layers = 22, width = 2048, keys = 256, inner = 5632, vocabulary = 32000;

    double seconds = 0, joules = 0; ///< of the engine, all programs
    double cpu_seconds = 0;

    hybrid(std::int64_t rows, const compression* form) {
        const auto run = [&](std::initializer_list<std::int64_t> outs, std::int64_t times) {
            dynamic_builder g;
            const auto x = g.input("x", {rows, width});
            int count = 0;
            for (const std::int64_t out : outs) {
                auto w = g.weight("w" + std::to_string(count), {out, width});
                w = form != nullptr ? g.add(op::compressed, {w}, *form) : w;
                g.output("y" + std::to_string(count++), g.add(op::linear, {x, w}));
            }
            const cost c = guide_models::cost_of(g.finish(), h17s);
            seconds += static_cast<double>(times) * *c.seconds;
            joules += static_cast<double>(times) * c.joules;
        };
        run({width, keys}, layers);
        run({inner, inner}, layers);
        run({vocabulary}, 1);
        const device_rates cpu = device_rates_of(h17s, compute_device::cpu);
        for (const std::int64_t weights : {width * keys, width * width, width * inner}) {
            const double bytes = 4.0 * static_cast<double>(weights);
            const double flops = 2.0 * static_cast<double>(rows * weights);
            cpu_seconds +=
                static_cast<double>(layers) * (cpu.layer + std::max(bytes / cpu.bandwidth, flops / cpu.product));
        }
    }
    double total() const { return seconds + cpu_seconds; }
};

} // namespace

std::vector<figure> decode() {
    std::vector<figure> f;
    constexpr compression int8{.form = weight_form::affine, .bits = 8};
    const hybrid one(1, nullptr), quantized(1, &int8), four(4, nullptr), sixteen(16, nullptr);
    f.push_back({"14", "M5", "TinyLlama, a token, hybrid placement", "tokens/s", 35, 1 / one.total()});
    f.push_back(
        {"14", "M5", "the same with int8 weights, rate by fp16's", "times", 0.99, one.total() / quantized.total()});
    const double gain = 4 * one.total() / four.total();
    f.push_back({"14", "M5", "a prompt in chunks of 4 by token for token (2.3 to 5.9)", "times",
                 std::clamp(gain, 2.3, 5.9), gain});
    const device_rates gpu = one_graph(device_rates_of(h17s, compute_device::gpu));
    const decoders::sizes tiny{hybrid::layers, hybrid::width, 32, 4, 64, hybrid::inner, hybrid::vocabulary};
    const device_total on_gpu =
        placed_models::placed_on(decoders::decoder(tiny, 16, 256), h17s, {.gpu = &gpu}).on(compute_device::gpu);
    f.push_back(
        {"14", "M5", "decode at batch 16, GPU by engine: speed", "times", 2.7, sixteen.total() / on_gpu.seconds});
    f.push_back({"14", "M5", "decode at batch 16, GPU by engine: energy, without the CPU's", "times", 4.6,
                 sixteen.joules / on_gpu.joules});
    return f;
}

} // namespace guide_figures

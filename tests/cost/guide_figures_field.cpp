#include "decoder.hpp"
#include "guide_figures.hpp"
#include "guide_models.hpp"

#include <fmt/format.h>

#include <cstdint>

using namespace ane;
using guide_models::seconds;
using placed_models::products;

namespace guide_figures {

namespace {

dynamic_graph decoder(std::int64_t positions, std::int64_t capacity) {
    return decoders::decoder(decoders::qwen3_4b, positions, capacity);
}

void decoding(std::vector<figure>& f) {
    struct context {
        std::int64_t length;
        double decode, prompt;         ///< positions/s
        double gpu_decode, gpu_prompt; ///< the same
        double joules;                 ///< a token, of the package
    };
    for (const context& c :
         {context{500, 15.03, 938.5, 29.9, 2760, 0.452}, context{2048, 13.70, 764.0, 29.8, 3343, 0.490},
          context{8192, 7.47, 315.6, 26.8, 2799, 0.702}}) {
        const cost one = guide_models::cost_of(decoder(8, c.length + 256), h17s);
        const double chunk = seconds(decoder(64, c.length + 256), h17s);
        f.push_back({"field-2026", "M5 Pro", fmt::format("Qwen3-4B, a token, context of {}", c.length), "tokens/s",
                     c.decode, 1 / *one.seconds});
        f.push_back({"field-2026", "M5 Pro", fmt::format("Qwen3-4B, the prompt, context of {}", c.length),
                     "positions/s", c.prompt, 64 / chunk});
        f.push_back({"field-2026", "M5 Pro", fmt::format("Qwen3-4B, a token, context of {}, the package", c.length),
                     "J", c.joules, one.joules});
        const device_rates gpu = one_graph(device_rates_of(h17s, compute_device::gpu));
        const auto on_gpu = [&](std::int64_t positions, std::int64_t length) {
            return placed_models::placed_on(decoder(positions, length), h17s, {.gpu = &gpu})
                .on(compute_device::gpu)
                .seconds;
        };
        f.push_back({"field-2026", "M5 Pro", fmt::format("Qwen3-4B, a token, context of {}: GPU by engine", c.length),
                     "times", c.gpu_decode / c.decode, *one.seconds / on_gpu(1, c.length)});
        f.push_back({"field-2026", "M5 Pro",
                     fmt::format("Qwen3-4B, the prompt, context of {}: GPU by engine", c.length), "times",
                     c.gpu_prompt / c.prompt, chunk / 64 / (on_gpu(512, c.length / 2) / 512)}); // half of it on average
    }
    const cost one = guide_models::cost_of(decoder(8, 756), h17s);
    f.push_back(
        {"issue 33", "M5 Pro", "Qwen3-4B, a token, context of 500, engine alone", "J", 0.13, one.engine_joules});
    f.push_back({"field-2026", "M5 Pro", "Qwen3-4B, a token, capacity of 32K", "tokens/s", 3.11,
                 1 / seconds(decoder(8, 32768), h17s)});
}

void layers(std::vector<figure>& f) {
    struct chain {
        int layers;
        double ms;
    };
    for (const chain& c :
         {chain{1, 0.3457}, chain{2, 0.4474}, chain{8, 0.8345}, chain{32, 2.2547}, chain{128, 7.7991}}) {
        f.push_back(
            {"field-2026", "M5 Pro",
             fmt::format("{} 1x1 convolutions of 512 channels over 4096 positions, 73.6 % zeros, shared ports",
                         c.layers),
             "ms", c.ms,
             guide_models::shared_seconds(guide_models::convolutions(c.layers, 512, 1, 4096, 1, 0.736), h17s) * 1e3});
    }
    const auto chained = [](double zeros) {
        return seconds(guide_models::convolutions(128, 512, 1, 4096, 1, zeros), h17s);
    };
    f.push_back(
        {"field-2026", "M5 Pro", "128 of them, dense by 73.6 % zeros", "times", 1.88, chained(0) / chained(0.736)});
    f.push_back(
        {"field-2026", "M3 Max", "one row by 2560 x 2560", "ms", 0.32, seconds(products(1, 2560, 2560), h15g) * 1e3});
}

} // namespace

std::vector<figure> field() {
    std::vector<figure> f;
    decoding(f);
    layers(f);
    return f;
}

} // namespace guide_figures

#include "guide_figures.hpp"
#include "guide_models.hpp"
#include <anemone/cost/device_serving.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

using namespace ane;
using placed_models::attention_blocks;
using placed_models::channels_first;
using placed_models::lead;
using placed_models::placed_on;
using placed_models::products;

namespace guide_figures {

namespace {

double energy_lead(const device_plan& p) {
    return p.on(compute_device::gpu).joules / p.on(compute_device::engine).joules;
}

void leads_of_classes(std::vector<figure>& f) {
    const dynamic_graph chain = guide_models::stack(16, 1, 256, 32);
    const dynamic_graph resnet = guide_models::resnet_18();
    const dynamic_graph encoder = attention_blocks(1, 128, 768, 12, true);
    const dynamic_graph twelve = attention_blocks(1, 128, 768, 12, true, 12);
    const dynamic_graph vit = attention_blocks(1, 197, 768, 12, true, 12);
    const dynamic_graph length_512 = attention_blocks(1, 512, 768, 12, false);
    const dynamic_graph large = products(256, 4096, 4096);
    struct row {
        const char* chapter;
        const char* chip;
        const char* what;
        const dynamic_graph& model;
        target on;
        double time, energy; ///< 0: not published
    };
    const dynamic_graph first = channels_first(encoder, h17s);
    const dynamic_graph cubed = products(4096, 4096, 4096);
    const row rows[] = {
        {"11", "M5", "16 convolutions of 256 channels", chain, h17s, 4.2, 13},
        {"11", "M1", "16 convolutions of 256 channels", chain, h13, 2.06, 14.5},
        {"10", "M2", "16 convolutions of 256 channels", chain, h14, 0, 12.9},
        {"11", "M5", "ResNet-18", resnet, h17s, 6.1, 11},
        {"10", "M2", "ResNet-18", resnet, h14, 0, 8.5},
        {"11", "M5", "12 encoder layers over 128", twelve, h17s, 1.5, 18},
        {"10", "M2", "ViT-B/16", vit, h14, 0, 10.5},
        {"11", "M5", "an encoder block over 128, channels first", first, h17s, 4.4, 0},
        {"11", "M5", "256 x 4096 x 4096", large, h17s, 1 / 2.8, 0},
        {"11", "M5", "4096 x 4096 x 4096", cubed, h17s, 1 / 3.0, 0},
        {"11", "M1", "256 x 4096 x 4096", large, h13, 3588.0 / 7286, 4.0},
        {"11", "M5", "an attention block over 512", length_512, h17s, 1 / 2.1, 1.8},
        {"11", "M1", "an attention block over 512", length_512, h13, 1775.0 / 3768, 2.5},
    };
    for (const row& r : rows) {
        const device_plan p = placed_on(r.model, r.on);
        if (r.time > 0) {
            f.push_back({r.chapter, r.chip, fmt::format("{}: time on the GPU by the engine's", r.what), "times", r.time,
                         lead(p)});
        }
        if (r.energy > 0) {
            f.push_back({r.chapter, r.chip, fmt::format("{}: energy of the GPU by the engine's", r.what), "times",
                         r.energy, energy_lead(p)});
        }
    }
}

/// One program on the engine; the GPU runs step by step, which is what the lead rests on (chapter 11).
void stencils(std::vector<figure>& f) {
    struct row {
        const char* chapter;
        const char* chip;
        target on;
        double time, energy;
    };
    for (const row& r : {row{"11", "M5", h17s, 10, 49}, row{"10", "M2", h14, 0, 47.8}}) {
        const device_plan whole = placed_on(guide_models::stencil(256, 32), r.on);
        const device_total engine = whole.on(compute_device::engine);
        const device_total step = placed_on(guide_models::stencil(256, 1), r.on).on(compute_device::gpu);
        if (r.time > 0) {
            f.push_back({r.chapter, r.chip, "five-point stencil, 32 steps: time on the GPU by the engine's", "times",
                         r.time, 32 * step.seconds / engine.seconds});
        }
        f.push_back({r.chapter, r.chip, "five-point stencil, 32 steps: energy of the GPU by the engine's", "times",
                     r.energy, 32 * step.joules / engine.joules});
    }
}

void served(std::vector<figure>& f) {
    struct batch {
        std::int64_t size;
        double engine, gpu, lead, millijoules;
    };
    for (const batch& b : {batch{1, 11759, 2067, 5.7, 0.651}, batch{256, 66969, 17338, 3.6, 0.207}}) {
        const device_plan p = placed_on(placed_models::convolutions(8, b.size, 64, 28), h17s);
        const auto size = static_cast<double>(b.size);
        f.push_back({"ot_004", "M5", fmt::format("vision, a batch of {}, engine", b.size), "items/s", b.engine,
                     size / p.on(compute_device::engine).seconds});
        f.push_back({"ot_004", "M5", fmt::format("vision, a batch of {}, GPU", b.size), "items/s", b.gpu,
                     size / p.on(compute_device::gpu).seconds});
        f.push_back({"11", "M5", fmt::format("vision, a batch of {}: lead", b.size), "times", b.lead, lead(p)});
        f.push_back({"11", "M5", fmt::format("vision, a batch of {}: energy (6 to 10)", b.size), "times",
                     std::clamp(energy_lead(p), 6.0, 10.0), energy_lead(p)});
        f.push_back({"ot_004", "M5", fmt::format("vision, a batch of {}, engine", b.size), "mJ/item", b.millijoules,
                     p.on(compute_device::engine).joules * 1e3 / size});
    }
    const auto from = [](auto model) {
        return static_cast<double>(crossover(model, h17s, {.first = 1, .last = 64, .step = 1}).time);
    };
    f.push_back({"11", "M5", "an encoder block over 128, channels first: the batch that the GPU leads from", "items",
                 23,
                 from([](std::int64_t b) { return channels_first(attention_blocks(b, 128, 768, 12, true), h17s); })});
    f.push_back({"11", "M5", "an attention block over 197, channels first: the same", "items", 6,
                 from([](std::int64_t b) { return channels_first(attention_blocks(b, 197, 768, 12, false), h17s); })});
    const device_plan tiny = placed_on(products(64, 256, 256), h13);
    f.push_back({"11", "M1", "64 x 256 x 256 on the CPU", "us", 26, tiny.on(compute_device::cpu).seconds * 1e6});
}

} // namespace

std::vector<figure> leads() {
    std::vector<figure> f;
    leads_of_classes(f);
    stencils(f);
    served(f);
    return f;
}

} // namespace guide_figures

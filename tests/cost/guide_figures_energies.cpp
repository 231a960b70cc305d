#include "guide_figures.hpp"
#include "guide_models.hpp"

#include <fmt/format.h>

using namespace ane;
using guide_models::cost_of;
using placed_models::products;

namespace guide_figures {

namespace {

double efficiency(const dynamic_graph& model, target t) { // GFLOP/s/W
    const cost c = cost_of(model, t);
    return static_cast<double>(c.flops()) / c.joules * 1e-9;
}
double gpu_efficiency(const dynamic_graph& model, target t) {
    return static_cast<double>(cost_of(model, t).flops()) /
           placed_models::placed_on(model, t).on(compute_device::gpu).joules * 1e-9;
}

struct row {
    std::string what;
    dynamic_graph model;
    double engine, gpu; ///< GFLOP/s/W
    target on = h13;
};

void efficiencies(std::vector<figure>& f) {
    const dynamic_graph chain = guide_models::stack(16, 1, 256, 32);
    const dynamic_graph large = products(256, 4096, 4096);
    const dynamic_graph middle = products(128, 1024, 1024);
    const dynamic_graph floor = products(64, 256, 256);
    const dynamic_graph single = placed_models::convolutions(1, 1, 64, 32);
    const auto block = [](std::int64_t length) { return placed_models::attention_blocks(1, length, 768, 12, false); };
    const row rows[] = {
        {"64 x 256 x 256", floor, 17, 27},
        {"128 x 1024 x 1024", middle, 470, 207},
        {"256 x 4096 x 4096", large, 775, 192},
        {"a convolution, 3x3, 64 channels, 32 x 32", single, 23, 18},
        {"16 convolutions of 256 channels, 32 x 32", chain, 2063, 142},
        {"an attention block over 197", block(197), 370, 187},
        {"an attention block over 512", block(512), 544, 217},
        {"64 x 256 x 256", floor, 11.4, 16.6, h14},
        {"128 x 1024 x 1024", middle, 298.2, 129.9, h14},
        {"256 x 4096 x 4096", large, 773.3, 213.7, h14},
        {"a convolution, 3x3, 64 channels, 32 x 32", single, 25.1, 31.4, h14},
        {"16 convolutions of 256 channels, 32 x 32", chain, 2234.6, 172.8, h14},
        {"an attention block over 197", block(197), 480.8, 120.2, h14},
        {"an attention block over 512", block(512), 567.4, 150.1, h14},
        {"16 convolutions of 256 channels, 32 x 32", chain, 2289, 175, h17s},
    };
    for (const row& r : rows) {
        const char* const chip = r.on == h13 ? "M1" : r.on == h14 ? "M2" : "M5";
        f.push_back(
            {r.on == h13 ? "11" : "10", chip, r.what + ", engine", "GFLOP/s/W", r.engine, efficiency(r.model, r.on)});
        f.push_back(
            {r.on == h13 ? "11" : "10", chip, r.what + ", GPU", "GFLOP/s/W", r.gpu, gpu_efficiency(r.model, r.on)});
    }
    f.push_back({"10", "M2", "five-point stencil, 256 x 256, 32 steps, engine", "GFLOP/s/W", 37.6,
                 efficiency(guide_models::stencil(256, 32), h14)});
    f.push_back({"10", "M2", "five-point stencil, 256 x 256, step by step, GPU", "GFLOP/s/W", 0.8,
                 gpu_efficiency(guide_models::stencil(256, 1), h14)});
    f.push_back({"10", "M1", "a convolution, 3x3, 256 channels, 28 x 28, sustained", "GFLOP/s/W", 643,
                 efficiency(placed_models::convolutions(1, 1, 256, 28), h13)});
    const auto alone = [](const dynamic_graph& model) { // pJ/FLOP
        const cost c = cost_of(model, h13g);
        return 1e12 * c.engine_joules / static_cast<double>(c.flops());
    };
    f.push_back(
        {"10", "M1 Max", "1024 x 4096 x 4096, engine alone", "pJ/FLOP", 0.37, alone(products(1024, 4096, 4096))});
    f.push_back({"10", "M1 Max", "64 x 256 x 256, engine alone", "pJ/FLOP", 22, alone(floor)});
}

void forms(std::vector<figure>& f) {
    struct form {
        const char* name;
        dynamic_graph model;
        double millijoules, watts;
    };
    const form all[] = {
        {"fp16", products(1, 4096, 4096), 1.50, 2.18},
        {"int8", guide_models::stored_product(1, 4096, 4096, {.form = weight_form::affine, .bits = 8}), 0.89, 2.06},
        {"int4", guide_models::stored_product(1, 4096, 4096, {.form = weight_form::palette, .bits = 4}), 0.62, 2.29},
        {"sparse",
         guide_models::stored_product(1, 4096, 4096, {.form = weight_form::sparse, .bits = 16, .zeros = 0.68F}), 0.86,
         2.59},
    };
    for (const form& one : all) {
        const cost c = cost_of(one.model, h14);
        f.push_back({"10", "M2", fmt::format("one row by 4096 x 4096, {}, engine alone", one.name), "mJ",
                     one.millijoules, c.engine_joules * 1e3});
        f.push_back({"10", "M2", fmt::format("the same, {}, engine alone", one.name), "W", one.watts,
                     c.engine_joules / *c.seconds});
    }
}

void models(std::vector<figure>& f) {
    const dynamic_graph vit = placed_models::attention_blocks(1, 197, 768, 12, true, 12);
    const dynamic_graph resnet = guide_models::resnet_18();
    f.push_back({"10", "M2", "ViT-B/16, engine alone", "mJ", 67.9, cost_of(vit, h14).engine_joules * 1e3});
    f.push_back({"10", "M2", "ViT-B/16, GPU", "mJ", 714.3,
                 placed_models::placed_on(vit, h14).on(compute_device::gpu).joules * 1e3});
    f.push_back({"10", "M2", "ResNet-18, engine alone", "mJ", 2.6, cost_of(resnet, h14).engine_joules * 1e3});
    f.push_back({"10", "M2", "ResNet-18, GPU", "mJ", 22.3,
                 placed_models::placed_on(resnet, h14).on(compute_device::gpu).joules * 1e3});
    const auto power = [](const dynamic_graph& g, target t) {
        const cost c = cost_of(g, t);
        return c.engine_joules / *c.seconds;
    };
    f.push_back({"10", "M1", "8 products of 1024, sustained", "W", 5.5, power(products(1024, 1024, 1024, 8), h13)});
    const cost gemm = cost_of(products(256, 4096, 4096), h13);
    f.push_back({"10", "M1", "256 x 4096 x 4096, the package", "W", 4.4, gemm.joules / *gemm.seconds});
    f.push_back(
        {"10", "M1", "a tiny model, call by call", "W", 0.755, power(placed_models::convolutions(1, 1, 8, 32), h13)});
    f.push_back(
        {"10", "M1", "a batch of 512 of a tiny model", "W", 1.48, power(guide_models::stack(1, 512, 8, 16), h13)});
    f.push_back(
        {"10", "M2", "16 convolutions of 256 channels", "W", 3.8, power(guide_models::stack(16, 1, 256, 32), h14)});
    f.push_back({"10", "M2", "256 x 4096 x 4096", "W", 5.9, power(products(256, 4096, 4096), h14)});
    f.push_back({"10", "M1 Max", "a product at the floor", "W", 0.9, power(products(64, 256, 256), h13g)});
    f.push_back({"10", "M1 Max", "1024 x 4096 x 4096", "W", 4.3, power(products(1024, 4096, 4096), h13g)});
    f.push_back({"10", "M1 Max", "one row by 8192 x 8192", "W", 1.4, power(products(1, 8192, 8192), h13g)});
}

} // namespace

std::vector<figure> energies() {
    std::vector<figure> f;
    efficiencies(f);
    forms(f);
    models(f);
    return f;
}

} // namespace guide_figures

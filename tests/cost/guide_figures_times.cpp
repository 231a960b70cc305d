#include "guide_figures.hpp"
#include "guide_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

using namespace ane;
using guide_models::cost_of;
using guide_models::seconds;
using placed_models::products;

namespace guide_figures {

namespace {

constexpr double us = 1e6, ms = 1e3, giga = 1e-9, tera = 1e-12;

double rate(const dynamic_graph& model, target t) {
    const cost c = cost_of(model, t);
    return static_cast<double>(c.flops()) / *c.seconds;
}
/// FLOP/s that more layers add: between `few` and `many` of them.
template <class Model> double slope(Model model, int few, int many, target t) {
    const cost a = cost_of(model(few), t);
    const cost b = cost_of(model(many), t);
    return static_cast<double>(b.flops() - a.flops()) / (*b.seconds - *a.seconds);
}
double value_bytes(const extents& shape) { return 2.0 * 2 * static_cast<double>(shape.count()); }

void roofline_of_m1(std::vector<figure>& f) {
    // 426 MB a dispatch and 60 FLOP/byte over 96 layers are 128 wide.
    const auto chain = [](std::int64_t rows) { return [rows](int n) { return products(rows, 128, 128, n); }; };
    f.push_back({"9", "M1", "products 128 wide in one program, 1 MB a value, slope", "TFLOP/s", 12,
                 slope(chain(4096), 32, 96, h13) * tera});
    f.push_back({"9", "M1", "the same at 2 MB a value", "TFLOP/s", 4.8, slope(chain(8192), 32, 96, h13) * tera});
    const cost large = cost_of(products(8192, 128, 128, 96), h13);
    double crossed = 0;
    for (const layer_cost& layer : large.layers) {
        crossed += static_cast<double>(layer.large_bytes);
    }
    f.push_back({"ws_008", "M1", "96 such layers, bytes of values that cross the memory", "MB", 426, crossed * 1e-6});
    f.push_back({"9", "M1", "4096 x 4096 x 4096", "TFLOP/s", 4.8, rate(products(4096, 4096, 4096), h13) * tera});
    f.push_back({"9", "M1", "a convolution, 3x3, 256 channels, 28 x 28", "TFLOP/s", 1.8,
                 rate(placed_models::convolutions(1, 1, 256, 28), h13) * tera});
    f.push_back({"9", "M1", "weights of a product with one row, 8192 x 8192", "GB/s", 51,
                 2 * 8192.0 * 8192 / seconds(products(1, 8192, 8192), h13) * giga});
    const extents wide{1, 1024, 64, 64};
    f.push_back(
        {"9", "M1", "a relu of 8 MB, in and out, shared", "GB/s", 10,
         value_bytes(wide) / guide_models::shared_seconds(guide_models::elementwise(op::relu, wide), h13) * giga});
    f.push_back({"9", "M1", "a relu of 64 values", "ms", 0.23,
                 seconds(guide_models::elementwise(op::relu, {1, 64}), h13) * ms});
    f.push_back({"9", "M1", "a linear layer of 64", "ms", 0.23, seconds(products(1, 64, 64), h13) * ms});
    f.push_back({"9", "M1", "a tiny model, the shortest", "ms", 0.19,
                 cost_of(placed_models::convolutions(1, 1, 8, 32), h13).least.typical * ms});
    const double one = seconds(products(512, 1024, 1024, 32), h13), two = seconds(products(512, 1024, 1024, 64), h13);
    f.push_back({"9", "M1", "what a dispatch takes with values of 1 MB in and out", "ms", 0.76, (2 * one - two) * ms});
    const double single = seconds(guide_models::stack(1, 1, 8, 16), h13);
    f.push_back({"fus_001", "M1", "a stack of small convolutions, one layer", "us", 222, single * us});
    f.push_back({"fus_001", "M1", "the same, each of 32", "us", 6.3,
                 seconds(guide_models::stack(32, 1, 8, 16), h13) * us / 32});
    f.push_back({"fus_002", "M1", "a sample of 512 of a tiny model", "us", 1.5,
                 seconds(guide_models::stack(1, 512, 8, 16), h13) * us / 512});
}

void roofline_of_m5(std::vector<figure>& f) {
    f.push_back({"9", "M5", "2048 x 2048 x 2048", "TFLOP/s", 10.191, rate(products(2048, 2048, 2048), h17s) * tera});
    const auto conv = [](int n) { return guide_models::convolutions(n, 256, 128, 128, 3); };
    f.push_back({"9", "M5", "a convolution of 1076 FLOP/byte: 3x3, 256 channels, 128 x 128", "TFLOP/s", 18.771,
                 rate(conv(1), h17s) * tera});
    f.push_back(
        {"9", "M5", "three of them in one program, 2854 FLOP/byte", "TFLOP/s", 20.718, rate(conv(3), h17s) * tera});
    const extents wide{1, 1024, 64, 64};
    const double roof = value_bytes(wide) / seconds(guide_models::elementwise(op::relu, wide), h17s);
    f.push_back({"9", "M5", "a relu of 8 MB, in and out", "GB/s", 24.1, roof * giga});
    const auto share = [&](op kind, const extents& shape) {
        return 100 * value_bytes(shape) / seconds(guide_models::elementwise(kind, shape), h17s) / 24.1e9;
    };
    f.push_back({"9", "M5", "layer norm of 197 x 768, of the relu's rate", "%", 18, share(op::layer_norm, {197, 768})});
    f.push_back({"9", "M5", "softmax of 1024 x 1024, of the relu's rate", "%", 63, share(op::softmax, {1024, 1024})});
    f.push_back({"9", "M5", "one row by 4096 x 4096", "GFLOP/s", 112, rate(products(1, 4096, 4096), h17s) * giga});
    const auto product = [](int n) { return products(1024, 1024, 1024, n); };
    f.push_back(
        {"12", "M5", "products of 1024 in one program, slope", "TFLOP/s", 19.6, slope(product, 32, 64, h17s) * tera});
    f.push_back({"12", "M5", "convolutions of 3x3, 64 channels, 32 x 32 in one program, slope", "TFLOP/s", 14.3,
                 slope([](int n) { return guide_models::convolutions(n, 64, 32, 32, 3); }, 16, 48, h17s) * tera});
    f.push_back({"12", "M5", "4096 x 4096 x 4096", "TFLOP/s", 9.5, rate(products(4096, 4096, 4096), h17s) * tera});
    f.push_back({"12", "M5", "weights of products with one row, slope", "GB/s", 145,
                 slope([](int n) { return products(1, 4096, 4096, n); }, 4, 8, h17s) * giga});
}

void others(std::vector<figure>& f) {
    struct ramp {
        std::int64_t extent;
        double seconds;
    };
    for (const ramp& r :
         {ramp{16, 231e-6}, ramp{32, 248e-6}, ramp{64, 395e-6}, ramp{128, 1062e-6}, ramp{256, 3814e-6}}) {
        f.push_back({"11", "M1", fmt::format("a convolution, 3x3, 64 channels, {0} x {0}", r.extent), "us",
                     r.seconds * us, seconds(placed_models::convolutions(1, 1, 64, r.extent), h13) * us});
    }
    f.push_back({"11", "M1", "a convolution of 256 channels, the highest", "GFLOP/s", 2212,
                 rate(placed_models::convolutions(1, 1, 256, 32), h13) * giga});
    f.push_back({"11", "M1", "one row by 1024 x 1024", "GFLOP/s", 5.9, rate(products(1, 1024, 1024), h13) * giga});
    struct reference {
        std::int64_t channels, extent, kernel;
        double us;
    };
    for (const reference& r : {reference{256, 28, 3, 507}, reference{512, 32, 1, 444}, reference{1024, 16, 1, 686},
                               reference{2048, 8, 1, 1047}, reference{512, 14, 3, 832}}) {
        f.push_back(
            {"18", "M1", fmt::format("a convolution, {0}x{0}, {1} channels, {2} x {2}", r.kernel, r.channels, r.extent),
             "us", r.us, seconds(guide_models::convolutions(1, r.channels, r.extent, r.extent, r.kernel), h13) * us});
    }
    for (const std::int64_t tokens : {197, 512}) {
        dynamic_builder b;
        const extents shape{1, 12, tokens, 64};
        b.output("y", b.add(op::attention, {b.input("q", shape), b.input("k", shape), b.input("v", shape)},
                            score_scaling{}));
        const dynamic_graph g = b.finish();
        const double unit = estimate(g, h17s).least.typical, parts = cost_of(g, h17s).least.typical;
        f.push_back({"18", "M5", fmt::format("attention over {}, unit by parts (3.7 to 5.3)", tokens), "times",
                     std::clamp(unit / parts, 3.7, 5.3), unit / parts});
    }
    // The block with its projections is 1.049 and 3.22 GFLOP, and so takes 613 and 1,814 us.
    struct block {
        std::int64_t length;
        double rate;
    };
    for (const block& b : {block{197, 1711}, block{512, 1775}}) {
        const dynamic_graph model = placed_models::attention_blocks(1, b.length, 768, 12, false);
        f.push_back({"11", "M1", fmt::format("an attention block over {}, as frameworks write it", b.length), "GFLOP/s",
                     b.rate, rate(model, h13) * giga});
        f.push_back({"11", "M1", fmt::format("an attention block over {}, channels first", b.length), "GFLOP/s", b.rate,
                     rate(placed_models::channels_first(model, h13), h13) * giga});
    }
    // A batched product with its weight of 1.25 to 3.06 MB; 128 rows give the published rates.
    struct step {
        double megabytes, rate;
    };
    for (const step& s : {step{1.25, 700}, step{2.25, 850}, step{2.28, 992}, step{2.34, 1038}, step{2.5, 1120},
                          step{2.75, 1180}, step{3.0, 1226}, step{3.06, 1368}}) {
        const auto columns = static_cast<std::int64_t>(s.megabytes * 1e6 / 2 / 1024);
        f.push_back({"21", "M1", fmt::format("128 rows by a weight of {} MB", s.megabytes), "GFLOP/s", s.rate,
                     rate(products(128, 1024, columns), h13) * giga});
    }
}

void stored_forms(std::vector<figure>& f) {
    constexpr compression int8{.form = weight_form::affine, .bits = 8};
    constexpr compression int4{.form = weight_form::palette, .bits = 4};
    constexpr compression sparse{.form = weight_form::sparse, .bits = 16, .zeros = 0.63F};
    const auto gain = [](const compression& form, std::int64_t n, target t) {
        return seconds(products(1, n, n), t) / seconds(guide_models::stored_product(1, n, n, form), t);
    };
    f.push_back({"cmpg_001", "M1", "int4, one row by 4096 x 4096, of fp16", "times", 2.37, gain(int4, 4096, h13)});
    f.push_back({"cmpg_002", "M1", "sparse, 63 % zeros, the same", "times", 1.6, gain(sparse, 4096, h13)});
    f.push_back({"cmpg_004", "M1", "int8, the same", "times", 1, gain(int8, 4096, h13)});
    f.push_back({"cmpg_007", "M2", "int8, one row by 2048 x 2048", "times", 1 / 0.85, gain(int8, 2048, h14)});
    f.push_back({"cmpg_008", "M2", "int8, one row by 8192 x 8192", "times", 1 / 0.52, gain(int8, 8192, h14)});
    f.push_back({"cmpg_009", "M2", "int8, one row by 4096 x 4096", "times", 1 / 0.64, gain(int8, 4096, h14)});
    f.push_back({"cmpg_010", "M2", "sparse, 63 % zeros, the same", "times", 1 / 0.54, gain(sparse, 4096, h14)});
    f.push_back({"cmpg_012", "M5", "int8, one row by 4096 x 4096", "times", 1.7, gain(int8, 4096, h17s)});
    f.push_back({"cmpg_012", "M5", "int4, the same", "times", 1.7, gain(int4, 4096, h17s)});
    f.push_back({"cmpg_012", "M5", "sparse, 63 % zeros, the same", "times", 1.7, gain(sparse, 4096, h17s)});
}

} // namespace

std::vector<figure> times() {
    std::vector<figure> f;
    roofline_of_m1(f);
    roofline_of_m5(f);
    others(f);
    stored_forms(f);
    return f;
}

} // namespace guide_figures

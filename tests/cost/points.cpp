#include "points.hpp"

#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/lowering.hpp>

#include <cstdint>
#include <utility>

using namespace ane;

namespace cost_points {

namespace {

using size = std::int64_t;

dynamic_graph lowered(dynamic_builder& g) { return lower(g.finish()).graph; }

/// Products x [rows, width] with square or other weights, one after another.
dynamic_graph product(size rows, size terms, size columns, const compression* stored = nullptr, int layers = 1) {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {rows, terms});
    for (int i = 0; i < layers; ++i) {
        dynamic_tensor w = g.weight("w" + std::to_string(i), {columns, terms});
        if (stored != nullptr) {
            w = g.add(op::compressed, {w}, *stored);
        }
        x = g.add(op::linear, {x, w});
    }
    g.output("y", x);
    return lowered(g);
}

/// Convolutions of one number of channels, with `same` padding, and a relu between two of them.
dynamic_graph convolution(size channels, size extent, size kernel = 3, int stride = 1, int layers = 1) {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, channels, extent, extent});
    for (int i = 0; i < layers; ++i) {
        x = i > 0 ? g.add(op::relu, {x}) : x;
        const dynamic_tensor w = g.weight("w" + std::to_string(i), {channels, channels, kernel, kernel});
        x = g.add(op::conv2d, {x, w}, conv{.stride = stride, .padding = same});
    }
    g.output("y", x);
    return lowered(g);
}

dynamic_graph elementwise(op kind, const extents& shape) {
    dynamic_builder g;
    g.output("y", g.add(kind, {g.input("x", shape)}));
    return lowered(g);
}

dynamic_graph norm(op kind, const extents& shape) {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", shape);
    const auto vector = [&](const char* name) {
        return g.weight(name, {kind == op::group_norm ? shape[1] : shape.width()});
    };
    if (kind == op::l2_norm) {
        g.output("y", g.add(kind, {x}, stabilizer{}));
    } else if (kind == op::rms_norm) {
        g.output("y", g.add(kind, {x, vector("gamma")}, stabilizer{}));
    } else if (kind == op::group_norm) {
        g.output("y", g.add(kind, {x, vector("gamma"), vector("beta")}, grouping{.groups = 8}));
    } else {
        g.output("y", g.add(kind, {x, vector("gamma"), vector("beta")}, stabilizer{}));
    }
    return lowered(g);
}

dynamic_graph pooling(op kind, size channels, size extent) {
    dynamic_builder g;
    g.output("y", g.add(kind, {g.input("x", {1, channels, extent, extent})}, pool{.kernel = 2, .stride = 2}));
    return lowered(g);
}

dynamic_graph shuffle(size channels, size extent) {
    dynamic_builder g;
    g.output("y", g.add(op::pixel_shuffle, {g.input("x", {1, channels, extent, extent})}, factors{2}));
    return lowered(g);
}

/// The attention unit: it is not lowered to its parts.
dynamic_graph fused_attention(size heads, size sequence, size depth) {
    dynamic_builder g;
    const extents shape{1, heads, sequence, depth};
    g.output("y",
             g.add(op::attention, {g.input("q", shape), g.input("k", shape), g.input("v", shape)}, score_scaling{}));
    return g.finish();
}

dynamic_graph extreme(size rows, size width) {
    dynamic_builder g;
    g.output("y", g.add(op::arg_max, {g.input("x", {rows, width})}));
    return lowered(g);
}

dynamic_graph largest(size rows, size width, int k) {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {rows, width});
    g.output("y", g.add(op::top_k, {x}, selection{.k = k}));
    return lowered(g);
}

/// The time of a figure that is published as a rate.
double at_rate(double flops, double rate) { return flops / rate; }

constexpr compression int8{.form = weight_form::affine, .bits = 8};
constexpr compression int4{.form = weight_form::palette, .bits = 4};
constexpr compression sparse{.form = weight_form::sparse, .bits = 16, .zeros = 0.68F}; // "about 32 % dense"

} // namespace

std::vector<point> all() {
    std::vector<point> points;
    const auto add = [&](const char* id, target chip, quantity what, double seconds, const char* shape,
                         dynamic_graph graph) {
        points.push_back({id, chip, what, seconds, shape, std::move(graph), false});
    };
    constexpr auto least = quantity::least;
    constexpr auto clock = quantity::clock;
    constexpr double us = 1e-6;

    // M5 Pro: ANEForge's ane_cost_model.json, "min latency".
    add("mm_003", h17s, least, 75.6 * us, "[1, 256] x [256, 256]", product(1, 256, 256));
    add("mm_005", h17s, least, 85.0 * us, "[1, 1024] x [1024, 1024]", product(1, 1024, 1024));
    add("mm_008", h17s, least, 72.5 * us, "[16, 256] x [256, 256]", product(16, 256, 256));
    add("mm_010", h17s, least, 114.1 * us, "[128, 512] x [512, 2048]", product(128, 512, 2048));
    add("mm_013", h17s, least, 386.9 * us, "[1024, 1024] x [1024, 1024]", product(1024, 1024, 1024));
    add("cv_001", h17s, least, 76.3 * us, "conv 3x3 16, 32x32", convolution(16, 32));
    add("cv_004", h17s, least, 101.0 * us, "conv 3x3 128, 32x32", convolution(128, 32));
    add("cv_005", h17s, least, 153.0 * us, "conv 3x3 256, 32x32", convolution(256, 32));
    add("cv_006", h17s, least, 333.8 * us, "conv 3x3 512, 32x32", convolution(512, 32));
    add("cv_008", h17s, least, 84.6 * us, "conv 3x3 64, 16x16", convolution(64, 16));
    add("cv_010", h17s, least, 115.4 * us, "conv 3x3 64, 64x64", convolution(64, 64));
    add("cv_015", h17s, least, 91.3 * us, "conv 3x3 by 2 128, 32x32", convolution(128, 32, 3, 2));
    add("un_002", h17s, least, 120.9 * us, "relu [256, 1024]", elementwise(op::relu, {256, 1024}));
    add("un_003", h17s, least, 83.7 * us, "gelu [64, 256]", elementwise(op::gelu, {64, 256}));
    add("un_005", h17s, least, 77.2 * us, "sigmoid [64, 256]", elementwise(op::sigmoid, {64, 256}));
    add("un_009", h17s, least, 63.3 * us, "l2_norm [64, 256]", norm(op::l2_norm, {64, 256}));
    add("un_010", h17s, least, 132.6 * us, "l2_norm [256, 1024]", norm(op::l2_norm, {256, 1024}));
    add("un_012", h17s, least, 607.7 * us, "rms_norm [256, 1024]", norm(op::rms_norm, {256, 1024}));
    add("un_013", h17s, least, 73.4 * us, "layer_norm [64, 256]", norm(op::layer_norm, {64, 256}));
    add("un_015", h17s, least, 89.8 * us, "max_pool [1, 64, 32, 32]", pooling(op::max_pool, 64, 32));
    add("un_016", h17s, least, 119.3 * us, "max_pool [1, 256, 32, 32]", pooling(op::max_pool, 256, 32));
    add("un_018", h17s, least, 112.2 * us, "avg_pool [1, 256, 32, 32]", pooling(op::avg_pool, 256, 32));
    add("un_019", h17s, least, 91.5 * us, "group_norm [1, 64, 32, 32]", norm(op::group_norm, {1, 64, 32, 32}));
    add("un_020", h17s, least, 139.0 * us, "group_norm [1, 256, 32, 32]", norm(op::group_norm, {1, 256, 32, 32}));
    add("un_021", h17s, least, 117.9 * us, "pixel_shuffle [1, 64, 32, 32]", shuffle(64, 32));
    points.back().is_alone = true;
    add("br_001", h17s, least, 111.5 * us, "attention unit, 4 heads, 32 x 64", fused_attention(4, 32, 64));
    add("br_003", h17s, least, 252.0 * us, "attention unit, 8 heads, 128 x 64", fused_attention(8, 128, 64));
    add("br_004", h17s, least, 637.1 * us, "attention unit, 16 heads, 128 x 128", fused_attention(16, 128, 128));
    add("ot_001", h17s, least, 1374 * us, "attention unit, 12 heads, 512 x 64", fused_attention(12, 512, 64));
    add("br_006", h17s, least, 90.6 * us, "arg_max [1, 512]", extreme(1, 512));
    add("br_008", h17s, least, 90.0 * us, "arg_max [1, 2048]", extreme(1, 2048));
    add("br_009", h17s, least, 91.2 * us, "arg_max [8, 1024]", extreme(8, 1024));
    add("br_010", h17s, least, 87.5 * us, "top_k 5 of [1, 128]", largest(1, 128, 5));
    add("br_011", h17s, least, 75.6 * us, "top_k 5 of [1, 512]", largest(1, 512, 5));
    add("br_013", h17s, least, 101.1 * us, "top_k 5 of [1, 2048]", largest(1, 2048, 5));
    add("br_014", h17s, least, 607.0 * us, "top_k 5 of [8, 1024]", largest(8, 1024, 5));
    // M5 Pro: ANEForge's benchmarks.
    add("bm_015", h17s, least, 85.8 * us, "[128, 1024] x [1024, 1024]", product(128, 1024, 1024));
    add("bm_016", h17s, least, 1292.7 * us, "[256, 4096] x [4096, 4096]", product(256, 4096, 4096));
    add("bm_017", h17s, least, 102.8 * us, "conv 3x3 64, 32x32", convolution(64, 32));
    add("bm_018", h17s, least, 757.1 * us, "16 conv 3x3 256, 32x32", convolution(256, 32, 3, 1, 16));
    add("gn_003", h17s, least, at_rate(2 * 2048.0 * 2048 * 2048, 10191e9), "[2048, 2048] x [2048, 2048]",
        product(2048, 2048, 2048));
    add("gn_006", h17s, least, at_rate(2 * 8192.0 * 8192 * 8192, 4882e9), "[8192, 8192] x [8192, 8192]",
        product(8192, 8192, 8192));
    add("gv_001", h17s, least, at_rate(2 * 512.0 * 512, 6.1e9), "[1, 512] x [512, 512]", product(1, 512, 512));
    add("gv_002", h17s, least, at_rate(2 * 1024.0 * 1024, 28.9e9), "[1, 1024] x [1024, 1024]", product(1, 1024, 1024));
    add("gv_003", h17s, least, at_rate(2 * 2048.0 * 2048, 75.6e9), "[1, 2048] x [2048, 2048]", product(1, 2048, 2048));
    add("m5c_004", h17s, clock, 248 * us, "conv 1x1 1024, 16x16", convolution(1024, 16, 1));

    // M1: guide 18, 11, 9 and 10; ANEForge's benchmarks.
    add("m1_001", h13, clock, 507 * us, "conv 3x3 256, 28x28", convolution(256, 28));
    add("m1_002", h13, clock, 444 * us, "conv 1x1 512, 32x32", convolution(512, 32, 1));
    add("m1_003", h13, clock, 686 * us, "conv 1x1 1024, 16x16", convolution(1024, 16, 1));
    add("m1_004", h13, clock, 1047 * us, "conv 1x1 2048, 8x8", convolution(2048, 8, 1));
    add("m1_005", h13, clock, 832 * us, "conv 3x3 512, 14x14", convolution(512, 14));
    add("ramp_001", h13, clock, 231 * us, "conv 3x3 64, 16x16", convolution(64, 16));
    add("ramp_002", h13, clock, 248 * us, "conv 3x3 64, 32x32", convolution(64, 32));
    add("ramp_003", h13, clock, 395 * us, "conv 3x3 64, 64x64", convolution(64, 64));
    add("ramp_004", h13, clock, 1062 * us, "conv 3x3 64, 128x128", convolution(64, 128));
    add("ramp_005", h13, clock, 3814 * us, "conv 3x3 64, 256x256", convolution(64, 256));
    add("ramp_008", h13, clock, at_rate(2 * 1024.0 * 1024, 5.9e9), "[1, 1024] x [1024, 1024]", product(1, 1024, 1024));
    add("cls_001", h13, clock, at_rate(2 * 64.0 * 256 * 256, 51e9), "[64, 256] x [256, 256]", product(64, 256, 256));
    add("cls_002", h13, clock, at_rate(2 * 128.0 * 1024 * 1024, 662e9), "[128, 1024] x [1024, 1024]",
        product(128, 1024, 1024));
    add("cls_003", h13, clock, at_rate(2 * 256.0 * 4096 * 4096, 3588e9), "[256, 4096] x [4096, 4096]",
        product(256, 4096, 4096));
    add("cls_005", h13, clock, at_rate(16 * 2 * 9.0 * 256 * 256 * 1024, 9602e9), "16 conv 3x3 256, 32x32",
        convolution(256, 32, 3, 1, 16));
    add("bm_008", h13, clock, 321.4 * us, "layer_norm [197, 768]", norm(op::layer_norm, {197, 768}));
    add("bm_009", h13, clock, 1310.9 * us, "rms_norm [197, 768]", norm(op::rms_norm, {197, 768}));
    add("bud_006", h13, least, 190 * us, "conv 3x3 8, 32x32", convolution(8, 32));
    add("pow_003", h13, clock, 2109.6 * us, "8 products of 1024", product(1024, 1024, 1024, nullptr, 8));
    add("CC12", h13, clock, 800 * us, "[1, 4096] x [4096, 4096]", product(1, 4096, 4096));

    // M2: guide 7 and 10.
    add("cmp_001", h14, clock, 290 * us, "[1, 2048] x [2048, 2048]", product(1, 2048, 2048));
    add("cmp_001 int8", h14, clock, 253 * us, "the same, int8", product(1, 2048, 2048, &int8));
    add("cmp_002", h14, clock, 740 * us, "[1, 4096] x [4096, 4096]", product(1, 4096, 4096));
    add("cmp_002 int8", h14, clock, 447 * us, "the same, int8", product(1, 4096, 4096, &int8));
    add("cmp_003", h14, clock, 2610 * us, "[1, 8192] x [8192, 8192]", product(1, 8192, 8192));
    add("cmp_003 int8", h14, clock, 1351 * us, "the same, int8", product(1, 8192, 8192, &int8));
    add("m2p_009", h14, clock, 690 * us, "[1, 4096] x [4096, 4096]", product(1, 4096, 4096));
    add("m2p_010", h14, clock, 431 * us, "the same, int8", product(1, 4096, 4096, &int8));
    add("m2p_011", h14, clock, 270 * us, "the same, int4 palette", product(1, 4096, 4096, &int4));
    add("m2p_012", h14, clock, 330 * us, "the same, sparse, 32 % dense", product(1, 4096, 4096, &sparse));
    return points;
}

} // namespace cost_points

#pragma once

#include "placed_models.hpp"
#include <anemone/cost/cost.hpp>

#include <cstdint>
#include <string>

/// More workloads of the guide, as models.
namespace guide_models {

/// 1x1 or larger convolutions in a row, as many channels in as out, without functions between them.
inline ane::dynamic_graph convolutions(int count, std::int64_t channels, std::int64_t height, std::int64_t width,
                                       std::int64_t kernel, double zeros = 0) {
    using namespace ane;
    dynamic_builder g;
    auto x = g.input("x", {1, channels, height, width});
    for (int i = 0; i < count; ++i) {
        const auto w = g.weight("w" + std::to_string(i), {channels, channels, kernel, kernel}, {.zeros = zeros});
        x = g.add(op::conv2d, {x, w}, conv{.padding = same});
    }
    g.output("y", x);
    return g.finish();
}

inline ane::dynamic_graph elementwise(ane::op kind, const ane::extents& shape) {
    ane::dynamic_builder g;
    const auto x = g.input("x", shape);
    const auto vector = [&](const char* name) { return g.weight(name, {shape.width()}); };
    g.output("y", kind == ane::op::layer_norm ? g.add(kind, {x, vector("g"), vector("b")}, ane::stabilizer{})
                  : kind == ane::op::softmax  ? g.add(kind, {x}, ane::axis{-1})
                                              : g.add(kind, {x}));
    return g.finish();
}

/// A product with weights in some form.
inline ane::dynamic_graph stored_product(std::int64_t rows, std::int64_t in, std::int64_t out,
                                         const ane::compression& form) {
    ane::dynamic_builder g;
    const auto w = g.add(ane::op::compressed, {g.weight("w", {out, in})}, form);
    g.output("y", g.add(ane::op::linear, {g.input("x", {rows, in}), w}));
    return g.finish();
}

/// Convolutions of 3 x 3 with a relu after each.
inline ane::dynamic_graph stack(int layers, std::int64_t batch, std::int64_t channels, std::int64_t extent) {
    using namespace ane;
    dynamic_builder g;
    auto x = g.input("x", {batch, channels, extent, extent});
    for (int i = 0; i < layers; ++i) {
        const auto w = g.weight("w" + std::to_string(i), {channels, channels, 3, 3});
        x = g.add(op::relu, {g.add(op::conv2d, {x, w}, conv{.padding = same})});
    }
    g.output("y", x);
    return g.finish();
}

/// The heat equation: one kernel, `steps` times, on a square.
inline ane::dynamic_graph stencil(std::int64_t extent, int steps) {
    using namespace ane;
    dynamic_builder g;
    auto x = g.input("x", {1, 1, extent, extent});
    const auto w = g.weight("w", {1, 1, 3, 3});
    for (int i = 0; i < steps; ++i) {
        x = g.add(op::conv2d, {x, w}, conv{.padding = same});
    }
    g.output("y", x);
    return g.finish();
}

/// ResNet-18 at 224 x 224, batch norms folded.
inline ane::dynamic_graph resnet_18() {
    using namespace ane;
    dynamic_builder g;
    int weights = 0;
    const auto convolve = [&](const dynamic_tensor& x, std::int64_t out, int kernel, int stride) {
        const auto w = g.weight("w" + std::to_string(weights++), {out, x.shape()[1], kernel, kernel});
        const auto b = g.weight("b" + std::to_string(weights), {out});
        return g.add(op::conv2d, {x, w, b}, conv{.stride = stride, .padding = kernel / 2});
    };
    const auto relu = [&](const dynamic_tensor& x) { return g.add(op::relu, {x}); };
    auto x = relu(convolve(g.input("x", {1, 3, 224, 224}), 64, 7, 2));
    x = g.add(op::max_pool, {x}, pool{.kernel = 3, .stride = 2, .padding = 1});
    for (const std::int64_t channels : {64, 128, 256, 512}) {
        for (int i = 0; i < 2; ++i) {
            const int stride = i == 0 && channels > 64 ? 2 : 1;
            const auto y = convolve(relu(convolve(x, channels, 3, stride)), channels, 3, 1);
            x = relu(g.add(op::add, {y, stride == 2 ? convolve(x, channels, 1, 2) : x}));
        }
    }
    const auto mean = g.reshape(g.add(op::reduce_mean, {x}, axes{2, 3}), {1, 512});
    g.output("y", g.add(op::linear, {mean, g.weight("fc", {1000, 512})}));
    return g.finish();
}

inline ane::cost cost_of(const ane::dynamic_graph& model, ane::target t) {
    return ane::estimate(ane::lower(model).view(), t);
}
/// s, with ports that host and engine share.
inline double shared_seconds(const ane::dynamic_graph& model, ane::target t) {
    return *ane::estimate(ane::lower(model).view(), t, ane::port_transfer::shared).seconds;
}
inline double seconds(const ane::dynamic_graph& model, ane::target t) { return *cost_of(model, t).seconds; }

} // namespace guide_models

#pragma once

#include <anemone/cost/device_placement.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/rewrites/layouts.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Workloads that the guide measured, as models.
namespace placed_models {

inline ane::dynamic_graph products(std::int64_t rows, std::int64_t in, std::int64_t out, int count = 1) {
    ane::dynamic_builder g;
    auto x = g.input("x", {rows, in});
    for (int i = 0; i < count; ++i) {
        x = g.add(ane::op::linear, {x, g.weight("w" + std::to_string(i), {out, x.shape().width()})});
    }
    g.output("y", x);
    return g.finish();
}

/// Convolutions of 3 x 3 in a row, as many channels in as out.
inline ane::dynamic_graph convolutions(int count, std::int64_t batch, std::int64_t channels, std::int64_t extent) {
    ane::dynamic_builder g;
    auto x = g.input("x", {batch, channels, extent, extent});
    for (int i = 0; i < count; ++i) {
        const auto w = g.weight("w" + std::to_string(i), {channels, channels, 3, 3});
        x = g.add(ane::op::conv2d, {x, w}, ane::conv{.padding = ane::same});
    }
    g.output("y", x);
    return g.finish();
}

/// Attention with its four projections and the sum with its input, once or as the first half of an encoder block.
inline ane::dynamic_graph attention_blocks(std::int64_t batch, std::int64_t length, std::int64_t width,
                                           std::int64_t heads, bool feed_forward, int count = 1) {
    using namespace ane;
    dynamic_builder g;
    auto x = g.input("x", {batch, length, width});
    int weights = 0;
    const auto linear = [&](const dynamic_tensor& y, std::int64_t out) {
        return g.add(op::linear, {y, g.weight("w" + std::to_string(weights++), {out, y.shape().width()})});
    };
    const auto reshaped = [&](const dynamic_tensor& y, const extents& shape) {
        return g.add(op::reshape, {y}, attributes{}, shape);
    };
    const auto split = [&](const dynamic_tensor& y) {
        return g.add(op::transpose, {reshaped(y, {batch, length, heads, width / heads})}, permutation{0, 2, 1, 3});
    };
    for (int i = 0; i < count; ++i) {
        const auto q = split(linear(x, width));
        const auto k = split(linear(x, width));
        const auto v = split(linear(x, width));
        const auto a = g.add(op::attention, {q, k, v}, score_scaling{0.125F});
        const auto joined = reshaped(g.add(op::transpose, {a}, permutation{0, 2, 1, 3}), {batch, length, width});
        x = g.add(op::add, {x, linear(joined, width)});
        if (feed_forward) {
            const auto gain = g.weight("g" + std::to_string(i), {width});
            const auto bias = g.weight("b" + std::to_string(i), {width});
            x = g.add(op::layer_norm, {x, gain, bias}, stabilizer{1e-5F, -1});
            x = g.add(op::add, {x, linear(g.add(op::gelu, {linear(x, 4 * width)}), width)});
        }
    }
    g.output("y", x);
    return g.finish();
}

/// A model with channels before positions, its ports too: as those have it who serve encoders on the engine.
inline ane::dynamic_graph channels_first(const ane::dynamic_graph& model, ane::target t) {
    using namespace ane;
    dynamic_graph g = ane::detail::channels_first(model, describe(t)).graph;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        node& n = g.nodes[i];
        if (n.kind != op::transpose) {
            continue;
        }
        node& x = g.nodes[static_cast<std::size_t>(g.operand_pool[static_cast<std::size_t>(n.operands.first)])];
        if (x.kind == op::input) { // turned round before it comes in
            const extents turned = n.shape;
            n = x;
            n.shape = turned;
            x.kind = op::weight; // that nothing reads
        }
    }
    for (output_port& port : g.outputs) {
        const node& n = g.nodes[static_cast<std::size_t>(port.node)];
        if (n.kind == op::transpose) { // and after it has left
            port.node = g.operand_pool[static_cast<std::size_t>(n.operands.first)];
        }
    }
    return prune(g);
}

inline bool within_factor(double a, double b, double factor) { return a <= b * factor && b <= a * factor; }

inline double lead(const ane::device_plan& p) {
    return p.on(ane::compute_device::gpu).seconds / p.on(ane::compute_device::engine).seconds;
}

inline ane::device_plan placed_on(const ane::dynamic_graph& model, ane::target t,
                                  const ane::placement_options& o = {}) {
    return ane::device_placement(ane::lower(model).view(), t, o);
}

} // namespace placed_models

#pragma once

#include "../targets/device_rates.hpp"
#include "layers.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// The workloads that the guide has a verdict for (chapter 11, table of verdicts).
enum class workload_regime : std::uint8_t {
    none, ///< no verdict rests on anything like it
    convolution,
    encoder,
    mid_product,
    short_attention,
    large_product,
    long_attention,
    decode,
    tiny
};

/// What was measured to be best for a regime: M1 and M5, engine against GPU; the CPU for tiny work.
struct regime_verdict {
    workload_regime regime;
    std::string_view name;
    compute_device fastest;
    compute_device most_efficient;
    mark known_by = mark::measured;
};

// clang-format off
/// Guide chapter 11, table of verdicts (cost facts, `verdicts`), in the order of the enumeration without `none`.
inline constexpr regime_verdict regime_verdicts[] = {
    {workload_regime::convolution, "convolution and vision", compute_device::engine, compute_device::engine},
    {workload_regime::encoder, "encoder at a small batch", compute_device::engine, compute_device::engine},
    {workload_regime::mid_product, "product of a middle size", compute_device::engine, compute_device::engine},
    {workload_regime::short_attention, "attention over a short sequence", compute_device::engine, compute_device::engine},
    {workload_regime::large_product, "large product", compute_device::gpu, compute_device::gpu},
    {workload_regime::long_attention, "attention over a long sequence", compute_device::gpu, compute_device::engine},
    {workload_regime::decode, "decode, token by token", compute_device::gpu, compute_device::gpu},
    {workload_regime::tiny, "tiny work", compute_device::cpu, compute_device::cpu},
};
// clang-format on

/// The verdict on a regime, or null for `none`.
constexpr const regime_verdict* verdict_on(workload_regime r) {
    return r == workload_regime::none ? nullptr : &regime_verdicts[static_cast<std::size_t>(r) - 1];
}

namespace detail {

/// Where a regime ends, from the points that the verdicts were measured at.
inline constexpr std::int64_t tiny_flops = 2 * (2 * 64 * 256 * 256); ///< twice the product that the CPU leads on
inline constexpr std::int64_t decode_rows = 16;    ///< the largest batch of tokens that was measured (guide 14)
inline constexpr std::int64_t long_sequence = 318; ///< the geometric mean of 197 (short) and 512 (long)
inline constexpr std::int64_t large_operand = std::int64_t{2} * 2048 * 2048; ///< bytes: N of 2048, the knee

} // namespace detail

/// The regime that a lowered graph is most like, by its shapes alone: the arithmetic of convolutions against that of
/// products, the rows for each weight, the length of the softmax between two products.
constexpr workload_regime regime_of(const graph_view& g, const program_demand& program) {
    const sequence<char> known = constant_nodes(g);
    std::int64_t all = 0;
    std::int64_t convolved = 0;
    std::int64_t multiplied = 0;      // FLOP of products
    std::int64_t weights = 0;         // elements of their constant operands
    std::int64_t weighted_flops = 0;  // FLOP of those
    std::int64_t largest = 0;         // bytes of a right operand
    std::int64_t sequence_length = 0; // of the scores
    int weighted = 0;
    int attentions = 0;
    for (const layer_demand& layer : program.layers) {
        const node& n = g[layer.node];
        const std::int64_t flops = layer.work.flops();
        all += flops;
        if (is_convolution(n.kind)) {
            convolved += flops;
        } else if (n.kind == op::matmul || n.kind == op::linear) {
            multiplied += flops;
            const bool turned = known[static_cast<std::size_t>(g.operands(layer.node)[0])] != 0; // channels first
            const int weight = g.operands(layer.node)[turned ? 0 : 1];
            const std::int64_t size = bytes(g[weight].type, g[weight].shape.count());
            largest = size > largest ? size : largest;
            if (known[static_cast<std::size_t>(weight)] != 0) {
                ++weighted;
                weights += g[weight].shape.count();
                weighted_flops += flops;
            }
        } else if (n.kind == op::attention || n.kind == op::softmax) {
            const extents& s = n.kind == op::attention ? g.operand(n, 1).shape : n.shape;
            const std::int64_t length = n.kind == op::attention ? s.height() : s.width();
            multiplied += n.kind == op::attention ? flops : 0;
            ++attentions;
            sequence_length = length > sequence_length ? length : sequence_length;
        }
    }
    if (all <= detail::tiny_flops) {
        return all > 0 ? workload_regime::tiny : workload_regime::none;
    }
    if (2 * convolved >= all) {
        return workload_regime::convolution;
    }
    if (2 * multiplied < all) {
        return workload_regime::none;
    }
    if (2 * weighted_flops >= multiplied && weighted_flops <= 2 * detail::decode_rows * weights) {
        return workload_regime::decode;
    }
    if (attentions > 0) {
        if (sequence_length >= detail::long_sequence) {
            return workload_regime::long_attention;
        }
        // A block of attention alone has four products with weights: queries, keys, values, the result.
        return weighted > 4 * attentions ? workload_regime::encoder : workload_regime::short_attention;
    }
    return largest > detail::large_operand ? workload_regime::large_product : workload_regime::mid_product;
}

} // namespace ane

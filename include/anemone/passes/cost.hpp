#pragma once

#include "../graph/op_facet.hpp"
#include "fusion.hpp"
#include "roofline.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ane {

/// Arithmetic of one node. FLOP = 2 * multiply_adds + other.
struct work {
    std::int64_t multiply_adds = 0; ///< of contractions
    std::int64_t other = 0;         ///< everything else

    constexpr std::int64_t flops() const { return 2 * multiply_adds + other; }
    friend constexpr bool operator==(const work&, const work&) = default;
};

namespace detail {

using work_rule = work (*)(const graph_view& g, const node& n);

constexpr work work_of_pool(const graph_view&, const node& n) {
    const size2 kernel = n.get<pool>().kernel;
    return {0, n.shape.count() * kernel.height * kernel.width};
}
constexpr work work_of_elements_read(const graph_view& g, const node& n) { return {0, g.operand(n, 0).shape.count()}; }

inline constexpr op_facet<work_rule> work_rules{
    {op::conv2d,
     [](const graph_view& g, const node& n) {
         const extents& w = g.operand(n, 1).shape;
         return work{n.shape.count() * w[1] * w[2] * w[3], 0};
     }},
    {op::conv_transpose2d,
     [](const graph_view& g, const node& n) {
         const extents& w = g.operand(n, 1).shape;
         return work{g.operand(n, 0).shape.count() * w[1] * w[2] * w[3], 0};
     }},
    {op::linear,
     [](const graph_view& g, const node& n) {
         const std::int64_t results = n.shape.count();
         return work{results * g.operand(n, 0).shape.width(), n.operands.count > 2 ? results : 0};
     }},
    {op::matmul,
     [](const graph_view& g, const node& n) {
         const extents& a = g.operand(n, 0).shape;
         return work{n.shape.count() * (n.get<transposed>().a ? a.height() : a.width()), 0};
     }},
    {op::attention,
     [](const graph_view& g, const node& n) {
         const std::int64_t depth = g.operand(n, 0).shape.width();
         const std::int64_t scores = n.shape.count() / depth * g.operand(n, 1).shape.height();
         return work{2 * scores * depth, 6 * scores};
     }},
    {op::max_pool, work_of_pool},
    {op::avg_pool, work_of_pool},
    {op::softmax,
     [](const graph_view&, const node& n) {
         return work{0, 5 * n.shape.count()};
     }},
    {op::layer_norm,
     [](const graph_view&, const node& n) {
         return work{0, 8 * n.shape.count()};
     }},
    {op::batch_norm,
     [](const graph_view&, const node& n) {
         return work{0, 2 * n.shape.count()};
     }},
    {op::reduce_mean,
     [](const graph_view& g, const node& n) {
         return work{0, g.operand(n, 0).shape.count() + n.shape.count()};
     }},
    {op::reduce_sum, work_of_elements_read},
    {op::reduce_max, work_of_elements_read},
    {op::reduce_min, work_of_elements_read},
    {op::arg_max, work_of_elements_read},
    {op::arg_min, work_of_elements_read}};

} // namespace detail

/// What a node computes, by its shapes alone (cost facts, `flops`, for contractions; the rest are conventions):
///   conv2d             N O H' W' (C / groups) kH kW multiply-adds
///   conv_transpose2d   N C H W (O / groups) kH kW: each input element meets a whole kernel
///   matmul, linear     batch M N K
///   attention          2 batch Sq Skv D, and 6 FLOP for each score: scale and softmax
///   elementwise        1 FLOP for each element of the result, functions included: the engine looks them up in a table
///   pools              kH kW for each element of the result
///   softmax            5 for each element: maximum, difference, exponential, sum, quotient
///   layer_norm         8 for each element, the parts of its lowering; batch_norm 2
///   reductions         1 for each element read, argmax and argmin included; a mean 1 more for each result
///   movement, cast     0
constexpr work work_of(const graph_view& g, const node& n) {
    const detail::work_rule rule = detail::work_rules[n.kind];
    return rule != nullptr ? rule(g, n) : work{0, is_unary(n.kind) || is_binary(n.kind) ? n.shape.count() : 0};
}

/// One layer of the compiled program: a node and the stages that fused into it.
struct layer_cost {
    int node = -1;  ///< the layer's own node in the lowered graph
    int last = -1;  ///< the node whose value leaves the layer: the last fused stage
    int stages = 0; ///< how many nodes fused into it
    ane::work work{};
    std::int64_t input_bytes = 0;  ///< values read, each once
    std::int64_t weight_bytes = 0; ///< constants read, as they are stored without compression
    std::int64_t output_bytes = 0;
    double compute_seconds = 0; ///< 0 where the rates are not known, and so the next
    double memory_seconds = 0;
    bound limit = bound::unknown;

    constexpr std::int64_t bytes() const { return input_bytes + weight_bytes + output_bytes; }
    /// Arithmetic intensity, FLOP/byte; 0 for a layer that moves nothing.
    constexpr double intensity() const {
        return bytes() > 0 ? static_cast<double>(work.flops()) / static_cast<double>(bytes()) : 0;
    }
    constexpr double seconds() const { return compute_seconds > memory_seconds ? compute_seconds : memory_seconds; }
};

/// The cost of a program in one dispatch.
struct cost {
    std::string_view target;  ///< "h13"
    std::string_view product; ///< "M1 base"
    ane::work work{};
    std::int64_t bytes = 0;        ///< that all layers move
    std::optional<roofline> roof;  ///< none: the target's rates are not known
    std::optional<double> seconds; ///< floor + sum over layers of max(flops / peak, bytes / bandwidth); or not known
    bound limit = bound::unknown;  ///< dispatch where the floor exceeds the layers' time, else the larger share of it
    sequence<layer_cost> layers;   ///< in execution order

    constexpr std::int64_t flops() const { return work.flops(); }
    constexpr double intensity() const {
        return bytes > 0 ? static_cast<double>(work.flops()) / static_cast<double>(bytes) : 0;
    }
};

namespace detail {

/// The layers with their work and traffic. A layer reads the operands that come from outside it and writes its last
/// value; a reshape is a view of memory and moves nothing; a slice reads no more than it writes.
constexpr sequence<layer_cost> layers_of(const graph_view& g) {
    const sequence<fusion> fused = fuse(g);
    const sequence<char> known = constant_nodes(g);
    sequence<layer_cost> layers;
    sequence<int> position(g.nodes.size(), -1);    // of a layer, by its host
    sequence<int> last_reader(g.nodes.size(), -1); // the host that read a value last: an operand counts once a layer
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (known[at] != 0 || is_source(g[i].kind)) {
            continue;
        }
        const int host = fused[at].host;
        if (host == i) {
            position[at] = static_cast<int>(layers.size());
            layers.push_back({.node = i});
        }
        layer_cost& layer = layers[static_cast<std::size_t>(position[static_cast<std::size_t>(host)])];
        layer.last = i;
        layer.stages += host == i ? 0 : 1;
        const work done = work_of(g, g[i]);
        layer.work.multiply_adds += done.multiply_adds;
        layer.work.other += done.other;
        if (g[i].kind == op::reshape) {
            continue;
        }
        for (const int o : g.operands(i)) {
            const auto from = static_cast<std::size_t>(o);
            const bool inside = !is_source(g[o].kind) && known[from] == 0 && fused[from].host == host;
            if (inside || last_reader[from] == host) {
                continue;
            }
            last_reader[from] = host;
            const std::int64_t size =
                bytes(g[o].type, g[i].kind == op::slice ? g[i].shape.count() : g[o].shape.count());
            (known[from] != 0 ? layer.weight_bytes : layer.input_bytes) += size;
        }
    }
    for (layer_cost& layer : layers) {
        const node& out = g[layer.last];
        layer.output_bytes = g[layer.node].kind == op::reshape ? 0 : bytes(out.type, out.shape.count());
    }
    return layers;
}

} // namespace detail

/// Estimates a lowered graph (passes/lowering.hpp) on a target, as one dispatch:
///   t = floor + sum over layers of max(flops / peak, bytes / bandwidth)
/// with the rates of roofline.hpp. Every layer is charged for its operands and its result, as the model was fitted;
/// values that stay in on-chip memory between layers get no credit, so deep programs of small tensors are estimated too
/// slow. The fit is within 17 % on the five convolutions it was made from, and within 31 % in the median of a broad
/// sweep (guide chapter 18): use it for ranking. `op::attention` has no form in the model: the time of a graph that
/// still holds one is not known.
constexpr cost estimate(const graph_view& lowered, const target_description& d) {
    cost total;
    total.target = d.runtime;
    total.product = d.product;
    total.roof = roofline_of(d);
    total.layers = detail::layers_of(lowered);
    double compute_bound = 0;
    double memory_bound = 0;
    bool has_form = true;
    for (layer_cost& layer : total.layers) {
        total.work.multiply_adds += layer.work.multiply_adds;
        total.work.other += layer.work.other;
        total.bytes += layer.bytes();
        has_form = has_form && lowered[layer.node].kind != op::attention;
        if (total.roof && lowered[layer.node].kind != op::attention) {
            layer.compute_seconds = total.roof->compute_seconds(static_cast<double>(layer.work.flops()));
            layer.memory_seconds = total.roof->memory_seconds(static_cast<double>(layer.bytes()));
            const bool compute = layer.compute_seconds >= layer.memory_seconds;
            layer.limit = layer.seconds() > 0 ? (compute ? bound::compute : bound::memory) : bound::none;
            (compute ? compute_bound : memory_bound) += layer.seconds();
        }
    }
    if (total.roof && has_form) {
        const double layers = compute_bound + memory_bound;
        total.seconds = total.roof->floor_seconds + layers;
        total.limit = layers < total.roof->floor_seconds ? bound::dispatch
                      : compute_bound >= memory_bound    ? bound::compute
                                                         : bound::memory;
    }
    return total;
}
constexpr cost estimate(const graph_view& lowered, target t) { return estimate(lowered, describe(t)); }

} // namespace ane

#pragma once

#include "../graph/constants.hpp"
#include "../graph/op_set.hpp"

#include <cstddef>
#include <cstdint>

namespace ane {

/// How a value repeats over a shape that it broadcasts to: element i of the shape, row-major, is its element
/// i / inner % period. A vector of the last axis has inner 1, one of channels the extent of a plane.
struct repetition {
    std::int64_t inner = 1;
    std::int64_t period = 0; ///< 0: it repeats in no such way

    constexpr bool exists() const { return period > 0; }
};

constexpr repetition repetition_of(const extents& value, const extents& over) {
    repetition result{1, 1};
    int part =
        0; // axes from the last: first those that repeat each element, then those that it has, then the repetitions
    for (int axis = 0; axis < over.rank; ++axis) {
        const std::int64_t all = over.from_last(axis);
        const std::int64_t own = axis < value.rank ? value.from_last(axis) : 1;
        if (all == 1) {
            continue;
        }
        if (own != 1) {
            if (part == 2 || own != all) {
                return {};
            }
            part = 1;
            result.period *= all;
        } else if (part == 0) {
            result.inner *= all;
        } else {
            part = 2;
        }
    }
    return result;
}

/// Which nodes of a graph a host computes together, without a rounding between them.
struct fused_layers {
    sequence<int> ends;   ///< by node: the last node of its layer, which alone has a value in memory
    sequence<int> before; ///< by node: the node of its layer before it, or -1
    sequence<int>
        hosts; ///< by end: the node that computes sums for the others, or -1; where there are no others, itself

    constexpr int end_of(int node) const { return ends[static_cast<std::size_t>(node)]; }
    constexpr int host_of(int end) const { return hosts[static_cast<std::size_t>(end)]; }
    constexpr int before_node(int node) const { return before[static_cast<std::size_t>(node)]; }
    /// Whether a node that has a value in memory is computed alone.
    constexpr bool alone(int end) const { return before_node(end) < 0; }
};

namespace detail {

/// Operations that a layer may contain without doing anything for them: the elements and their order stay.
constexpr bool keeps_elements(op kind) { return kind == op::reshape || kind == op::dropout || kind == op::identity; }

/// Operations with jumps. One rounding more or less decides on which side a value near a jump falls: these read values as
/// the model rounds them.
constexpr bool has_jumps(op kind) {
    return op_set{op::floor, op::ceil, op::round, op::sign, op::floor_div, op::thresholded_relu}.contains(kind);
}

/// The most operations in a layer besides its host. So many never need more than `most_layer_values` values at once:
/// s of them are made by s operations and joined by s - 1.
inline constexpr int most_layer_stages = 16;
inline constexpr int most_layer_values = most_layer_stages / 2 + 2;

/// Whether a node is a function of each element that layers can compute: of fp16 values that have its shape, or repeat
/// over it.
constexpr bool is_stage(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.type != dtype::f16 || !(is_unary(n.kind) || is_binary(n.kind) || keeps_elements(n.kind))) {
        return false;
    }
    for (const int o : g.operands(n)) {
        if (g[o].type != dtype::f16 || (is_binary(n.kind) && !repetition_of(g[o].shape, n.shape).exists())) {
            return false;
        }
    }
    return true;
}

/// The shortest rows that a layer stores in another order than it computes them.
inline constexpr std::int64_t least_turned_row = 16;

/// Whether a node is a transpose that leaves rows whole: one at the end of a layer says where its rows are stored.
constexpr bool turns_rows(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind != op::transpose || n.type != dtype::f16 || n.shape.rank < 2) {
        return false;
    }
    const int last = n.shape.rank - 1;
    return n.get<permutation>().order[last] == last && n.shape.width() >= least_turned_row;
}

/// Takes layers apart that have at most one operation and no host: what computes one operation alone is faster.
constexpr void dissolve_single(const graph_view& g, fused_layers& layers) {
    for (int end = 0; end < g.size(); ++end) {
        if (layers.end_of(end) != end || layers.host_of(end) >= 0) {
            continue;
        }
        int operations = 0;
        for (int i = end; i >= 0; i = layers.before_node(i)) {
            operations += keeps_elements(g[i].kind) ? 0 : 1;
        }
        for (int i = end; operations < 2 && i >= 0;) {
            const auto at = static_cast<std::size_t>(i);
            i = layers.before[at];
            layers.ends[at] = static_cast<int>(at);
            layers.hosts[at] = static_cast<int>(at);
            layers.before[at] = -1;
        }
    }
}

} // namespace detail

/// Every node a layer of its own.
constexpr fused_layers single_layers(const graph_view& g) {
    fused_layers result{sequence<int>(g.nodes.size()), sequence<int>(g.nodes.size(), -1),
                        sequence<int>(g.nodes.size())};
    for (int i = 0; i < g.size(); ++i) {
        result.ends[static_cast<std::size_t>(i)] = i;
        result.hosts[static_cast<std::size_t>(i)] = i;
    }
    return result;
}

/// Layers as large as they can be: functions of elements (biases, scales, residuals, activations and whatever else a
/// model writes with them), all of one number of elements, after at most one operation of `hosts` and before at most one transpose of whole rows. A node belongs to the
/// layer that all its readers belong to; what anyone else reads, a caller among them, ends a layer. A layer is computed
/// at the step of its end: all that it reads is there then, since whatever depends on a node of the layer comes after its
/// end.
constexpr fused_layers fuse_layers(const graph_view& g, const op_set& hosts) {
    constexpr int no_reader = -1;
    constexpr int several = -2;
    const sequence<char> known = constant_nodes(g);
    sequence<int> readers(g.nodes.size(), no_reader); // the layer that all readers so far belong to
    for (const output_port& port : g.outputs) {
        readers[static_cast<std::size_t>(port.node)] = several;
    }
    fused_layers result = single_layers(g);
    sequence<int> stages(g.nodes.size(), 0);
    sequence<char> open(g.nodes.size(), 0); // the layer of this end has no host yet
    for (int i = g.size() - 1; i >= 0; --i) {
        const auto at = static_cast<std::size_t>(i);
        if (known[at] != 0 || is_source(g[i].kind)) {
            continue;
        }
        const bool stage = detail::is_stage(g, i);
        const bool turn = detail::turns_rows(g, i);
        int end = readers[at];
        const auto layer = static_cast<std::size_t>(end);
        if (end >= 0 && stage && stages[layer] < detail::most_layer_stages) {
            ++stages[layer];
        } else if (end >= 0 && !stage && hosts.contains(g[i].kind) && open[layer] != 0) {
            open[layer] = 0;
            result.hosts[layer] = i;
        } else {
            end = i;
            stages[at] = 1;
            open[at] = stage || turn ? 1 : 0;
            result.hosts[at] = stage || turn ? -1 : i;
        }
        result.ends[at] = end;
        for (const int o : g.operands(i)) {
            int& reader = readers[static_cast<std::size_t>(o)];
            const bool whole =
                turn || (stage && !detail::has_jumps(g[i].kind) && (!is_binary(g[i].kind) || g[o].shape == g[i].shape));
            reader = whole && (reader == no_reader || reader == end) ? end : several;
        }
    }
    sequence<int> last(g.nodes.size(), -1); // of each layer so far
    for (int i = 0; i < g.size(); ++i) {
        int& previous = last[static_cast<std::size_t>(result.end_of(i))];
        result.before[static_cast<std::size_t>(i)] = previous;
        previous = i;
    }
    detail::dissolve_single(g, result);
    return result;
}

} // namespace ane

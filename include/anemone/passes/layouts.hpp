#pragma once

#include "fused_layers.hpp"

#include <cstddef>
#include <cstdint>

/// In which order values of four axes lie in memory: chosen for a backend that computes some operations faster where all
/// channels of a place are neighbours.
namespace ane {

enum class layout : std::uint8_t {
    nchw, ///< row-major, as models see every value
    nhwc  ///< channels last: [N, H, W, C]
};

/// The extents of a value that repeats over, or is, one of four axes, in the order of its memory. A value of lower rank
/// has extents of 1 before.
constexpr extents in_layout(const extents& shape, layout order) {
    if (order == layout::nchw) {
        return shape;
    }
    return {shape.from_last(3), shape.from_last(1), shape.from_last(0), shape.from_last(2)};
}

/// Whether both orders of a value are the same bytes.
constexpr bool has_one_layout(const extents& shape) {
    return shape.from_last(2) == 1 || shape.from_last(1) * shape.from_last(0) == 1;
}

/// What was chosen for each value that has memory.
struct value_layouts {
    sequence<layout> orders; ///< by node

    constexpr layout of(int node) const { return orders[static_cast<std::size_t>(node)]; }
};

/// Every value as models see it.
constexpr value_layouts nchw_layouts(const graph_view& g) { return {sequence<layout>(g.nodes.size(), layout::nchw)}; }

/// The fewest channels of a value whose places are worth vectors of channels.
inline constexpr std::int64_t least_nhwc_channels = 8;
/// The most places of a window that a pooling of NHWC has.
inline constexpr std::int64_t most_nhwc_window = 64;

namespace detail {

/// A convolution that reads one channel for each that it writes: both in the same order.
constexpr bool is_depthwise(const graph_view& g, int index) {
    const node& n = g[index];
    return n.kind == op::conv2d && n.get<conv>().groups > 1 && n.get<conv>().groups == g.operand(n, 0).shape[1] &&
           n.shape[1] == g.operand(n, 0).shape[1];
}

/// Whether a convolution may read, or write, either order.
constexpr bool takes_both_layouts(const graph_view& g, int index) {
    const node& n = g[index];
    return n.kind == op::conv2d && n.get<conv>().groups == 1;
}

/// A pooling whose windows are worth the rows of all channels that NHWC keeps for them.
constexpr bool pools_small_windows(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind != op::max_pool && n.kind != op::avg_pool) {
        return false;
    }
    const auto& kernel = n.get<pool>().kernel;
    return kernel.height * kernel.width <= most_nhwc_window;
}

/// Whether an operation writes the order that it reads.
constexpr bool keeps_layout(const graph_view& g, int index) {
    return is_depthwise(g, index) || pools_small_windows(g, index);
}

/// The node of a layer that is not a function of elements, or -1.
constexpr int host_of_layer(const graph_view& g, const fused_layers& layers, int end) {
    if (!layers.alone(end)) {
        return layers.host_of(end);
    }
    return is_unary(g[end].kind) || is_binary(g[end].kind) ? -1 : end;
}

/// A reduction over all places of each channel.
constexpr bool reduces_places(const graph_view& g, int index) {
    const node& n = g[index];
    if (!is_reduction(n.kind) || g.operand(n, 0).shape.rank != 4) {
        return false;
    }
    const indices& list = n.get<axes>().list;
    return list.rank == 2 && list[0] + list[1] == 5 && (list[0] == 2 || list[0] == 3) && has_one_layout(n.shape);
}

/// Chooses by taking back: every value that may be NHWC is, until a step that reads or writes it cannot.
class layout_choice {
public:
    constexpr layout_choice(const graph_view& g, const fused_layers& layers)
        : g_(g), layers_(layers), known_(constant_nodes(g)), result_(nchw_layouts(g)), first_(g.nodes.size() + 1, 0) {
        list_readers();
    }

    constexpr value_layouts made() {
        for (int i = 0; i < g_.size(); ++i) {
            if (is_value(i) && may_be_written(i)) {
                set(i, layout::nhwc);
            }
        }
        for (const output_port& port : g_.outputs) {
            set(port.node, layout::nchw);
        }
        sequence<int> failing;
        for (int i = 0; i < g_.size(); ++i) {
            if (is_nhwc(i) && !fits(i)) {
                failing.push_back(i);
            }
        }
        while (!failing.empty()) {
            const int i = failing.back();
            failing.pop_back();
            if (is_nhwc(i)) {
                set(i, layout::nchw);
                find_failing_neighbours(i, failing);
            }
        }
        return result_;
    }

private:
    constexpr bool is_nhwc(int node) const { return result_.of(node) == layout::nhwc; }
    constexpr void set(int node, layout order) { result_.orders[static_cast<std::size_t>(node)] = order; }

    /// Whether a node has a value in memory that is computed in a run.
    constexpr bool is_value(int node) const {
        return !is_source(g_[node].kind) && known_[static_cast<std::size_t>(node)] == 0 && layers_.end_of(node) == node;
    }

    /// The readers of each value, as the ends of their layers.
    constexpr void list_readers() {
        for (int i = 0; i < g_.size(); ++i) {
            for (const int o : g_.operands(i)) {
                ++first_[static_cast<std::size_t>(o) + 1];
            }
        }
        for (std::size_t i = 1; i < first_.size(); ++i) {
            first_[i] += first_[i - 1];
        }
        sequence<int> next = first_;
        readers_ = sequence<int>(static_cast<std::size_t>(first_.back()), 0);
        for (int i = 0; i < g_.size(); ++i) {
            for (const int o : g_.operands(i)) {
                readers_[static_cast<std::size_t>(next[static_cast<std::size_t>(o)]++)] = i;
            }
        }
    }

    constexpr int host_of(int end) const { return host_of_layer(g_, layers_, end); }

    /// Whether the step that ends in a node could write NHWC at all.
    constexpr bool may_be_written(int end) const {
        const extents& shape = g_[end].shape;
        if (g_[end].type != dtype::f16 || shape.rank != 4 || shape[1] < least_nhwc_channels || has_one_layout(shape)) {
            return false;
        }
        const int host = host_of(end);
        if (host >= 0 && !takes_both_layouts(g_, host) && !keeps_layout(g_, host)) {
            return false;
        }
        for (int i = end; i >= 0; i = layers_.before_node(i)) { // reshapes and transposes are for one order
            if (g_[i].kind == op::transpose || !(g_[i].shape == shape)) {
                return false;
            }
            for (const int o : i == host ? std::span<const int>{} : g_.operands(i)) {
                if (layers_.end_of(o) != end && !may_be_joined(o, shape)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Whether a function of NHWC elements may read a value, if that is NHWC too or has one layout.
    constexpr bool may_be_joined(int operand, const extents& over) const {
        const extents& own = g_[operand].shape;
        if (own == over) {
            return is_value(operand);
        }
        return has_one_layout(own) &&
               repetition_of(in_layout(own, layout::nhwc), in_layout(over, layout::nhwc)).exists();
    }

    /// Whether a layer can read and write its values as they are chosen now.
    constexpr bool fits(int value) const {
        if (!writes(value)) {
            return false;
        }
        for (int k = first_[static_cast<std::size_t>(value)]; k < first_[static_cast<std::size_t>(value) + 1]; ++k) {
            const int reader = readers_[static_cast<std::size_t>(k)];
            if (known_[static_cast<std::size_t>(reader)] == 0 && layers_.end_of(reader) != value &&
                !reads(reader, value)) {
                return false;
            }
        }
        return true;
    }

    constexpr bool writes(int end) const {
        const int host = host_of(end);
        if (host >= 0 && keeps_layout(g_, host)) {
            const int x = g_.operands(host)[0];
            if (!is_nhwc(x) && !has_one_layout(g_[x].shape)) {
                return false;
            }
        }
        for (int i = end; i >= 0; i = layers_.before_node(i)) {
            for (const int o : i == host ? std::span<const int>{} : g_.operands(i)) {
                if (layers_.end_of(o) != end && g_[o].shape == g_[end].shape && !is_nhwc(o)) {
                    return false;
                }
            }
        }
        return true;
    }

    constexpr bool reads(int reader, int value) const {
        const int end = layers_.end_of(reader);
        const int host = host_of(end);
        if (reader != host) {
            return is_nhwc(end) && g_[value].shape == g_[end].shape;
        }
        if (g_.operands(host)[0] != value || count_of(host, value) > 1) {
            return false;
        }
        if (takes_both_layouts(g_, host) || reduces_places(g_, host)) {
            return true;
        }
        return keeps_layout(g_, host) && (is_nhwc(end) || has_one_layout(g_[end].shape));
    }

    constexpr int count_of(int node, int operand) const {
        int count = 0;
        for (const int o : g_.operands(node)) {
            count += o == operand ? 1 : 0;
        }
        return count;
    }

    /// Those that cannot stay as they are because a value is NCHW now.
    constexpr void find_failing_neighbours(int value, sequence<int>& failing) const {
        for (int k = first_[static_cast<std::size_t>(value)]; k < first_[static_cast<std::size_t>(value) + 1]; ++k) {
            const int end = layers_.end_of(readers_[static_cast<std::size_t>(k)]);
            if (is_nhwc(end) && !writes(end)) {
                failing.push_back(end);
            }
        }
        for (int i = value; i >= 0; i = layers_.before_node(i)) {
            for (const int o : g_.operands(i)) {
                if (is_nhwc(o) && !reads(i, o)) {
                    failing.push_back(o);
                }
            }
        }
    }

    const graph_view& g_;
    const fused_layers& layers_;
    sequence<char> known_;
    value_layouts result_;
    sequence<int> first_; ///< by value, where its readers begin
    sequence<int> readers_;
};

} // namespace detail

/// The layouts of a graph that is computed in layers. NHWC are values that convolutions and poolings write, if all that
/// read them can: convolutions, poolings, functions of elements whose results are NHWC, reductions over all places.
/// Linear in the size of the graph.
constexpr value_layouts choose_layouts(const graph_view& g, const fused_layers& layers) {
    return detail::layout_choice(g, layers).made();
}

/// Whether the step of the layer that ends in a node reads one order and writes the other, or for a reduction sorts what
/// it reads.
constexpr bool reorders(const graph_view& g, const fused_layers& layers, const value_layouts& chosen, int end) {
    const int host = detail::host_of_layer(g, layers, end);
    if (host < 0 || g.operands(host).empty()) {
        return false;
    }
    const int x = g.operands(host)[0];
    if (detail::reduces_places(g, host)) {
        return chosen.of(x) == layout::nhwc;
    }
    return detail::takes_both_layouts(g, host) && !has_one_layout(g[x].shape) && !has_one_layout(g[end].shape) &&
           chosen.of(x) != chosen.of(end);
}

} // namespace ane

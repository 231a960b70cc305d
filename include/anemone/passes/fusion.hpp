#pragma once

#include "../graph/constants.hpp"
#include "../graph/uses.hpp"

namespace ane {

/// What the engine's compiler makes of a node of the lowered graph (guide chapter 22, fusion rules).
enum class fused_as : std::uint8_t {
    own_layer, ///< a layer of its own
    bias,      ///< the start of its host's accumulator
    scale,     ///< the gain of its host's gain-offset stage
    offset,    ///< the offset that follows a gain, rounded together with it
    activation ///< the activation stage of its host
};

struct fusion {
    fused_as role = fused_as::own_layer;
    int host = -1;   ///< the layer that the node disappears into; itself for a layer of its own
    int stage = 0;   ///< the node whose value this one takes: the end of the host's chain so far
    int vector = -1; ///< the constant operand of a bias, scale or offset
};

namespace detail {

/// Position (0 or 1) of the constant operand of a two-operand node, or -1 where none or both are constant.
constexpr int constant_operand(const graph_view& g, int index, const sequence<char>& known) {
    const auto operands = g.operands(index);
    const bool first = known[static_cast<std::size_t>(operands[0])] != 0;
    const bool second = known[static_cast<std::size_t>(operands[1])] != 0;
    return first == second ? -1 : (first ? 0 : 1);
}

/// Whether a constant has one value, or one for each index of the axis `from_last` before the last of `like`.
constexpr bool is_vector_along(const extents& constant, const extents& like, int from_last) {
    if (constant.count() == 1) {
        return true;
    }
    return constant.count() == like.from_last(from_last) && constant.from_last(from_last) == constant.count();
}

/// The axis, counted from the last, that holds a layer's output channels: C of NCHW for windows, W for products.
constexpr int channel_axis(op kind) { return kind == op::matmul ? 0 : 2; }

/// Whether a layer multiplies by one constant, or by one for each channel: the gain of a gain-offset layer.
constexpr bool is_gain(const graph_view& g, int index, const sequence<char>& known) {
    const node& n = g[index];
    if (n.kind != op::mul) {
        return false;
    }
    const int position = constant_operand(g, index, known);
    return position >= 0 && is_vector_along(g.operand(n, position).shape, n.shape, channel_axis(n.kind));
}

} // namespace detail

/// Decides for each node of a lowered graph whether it is a layer or a stage of the layer before it. The bias of a
/// contraction starts its accumulator; then a multiplication by constants, with or without an addition of constants, is
/// the gain-offset stage; then one activation. A multiplication by constants on its own is a gain-offset layer that
/// also takes the addition and the activation. A stage needs a producer with no other reader.
constexpr sequence<fusion> fuse(const graph_view& g) {
    const sequence<char> known = constant_nodes(g);
    const sequence<int> readers = uses(g);
    sequence<fusion> result(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        fusion& mine = result[static_cast<std::size_t>(i)];
        mine = {fused_as::own_layer, i, i, -1};
        const node& n = g[i];
        if (known[static_cast<std::size_t>(i)] != 0 || is_source(n.kind)) {
            continue;
        }
        const bool additive = n.kind == op::add;
        const bool scaling = n.kind == op::mul;
        int producer = -1;
        int constant = -1;
        if (additive || scaling) {
            const int position = detail::constant_operand(g, i, known);
            if (position < 0) {
                continue;
            }
            constant = g.operands(i)[static_cast<std::size_t>(position)];
            producer = g.operands(i)[static_cast<std::size_t>(1 - position)];
        } else if (is_unary(n.kind)) {
            producer = g.operands(i)[0];
        }
        if (producer < 0 || readers[static_cast<std::size_t>(producer)] != 1 ||
            known[static_cast<std::size_t>(producer)] != 0 || is_source(g[producer].kind)) {
            continue;
        }
        const fusion& before = result[static_cast<std::size_t>(producer)];
        const op host = g[before.host].kind;
        const bool contraction = is_contraction(host);
        const bool plain_layer = before.role == fused_as::own_layer;
        const bool gain_layer = plain_layer && detail::is_gain(g, before.host, known);
        if (constant >= 0 && (g[i].shape != g[producer].shape ||
                              !detail::is_vector_along(g[constant].shape, g[i].shape, detail::channel_axis(host)))) {
            continue;
        }
        fused_as role = fused_as::own_layer;
        if (additive && contraction && plain_layer) {
            role = fused_as::bias;
        } else if (scaling && contraction && (plain_layer || before.role == fused_as::bias)) {
            role = fused_as::scale;
        } else if (additive && (before.role == fused_as::scale || gain_layer)) {
            role = fused_as::offset;
        } else if (is_unary(n.kind) && before.role != fused_as::activation) {
            role = fused_as::activation;
        }
        if (role != fused_as::own_layer) {
            mine = {role, before.host, producer, constant};
        }
    }
    return result;
}

/// For each node the stage that follows it in its layer, or -1 behind the last one. The nodes of a layer need not lie
/// beside each other in the graph.
constexpr sequence<int> next_stages(const sequence<fusion>& fused) {
    sequence<int> next(fused.size(), -1);
    for (std::size_t i = 0; i < fused.size(); ++i) {
        if (fused[i].role != fused_as::own_layer) {
            next[static_cast<std::size_t>(fused[i].stage)] = static_cast<int>(i);
        }
    }
    return next;
}

} // namespace ane

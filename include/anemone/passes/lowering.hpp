#pragma once

#include "../base/error.hpp"
#include "../graph/constants.hpp"
#include "../graph/op_facet.hpp"
#include "composed_forms.hpp"
#include "composed_functions.hpp"
#include "layer_forms.hpp"
#include "lower_cumsum.hpp"
#include "rewriter.hpp"
#include "scale_folding.hpp"

#include <string>
#include <string_view>

namespace ane {

/// A graph in the engine's own operations, and for each of its nodes the node of the model that it comes from.
struct lowered_graph {
    dynamic_graph graph;
    sequence<int> origins;

    constexpr graph_view view() const { return graph; }
};

namespace detail {

/// Adds a per-channel vector to `value`, along the axis that counts `from_last` from the last one.
constexpr int add_vector(rewriter& w, int value, int vector, int from_last) {
    const int rank = w.shape(value).rank;
    return w.emit(op::add, no_attributes{}, {value, w.along(vector, rank - 1 - from_last, rank)});
}

/// y = W x + b: a convolution without a bias, then the addition that the engine's compiler folds back (mil-ops section
/// 5).
template <class Attributes> constexpr int lower_convolution(rewriter& w, const node& n) {
    const int y = w.emit(n.kind, n.get<Attributes>(), {w.operand(n, 0), w.operand(n, 1)});
    return n.operands.count == 3 ? add_vector(w, y, w.operand(n, 2), 2) : y;
}

/// y = x W^T + b: a product with the weight as it is stored, [N, K], transposed by the flag (weights section 3.5).
constexpr int lower_linear(rewriter& w, const node& n) {
    int x = w.operand(n, 0);
    const bool vector = w.shape(x).rank == 1;
    if (vector) {
        x = w.reshape(x, {1, w.shape(x)[0]});
    }
    int y = w.emit(op::matmul, transposed{.b = true}, {x, w.operand(n, 1)});
    if (n.operands.count == 3) {
        y = add_vector(w, y, w.operand(n, 2), 0);
    }
    return vector ? w.reshape(y, n.shape) : y;
}

/// softmax(scale q k^T + mask) v. The fused unit of the engine is bit-identical where it is reliable (rewrites section
/// 2).
constexpr int lower_attention(rewriter& w, const node& n) {
    const float scale = n.get<score_scaling>().scale;
    int scores = w.emit(op::matmul, transposed{.b = true}, {w.operand(n, 0), w.operand(n, 1)});
    if (scale != 1.0F) {
        scores = w.emit(op::mul, no_attributes{}, {scores, w.scalar(scale)});
    }
    if (n.operands.count == 4) {
        scores = w.emit(op::add, no_attributes{}, {scores, w.operand(n, 3)});
    }
    const int shares = w.emit(op::softmax, axis{w.shape(scores).rank - 1}, {scores});
    return w.emit(op::matmul, transposed{}, {shares, w.operand(n, 2)});
}

/// The value itself: MIL's own `identity` does not compile (measured on M5), and nothing needs it.
constexpr int lower_identity(rewriter& w, const node& n) { return w.operand(n, 0); }

/// Whether a node is a constant of rank 0 that is zero, or becomes it in fp16.
constexpr bool is_zero(const graph_view& g, const node& n) {
    return n.kind == op::constant && n.shape.rank == 0 && half(g.values(n)[0]) == half(0.0F);
}

/// The position of the operand of a product that is a reduction where the other is a zero, or -1: that does not compile
/// on the engine (R124).
constexpr int reduction_times_zero(const graph_view& g, const node& n) {
    for (const int k : {0, 1}) {
        if (n.kind == op::mul && is_reduction(g.operand(n, k).kind) && is_zero(g, g.operand(n, 1 - k))) {
            return k;
        }
    }
    return -1;
}

/// A reduction times zero becomes its difference with itself, which compiles.
constexpr int lower_mul(rewriter& w, const graph_view& g, int index, layer_forms layers) {
    const node& n = g[index];
    if (const int number = number_after_whole(g, n); number >= 0 && layers == layer_forms::own) {
        return w.operand(n, 1 - number);
    }
    if (const int k = reduction_times_zero(g, n); k >= 0) {
        return w.emit(op::sub, no_attributes{}, {w.operand(n, k), w.operand(n, k)});
    }
    const int number = number_after_whole(g, n);
    return number >= 0 ? lower_mul_of_whole(w, g, n, number) : w.copy(index);
}

/// Bytes are cast before anything else: the engine takes them as an image input only (R002). Booleans are cast too.
constexpr int as_f16(rewriter& w, int value) {
    return w.at(value).type != dtype::f16 ? w.emit(op::cast, no_attributes{}, {value}) : value;
}

constexpr int lower_cast(rewriter& w, const node& n) { return as_f16(w, w.operand(n, 0)); }

/// Not constexpr: reaching it in a constant expression is the error.
[[noreturn]] inline void refuse_output(std::string_view name, dtype type) {
    throw error(errc::lowering, std::string(name),
                "the output is " + std::string(mil_name(type)) + ", the engine returns fp16 only: use " +
                    (type == dtype::int8 || type == dtype::uint8 ? "dequantize or to_f16" : "to_f16"));
}

/// Reshapes of bytes that `dequantize` reads, marked by node: those stay bytes.
constexpr sequence<char> dequantized_reshapes(const graph_view& g) {
    sequence<char> marked(g.nodes.size(), 0);
    for (int i = g.size() - 1; i >= 0; --i) {
        const node& n = g[i];
        const bool reads_bytes = n.kind == op::dequantize || marked[static_cast<std::size_t>(i)] != 0;
        if (reads_bytes && g.operand(n, 0).kind == op::reshape) {
            marked[static_cast<std::size_t>(g.operands(n)[0])] = 1;
        }
    }
    return marked;
}

constexpr int lower_square(rewriter& w, const node& n) {
    return w.emit(op::mul, no_attributes{}, {w.operand(n, 0), w.operand(n, 0)});
}

/// How an operation is lowered, unless it is copied.
struct lowering_rule {
    int (*lower)(rewriter& w, const node& n) = nullptr;
    bool always = false; ///< replaced by others; the others are adjusted only
};
inline constexpr op_facet<lowering_rule> lowering_rules{{op::conv2d, {lower_convolution<conv>}},
                                                        {op::conv_transpose2d, {lower_convolution<conv_transpose>}},
                                                        {op::linear, {lower_linear, true}},
                                                        {op::attention, {lower_attention, true}},
                                                        {op::softplus, {lower_softplus}},
                                                        {op::round, {lower_round}},
                                                        {op::floor_div, {lower_floor_div}},
                                                        {op::square, {lower_square, true}},
                                                        {op::identity, {lower_identity, true}},
                                                        {op::logical_and, {lower_and, true}},
                                                        {op::logical_or, {lower_or, true}},
                                                        {op::logical_xor, {lower_xor, true}},
                                                        {op::layer_norm, {lower_layer_norm, true}},
                                                        {op::batch_norm, {lower_batch_norm, true}},
                                                        {op::instance_norm, {lower_instance_norm, true}},
                                                        {op::group_norm, {lower_group_norm, true}},
                                                        {op::rms_norm, {lower_rms_norm, true}},
                                                        {op::l2_norm, {lower_l2_norm, true}},
                                                        {op::minmax_norm, {lower_minmax_norm, true}},
                                                        {op::cumsum, {lower_cumsum, true}},
                                                        {op::reduce_sum_square, {lower_sum_square, true}},
                                                        {op::reduce_l1_norm, {lower_l1_norm, true}},
                                                        {op::reduce_l2_norm, {lower_length, true}},
                                                        {op::reduce_log_sum, {lower_log_sum, true}},
                                                        {op::reduce_log_sum_exp, {lower_log_sum_exp, true}},
                                                        {op::cast, {lower_cast}}};

/// Operations whose own layer is one of the lowered graph's.
inline constexpr op_set own_layers{op::softplus, op::round, op::floor_div};

constexpr int lower_node(rewriter& w, const graph_view& g, int index, const op_set& kept, layer_forms layers,
                         const sequence<char>& dequantized) {
    const node& n = g[index];
    if (kept.contains(n.kind) || (layers == layer_forms::own && own_layers.contains(n.kind))) {
        return w.copy(index);
    }
    if (n.kind == op::mul) {
        return lower_mul(w, g, index, layers);
    }
    if (n.kind == op::reduce_log_sum_exp && layers == layer_forms::own) {
        return own_log_sum_exp(w, n);
    }
    if (n.kind == op::reshape && n.type == dtype::uint8 && dequantized[static_cast<std::size_t>(index)] == 0) {
        return w.reshape(as_f16(w, w.operand(n, 0)), n.shape);
    }
    const auto lower = lowering_rules[n.kind].lower;
    return lower != nullptr ? lower(w, n) : w.copy(index);
}

/// `lower` without the last step, in which multiplications by constants merge.
constexpr lowered_graph lower_each(const graph_view& g, const op_set& kept = {},
                                   layer_forms layers = layer_forms::safe) {
    rewriter w(g);
    const sequence<char> dequantized = detail::dequantized_reshapes(g);
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        w.rename(i, detail::lower_node(w, g, i, kept, layers, dequantized));
    }
    const sequence<char> known = constant_nodes(w.result());
    sequence<char> taken(w.result().nodes.size(), 0);
    for (const output_port& port : g.outputs) {
        if (g[port.node].type != dtype::f16) {
            detail::refuse_output(g.name(port), g[port.node].type);
        }
        int value = w.renamed(port.node);
        const auto at = static_cast<std::size_t>(value);
        const bool shared = w.at(value).kind == op::input || known[at] != 0 || taken[at] != 0;
        taken[at] = 1;
        if (shared) {
            w.visit(port.node);
            value = w.emit(op::mul, no_attributes{}, {value, w.scalar(1.0F)});
        }
        w.add_output(value, port);
    }
    return {w.result(), w.origins()};
}

} // namespace detail

/// Operations that lowering always replaces by others.
constexpr bool is_composed(op kind) noexcept { return detail::lowering_rules[kind].always; }

/// Rewrites a model into the operations that the engine's compiler accepts: biases become additions, composed
/// operations become their parts, forbidden forms become allowed ones, and every output becomes the result of an
/// operation of its own (an output that is an input crashes the compiler: an empty body, engine-runtime section 8.2).
/// The oracle, the emitters and the cost model all read the result. Operations of `kept` are copied as they are, for a
/// format that has a form of its own for them: `lower(g, {op::attention})`. With `layer_forms::own` the engine's own
/// layers stay what a file of others asks for: what the oracle then computes is what that file gets.
constexpr lowered_graph lower(const graph_view& g, const op_set& kept = {}, layer_forms layers = layer_forms::safe) {
    lowered_graph result = detail::lower_each(g, kept, layers);
    fold_scales(result.graph, result.origins);
    return result;
}

} // namespace ane

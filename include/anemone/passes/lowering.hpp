#pragma once

#include "../base/error.hpp"
#include "composed_forms.hpp"
#include "composed_functions.hpp"
#include "constants.hpp"
#include "lower_cumsum.hpp"
#include "rewriter.hpp"
#include "scale_folding.hpp"

#include <string>
#include <string_view>

namespace ane {

/// Operations that lowering always replaces by others.
constexpr bool is_composed(op kind) noexcept {
    switch (kind) {
    case op::linear:
    case op::attention:
    case op::square:
    case op::layer_norm:
    case op::batch_norm:
    case op::instance_norm:
    case op::group_norm:
    case op::rms_norm:
    case op::l2_norm:
    case op::minmax_norm:
    case op::cumsum:
    case op::reduce_sum_square:
    case op::reduce_l1_norm:
    case op::reduce_l2_norm:
    case op::reduce_log_sum:
    case op::reduce_log_sum_exp: return true;
    default: return false;
    }
}

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
    const float scale = n.get<coefficients>().alpha;
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

/// Whether a node is a constant zero of rank 0.
constexpr bool is_zero(const graph_view& g, const node& n) {
    return n.kind == op::constant && n.shape.rank == 0 && g.values(n)[0] == 0.0F;
}

/// A multiplication of a reduction by zero does not compile on the engine (R124): the difference with itself does.
constexpr int lower_mul(rewriter& w, const graph_view& g, int index) {
    const node& n = g[index];
    const node& a = g.operand(n, 0);
    const node& b = g.operand(n, 1);
    if (is_reduction(a.kind) && is_zero(g, b)) {
        return w.emit(op::sub, no_attributes{}, {w.operand(n, 0), w.operand(n, 0)});
    }
    if (is_reduction(b.kind) && is_zero(g, a)) {
        return w.emit(op::sub, no_attributes{}, {w.operand(n, 1), w.operand(n, 1)});
    }
    const int number = number_after_whole(g, n);
    return number >= 0 ? lower_mul_of_whole(w, g, n, number) : w.copy(index);
}

/// Bytes are cast before anything else: the engine takes them as an image input only (R002). Booleans are cast too.
constexpr int as_f16(rewriter& w, int value) {
    return w.at(value).type != dtype::f16 ? w.emit(op::cast, no_attributes{}, {value}) : value;
}

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

constexpr int lower_node(rewriter& w, const graph_view& g, int index, const sequence<char>& dequantized) {
    const node& n = g[index];
    switch (n.kind) {
    case op::conv2d: return lower_convolution<conv>(w, n);
    case op::conv_transpose2d: return lower_convolution<conv_transpose>(w, n);
    case op::linear: return lower_linear(w, n);
    case op::layer_norm: return lower_layer_norm(w, n);
    case op::batch_norm: return lower_batch_norm(w, n);
    case op::instance_norm: return lower_instance_norm(w, n);
    case op::group_norm: return lower_group_norm(w, n);
    case op::rms_norm: return lower_rms_norm(w, n);
    case op::l2_norm: return lower_l2_norm(w, n);
    case op::minmax_norm: return lower_minmax_norm(w, n);
    case op::cumsum: return lower_cumsum(w, n);
    case op::attention: return lower_attention(w, n);
    case op::square: return w.emit(op::mul, no_attributes{}, {w.operand(n, 0), w.operand(n, 0)});
    case op::reduce_sum_square:
    case op::reduce_l1_norm:
    case op::reduce_l2_norm:
    case op::reduce_log_sum:
    case op::reduce_log_sum_exp: return lower_reduction(w, n);
    case op::mul: return lower_mul(w, g, index);
    case op::softplus: return lower_softplus(w, n);
    case op::round: return lower_round(w, n);
    case op::reshape:
        return n.type == dtype::uint8 && dequantized[static_cast<std::size_t>(index)] == 0
                   ? w.reshape(as_f16(w, w.operand(n, 0)), n.shape)
                   : w.copy(index);
    case op::cast: return as_f16(w, w.operand(n, 0));
    default: return w.copy(index);
    }
}

} // namespace detail

/// Rewrites a model into the operations that the engine's compiler accepts: biases become additions, composed
/// operations become their parts, forbidden forms become allowed ones, and every output becomes the result of an
/// operation of its own (an output that is an input crashes the compiler: an empty body, engine-runtime section 8.2).
/// The oracle, the emitters and the cost model all read the result.
constexpr lowered_graph lower(const graph_view& g) {
    rewriter w(g);
    const sequence<char> dequantized = detail::dequantized_reshapes(g);
    for (int i = 0; i < g.size(); ++i) {
        w.visit(i);
        w.rename(i, detail::lower_node(w, g, i, dequantized));
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
        w.add_output(value, g.name(port));
    }
    lowered_graph result{w.result(), w.origins()};
    fold_scales(result.graph, result.origins);
    return result;
}

} // namespace ane

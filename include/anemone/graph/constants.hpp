#pragma once

#include "../base/stop_point.hpp"
#include "graph.hpp"
#include "op_set.hpp"

namespace ane {

/// Whether an operation over constants is computed when the graph is compiled instead of on the device: every one that
/// reads something. (A compressed weight is no operation but a form that its values are stored in.)
constexpr bool is_foldable(op kind) noexcept {
    return !is_source(kind) && kind != op::compressed && signature(kind).least_operands > 0;
}

/// Whether such an operation is computed in double precision, without rounding before the next one: the arithmetic that
/// folds the weights of a norm into one constant. The others are computed as the CPU backend computes them in a run.
constexpr bool folds_unrounded(op kind) noexcept {
    return is_binary(kind) || kind == op::reshape || kind == op::transpose || kind == op::sqrt || kind == op::rsqrt ||
           kind == op::exp || kind == op::abs;
}

namespace detail {
constexpr bool known_when_compiled(const graph_view& g, int index, int depth) {
    const node& n = g[index];
    if (n.kind == op::weight || n.kind == op::constant || n.kind == op::compressed) {
        return true;
    }
    if (depth == 0 || !is_foldable(n.kind)) {
        return false;
    }
    for (const int operand : g.operands(n)) {
        if (!known_when_compiled(g, operand, depth - 1)) {
            return false;
        }
    }
    return true;
}
} // namespace detail

/// Whether the program contains the value of a node: as given, compressed, or computed from such values when the graph
/// is compiled. Looks back at most eight operations.
constexpr bool is_known_when_compiled(const graph_view& g, int index) {
    return detail::known_when_compiled(g, index, 8);
}

/// For each node whether its value is known when the graph is compiled: weights, also in a stored form, constants, and
/// operations over such. A node that is an output is never one of these: the device has to write it.
constexpr sequence<char> constant_nodes(const graph_view& g) {
    detail::stop_point();
    sequence<char> written(g.nodes.size(), 0);
    for (const output_port& port : g.outputs) {
        written[static_cast<std::size_t>(port.node)] = 1;
    }
    sequence<char> known(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        const op kind = g[i].kind;
        bool constant = kind == op::weight || kind == op::constant;
        if (kind == op::compressed) {
            constant = known[static_cast<std::size_t>(g.operands(i)[0])] != 0;
        }
        if (is_foldable(kind)) {
            constant = written[static_cast<std::size_t>(i)] == 0;
            for (const int o : g.operands(i)) {
                if (known[static_cast<std::size_t>(o)] == 0) {
                    constant = false;
                    break;
                }
            }
        }
        known[static_cast<std::size_t>(i)] = constant ? 1 : 0;
    }
    return known;
}

/// What of a model no device computes, by node: 1 where a value is known when the model is compiled, 2 where such a value is
/// an output, which a device returns as a product with one (passes/lowering.hpp).
constexpr sequence<char> known_nodes_of_model(const graph_view& g) {
    graph_view without_outputs = g;
    without_outputs.outputs = {};
    sequence<char> known = constant_nodes(without_outputs);
    for (const output_port& port : g.outputs) {
        char& own = known[static_cast<std::size_t>(port.node)];
        own = own != 0 ? 2 : 0;
    }
    return known;
}

/// Operations that are computed when a program is compiled, by how: the program has the code of these.
struct constant_operations {
    op_set rounded;   ///< as the CPU backend computes them in a run
    op_set unrounded; ///< in double precision

    friend constexpr bool operator==(const constant_operations&, const constant_operations&) = default;
};
inline constexpr constant_operations every_constant{every_op, every_op};

/// Those of a graph.
constexpr constant_operations computed_when_compiled(const graph_view& g) {
    const sequence<char> known = constant_nodes(g);
    constant_operations all;
    for (int i = 0; i < g.size(); ++i) {
        const op kind = g[i].kind;
        if (known[static_cast<std::size_t>(i)] != 0 && is_foldable(kind)) {
            (folds_unrounded(kind) && g[i].type == dtype::f16 ? all.unrounded : all.rounded).insert(kind);
        }
    }
    return all;
}

} // namespace ane

#pragma once

#include "../graph/refusal.hpp"
#include "../ops/element_types.hpp"
#include "../ops/infer.hpp"

#include <cstdint>

namespace ane {

namespace detail {

/// The first axis of a node's attributes that is not counted from the front, or 0. Builders resolve negative axes;
/// passes and backends read these as they are. (The norms that lowering takes apart resolve theirs.)
constexpr std::int64_t unresolved_axis(const node& n) {
    const auto negative = [](const indices& list) {
        for (int i = 0; i < list.rank; ++i) {
            if (list[i] < 0) {
                return list[i];
            }
        }
        return std::int64_t{0};
    };
    switch (n.attributes.kind()) {
    case attribute_kind::axis: return n.get<axis>().index < 0 ? n.get<axis>().index : 0;
    case attribute_kind::axes: return negative(n.get<axes>().list);
    case attribute_kind::permutation: return negative(n.get<permutation>().order);
    case attribute_kind::stabilizer:
        return n.kind == op::layer_norm && n.get<stabilizer>().axis < 0 ? n.get<stabilizer>().axis : 0;
    default: return 0;
    }
}

/// Whether a window's attributes still say `same` or `valid`, or leave the stride to the kernel. Builders resolve them.
constexpr bool is_unresolved(const attributes& a) {
    switch (a.kind()) {
    case attribute_kind::conv: return a.get<conv>().padding.mode != padding_mode::explicit_amount;
    case attribute_kind::conv_transpose: return a.get<conv_transpose>().padding.mode != padding_mode::explicit_amount;
    case attribute_kind::pool:
        return a.get<pool>().padding.mode != padding_mode::explicit_amount || a.get<pool>().stride == size2(0);
    default: return false;
    }
}

/// More elements than any memory holds: below it counts and sizes in bytes do not overflow.
inline constexpr std::int64_t element_limit = std::int64_t{1} << 48;

constexpr void validate_shape(const node& n) {
    const extents& shape = n.shape;
    if (shape.rank < 0 || shape.rank > extents::capacity) {
        refuse_graph(name(n.kind), "has a shape of no possible rank", shape.rank, extents::capacity);
    }
    std::int64_t count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] < 1) {
            refuse_graph(name(n.kind), sentence(fault::every_extent_must_be_at_least_1_R019), shape[i], 1);
        }
        if (shape[i] > element_limit / count) {
            refuse_graph(name(n.kind), "has more elements than memory holds", shape[i], element_limit / count);
        }
        count *= shape[i];
    }
}

/// Not constexpr: reaching it in a constant expression is the error.
[[noreturn]] inline void refuse_type(op kind, std::string_view what, dtype type) {
    throw error(errc::graph, std::string(name(kind)), std::string(what) + std::string(mil_name(type)));
}

constexpr void validate_types(const graph_view& g, const node& n) {
    if (is_source(n.kind)) {
        return;
    }
    for (int k = 0; k < n.operands.count; ++k) {
        if (!reads_type_of(g, n, k)) {
            refuse_type(n.kind, "does not read elements of type ", g.operand(n, k).type);
        }
    }
    if (n.type != inferred_type(g, n)) {
        refuse_type(n.kind, "does not compute elements of type ", n.type);
    }
}

/// What a shape does not decide: axes, the values of a constant, the ends of a clamp, promises that no tensor keeps.
constexpr void validate_attributes(const graph_view& g, const node& n) {
    const std::int64_t unresolved = unresolved_axis(n);
    if (unresolved < 0) {
        refuse_graph(name(n.kind), "counts an axis from the last: give it from the front", unresolved,
                     unresolved + g.operand(n, 0).shape.rank);
    }
    if (is_unresolved(n.attributes)) {
        refuse_graph(name(n.kind), "leaves its padding or stride open: give the amounts");
    }
    if (n.attributes.kind() == attribute_kind::axes && n.get<axes>().list.rank == 0 && g.operand(n, 0).shape.rank > 0) {
        refuse_graph(name(n.kind), "names no axis: list all of them", 0, g.operand(n, 0).shape.rank);
    }
    if (n.kind == op::constant) {
        const literal& values = n.get<literal>();
        if (values.offset < 0 || values.count < 1 ||
            std::int64_t{values.offset} + values.count > static_cast<std::int64_t>(g.payload.size())) {
            refuse_graph("constant", "has values outside the graph's payload", values.offset,
                         static_cast<std::int64_t>(g.payload.size()));
        }
        if (values.count != 1 && values.count != n.shape.count()) {
            refuse_graph("constant", "has as many values as elements, or one", values.count, n.shape.count());
        }
    }
    if (n.kind == op::clamp && !(n.get<coefficients>().alpha <= n.get<coefficients>().beta)) {
        refuse_graph("clamp", "its low end is above its high end");
    }
    if (n.attributes.kind() == attribute_kind::contract && !n.get<contract>().possible()) {
        refuse_graph(name(n.kind), "no tensor can keep its promises");
    }
}

} // namespace detail

/// `validate` of the nodes [first, last) alone: compilers bound the steps of one constant, so a large graph takes
/// several.
constexpr void validate_nodes(const graph_view& g, int first, int last) {
    const auto pool_size = static_cast<std::int64_t>(g.operand_pool.size());
    for (int i = first; i < last; ++i) {
        const node& n = g[i];
        const op_signature& takes = signature(n.kind);
        if (n.operands.count < takes.least_operands || n.operands.count > takes.most_operands) {
            detail::refuse_graph(name(n.kind), "has a wrong number of operands", n.operands.count,
                                 takes.least_operands);
        }
        if (n.operands.first < 0 || std::int64_t{n.operands.first} + n.operands.count > pool_size) {
            detail::refuse_graph(name(n.kind), "has operands outside the graph's pool", n.operands.first, pool_size);
        }
        for (const int operand : g.operands(n)) {
            if (operand < 0 || operand >= i) {
                detail::refuse_graph(name(n.kind), "reads a node that does not stand before it", operand, i);
            }
        }
        if (n.attributes.kind() != takes.attributes) {
            detail::refuse_graph(name(n.kind), "carries the attributes of another operation");
        }
        detail::validate_shape(n);
        const inferred rule = infer(g, n);
        if (!rule.ok()) {
            detail::refuse_graph(name(n.kind), sentence(rule.broken, name(n.kind)), rule.got, rule.want);
        }
        if (rule.shape != n.shape) {
            detail::refuse_graph(name(n.kind), "has another number of elements than its shape rule gives",
                                 n.shape.count(), rule.shape.count());
        }
        detail::validate_types(g, n);
        detail::validate_attributes(g, n);
    }
}

constexpr void validate_outputs(const graph_view& g) {
    for (const output_port& port : g.outputs) {
        if (port.node < 0 || port.node >= g.size()) {
            detail::refuse_graph("output", "names a node that is not there", port.node, g.size());
        }
    }
    if (g.outputs.empty()) {
        detail::refuse_graph("graph", "has no output");
    }
}

/// Checks what the typed builders guarantee, for a graph that was made otherwise: operands stand before their readers
/// and are as many as the operation takes, attributes and element types are the operation's, axes count from the front,
/// constants have their values, and every shape is the one that its shape rule gives. Throws `error` (errc::graph) that
/// names the node; in a constant expression a bad graph does not compile.
constexpr void validate(const graph_view& g) {
    validate_nodes(g, 0, g.size());
    validate_outputs(g);
}

} // namespace ane

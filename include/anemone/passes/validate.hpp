#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/refusal.hpp"
#include "../graph/uses.hpp"
#include "validate_attributes.hpp"
#include "validate_names.hpp"

#include <cstdint>

namespace ane {

namespace detail {

/// The first axis of a node's attributes that is not counted from the front, or 0. Builders resolve negative axes;
/// passes and backends read these as they are.
constexpr std::int64_t unresolved_axis(const graph_view& g, const node& n) {
    const auto negative = [](const indices& list) {
        for (int i = 0; i < list.rank; ++i) {
            if (list[i] < 0) {
                return list[i];
            }
        }
        return std::int64_t{0};
    };
    std::int64_t index = 0;
    switch (n.attributes.kind()) {
    case attribute_kind::axis: index = n.get<axis>().index; break;
    case attribute_kind::axes: return negative(n.get<axes>().list);
    case attribute_kind::permutation: return negative(n.get<permutation>().order);
    case attribute_kind::cumulation: index = n.get<cumulation>().axis; break;
    case attribute_kind::selection: index = n.get<selection>().axis; break;
    case attribute_kind::quantization: // of one scale it means nothing
        index = g.operand(n, 1).shape.count() > 1 || (n.operands.count > 2 && g.operand(n, 2).shape.count() > 1)
                    ? n.get<quantization>().axis
                    : 0;
        break;
    case attribute_kind::stabilizer:
        index = signature(n.kind).group == op_group::normalization ? n.get<stabilizer>().axis : 0;
        break;
    default: break;
    }
    return index < 0 ? index : 0;
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

/// More elements than fit in any memory; below this, counts and sizes in bytes do not overflow.
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
        const std::int64_t room = element_limit / count;
        const std::int64_t most = room < extent_limit ? room : extent_limit;
        if (shape[i] > most) {
            refuse_graph(name(n.kind), "has more elements than memory holds", shape[i], most);
        }
        count *= shape[i];
    }
}

/// Whether a run lies in a pool of this size.
constexpr bool lies_in(range_of run, std::size_t size) {
    return run.first >= 0 && run.count >= 0 && std::int64_t{run.first} + run.count <= static_cast<std::int64_t>(size);
}

/// Checks what must hold before anything else of a node can be read: its operation, its element type, and where its
/// parts lie.
constexpr void validate_frame(const graph_view& g, int index) {
    const node& n = g[index];
    if (static_cast<std::size_t>(n.kind) >= op_count) {
        refuse_graph("node", "unknown operation number", static_cast<int>(n.kind),
                     static_cast<std::int64_t>(op_count) - 1);
    }
    if (n.type > dtype::boolean) {
        refuse_graph(name(n.kind), "unknown element type number", static_cast<int>(n.type),
                     static_cast<int>(dtype::boolean));
    }
    if (n.where.file == nullptr) {
        refuse_graph(name(n.kind), "has no text for the file that it stands in: an empty one is \"\"");
    }
    if (!lies_in(n.name, g.text_pool.size())) {
        refuse_graph(name(n.kind), "has a name outside the graph's text", n.name.first,
                     static_cast<std::int64_t>(g.text_pool.size()));
    }
    const op_signature& takes = signature(n.kind);
    if (n.operands.count < takes.least_operands || n.operands.count > takes.most_operands) {
        refuse_graph(name(n.kind), "has a wrong number of operands", n.operands.count, takes.least_operands);
    }
    if (!lies_in(n.operands, g.operand_pool.size())) {
        refuse_graph(name(n.kind), "has operands outside the graph's pool", n.operands.first,
                     static_cast<std::int64_t>(g.operand_pool.size()));
    }
    for (const int operand : g.operands(n)) {
        if (operand < 0 || operand >= index) {
            refuse_graph(name(n.kind), "reads a node that does not stand before it", operand, index);
        }
    }
    if (n.attributes.kind() != takes.attributes) {
        refuse_graph(name(n.kind), "carries the attributes of another operation");
    }
}

/// Not constexpr: reaching it in a constant expression is the error.
[[noreturn]] inline void refuse_type(op kind, std::string_view what, dtype type) {
    throw error(errc::graph, std::string(name(kind)), std::string(what) + std::string(mil_name(type)));
}

constexpr void validate_types(const graph_view& g, const node& n) {
    if (is_source(n.kind)) { // which types an input may have is the target's to say (R002, R004)
        if (n.kind != op::input && n.type != dtype::f16) {
            refuse_type(n.kind, "does not have elements of type ", n.type);
        }
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

/// Checks what remains once the shape follows the rule: that axes and amounts are resolved, and that a constant has its
/// values.
constexpr void validate_resolved(const graph_view& g, const node& n) {
    const std::int64_t unresolved = unresolved_axis(g, n);
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
        if (values.count < 1 || !lies_in({values.offset, values.count}, g.payload.size())) {
            refuse_graph("constant", "has values outside the graph's payload", values.offset,
                         static_cast<std::int64_t>(g.payload.size()));
        }
        if (values.count != 1 && values.count != n.shape.count()) {
            refuse_graph("constant", sentence(model_rule::a_constant_has_one_value_or_one_for_each_element),
                         values.count, n.shape.count());
        }
    }
}

} // namespace detail

/// `validate` of the nodes [first, last) alone: compilers bound the steps of one constant, so a large graph takes
/// several.
constexpr void validate_nodes(const graph_view& g, int first, int last) {
    for (int i = first; i < last; ++i) {
        detail::validate_frame(g, i);
        const node& n = g[i];
        detail::validate_shape(n);
        detail::validate_attributes(n.kind, n.attributes);
        const inferred rule = infer(g, n);
        if (!rule.ok()) {
            detail::refuse_graph(name(n.kind), sentence(rule.broken, name(n.kind)), rule.got, rule.want);
        }
        if (rule.shape != n.shape) {
            detail::refuse_graph(name(n.kind), "has another number of elements than its shape rule gives",
                                 n.shape.count(), rule.shape.count());
        }
        detail::validate_types(g, n);
        detail::validate_resolved(g, n);
    }
}

/// `validate` for the pools: they have no more elements than an index can address, no two nodes share a part of them
/// (which bounds what is read from a graph by its size), and constants are fp16 values.
constexpr void validate_pools(const graph_view& g) {
    for (const std::size_t size :
         {g.nodes.size(), g.operand_pool.size(), g.text_pool.size(), g.payload.size(), g.outputs.size()}) {
        if (size > static_cast<std::size_t>(detail::extent_limit)) {
            detail::refuse_graph("graph", "is larger than an index counts", static_cast<std::int64_t>(size),
                                 detail::extent_limit);
        }
    }
    std::int64_t operands = 0;
    std::int64_t text = 0;
    std::int64_t values = 0;
    for (const node& n : g.nodes) {
        operands += n.operands.count;
        text += n.name.count;
        values += n.kind == op::constant ? n.get<literal>().count : 0;
    }
    for (const output_port& port : g.outputs) {
        text += port.name.count;
    }
    const auto hold = [](std::string_view pool, std::int64_t read, std::size_t size) {
        if (read > static_cast<std::int64_t>(size)) {
            detail::refuse_graph(pool, "nodes share parts of it", read, static_cast<std::int64_t>(size));
        }
    };
    hold("the pool of operands", operands, g.operand_pool.size());
    hold("the pool of text", text, g.text_pool.size());
    hold("the payload", values, g.payload.size());
    if (!detail::all_lie_in(g.payload, -65504.0F, 65504.0F)) {
        detail::refuse_graph(
            "constant",
            sentence(model_rule::a_number_does_not_fit_into_fp16_which_ends_at_65504_a_mask_takes_minus_30000));
    }
}

namespace detail {

/// A state is an input of the graph and the output that it becomes, fp16 and of one shape.
constexpr void validate_state(const graph_view& g, int position, const sequence<node_port>& ports) {
    const output_port& port = g.outputs[static_cast<std::size_t>(position)];
    const node& before = g[port.state];
    const node& after = g[port.node];
    if (before.shape != after.shape || before.type != after.type) {
        refuse_graph(g.name(port.state), "is a state whose next value has another shape or type", after.shape.count(),
                     before.shape.count());
    }
    if (before.type != dtype::f16) {
        refuse_graph(g.name(port.state), "is a state whose elements are not fp16", static_cast<int>(before.type),
                     static_cast<int>(dtype::f16));
    }
    const int next = ports[static_cast<std::size_t>(port.state)].next;
    if (next != position) {
        refuse_graph(g.name(port.state), "is a state with two next values", position, next);
    }
}

} // namespace detail

constexpr void validate_outputs(const graph_view& g) {
    for (const output_port& port : g.outputs) {
        if (port.node < 0 || port.node >= g.size()) {
            detail::refuse_graph("output", "names a node that is not there", port.node, g.size());
        }
        if (!detail::lies_in(port.name, g.text_pool.size())) {
            detail::refuse_graph("output", "has a name outside the graph's text", port.name.first,
                                 static_cast<std::int64_t>(g.text_pool.size()));
        }
    }
    bool any_state = false;
    for (const output_port& port : g.outputs) {
        if (port.state != -1 && (port.state < 0 || port.state >= g.size() || g[port.state].kind != op::input)) {
            detail::refuse_graph(g.name(port), "is the next value of a node that is not an input", port.state,
                                 g.size());
        }
        any_state = any_state || port.is_state();
    }
    if (any_state) {
        const sequence<node_port> ports = node_ports(g);
        for (std::size_t i = 0; i < g.outputs.size(); ++i) {
            if (g.outputs[i].is_state()) {
                detail::validate_state(g, static_cast<int>(i), ports);
            }
        }
    }
    if (g.outputs.empty()) {
        detail::refuse_graph("graph", "has no output");
    }
}

/// Holds a graph to what the builders guarantee, whatever bytes it is made of, in n log n steps. Operations, types and
/// enumerators are those there are; every run lies in its pool; operands stand before their readers and are as many as
/// the operation takes; attributes are its own and in range, axes count from the front, paddings are amounts; every
/// shape and element type is the one that its rule gives; constants have their values, which fit into fp16; ports have
/// different names, which are identifiers, and weights have different names. Throws `error` (errc::graph) that names
/// the operation or the port; in a constant expression a bad graph does not compile. It cannot check that `source_location::file`
/// points to text: code that makes nodes by hand must let it point to text that outlives the graph, as builders do.
///
/// The entry points of the library call it: whatever runs, emits, reports or draws a whole graph. Passes and rules
/// (constexpr), and functions that are given the index of a node, rely on it instead.
constexpr void validate(const graph_view& g) {
    validate_nodes(g, 0, g.size());
    validate_outputs(g);
    validate_pools(g);
    validate_names(g);
}

/// Returns the graph itself after `validate` has accepted it: for initializers.
constexpr const graph_view& validated(const graph_view& g) {
    validate(g);
    return g;
}

} // namespace ane

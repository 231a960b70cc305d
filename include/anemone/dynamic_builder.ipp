#pragma once

#include "base/formatted.hpp"
#include "dynamic_builder.hpp"
#include "graph/builder.hpp"
#include "ops/attention.hpp"
#include "passes/print.hpp"
#include "passes/prune.hpp"
#include "passes/validate.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void require_extents(std::string_view subject, const extents& shape) {
    if (shape.rank < 0 || shape.rank > extents::capacity) {
        refuse_graph(subject, "has a shape of no possible rank", shape.rank, extents::capacity);
    }
    std::int64_t count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] < 1) {
            throw error(errc::graph, std::string(subject),
                        formatted("extent {} of axis {} in {}: {}", shape[i], i, print(shape),
                                  sentence(fault::every_extent_must_be_at_least_1_R019)));
        }
        if (shape[i] > extent_limit || shape[i] > element_limit / count) {
            throw error(errc::graph, std::string(subject),
                        formatted("extent {} of axis {} in {} makes more elements than memory holds", shape[i], i,
                                  print(shape)));
        }
        count *= shape[i];
    }
}

/// The default attributes of a typed function; none where its caller has to give numbers.
ANEMONE_INLINE attributes default_attributes(attribute_kind kind) {
    switch (kind) {
    case attribute_kind::conv:
    case attribute_kind::conv_transpose:
    case attribute_kind::transposed:
    case attribute_kind::axis:
    case attribute_kind::axes:
    case attribute_kind::cumulation:
    case attribute_kind::leakage:
    case attribute_kind::relu_threshold:
    case attribute_kind::saturation:
    case attribute_kind::clamped_line:
    case attribute_kind::score_scaling:
    case attribute_kind::drop_ratio:
    case attribute_kind::uniform_range: return attributes::of(kind);
    default: return {};
    }
}

/// The attributes as a graph keeps them, once the shape rule holds.
ANEMONE_INLINE attributes resolved_attributes(const graph_view& g, const node& n) {
    if (n.operands.count == 0) {
        return n.attributes;
    }
    const extents& x = g.operand(n, 0).shape;
    switch (n.attributes.kind()) {
    case attribute_kind::conv: return resolve(n.get<conv>(), x, g.operand(n, 1).shape);
    case attribute_kind::conv_transpose: return resolve(n.get<conv_transpose>(), x, g.operand(n, 1).shape);
    case attribute_kind::pool: return resolve(n.get<pool>(), x);
    case attribute_kind::axis: return resolve(n.get<axis>(), x);
    case attribute_kind::axes: return resolve(n.get<axes>(), x);
    case attribute_kind::permutation: return resolve(n.get<permutation>(), x);
    case attribute_kind::cumulation: return resolve(n.get<cumulation>(), x);
    case attribute_kind::quantization: return resolve(n.get<quantization>(), x);
    case attribute_kind::selection: {
        selection s = n.get<selection>();
        s.axis = normalized_axis(s.axis, x.rank);
        return s;
    }
    case attribute_kind::stabilizer: {
        stabilizer s = n.get<stabilizer>();
        const bool of_channels = n.kind == op::batch_norm || n.kind == op::instance_norm;
        s.axis = of_channels                                          ? 1
                 : signature(n.kind).group == op_group::normalization ? normalized_axis(s.axis, x.rank)
                                                                      : s.axis;
        return s;
    }
    case attribute_kind::score_scaling: {
        score_scaling s = n.get<score_scaling>();
        if (s.scale == 0) {
            s.scale = static_cast<float>(1.0 / square_root(static_cast<double>(x.width())));
        }
        return s;
    }
    default: return n.attributes;
    }
}

/// Rolls a graph back to its present size at the end of the scope, unless the additions are kept.
class rollback {
public:
    explicit rollback(dynamic_graph& g)
        : graph_(g), nodes_(g.nodes.size()), operands_(g.operand_pool.size()), payload_(g.payload.size()),
          text_(g.text_pool.size()) {}
    rollback(const rollback&) = delete;
    rollback& operator=(const rollback&) = delete;
    ~rollback() {
        const auto cut = [](auto& pool, std::size_t size) {
            while (pool.size() > size) {
                pool.pop_back();
            }
        };
        if (!kept_) {
            cut(graph_.nodes, nodes_);
            cut(graph_.operand_pool, operands_);
            cut(graph_.payload, payload_);
            cut(graph_.text_pool, text_);
        }
    }
    void keep() { kept_ = true; }

private:
    dynamic_graph& graph_;
    std::size_t nodes_, operands_, payload_, text_;
    bool kept_ = false;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY dynamic_builder::dynamic_builder() : number_(detail::next_identity()) {}

ANEMONE_BODY dynamic_tensor dynamic_builder::input(std::string_view name, const extents& shape, const contract& promise,
                                                   dtype type, source_location where) {
    require_alive();
    if (!is_identifier(name)) {
        detail::refuse_graph(name, "the name of a port is made of letters, digits and underscores");
    }
    if (graph_.has_port(name, dynamic_graph::hash_of(name))) {
        detail::refuse_graph(name, "two ports of the graph have this name");
    }
    if (type != dtype::f16 && type != dtype::uint8 && type != dtype::int8) {
        detail::refuse_graph(name, "an input is fp16, uint8 or int8");
    }
    return declare(op::input, name, type, shape, promise, where);
}

ANEMONE_BODY dynamic_tensor dynamic_builder::weight(std::string_view name, const extents& shape,
                                                    const contract& promise, source_location where) {
    require_alive();
    const int known = graph_.find_named(op::weight, name, dynamic_graph::hash_of(name));
    if (known < 0) {
        return declare(op::weight, name, dtype::f16, shape, promise, where);
    }
    node& n = graph_.nodes[static_cast<std::size_t>(known)];
    if (n.shape != shape) {
        detail::require_extents(name, shape);
        throw error(
            errc::graph, std::string(name),
            formatted("the weight is declared twice with different shapes, {} and {}", print(n.shape), print(shape)));
    }
    const contract before = n.get<contract>();
    if (!promise.possible() || !agree(before, promise)) {
        detail::refuse_graph(name, "the weight is declared twice with different contracts");
    }
    n.attributes = before & promise;
    return handle(known);
}

ANEMONE_BODY dynamic_tensor dynamic_builder::declare(op kind, std::string_view name, dtype type, const extents& shape,
                                                     const contract& promise, source_location where) {
    detail::require_extents(name, shape);
    if (!promise.possible()) {
        detail::refuse_graph(name, "no tensor can keep its promises");
    }
    if (kind == op::input && type == dtype::f16) {
        graph_.require_fp16(promise, name, where);
    }
    node n;
    n.kind = kind;
    n.type = type;
    n.shape = shape;
    n.attributes = promise;
    n.where = where;
    return handle(graph_.append_named(n, name, dynamic_graph::hash_of(name)));
}

ANEMONE_BODY dynamic_tensor dynamic_builder::constant(const extents& shape, std::span<const float> values,
                                                      source_location where) {
    require_alive();
    detail::require_extents("constant", shape);
    if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != shape.count()) {
        detail::refuse_graph("constant", "has as many values as elements, or one",
                             static_cast<std::int64_t>(values.size()), shape.count());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(values[i] >= -half_max && values[i] <= half_max)) {
            throw error(errc::graph, "constant",
                        formatted("value {} is {}, which does not fit into fp16, whose largest value is {}", i,
                                  values[i], half_max));
        }
    }
    node n;
    n.kind = op::constant;
    n.shape = shape;
    n.attributes = graph_.keep(values);
    n.where = where;
    return handle(graph_.append(n, {}));
}
ANEMONE_BODY dynamic_tensor dynamic_builder::constant(const extents& shape, double value, source_location where) {
    const auto narrow = static_cast<float>(std::clamp(value, -1e38, 1e38)); // a NaN stays one
    return constant(shape, std::span(&narrow, 1), where);
}
ANEMONE_BODY dynamic_tensor dynamic_builder::add(op kind, std::span<const dynamic_tensor> operands,
                                                 const attributes& values, source_location where) {
    return append(kind, operands, values, nullptr, where);
}
ANEMONE_BODY dynamic_tensor dynamic_builder::add(op kind, std::initializer_list<dynamic_tensor> operands,
                                                 const attributes& values, source_location where) {
    return append(kind, {operands.begin(), operands.size()}, values, nullptr, where);
}
ANEMONE_BODY dynamic_tensor dynamic_builder::add(op kind, std::span<const dynamic_tensor> operands,
                                                 const attributes& values, const extents& result,
                                                 source_location where) {
    return append(kind, operands, values, &result, where);
}
ANEMONE_BODY dynamic_tensor dynamic_builder::add(op kind, std::initializer_list<dynamic_tensor> operands,
                                                 const attributes& values, const extents& result,
                                                 source_location where) {
    return append(kind, {operands.begin(), operands.size()}, values, &result, where);
}

ANEMONE_BODY dynamic_tensor dynamic_builder::reshape(const dynamic_tensor& x, const extents& shape,
                                                     source_location where) {
    require_mine(x, name(op::reshape));
    extents wanted = shape;
    std::int64_t known = 1;
    int open = -1;
    for (int i = 0; i < wanted.rank && i < extents::capacity; ++i) {
        if (wanted[i] == -1 && open < 0) {
            open = i;
        } else if (wanted[i] >= 1) { // more than the limit is refused below
            known = wanted[i] > detail::element_limit / known ? detail::element_limit : known * wanted[i];
        }
    }
    if (open >= 0) { // where it does not divide, the rule says so
        wanted[open] = std::max<std::int64_t>(x.shape().count() / known, 1);
    }
    return append(op::reshape, {&x, 1}, {}, &wanted, where);
}

ANEMONE_BODY dynamic_tensor dynamic_builder::append(op kind, std::span<const dynamic_tensor> operands,
                                                    const attributes& values, const extents* result,
                                                    source_location where) {
    require_alive();
    if (static_cast<std::size_t>(kind) >= op_count) {
        detail::refuse_graph("operation", "no operation has this number", static_cast<std::int64_t>(kind),
                             static_cast<std::int64_t>(op_count) - 1);
    }
    const std::string subject(name(kind));
    if (is_source(kind)) {
        detail::refuse_graph(subject, "is made by the function of the builder that has its name");
    }
    const op_signature& takes = signature(kind);
    const auto count = static_cast<std::int64_t>(operands.size());
    if (count < takes.least_operands || count > takes.most_operands) {
        detail::refuse_graph(subject, "has a wrong number of operands", count, takes.least_operands);
    }
    std::vector<int> indices;
    std::string read;
    for (const dynamic_tensor& operand : operands) {
        require_mine(operand, subject);
        indices.push_back(operand.node_);
        read += formatted("{}{}", read.empty() ? "" : ", ", print(operand.type(), operand.shape()));
    }
    node n;
    n.kind = kind;
    n.where = where;
    n.attributes = values.kind() == attribute_kind::none ? detail::default_attributes(takes.attributes) : values;
    if (n.attributes.kind() != takes.attributes) {
        throw error(errc::graph, subject,
                    formatted("takes the attributes {}, not {} (at {}:{})", ane::name(takes.attributes),
                              ane::name(n.attributes.kind()), where.file, where.line));
    }
    detail::validate_attributes(kind, n.attributes);
    if (result != nullptr) {
        detail::require_extents(subject, *result);
        n.shape = *result;
    }

    detail::rollback guard(graph_);
    n.name = layer_.empty() ? range_of{} : graph_.intern(layer_);
    const int index = graph_.append(n, indices);
    node& made = graph_.nodes.back();
    const inferred rule = infer(graph_, made);
    if (!rule.ok()) {
        throw error(errc::graph, subject,
                    formatted("{} ({}, {}); it reads {} (at {}:{})", sentence(rule.broken, name(kind)), rule.got,
                              rule.want, read.empty() ? "nothing" : read, where.file, where.line));
    }
    detail::require_extents(subject, rule.shape);
    if (result != nullptr && rule.shape != *result) {
        throw error(errc::graph, subject,
                    formatted("gives {}, not the requested shape {}; it reads {} (at {}:{})", print(rule.shape),
                              print(*result), read, where.file, where.line));
    }
    made.shape = rule.shape;
    made.type = inferred_type(graph_, made);
    made.attributes = detail::resolved_attributes(graph_, made);
    validate_nodes(graph_, index, index + 1);
    guard.keep();
    return handle(index);
}

ANEMONE_BODY dynamic_tensor dynamic_builder::output(std::string_view name, const dynamic_tensor& value) {
    require_mine(value, name);
    if (!is_identifier(name)) {
        detail::refuse_graph(name, "the name of a port is made of letters, digits and underscores");
    }
    const std::size_t hash = dynamic_graph::hash_of(name);
    if (graph_.has_port(name, hash)) {
        detail::refuse_graph(name, "the output has the name of another port");
    }
    graph_.add_named_output(value.node_, name, hash);
    return value;
}

ANEMONE_BODY void dynamic_builder::keep(const dynamic_tensor& input, const dynamic_tensor& value) {
    require_mine(input, "keep");
    if (graph_.nodes[static_cast<std::size_t>(input.node_)].kind != op::input) {
        detail::refuse_graph("keep", "its first operand is not an input of the graph");
    }
    const std::string name(graph_.view().name(input.node_));
    require_mine(value, name);
    if (input.type_ != dtype::f16) {
        throw error(errc::graph, name, formatted("a state is fp16, this is {}", print(input.type_, input.shape_)));
    }
    if (value.shape_ != input.shape_ || value.type_ != input.type_) {
        throw error(errc::graph, name,
                    formatted("the state is {}, it cannot become {}", print(input.type_, input.shape_),
                              print(value.type_, value.shape_)));
    }
    const int known = graph_.view().next_of(input.node_);
    if (known >= 0) {
        graph_.outputs[static_cast<std::size_t>(known)].node = value.node_;
        return;
    }
    const std::string after = name + "_out";
    const std::size_t hash = dynamic_graph::hash_of(after);
    if (graph_.has_port(after, hash)) {
        detail::refuse_graph(after, "two ports of the graph have this name");
    }
    graph_.add_named_output(value.node_, after, hash, input.node_);
}

ANEMONE_BODY dynamic_tensor dynamic_builder::layer(std::string_view name, const dynamic_tensor& value) {
    placed(value, name).name = graph_.intern(name);
    return value;
}

ANEMONE_BODY void dynamic_builder::layer(std::string_view name) {
    require_alive();
    layer_ = name;
}

ANEMONE_BODY dynamic_tensor dynamic_builder::cut(const dynamic_tensor& value) {
    placed(value, "cut").ends_segment = true;
    return value;
}
ANEMONE_BODY dynamic_tensor dynamic_builder::on_host(const dynamic_tensor& value) {
    placed(value, "on_host").on_host = true;
    return value;
}
ANEMONE_BODY node& dynamic_builder::placed(const dynamic_tensor& value, std::string_view caller) {
    require_mine(value, caller);
    ane::node& n = graph_.nodes[static_cast<std::size_t>(value.node_)];
    if (is_source(n.kind)) {
        detail::refuse_graph(caller, sentence(model_rule::only_an_operation_has_a_place));
    }
    return n;
}

ANEMONE_BODY void dynamic_builder::call(std::string_view port, std::string_view called) {
    require_alive();
    graph_.call(port, called);
}

ANEMONE_BODY dynamic_graph dynamic_builder::finish() const {
    require_alive();
    if (graph_.outputs.empty()) {
        detail::refuse_graph("graph", "needs at least one output: call g.output(name, value)");
    }
    validate(graph_);
    return prune(graph_);
}

ANEMONE_BODY dynamic_tensor dynamic_builder::handle(int node) const {
    const ane::node& n = graph_.nodes[static_cast<std::size_t>(node)];
    dynamic_tensor made;
    made.graph_ = number_;
    made.node_ = node;
    made.type_ = n.type;
    made.shape_ = n.shape;
    return made;
}

ANEMONE_BODY void dynamic_builder::require_alive() const {
    if (number_ == 0) {
        throw error(errc::argument, "dynamic_builder", "was moved from");
    }
}

ANEMONE_BODY void dynamic_builder::require_mine(const dynamic_tensor& value, std::string_view reader) const {
    require_alive();
    if (value.graph_ == 0) {
        detail::refuse_graph(reader, "reads a dynamic_tensor that no builder made");
    }
    if (value.graph_ != number_) {
        detail::refuse_graph(reader, "its operands belong to different graphs");
    }
}

} // namespace ane::inline ANEMONE_WAY

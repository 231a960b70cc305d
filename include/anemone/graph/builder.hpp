#pragma once

#include "../base/text.hpp"
#include "../values/contract.hpp"
#include "graph.hpp"
#include "refused_model.hpp"
#include "state.hpp"
#include "tensor.hpp"

#include <concepts>
#include <initializer_list>
#include <span>

namespace ane {

/// Whether a text can be the name of a port in MIL text: letters, digits and underscores, not starting with a digit.
constexpr bool is_identifier(std::string_view text) {
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(c >= '0' && c <= '9')) {
            return false;
        }
    }
    return !text.empty() && !(text.front() >= '0' && text.front() <= '9');
}

/// The type that compilers print for an invalid port name; absent for a valid one.
template <fixed_string Name>
    requires(!is_identifier(Name.view()))
using refused_name = refused_model<model_rule::a_port_name_is_letters_digits_and_underscores, named<Name>>;

/// Declares the inputs, weights, constants and outputs of a graph. Usable in constant expressions and at run time.
class builder {
public:
    constexpr explicit builder(dynamic_graph& graph) : graph_(&graph) {}

    /// A builder whose weight names start with `prefix` and a dot: for blocks that are used several times.
    constexpr builder scope(std::string_view prefix) const {
        builder inner(*graph_);
        inner.prefix_ = full_name(prefix);
        inner.prefix_.push_back('.');
        return inner;
    }
    /// The same with a number, as in "layers.3".
    constexpr builder scope(std::string_view prefix, int number, source_location where = here()) const {
        if (number < 0) {
            graph_->refuse(model_rule::a_scope_is_numbered_from_0, prefix, where, number, 0);
            number = 0;
        }
        builder inner = scope(prefix);
        detail::append_number(inner.prefix_, number);
        inner.prefix_.push_back('.');
        return inner;
    }

    /// An input port. `promise` bounds its values for the checks at build time; a run does not check them.
    template <class Shape, dtype Type>
    constexpr tensor<Shape, Type> input(std::string_view name, tensor_type<Shape, Type>, contract promise = {},
                                        source_location where = here()) const {
        require_port_name(name, where);
        const std::size_t hash = dynamic_graph::hash_of(name);
        if (graph_->find_named(op::input, name, hash) >= 0) {
            graph_->refuse(model_rule::two_inputs_have_this_name, name, where);
        }
        return {graph_, declare(op::input, Type, Shape::value, promise, name, hash, where)};
    }
    template <fixed_string Name, class Shape, dtype Type>
        requires(is_identifier(Name.view()))
    constexpr tensor<Shape, Type> input(port_name<Name>, tensor_type<Shape, Type> type, contract promise = {},
                                        source_location where = here()) const {
        return input(Name.view(), type, promise, where);
    }
    template <fixed_string Name, class Shape, dtype Type, class Broken = refused_name<Name>>
    tensor<Shape, Type> input(port_name<Name>, tensor_type<Shape, Type>, ...) const = delete;
    template <class Name>
    __attribute__((unavailable("an input has a shape: g.input(\"x\"_s, f16<1, 3, 224, 224>)"))) constexpr unknown_tensor
    input(Name) const {
        return unknown_input();
    }
    template <class Name>
    __attribute__((unavailable(
        "a shape is a constant, not a list: g.input(\"x\"_s, f16<1, 3, 224, 224>)"))) constexpr unknown_tensor
    input(Name, std::initializer_list<std::int64_t>) const {
        return unknown_input();
    }
    template <class Name, std::integral First, class... More>
    __attribute__((
        unavailable("a shape is one constant: g.input(\"x\"_s, f16<1, 3, 224, 224>)"))) constexpr unknown_tensor
    input(Name, First, More...) const {
        return unknown_input();
    }

    /// A tensor that the program keeps between runs (see `state`), zeros before the first one. `promise` bounds its
    /// values, zero among them, in every run.
    template <class Shape>
    constexpr ane::state<Shape> state(std::string_view name, tensor_type<Shape, dtype::f16> type, contract promise = {},
                                      source_location where = here()) const {
        if (promise.low > 0 || promise.high < 0) {
            graph_->refuse(model_rule::the_promise_of_a_state_must_include_0, name, where);
        }
        const tensor<Shape> before = input(name, type, promise, where);
        sequence<char> after;
        after.append(name);
        after.append(std::string_view("_out"));
        const std::string_view text(after.data(), after.size());
        const std::size_t hash = dynamic_graph::hash_of(text);
        if (graph_->has_port(text, hash)) {
            graph_->refuse(model_rule::an_output_has_the_name_of_another_port, text, where);
        }
        graph_->add_named_output(before.node, text, hash, before.node);
        return {graph_, static_cast<int>(graph_->outputs.size()) - 1};
    }
    template <fixed_string Name, class Shape>
        requires(is_identifier(Name.view()))
    constexpr ane::state<Shape> state(port_name<Name>, tensor_type<Shape, dtype::f16> type, contract promise = {},
                                      source_location where = here()) const {
        return state(Name.view(), type, promise, where);
    }
    template <fixed_string Name, class Shape, class Broken = refused_name<Name>>
    ane::state<Shape> state(port_name<Name>, tensor_type<Shape, dtype::f16>, ...) const = delete;

    /// A weight, filled by name when the graph is compiled. Asking twice for one name shares the tensor.
    template <class Shape>
    constexpr tensor<Shape> weight(std::string_view name, tensor_type<Shape, dtype::f16>, contract promise = {},
                                   source_location where = here()) const {
        sequence<char> full;
        std::string_view text = name;
        if (!prefix_.empty()) {
            full = full_name(name);
            text = std::string_view(full.data(), full.size());
        }
        const std::size_t hash = dynamic_graph::hash_of(text);
        const int known = graph_->find_named(op::weight, text, hash);
        if (known >= 0) {
            if (graph_->nodes[static_cast<std::size_t>(known)].shape != Shape::value) {
                graph_->refuse(model_rule::a_weight_is_asked_for_with_two_shapes, text,
                               {.where = where,
                                .shape = Shape::value,
                                .known_shape = graph_->nodes[static_cast<std::size_t>(known)].shape});
            }
            share_promise(graph_->nodes[static_cast<std::size_t>(known)], promise, text, where);
            return {graph_, known};
        }
        return {graph_, declare(op::weight, dtype::f16, Shape::value, promise, text, hash, where)};
    }

    template <class Shape, dtype Type>
        requires(Type != dtype::f16)
    __attribute__((unavailable("a weight of a model is fp16; how a file stores it is one of its forms: "
                               "compressed<affine_int8>(g.weight(\"w\"_s, f16<8, 16>))"))) constexpr tensor<Shape>
    weight(std::string_view name, tensor_type<Shape, Type>, contract promise = {},
           source_location where = here()) const {
        return weight(name, tensor_type<Shape, dtype::f16>{}, promise, where);
    }

    /// A tensor filled with one value.
    template <class Shape>
    constexpr tensor<Shape> constant(tensor_type<Shape, dtype::f16> type, double value,
                                     source_location where = here()) const {
        return constant(type, {static_cast<float>(value)}, where);
    }
    /// A small tensor given element by element, row-major. Large ones belong in a weight file.
    template <class Shape>
    constexpr tensor<Shape> constant(tensor_type<Shape, dtype::f16>, std::initializer_list<float> values,
                                     source_location where = here()) const {
        return constant_of<Shape>({values.begin(), values.size()}, where);
    }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    __attribute__((
        unavailable("a number stands for itself, as in x + 3; a constant tensor is g.constant(f16<2>, {1, 2}), "
                    "g.constant(f16<2>, 3)"))) constexpr tensor<shape<>>
    constant(Number) const {
        const float number[] = {0};
        node n;
        n.kind = op::constant;
        n.attributes = graph_->keep(number);
        return {graph_, graph_->append(n, {})};
    }
    /// The same from a span, an array or a vector of floats.
    template <class Shape, class Values>
        requires std::convertible_to<const Values&, std::span<const float>>
    constexpr tensor<Shape> constant(tensor_type<Shape, dtype::f16>, const Values& values,
                                     source_location where = here()) const {
        return constant_of<Shape>(values, where);
    }

    /// Names a value as an output of the graph; returns it.
    template <class Shape, dtype Type>
    constexpr tensor<Shape, Type> output(std::string_view name, tensor<Shape, Type> value,
                                         source_location where = here()) const {
        require_port_name(name, where);
        const std::size_t hash = dynamic_graph::hash_of(name);
        if (graph_->has_port(name, hash)) {
            graph_->refuse(model_rule::an_output_has_the_name_of_another_port, name, where);
        }
        if (value.graph != graph_pointer(graph_)) {
            graph_->refuse(model_rule::an_output_is_a_value_of_another_graph, name, where);
        }
        graph_->add_named_output(value.node, name, hash);
        return value;
    }
    template <fixed_string Name, class Shape, dtype Type>
        requires(is_identifier(Name.view()))
    constexpr tensor<Shape, Type> output(port_name<Name>, tensor<Shape, Type> value,
                                         source_location where = here()) const {
        return output(Name.view(), value, where);
    }
    template <fixed_string Name, class Shape, dtype Type, class Broken = refused_name<Name>>
    tensor<Shape, Type> output(port_name<Name>, tensor<Shape, Type>, ...) const = delete;

    template <class Shape, dtype Type>
    __attribute__((unavailable("an output has a name: g.output(\"y\"_s, y)"))) constexpr tensor<Shape, Type> output(
        tensor<Shape, Type> value) const {
        return unnamed_output(value);
    }
    template <class Shape, dtype Type, class Name>
        requires(!std::same_as<Name, source_location>)
    __attribute__((
        unavailable("the name of an output comes first: g.output(\"y\"_s, y)"))) constexpr tensor<Shape, Type>
    output(tensor<Shape, Type> value, Name) const {
        return unnamed_output(value);
    }

    /// Names the operation that computes a value, behind the scope's prefix: what findings, drawings and files call it.
    /// Several operations may have one name. Returns the value.
    template <class Shape, dtype Type>
    constexpr tensor<Shape, Type> layer(std::string_view name, tensor<Shape, Type> value,
                                        source_location where = here()) const {
        node& n = value.graph->nodes[static_cast<std::size_t>(value.node)];
        if (is_source(n.kind)) {
            graph_->refuse(model_rule::only_an_operation_has_a_place, name, where);
            return value;
        }
        const sequence<char> full = full_name(name);
        n.name = value.graph->intern({full.data(), full.size()});
        return value;
    }

private:
    /// What stands for an input without a shape, so that it causes no further errors; there is no model.
    constexpr unknown_tensor unknown_input() const {
        graph_->refuse(model_rule::the_call_must_be_written_as_the_first_error_says, "input", source_location{});
        const float none[] = {0};
        node n;
        n.kind = op::constant;
        n.shape = unknown_shape::value;
        n.attributes = graph_->keep(none);
        return {graph_, graph_->append(n, {})};
    }
    /// An output all the same: clang tells nothing of a call in a model that is wrong elsewhere.
    template <class Shape, dtype Type> constexpr tensor<Shape, Type> unnamed_output(tensor<Shape, Type> value) const {
        graph_->add_output(value.node, "unnamed");
        return value;
    }
    template <class Shape>
    constexpr tensor<Shape> constant_of(std::span<const float> values, source_location where) const {
        if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != Shape::value.count()) {
            graph_->refuse(model_rule::a_constant_has_one_value_or_one_for_each_element, "constant", where,
                           static_cast<std::int64_t>(values.size()), Shape::value.count());
        }
        constexpr std::size_t most = 262144; // of what compilers get through, each step of which they count
        if (graph_->keeps_refusals && graph_->payload.size() + values.size() > most) {
            graph_->refuse(model_rule::constants_above_262144_elements_belong_into_a_weight, "constant", where,
                           static_cast<std::int64_t>(graph_->payload.size() + values.size()),
                           static_cast<std::int64_t>(most));
            values = values.first(1);
        }
        graph_->require_fp16(values, "constant", where);
        node n;
        n.kind = op::constant;
        n.shape = Shape::value;
        n.attributes = graph_->keep(values);
        n.where = where;
        return {graph_, graph_->append(n, {})};
    }
    /// A weight that is requested twice keeps every promise made; contradictory promises are refused.
    constexpr void share_promise(node& known, const contract& promise, std::string_view name,
                                 source_location where) const {
        require_possible(promise, name, where);
        const contract before = known.get<contract>();
        if (!agree(before, promise)) {
            graph_->refuse(model_rule::a_weight_is_asked_for_with_two_contracts, name, where);
        }
        known.attributes = before & promise;
    }
    constexpr void require_possible(const contract& promise, std::string_view name, source_location where) const {
        if (!(promise.low <= promise.high)) {
            graph_->refuse(model_rule::a_contract_has_its_low_end_above_its_high_end, name, where);
        }
        if (!promise.possible()) {
            graph_->refuse(model_rule::a_contract_has_a_negative_sum_or_deviation, name, where);
        }
    }
    constexpr void require_port_name(std::string_view name, source_location where) const {
        if (!is_identifier(name)) {
            graph_->refuse(model_rule::a_port_name_is_letters_digits_and_underscores, name, where);
        }
    }
    constexpr sequence<char> full_name(std::string_view name) const {
        sequence<char> full;
        full.reserve(prefix_.size() + name.size());
        full.append(prefix_);
        full.append(name);
        return full;
    }
    constexpr int declare(op kind, dtype type, const extents& shape, contract promise, std::string_view name,
                          std::size_t hash, source_location where) const {
        require_possible(promise, name, where);
        if (kind == op::input && type == dtype::f16) {
            graph_->require_fp16(promise, name, where);
        }
        node n;
        n.kind = kind;
        n.type = type;
        n.shape = shape;
        n.attributes = promise;
        n.where = where;
        return graph_->append_named(n, name, hash);
    }

    dynamic_graph* graph_;
    sequence<char> prefix_;
};

} // namespace ane

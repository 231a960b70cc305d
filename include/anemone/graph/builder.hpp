#pragma once

#include "../contract.hpp"
#include "../tensor.hpp"
#include "../text.hpp"
#include "graph.hpp"
#include "refusal.hpp"

#include <initializer_list>

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
    constexpr builder scope(std::string_view prefix, int number) const {
        if (number < 0) {
            detail::refuse_graph(prefix, "a scope is numbered from 0", number, 0);
        }
        builder inner = scope(prefix);
        char digits[12]{};
        int count = 0;
        do {
            digits[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number > 0);
        while (count > 0) {
            inner.prefix_.push_back(digits[--count]);
        }
        inner.prefix_.push_back('.');
        return inner;
    }

    /// An input port. `promise` bounds its values for the checks at build time; a run does not look at them.
    template <class Shape, dtype Type>
    constexpr tensor<Shape, Type> input(std::string_view name, tensor_type<Shape, Type>, contract promise = {},
                                        site where = here()) {
        require_port_name(name);
        const std::size_t hash = dynamic_graph::hash_of(name);
        if (graph_->find_named(op::input, name, hash) >= 0) {
            detail::refuse_graph(name, "two inputs of the graph have this name");
        }
        return {graph_, declare(op::input, Type, Shape::value, promise, name, hash, where)};
    }
    template <fixed_string Name, class Shape, dtype Type>
    constexpr tensor<Shape, Type> input(port_name<Name>, tensor_type<Shape, Type> type, contract promise = {},
                                        site where = here()) {
        static_assert(is_identifier(Name.view()), "the name of a port is made of letters, digits and underscores");
        return input(Name.view(), type, promise, where);
    }

    /// A weight, filled by name when the graph is compiled. Asking twice for one name shares the tensor.
    template <class Shape>
    constexpr tensor<Shape> weight(std::string_view name, tensor_type<Shape, dtype::f16>, contract promise = {},
                                   site where = here()) {
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
                detail::refuse_graph(text, "the weight is asked for twice with different shapes");
            }
            share_promise(graph_->nodes[static_cast<std::size_t>(known)], promise, text);
            return {graph_, known};
        }
        return {graph_, declare(op::weight, dtype::f16, Shape::value, promise, text, hash, where)};
    }

    /// A tensor filled with one value.
    template <class Shape>
    constexpr tensor<Shape> constant(tensor_type<Shape, dtype::f16> type, double value, site where = here()) {
        return constant(type, {static_cast<float>(value)}, where);
    }
    /// A small tensor given element by element, row-major. Large ones belong into a weight file.
    template <class Shape>
    constexpr tensor<Shape> constant(tensor_type<Shape, dtype::f16>, std::initializer_list<float> values,
                                     site where = here()) {
        if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != Shape::value.count()) {
            detail::refuse_graph("constant", "has as many values as elements, or one",
                                 static_cast<std::int64_t>(values.size()), Shape::value.count());
        }
        for (const float value : values) {
            detail::require_fp16(value);
        }
        node n;
        n.kind = op::constant;
        n.shape = Shape::value;
        n.attributes = graph_->keep({values.begin(), values.size()});
        n.where = where;
        return {graph_, graph_->append(n, {})};
    }

    /// Names a value as an output of the graph; returns it.
    template <class Shape, dtype Type>
    constexpr tensor<Shape, Type> output(std::string_view name, tensor<Shape, Type> value) {
        require_port_name(name);
        if (graph_->view().find_output(name) >= 0 ||
            graph_->find_named(op::input, name, dynamic_graph::hash_of(name)) >= 0) {
            detail::refuse_graph(name, "the output has the name of another port");
        }
        graph_->add_output(value.node, name);
        return value;
    }
    template <fixed_string Name, class Shape, dtype Type>
    constexpr tensor<Shape, Type> output(port_name<Name>, tensor<Shape, Type> value) {
        static_assert(is_identifier(Name.view()), "the name of a port is made of letters, digits and underscores");
        return output(Name.view(), value);
    }

private:
    /// A weight that is asked for twice keeps every promise that was made; two different ones are a mistake.
    static constexpr void share_promise(node& known, const contract& promise, std::string_view name) {
        require_possible(promise, name);
        const contract before = known.get<contract>();
        if (!agree(before, promise)) {
            detail::refuse_graph(name, "the weight is asked for twice with different contracts");
        }
        known.attributes = before & promise;
    }
    static constexpr void require_possible(const contract& promise, std::string_view name) {
        if (!(promise.low <= promise.high)) {
            detail::refuse_graph(name, "its contract has a low end above its high end");
        }
        if (!promise.possible()) {
            detail::refuse_graph(name, "its contract has a negative sum of magnitudes or deviation");
        }
    }
    static constexpr void require_port_name(std::string_view name) {
        if (!is_identifier(name)) {
            detail::refuse_graph(name, "the name of a port is made of letters, digits and underscores");
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
                          std::size_t hash, site where) {
        require_possible(promise, name);
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

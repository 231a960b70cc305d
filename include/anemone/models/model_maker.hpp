#pragma once

#include "../passes/emitting.hpp"
#include "weight_name.hpp"

#include <span>
#include <string_view>
#include <utility>

namespace ane::models {

/// The graph of a published model under construction. Values are numbers of nodes, weights have published names. Usable in
/// constant expressions.
class model_maker : public emitting<model_maker> {
public:
    constexpr const dynamic_graph& made() const { return graph_; }
    constexpr dynamic_graph& made() { return graph_; }
    constexpr dynamic_graph taken() && { return std::move(graph_); }

    static constexpr std::string_view view(const sequence<char>& text) { return {text.data(), text.size()}; }

    constexpr int input(std::string_view name, const extents& shape, const contract& promise = {},
                        dtype type = dtype::f16) {
        node n;
        n.kind = op::input;
        n.type = type;
        n.shape = shape;
        n.attributes = promise;
        return graph_.append_named(n, name, dynamic_graph::hash_of(name));
    }
    /// A weight by its published name.
    constexpr int weight(std::string_view published, const extents& shape) {
        const sequence<char> name = weight_name(published);
        node n;
        n.kind = op::weight;
        n.shape = shape;
        n.attributes = contract{};
        return graph_.append_named(n, view(name), dynamic_graph::hash_of(view(name)));
    }
    constexpr void output(int value, std::string_view name) {
        graph_.add_named_output(value, name, dynamic_graph::hash_of(name));
    }

    constexpr int add(int a, int b) { return emit(op::add, no_attributes{}, {a, b}); }
    constexpr int mul(int a, int b) { return emit(op::mul, no_attributes{}, {a, b}); }
    constexpr int scaled(int a, double factor) { return factor == 1 ? a : mul(a, scalar(static_cast<float>(factor))); }
    constexpr int matmul(int a, int b, bool a_turned, bool b_turned) {
        return emit(op::matmul, transposed{a_turned, b_turned}, {a, b});
    }
    constexpr int turned(int x, const indices& order) {
        permutation p;
        p.order = order;
        return emit(op::transpose, p, {x});
    }

protected:
    constexpr model_maker() = default;

    dynamic_graph graph_;
    sequence<char> place_; ///< what is made belongs to: "layers.3.attention"

private:
    friend emitting<model_maker>;

    constexpr int append(node n, std::span<const int> operands) {
        if (!is_source(n.kind)) {
            n.name = graph_.intern(view(place_));
        }
        return graph_.append(n, operands);
    }
};

} // namespace ane::models

#pragma once

#include "../values/dtype.hpp"
#include "../values/shape.hpp"
#include "graph.hpp"

namespace ane {

/// The graph that a handle belongs to. Refuses to lead to another graph that has come to lie at the same address. (Where
/// nothing lies there any more it dangles like every pointer: handles end with their graph.)
class graph_pointer {
public:
    constexpr graph_pointer() = default;
    constexpr graph_pointer(dynamic_graph* graph) // NOLINT(google-explicit-constructor): what a pointer to it says
        : graph_(graph), number_(graph->number()) {}

    constexpr dynamic_graph* operator->() const {
        if (graph_ == nullptr) {
            detail::refuse_graph("tensor", "no builder made this handle");
        }
        if (graph_->number() != number_) {
            detail::refuse_graph("tensor", "the graph of this handle is gone, another one has taken its place");
        }
        return graph_;
    }
    friend constexpr bool operator==(const graph_pointer&, const graph_pointer&) = default;

private:
    dynamic_graph* graph_ = nullptr;
    std::uint64_t number_ = 0;
};

/// A value of the graph under construction: its shape and element type are in the type, its node number in the object.
/// A handle is cheap to copy and never changes its shape.
template <class Shape, dtype Type = dtype::f16> struct tensor {
    graph_pointer graph;
    int node = -1;

    using shape_type = Shape;
    static constexpr extents extent = Shape::value;
    static constexpr dtype element = Type;
};

/// The shape of what a refused operation would have given. Rules take it as it is, so that clang, which goes on after an
/// error, tells one mistake once.
struct unknown_shape {
    static constexpr extents value{1, 1, 1, 1};
};
using unknown_tensor = tensor<unknown_shape>;

/// A shape and an element type, to declare ports and weights with: `f16<1, 3, 224, 224>`.
template <class Shape, dtype Type> struct tensor_type { static constexpr extents extent = Shape::value; };

/// Half precision tensors, the engine's own type.
template <std::int64_t... Extents> inline constexpr tensor_type<shape<Extents...>, dtype::f16> f16{};
/// Bytes, for image inputs only: `to_f16` comes next (R002).
template <std::int64_t... Extents> inline constexpr tensor_type<shape<Extents...>, dtype::uint8> u8{};

} // namespace ane

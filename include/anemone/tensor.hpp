#pragma once

#include "dtype.hpp"
#include "graph/graph.hpp"
#include "graph/refusal.hpp"
#include "shape.hpp"

namespace ane {

namespace detail {
/// Constants of a graph are fp16 values; in a constant expression a wrong one does not compile.
constexpr void require_fp16(double value) {
    if (!(value >= -half_max && value <= half_max)) {
        refuse_graph("constant", "does not fit into fp16, whose largest value is 65504");
    }
}
} // namespace detail

/// A value of the graph under construction: its shape and element type are in the type, its node number in the object.
/// A handle is cheap to copy and never changes its shape.
template <class Shape, dtype Type = dtype::f16> struct tensor {
    dynamic_graph* graph;
    int node;

    static constexpr extents extent = Shape::value;
    static constexpr dtype element = Type;
};

/// A shape and an element type, to declare ports and weights with: `f16<1, 3, 224, 224>`.
template <class Shape, dtype Type> struct tensor_type { static constexpr extents extent = Shape::value; };

/// Half precision tensors, the engine's own type.
template <std::int64_t... Extents> inline constexpr tensor_type<shape<Extents...>, dtype::f16> f16{};
/// Bytes, for image inputs only: `to_f16` comes next (R002).
template <std::int64_t... Extents> inline constexpr tensor_type<shape<Extents...>, dtype::uint8> u8{};

} // namespace ane

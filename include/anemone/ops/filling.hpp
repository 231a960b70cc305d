#pragma once

#include "../graph/builder.hpp"
#include "append.hpp"
#include "native.hpp"

#include <cstddef>
#include <utility>

/// Tensors without operands: constants that are given by a formula, and random numbers.
namespace ane {

/// A tensor filled with one value.
template <class Shape>
constexpr auto fill(builder& g, tensor_type<Shape, dtype::f16> type, double value, source_location where = here()) {
    return g.constant(type, value, where);
}

/// A tensor of the shape of `like`, which is not read, filled with one value.
template <class X, dtype TX>
constexpr tensor<X> fill_like(tensor<X, TX> like, double value, source_location where = here()) {
    like.graph->require_fp16(value, "constant", where);
    node n;
    n.kind = op::constant;
    n.shape = X::value;
    const float values[] = {static_cast<float>(value)};
    n.attributes = like.graph->keep(values);
    n.where = where;
    return {like.graph, like.graph->append(n, {})};
}

/// The values start, start + step, ... of a vector, computed here: the A13 has no path for MIL's range_1d, and a
/// constant needs none. Stored as fp16: whole numbers are exact up to 2048 (R069).
template <std::int64_t Count>
constexpr auto range_1d(builder& g, double start = 0, double step = 1, source_location where = here()) {
    static_assert(Count >= 1, "a range has at least one value");
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        if constexpr (Count == 1) {
            return g.constant(f16<1>, start, where);
        } else {
            return g.constant(f16<Count>, {static_cast<float>(start + static_cast<double>(Index) * step)...}, where);
        }
    }
    (std::make_index_sequence<static_cast<std::size_t>(Count)>());
}

/// Independent numbers, uniform on [low, high). The generator of A15 and later (R136); a host-made input serves the
/// others. The engine's generator is not published: the CPU and the oracle give the same numbers in every run, a stream
/// for each such node of a graph (numerics/random.hpp, inferred).
template <class Shape>
    requires obeys<shapes::same, tensor<Shape>>
constexpr auto random_uniform(builder& g, tensor_type<Shape, dtype::f16>, double low = 0, double high = 1,
                              source_location where = here()) {
    // A builder exposes its graph only through the handles that it makes. This one has no reader, so pruning drops it.
    const graph_pointer graph = g.constant(f16<>, 0, where).graph;
    graph->require_fp16(low, "constant", where);
    graph->require_fp16(high, "constant", where);
    const uniform_range u{static_cast<float>(low), static_cast<float>(high)};
    if (!random_uniform_rule(u, Shape::value).ok()) {
        graph->refuse(model_rule::the_low_end_must_lie_below_the_high_end, "random_uniform", where);
    }
    node n;
    n.kind = op::random_uniform;
    n.shape = Shape::value;
    n.attributes = u;
    n.where = where;
    return tensor<Shape>{graph, graph->append(n, {})};
}
template <class Shape, class Broken = breach<op::random_uniform, shapes::same, tensor<Shape>>>
Broken random_uniform(builder&, tensor_type<Shape, dtype::f16>, ...);

} // namespace ane

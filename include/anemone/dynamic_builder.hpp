#pragma once

#include "base/way.hpp"
#include "graph/graph.hpp"
#include "graph/refusal.hpp"
#include "values/contract.hpp"
#include "values/dtype.hpp"
#include "values/shape.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ane {

/// The operation with this name, the inverse of `name(op)`; empty where there is none.
constexpr std::optional<op> find_op(std::string_view text) noexcept {
    for (std::size_t i = 0; i < op_count; ++i) {
        if (name(static_cast<op>(i)) == text) {
            return static_cast<op>(i);
        }
    }
    return std::nullopt;
}

/// A shape from data: any range of integers. Throws `error` (errc::graph) for more axes than a shape has.
template <class Range> constexpr extents to_extents(const Range& list) {
    extents shape;
    for (const auto extent : list) {
        if (shape.rank == extents::capacity) {
            detail::refuse_graph("shape", "has too many axes", shape.rank + 1, extents::capacity);
        }
        shape.append(static_cast<std::int64_t>(extent));
    }
    return shape;
}

} // namespace ane

namespace ane::inline ANEMONE_WAY {

/// A value of a graph that a `dynamic_builder` makes: what `tensor` is to `builder`, with its shape as a value. Copied
/// freely; a default-constructed one refers to no value.
class dynamic_tensor {
public:
    dynamic_tensor() = default;

    const extents& shape() const noexcept { return shape_; }
    dtype type() const noexcept { return type_; }
    /// The number of its node while the graph is built; `finish` renumbers the nodes.
    int node() const noexcept { return node_; }

private:
    friend class dynamic_builder;

    std::uint64_t graph_ = 0; ///< number of the builder that made it
    int node_ = -1;
    dtype type_ = dtype::f16;
    extents shape_;
};

/// Builds a graph whose operations and shapes come from data: from a file, a table, a loop over layers. Every step is
/// checked like a typed one; a mistake throws `error` (errc::graph) with the operation, the sentence of the rule, the
/// numbers, the operands' shapes and the caller's line, and leaves the graph as it was.
///
///     dynamic_builder g;
///     auto x = g.input("x", {1, 64});
///     for (const auto& [name, width] : layers) {
///         x = g.add(op::linear, {x, g.weight(name, {width, x.shape().width()})});
///         x = g.add(op::relu, {x});
///     }
///     g.output("y", x);
///     const dynamic_graph model = g.finish();
class dynamic_builder {
public:
    ANEMONE_API dynamic_builder();
    /// A moved-from builder throws on every call.
    dynamic_builder(dynamic_builder&& other) noexcept
        : graph_(std::move(other.graph_)), number_(std::exchange(other.number_, 0)), layer_(std::move(other.layer_)) {}
    dynamic_builder& operator=(dynamic_builder&& other) noexcept {
        graph_ = std::move(other.graph_);
        number_ = std::exchange(other.number_, 0);
        layer_ = std::move(other.layer_);
        return *this;
    }
    dynamic_builder(const dynamic_builder&) = delete;
    dynamic_builder& operator=(const dynamic_builder&) = delete;
    ~dynamic_builder() = default;

    /// An input port: fp16, uint8 or int8.
    ANEMONE_API dynamic_tensor input(std::string_view name, const extents& shape, const contract& promise = {},
                                     dtype type = dtype::f16, source_location where = here());
    /// A weight, filled by name when the graph is compiled. Asking twice for one name shares the tensor.
    ANEMONE_API dynamic_tensor weight(std::string_view name, const extents& shape, const contract& promise = {},
                                      source_location where = here());
    /// A tensor given element by element, row-major, or by one value for all. Values are rounded to fp16 when the graph
    /// is compiled and must fit there.
    ANEMONE_API dynamic_tensor constant(const extents& shape, std::span<const float> values,
                                        source_location where = here());
    ANEMONE_API dynamic_tensor constant(const extents& shape, double value, source_location where = here());
    /// A number, as an operand that broadcasts.
    template <std::convertible_to<double> Number> // so that {3} is a shape
    dynamic_tensor constant(Number value, source_location where = here()) {
        return constant(extents{}, static_cast<double>(value), where);
    }

    /// An operation (graph/operations.def) on its operands, with its attribute struct (graph/attributes.hpp):
    /// `g.add(op::conv2d, {x, w, b}, conv{.stride = 2, .padding = same})`. `same`, `valid`, negative axes and strides
    /// of 0 are resolved as the typed functions do it. These attributes may be left out and then take their defaults:
    /// conv, conv_transpose, transposed, axis (the last), axes (all), cumulation.
    ANEMONE_API dynamic_tensor add(op kind, std::span<const dynamic_tensor> operands, const attributes& values = {},
                                   source_location where = here());
    ANEMONE_API dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> operands,
                                   const attributes& values = {}, source_location where = here());
    /// The same with the result's shape, for operations whose operands and attributes do not determine it (reshape,
    /// strided_slice, random_uniform); for others the shape is checked.
    ANEMONE_API dynamic_tensor add(op kind, std::span<const dynamic_tensor> operands, const attributes& values,
                                   const extents& result, source_location where = here());
    ANEMONE_API dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> operands, const attributes& values,
                                   const extents& result, source_location where = here());
    /// The same elements in another shape, of which one extent may be -1.
    ANEMONE_API dynamic_tensor reshape(const dynamic_tensor& x, const extents& shape, source_location where = here());

    /// Names a value as an output port; returns it.
    ANEMONE_API dynamic_tensor output(std::string_view name, const dynamic_tensor& value);

    /// What people call the port of a name, where a file has a name for it that is no identifier; reports say it.
    ANEMONE_API void call(std::string_view port, std::string_view called);

    /// Names the operation that computes a value (`builder::layer`); returns the value.
    ANEMONE_API dynamic_tensor layer(std::string_view name, const dynamic_tensor& value);
    /// Names the operations that are added from here on, up to the next call; an empty name is none.
    ANEMONE_API void layer(std::string_view name);

    /// Makes an input a state (graph/state.hpp): programs keep it between runs, and a run makes it `value`. In the graph
    /// that is an output with `_out` behind the input's name. Of two values for one input the last counts.
    ANEMONE_API void keep(const dynamic_tensor& input, const dynamic_tensor& value);

    /// Where programs are cut, and what the host computes (graph/placement.hpp); both return the value.
    ANEMONE_API dynamic_tensor cut(const dynamic_tensor& value);
    ANEMONE_API dynamic_tensor on_host(const dynamic_tensor& value);

    /// The graph so far, neither checked nor pruned.
    const dynamic_graph& graph() const noexcept { return graph_; }
    /// The graph, checked as a whole (`validate`) and pruned of what no output needs. Building may go on.
    ANEMONE_API dynamic_graph finish() const;

private:
    ANEMONE_API dynamic_tensor declare(op kind, std::string_view name, dtype type, const extents& shape,
                                       const contract& promise, source_location where);
    ANEMONE_API dynamic_tensor append(op kind, std::span<const dynamic_tensor> operands, const attributes& values,
                                      const extents* result, source_location where);
    ANEMONE_API dynamic_tensor handle(int node) const;
    ANEMONE_API node& placed(const dynamic_tensor& value, std::string_view caller);
    ANEMONE_API void require_alive() const;
    ANEMONE_API void require_mine(const dynamic_tensor& value, std::string_view reader) const;

    dynamic_graph graph_;
    std::uint64_t number_ = 0;
    std::string layer_; ///< the name of what is added
};

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "dynamic_builder.ipp"
#endif

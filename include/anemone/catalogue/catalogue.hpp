#pragma once

#include "binary.hpp"
#include "contraction.hpp"
#include "movement.hpp"
#include "native.hpp"
#include "normalization.hpp"
#include "order.hpp"
#include "quantization.hpp"
#include "reduction.hpp"
#include "source.hpp"
#include "texture.hpp"
#include "unary.hpp"
#include "window.hpp"

// clang-format takes the directives that follow these macros for part of their bodies.
// clang-format off

/// What the catalogue says of a node: each function is one exhaustive choice by its operation.
namespace ane {

/// The shape of a node's result from its operands and attributes, by the same shape rules that the typed builders use:
/// a second opinion on any graph, and the first on one made at run time.
constexpr inferred infer(const graph_view& g, const node& n) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::shape(g, n);
#include "../graph/operations.def"
    }
    return {};
}

/// The element type of a computed node.
constexpr dtype inferred_type(const graph_view& g, const node& n) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::type(g, n);
#include "../graph/operations.def"
    }
    return {};
}

/// Whether an operation reads elements of the type that its `position`-th operand has.
constexpr bool reads_type_of(const graph_view& g, const node& n, int position) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::reads(g, n, position);
#include "../graph/operations.def"
    }
    return false;
}

/// Operations that compare, choose or move values, but never round one.
inline constexpr op_set exact_ops = op_set::where([](op kind) {
    switch (kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::exact;
#include "../graph/operations.def"
    }
    return false;
});

namespace detail {
template <op Kind>
concept composed = requires(const graph_view& g, const node& n, catalogue::operand_ranges in) {
    catalogue::operation<Kind>::parts(g, n, in);
};
} // namespace detail

/// Operations that store values on the way to their result.
inline constexpr op_set composed_ops = op_set::where([](op kind) {
    switch (kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::composed<op::name>;
#include "../graph/operations.def"
    }
    return false;
});

namespace detail {

inline constexpr operation_support supports[] = {
#define ANEMONE_OPERATION(name, ...) catalogue::operation<op::name>::support,
#include "../graph/operations.def"
};

/// The range of a node's value before it is rounded to its type: ends beyond fp16 say how far it may leave it.
constexpr interval unrounded_range_of_node(const graph_view& g, const node& n, catalogue::operand_ranges in) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::range(g, n, in);
#include "../graph/operations.def"
    }
    return {};
}
/// The range of a node's value from those of its operands: what rounding to fp16 makes of it.
constexpr interval range_of_node(const graph_view& g, const node& n, catalogue::operand_ranges in) {
    const interval r = unrounded_range_of_node(g, n, in);
    return n.type == dtype::f16 && !exact_ops.contains(n.kind) && !is_source(n.kind) ? stored(r) : r;
}

template <op Kind> constexpr interval composed_range(const graph_view& g, const node& n, catalogue::operand_ranges in) {
    if constexpr (composed<Kind>) {
        return catalogue::operation<Kind>::parts(g, n, in);
    } else {
        return {0, 0, true};
    }
}
/// The range of what an operation stores on the way to its result; zero where that is nothing.
constexpr interval range_of_parts(const graph_view& g, const node& n, catalogue::operand_ranges in) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return composed_range<op::name>(g, n, in);
#include "../graph/operations.def"
    }
    return {};
}

} // namespace detail

/// How far the engine has an operation.
constexpr const operation_support& support_of(op kind) noexcept {
    return detail::supports[static_cast<std::size_t>(kind)];
}
/// The family from which an operation runs. `older` is every family, the reference profiles among them.
constexpr family floor_of(op kind) noexcept { return support_of(kind).floor; }
/// The operations that only this route takes.
constexpr op_set only_by(compile_route route) {
    return op_set::where([route](op o) { return support_of(o).route == route; });
}

} // namespace ane

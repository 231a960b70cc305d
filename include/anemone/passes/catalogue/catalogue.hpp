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

// It would take the directives behind the macros for a part of them.
// clang-format off

/// What the catalogue says of a node: each function is one exhaustive choice by its operation.
namespace ane {

/// The shape of a node's result from its operands and attributes, by the same shape rules that the typed builders use:
/// a second opinion on any graph, and the first on one made at run time.
constexpr inferred infer(const graph_view& g, const node& n) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::shape(g, n);
#include "../../graph/operations.def"
    }
    return {};
}

/// The element type of a computed node.
constexpr dtype inferred_type(const graph_view& g, const node& n) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::type(g, n);
#include "../../graph/operations.def"
    }
    return {};
}

/// Whether an operation reads elements of the type that its `position`-th operand has.
constexpr bool reads_type_of(const graph_view& g, const node& n, int position) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::reads(g, n, position);
#include "../../graph/operations.def"
    }
    return false;
}

/// Operations that compare, choose or move values, but never round one.
inline constexpr op_set exact_ops = op_set::where([](op kind) {
    switch (kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::exact;
#include "../../graph/operations.def"
    }
    return false;
});

namespace detail {

/// The range of a node's value from those of its operands.
constexpr interval range_of_node(const graph_view& g, const node& n, catalogue::operand_ranges in) {
    switch (n.kind) {
#define ANEMONE_OPERATION(name, ...) case op::name: return detail::catalogue::operation<op::name>::range(g, n, in);
#include "../../graph/operations.def"
    }
    return {};
}

} // namespace detail

} // namespace ane

#pragma once

#include "../graph/graph.hpp"
#include "comparison.hpp"

/// Element types on values: what the typed builders make and take.
namespace ane {

/// The element type of a computed node: fp16 but for comparisons, integers and what passes its operand on.
constexpr dtype inferred_type(const graph_view& g, const node& n) {
    switch (n.kind) {
    case op::quantize: return n.get<quantization>().type;
    case op::radius_search: return dtype::uint8;
    case op::reshape: return g.operand(n, 0).type;
    default: return result_type(n.kind);
    }
}

/// Whether an operation reads elements of the type that its `position`-th operand has.
constexpr bool reads_type_of(const graph_view& g, const node& n, int position) {
    const dtype type = g.operand(n, position).type;
    switch (n.kind) {
    case op::reshape: return true;
    case op::cast: return type == dtype::uint8 || type == dtype::boolean;
    case op::logical_not: return type == dtype::boolean;
    case op::select: return type == (position == 0 ? dtype::boolean : dtype::f16);
    case op::dequantize: return type == (position == 0 ? n.get<quantization>().type : dtype::f16);
    default: return type == dtype::f16;
    }
}

} // namespace ane

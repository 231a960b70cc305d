#pragma once

#include "../graph/refusal.hpp"
#include "../tensor.hpp"
#include "fault.hpp"

namespace ane::detail {

/// The common check of operands: fp16 elements and positive extents.
template <class... Tensor> constexpr inferred require_arithmetic(inferred result) {
    const auto check = [&result](dtype type, const extents& e) {
        result.require(type == dtype::f16, fault::operand_is_not_f16, static_cast<int>(type),
                       static_cast<int>(dtype::f16));
        for (int i = 0; i < e.rank; ++i) {
            result.require(e[i] > 0, fault::extent_is_not_positive, e[i], 1);
        }
    };
    (check(Tensor::element, Tensor::extent), ...);
    return result;
}

/// Appends the node of an operation whose shape rule gave `Result`, and makes the typed handle of its value.
template <inferred Result, dtype Type = dtype::f16, class... Tensor>
constexpr tensor<shape_of<Result.shape>, Type> append(op kind, const attributes& values, site where,
                                                      const Tensor&... operands) {
    // Inside an assertion, so that its branches are no steps of the graph's constant.
    static_assert((require_shape_rule<Result.broken, Result.got, Result.want>(), true));
    dynamic_graph* graph = nullptr;
    bool same = true;
    ((same = same && (graph == nullptr || graph == operands.graph), graph = operands.graph), ...);
    if (!same) {
        refuse_graph(name(kind), "its operands belong to different graphs");
    }
    node n;
    n.kind = kind;
    n.type = Type;
    n.shape = Result.shape;
    n.attributes = values;
    n.where = where;
    const int indices[] = {operands.node...};
    return {graph, graph->append(n, indices)};
}

/// The same for operations whose operands are all arithmetic.
template <inferred Result, class... Tensor>
constexpr auto append_arithmetic(op kind, const attributes& values, site where, const Tensor&... operands) {
    return append<require_arithmetic<Tensor...>(Result)>(kind, values, where, operands...);
}

} // namespace ane::detail

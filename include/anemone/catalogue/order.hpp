#pragma once

#include "../ops/rank.hpp"
#include "../ranges/reduction.hpp"
#include "operation.hpp"

/// Sorting and selection along an axis.
namespace ane::detail::catalogue {

struct ordering : of_halves {
    static constexpr bool exact = true;
};
/// The results are indices along the axis, not elements.
struct index_order {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges) {
        const extents& shape = shape_of(g, n, 0);
        const int along = n.get<selection>().axis;
        return indices_below(shape[along < 0 ? along + shape.rank : along]);
    }
};
struct of_largest : ordering {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return top_k_rule(n.get<selection>(), shape_of(g, n, 0));
    }
};
struct of_all : ordering {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return sort_rule(n.get<selection>(), shape_of(g, n, 0));
    }
};

template <> struct operation<op::top_k> : of_largest, ranged_as_operand {
    static constexpr operation_support support{"topk", family::a14, "gnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred,
                                        "comparisons; of equals the first comes first"};
};
template <> struct operation<op::top_k_indices> : of_largest, index_order {
    static constexpr operation_support support{"topk", family::a14, "gnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as top_k"};
};
template <> struct operation<op::sort> : of_all, ranged_as_operand {
    static constexpr operation_support support{"sort", family::a14, "gnnnn", compile_route::netplist, "app. B"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as top_k"};
};
template <> struct operation<op::arg_sort> : of_all, index_order {
    static constexpr operation_support support{"argsort", family::a14, "gnnnn", compile_route::netplist, "OC13"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as top_k"};
};

} // namespace ane::detail::catalogue

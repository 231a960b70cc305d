#pragma once

#include "mil_table.hpp"

/// Reductions, running sums, extremes and order. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The axes of an argument counted from the front, each once; all where it is absent.
ANEMONE_INLINE indices axes_of(mil_call& c, std::string_view argument, int rank) {
    indices list;
    if (!c.has(argument)) {
        for (int i = 0; i < rank; ++i) {
            list.append(i);
        }
        return list;
    }
    bool there[indices::capacity]{};
    const indices given = c.integers(argument);
    for (int i = 0; i < given.rank; ++i) {
        const int axis = c.axis_of(given[i], rank);
        if (there[axis]) {
            c.refuse(formatted("names axis {} twice", axis));
        }
        there[axis] = true;
        list.append(axis);
    }
    return list;
}

ANEMONE_INLINE axes as_axes(const indices& list) {
    axes a;
    a.list = list;
    return a;
}

/// The shape without these axes.
ANEMONE_INLINE extents without_axes(const extents& shape, const indices& gone) {
    extents left;
    for (int i = 0; i < shape.rank; ++i) {
        bool keep = true;
        for (int k = 0; k < gone.rank; ++k) {
            keep = keep && gone[k] != i;
        }
        if (keep) {
            left.append(shape[i]);
        }
    }
    return left;
}

template <op Kind> std::vector<mil_value> read_reduction(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const indices over = axes_of(c, "axes", x.shape().rank);
    const bool kept = c.flag("keep_dims", false);
    if (over.rank == 0) { // of a scalar, or over no axis: each element alone
        c.refuse("reduces no axis");
    }
    const dynamic_tensor y = c.add(Kind, {x}, as_axes(over));
    return c.result(kept ? y : c.reshape(y, without_axes(x.shape(), over)));
}

/// The index of the first extreme, as fp16: exact on axes of up to 2049 elements.
template <op Kind> std::vector<mil_value> read_extreme(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const int along = c.axis_of(c.integer("axis", -1), x.shape().rank);
    const bool kept = c.flag("keep_dims", false);
    c.ignore("output_dtype");
    const dynamic_tensor y = c.add(Kind, {x}, axis{along});
    return c.result(kept ? y : c.reshape(y, without_axes(x.shape(), {along})));
}

ANEMONE_INLINE std::vector<mil_value> read_cumsum(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const cumulation a{.axis = c.axis_of(c.integer("axis", 0), x.shape().rank),
                       .exclusive = c.flag("exclusive", false),
                       .reverse = c.flag("reverse", false)};
    return c.result(c.add(op::cumsum, {x}, a));
}

/// The values in order, and where they are. What need not be in order may be.
ANEMONE_INLINE std::vector<mil_value> read_topk(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const int along = c.axis_of(c.integer("axis", -1), x.shape().rank);
    const std::int64_t k = c.integer("k", 1);
    c.ignore("sort");
    c.ignore("output_indices_dtype");
    const selection s{.k = static_cast<int>(k == -1 ? x.shape()[along] : std::clamp<std::int64_t>(k, 0, 1 << 30)),
                      .axis = along,
                      .ascending = c.flag("ascending", false)};
    std::vector<mil_value> both = c.result(c.add(op::top_k, {x}, s));
    if (c.flag("return_indices", true) && c.results() > 1) {
        both.push_back(c.result(c.add(op::top_k_indices, {x}, s), c.declared(1).element)[0]);
        both[1].are_indices = true;
    }
    return both;
}

ANEMONE_INLINE std::vector<mil_value> read_argsort(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const int along = c.axis_of(c.integer("axis", -1), x.shape().rank);
    const selection s{.k = static_cast<int>(x.shape()[along]), .axis = along, .ascending = c.flag("ascending", false)};
    return c.result(c.add(op::arg_sort, {x}, s));
}

ANEMONE_INLINE void add_reductions(statement_table& t) {
    t.insert({
        {"reduce_sum", read_reduction<op::reduce_sum>},
        {"reduce_mean", read_reduction<op::reduce_mean>},
        {"reduce_max", read_reduction<op::reduce_max>},
        {"reduce_min", read_reduction<op::reduce_min>},
        {"reduce_sum_square", read_reduction<op::reduce_sum_square>},
        {"reduce_l1_norm", read_reduction<op::reduce_l1_norm>},
        {"reduce_l2_norm", read_reduction<op::reduce_l2_norm>},
        {"reduce_log_sum", read_reduction<op::reduce_log_sum>},
        {"reduce_log_sum_exp", read_reduction<op::reduce_log_sum_exp>},
        {"reduce_argmax", read_extreme<op::arg_max>},
        {"reduce_argmin", read_extreme<op::arg_min>},
        {"cumsum", read_cumsum},
        {"topk", read_topk},
        {"argsort", read_argsort},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY

#pragma once

#include "../../ops/reduction.hpp"
#include "../ranges/reduction.hpp"
#include "operation.hpp"

/// Reductions, indices of extremes, running sums.
namespace ane::detail::catalogue {

struct reduction : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<axes>(), shape_of(g, n, 0));
    }
};

template <> struct operation<op::reduce_sum> : reduction {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return stored(narrow_sum(in(0), reduced_terms(g, n)));
    }
};
template <> struct operation<op::reduce_mean> : reduction {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return mean_of(in(0)); }
};
template <> struct operation<op::reduce_max> : reduction, ranged_as_operand { static constexpr bool exact = true; };
template <> struct operation<op::reduce_min> : reduction, ranged_as_operand { static constexpr bool exact = true; };
template <> struct operation<op::reduce_sum_square> : reduction {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return stored(narrow_sum(square_of(in(0)), reduced_terms(g, n)));
    }
};
template <> struct operation<op::reduce_l1_norm> : reduction {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        const interval& x = in(0);
        const double low = x.contains(0) ? 0 : (x.low > 0 ? x.low : -x.high);
        return stored(narrow_sum({low, x.magnitude(), x.declared}, reduced_terms(g, n)));
    }
};
template <> struct operation<op::reduce_l2_norm> : reduction {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return length_of(in(0), reduced_terms(g, n), false);
    }
};
template <> struct operation<op::reduce_log_sum> : reduction {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return stored(logarithm_of_sum(in(0), reduced_terms(g, n)));
    }
};
template <> struct operation<op::reduce_log_sum_exp> : reduction {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return in(0).bounded() ? stored(log_sum_exp(in(0), reduced_terms(g, n))) : anything(in(0).declared);
    }
};

struct index_of_extreme : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return arg_shape_rule(n.get<axis>(), shape_of(g, n, 0));
    }
    static constexpr bool exact = true;
};
/// Along one axis.
template <> struct operation<op::arg_max> : index_of_extreme {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges) {
        return indices_below(shape_of(g, n, 0)[n.get<axis>().index]);
    }
};
template <> struct operation<op::arg_min> : operation<op::arg_max> {};
/// Of all elements.
template <> struct operation<op::global_arg_max> : index_of_extreme {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges) {
        return indices_below(shape_of(g, n, 0).count());
    }
};
template <> struct operation<op::global_arg_min> : operation<op::global_arg_max> {};

template <> struct operation<op::cumsum> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule({n.get<cumulation>().axis}, shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_scan(g, n, in(0));
    }
};

} // namespace ane::detail::catalogue

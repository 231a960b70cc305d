#pragma once

#include "../ops/reduction.hpp"
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
    static constexpr operation_support support{"reduce_sum", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::reduction, evidence::conflicting, "N030-N032, N044; NC2: wide or narrow"};
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return with_shifted_exponentials(g, n, narrow_sum(in(0), reduced_terms(g, n)));
    }
};
template <> struct operation<op::reduce_mean> : reduction {
    static constexpr operation_support support{"reduce_mean", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::reduction, evidence::inferred, "as reduce_sum"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return mean_of(in(0)); }
};
template <> struct operation<op::reduce_max> : reduction, ranged_as_operand {
    static constexpr operation_support support{"reduce_max", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "comparisons"};
    static constexpr bool exact = true;
};
template <> struct operation<op::reduce_min> : reduction, ranged_as_operand {
    static constexpr operation_support support{"reduce_min", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "comparisons"};
    static constexpr bool exact = true;
};
template <> struct operation<op::reduce_sum_square> : reduction {
    static constexpr operation_support support{"reduce_sum_square", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return narrow_sum(square_of(in(0)), reduced_terms(g, n));
    }
};
template <> struct operation<op::reduce_l1_norm> : reduction {
    static constexpr operation_support support{"reduce_l1_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        const interval& x = in(0);
        return narrow_sum({least_magnitude(x), x.magnitude(), x.declared}, reduced_terms(g, n));
    }
};
template <> struct operation<op::reduce_l2_norm> : reduction {
    static constexpr operation_support support{"reduce_l2_norm", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr interval parts(const graph_view& g, const node& n, operand_ranges in) {
        return sum_of_squares_of(in(0), reduced_terms(g, n), false);
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return length_of(parts(g, n, in));
    }
};
template <> struct operation<op::reduce_log_sum> : reduction {
    static constexpr operation_support support{"reduce_log_sum", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr interval parts(const graph_view& g, const node& n, operand_ranges in) {
        return narrow_sum(in(0), reduced_terms(g, n));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return logarithm_of_sum(in(0), reduced_terms(g, n));
    }
};
template <> struct operation<op::reduce_log_sum_exp> : reduction {
    static constexpr operation_support support{"reduce_log_sum_exp", family::a13, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    /// The sum of the exponentials, of which none is above 1.
    static constexpr interval parts(const graph_view& g, const node& n, operand_ranges) {
        return {0, reduced_terms(g, n), true};
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return in(0).bounded() ? log_sum_exp(in(0), reduced_terms(g, n)) : anything(in(0).declared);
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
    static constexpr operation_support support{"reduce_argmax", family::a13, "nnnnn", compile_route::netplist, "OC9"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "comparisons"};
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges) {
        return indices_below(shape_of(g, n, 0)[n.get<axis>().index]);
    }
};
template <> struct operation<op::arg_min> : operation<op::arg_max> {
    static constexpr operation_support support{"reduce_argmin", family::a13, "bbnnn", compile_route::netplist, "OC9"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "comparisons"};
};
/// Of all elements.
template <> struct operation<op::global_arg_max> : index_of_extreme {
    static constexpr operation_support support{"global_argmax", family::a15, "bbnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as arg_max"};
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges) {
        return indices_below(shape_of(g, n, 0).count());
    }
};
template <> struct operation<op::global_arg_min> : operation<op::global_arg_max> {
    static constexpr operation_support support{"global_argmin", family::a15, "bbnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as arg_min"};
};

template <> struct operation<op::cumsum> : of_halves {
    static constexpr operation_support support{"cumsum", family::a13, "nnnnn"}; // written as a product on both routes
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule({n.get<cumulation>().axis}, shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_scan(g, n, in(0));
    }
};

} // namespace ane::detail::catalogue

#pragma once

#include "../ops/pooling.hpp"
#include "../ranges/reduction.hpp"
#include "operation.hpp"

/// Pools.
namespace ane::detail::catalogue {

constexpr double least_of(std::int64_t kernel, std::int64_t extent) {
    return static_cast<double>(kernel < extent ? kernel : extent);
}

struct window_function : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<pool>(), shape_of(g, n, 0));
    }
};

template <> struct operation<op::max_pool> : window_function, ranged_as_operand {
    static constexpr operation_support support{"max_pool", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "comparisons"};
    static constexpr bool exact = true;
};
template <> struct operation<op::avg_pool> : window_function {
    static constexpr operation_support support{"avg_pool", family::older, "nnnnn"};
    static constexpr engine_path engine{path::reduction, evidence::inferred, "as reduce_mean"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const pool& a = n.get<pool>();
        return mean_of(has_partial_windows(a) && !a.exclude_padding ? with_zero(in(0)) : in(0));
    }
};
template <> struct operation<op::l2_pool> : window_function {
    static constexpr operation_support support{"l2_pool", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred,
                                        "squares, their sum by the reduction path, sqrt"};
    static constexpr interval parts(const graph_view& g, const node& n, operand_ranges in) {
        const pool& a = n.get<pool>();
        const extents& x = shape_of(g, n, 0);
        const double height = least_of(a.kernel.height, x.height());
        return sum_of_squares_of(in(0), height * least_of(a.kernel.width, x.width()), has_partial_windows(a));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return length_of(parts(g, n, in));
    }
};

} // namespace ane::detail::catalogue

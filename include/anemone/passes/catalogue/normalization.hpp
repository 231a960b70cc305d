#pragma once

#include "../../ops/normalization.hpp"
#include "../ranges/normalization.hpp"
#include "operation.hpp"

/// Norms.
namespace ane::detail::catalogue {

template <> struct operation<op::softmax> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule(n.get<axis>(), shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges) { return {0, 1, true}; }
};

/// (x, gamma, beta): centred, by the standard deviation.
struct centred_norm : of_halves {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_centred_norm(g, n, in);
    }
};
template <> struct operation<op::layer_norm> : centred_norm {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return layer_norm_rule(n.get<stabilizer>().axis, shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
};
template <> struct operation<op::instance_norm> : centred_norm {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return instance_norm_rule(shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
};
template <> struct operation<op::group_norm> : centred_norm {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return group_norm_rule(n.get<grouping>().groups, shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
};

/// (x, mean, variance, gamma, beta)
template <> struct operation<op::batch_norm> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return batch_norm_rule(shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2), shape_of(g, n, 3),
                               shape_of(g, n, 4));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_batch_norm(g, n, in);
    }
};

/// By the length of the vector along an axis.
struct length_norm : of_halves {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_length_norm(g, n, in);
    }
};
/// (x, gamma)
template <> struct operation<op::rms_norm> : length_norm {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return rms_norm_rule(n.get<stabilizer>().axis, shape_of(g, n, 0), shape_of(g, n, 1));
    }
};
template <> struct operation<op::l2_norm> : length_norm {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule({n.get<stabilizer>().axis}, shape_of(g, n, 0));
    }
};

template <> struct operation<op::local_response_norm> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<response>(), shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return range_of_response_norm(n, in(0));
    }
};

/// (x - min) / (max - min + epsilon): as a product with the reciprocal, which must not overflow.
template <> struct operation<op::minmax_norm> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return axis_rule({n.get<stabilizer>().axis}, shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges) {
        return n.get<stabilizer>().epsilon >= 1.54e-5F ? stored(interval{0, 1.02, true}) : anything(false);
    }
};

} // namespace ane::detail::catalogue

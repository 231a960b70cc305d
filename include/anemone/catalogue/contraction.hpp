#pragma once

#include "../ops/attention.hpp"
#include "../ops/convolution.hpp"
#include "../ops/matmul.hpp"
#include "../ranges/contraction.hpp"
#include "operation.hpp"

/// Products through the multiply-accumulate array.
namespace ane::detail::catalogue {

struct contraction : of_halves {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_contraction(g, n, in);
    }
};

/// Of either direction.
template <class Attributes> struct convolution : contraction {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        const Attributes& a = n.get<Attributes>();
        return n.operands.count == 3 ? shape_rule(a, shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2))
                                     : shape_rule(a, shape_of(g, n, 0), shape_of(g, n, 1));
    }
};

template <> struct operation<op::conv2d> : convolution<conv> {
    static constexpr operation_support support{"conv", family::older, "nnnnn"};
    static constexpr engine_path engine{path::multiply_accumulate, evidence::conflicting,
                                        "study M4, M6; N047 M1; a scale for one tap: N046 M1"};
};
template <> struct operation<op::conv_transpose2d> : convolution<conv_transpose> {
    static constexpr operation_support support{"conv_transpose", family::older, "nnnnn"};
    static constexpr engine_path engine{path::multiply_accumulate, evidence::inferred, "as conv2d"};
};

template <> struct operation<op::linear> : contraction {
    static constexpr operation_support support{"linear", family::older, "nnnnn"};
    static constexpr engine_path engine{path::multiply_accumulate, evidence::measured, "N040, N041"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        const extents& x = shape_of(g, n, 0);
        const extents& w = shape_of(g, n, 1);
        return n.operands.count == 3 ? linear_bias_rule(x, w, shape_of(g, n, 2)) : linear_shape_rule(x, w);
    }
};

template <> struct operation<op::matmul> : contraction {
    static constexpr operation_support support{"matmul", family::older, "nnnnn"};
    static constexpr engine_path engine{path::multiply_accumulate, evidence::conflicting,
                                        "N042, N160-N165; N001-N005 are sums on A13"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<transposed>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
};

template <> struct operation<op::attention> : of_halves {
    static constexpr operation_support support{"scaled_dot_product_attention", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "two matrix products around a softmax"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        const extents& q = shape_of(g, n, 0);
        const extents& k = shape_of(g, n, 1);
        const extents& v = shape_of(g, n, 2);
        return n.operands.count == 4 ? masked_attention_rule(q, k, v, shape_of(g, n, 3)) : attention_rule(q, k, v);
    }
    static constexpr interval parts(const graph_view& g, const node& n, operand_ranges in) {
        return scores_of_attention(g, n, in);
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return range_of_attention(bound_of_attention(g, n, in));
    }
};

} // namespace ane::detail::catalogue

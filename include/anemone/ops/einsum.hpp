#pragma once

#include "../base/text.hpp"
#include "einsum_plan.hpp"
#include "matmul.hpp"
#include "movement.hpp"
#include "reduction.hpp"

namespace ane {

namespace shapes {
/// A reshape to this shape.
template <extents Shape> struct fixed {
    static constexpr inferred judge(const extents&) { return {.shape = Shape}; }
};
} // namespace shapes

namespace detail {

/// Turns an operand of a contraction into a matrix: sums over the letters that only it has, then a transpose, then a
/// reshape; each only where it changes something.
template <einsum_operand Plan, class X> constexpr auto as_matrix(X x, source_location where) {
    if constexpr (Plan.summed.list.rank > 0) {
        constexpr einsum_operand rest = Plan.after_sums();
        return as_matrix<rest>(reduction<Plan.summed, false>(op::reduce_sum, x, where), where);
    } else if constexpr (!Plan.in_order()) {
        constexpr einsum_operand rest = Plan.after_transpose();
        return as_matrix<rest>(transpose<Plan.order>(x, where), where);
    } else if constexpr (Plan.matrix != X::extent) {
        return append<shapes::fixed<Plan.matrix>>(op::reshape, no_attributes{}, where, x);
    } else {
        return x;
    }
}

template <fixed_string Equation, class A, class B>
inline constexpr einsum_plan plan_of = plan_einsum(Equation.view(), A::extent, B::extent);

} // namespace detail

namespace shapes {
template <fixed_string Equation> struct einsum {
    static constexpr inferred judge(const extents& a, const extents& b) {
        return plan_einsum(Equation.view(), a, b).rule;
    }
};
} // namespace shapes

/// A product of two tensors with sums over the letters that the result lacks: `einsum<"bij,bjk->bik">(a, b)`. Equal
/// letters stand for equal extents (nothing broadcasts); a letter occurs at most once in each operand. It becomes sums,
/// transposes, reshapes and one matmul, as few as the equation allows. The compiler has one equation of its own,
/// nchw,nwhu->nchu (`is_native_einsum`); it lowers that to the same chain (R129, guide appendix A: measured on M1, M2
/// and M5).
template <fixed_string Equation, class A, class B>
    requires obeys<shapes::einsum<Equation>, A, B>
constexpr auto einsum(A a, B b, source_location where = here()) {
    constexpr const einsum_plan& plan = detail::plan_of<Equation, A, B>;
    constexpr einsum_operand left = plan.a;
    constexpr einsum_operand right = plan.b;
    constexpr einsum_operand result = plan.result;
    const auto product =
        matmul<plan.form>(detail::as_matrix<left>(a, where), detail::as_matrix<right>(b, where), where);
    if constexpr (plan.axes_apart != decltype(product)::extent) {
        return detail::as_matrix<result>(
            detail::append<shapes::fixed<plan.axes_apart>>(op::reshape, no_attributes{}, where, product), where);
    } else {
        return detail::as_matrix<result>(product, where);
    }
}
template <fixed_string Equation, class A, class B, class Broken = breach<op::matmul, shapes::einsum<Equation>, A, B>>
Broken einsum(A, B, ...);

} // namespace ane

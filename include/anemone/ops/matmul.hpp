#pragma once

#include "append.hpp"
#include "broadcast.hpp"
#include "convolution.hpp"

namespace ane {

/// [..., M, K] times [..., K, N] gives [..., M, N]; leading axes broadcast.
constexpr inferred shape_rule(const transposed& form, const extents& a, const extents& b) {
    inferred r;
    r.require(a.rank >= 2, fault::rank_is_too_small, a.rank, 2);
    r.require(b.rank >= 2, fault::rank_is_too_small, b.rank, 2);
    if (!r.ok()) {
        r.shape = a;
        return r;
    }
    const std::int64_t m = form.a ? a.width() : a.height();
    const std::int64_t inner_a = form.a ? a.height() : a.width();
    const std::int64_t inner_b = form.b ? b.width() : b.height();
    const std::int64_t n = form.b ? b.height() : b.width();
    r.require(inner_a == inner_b, fault::inner_extents_differ, inner_a, inner_b);
    extents batch_a = a;
    extents batch_b = b;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    const inferred batch = detail::broadcast(batch_a, batch_b);
    r.require(batch.ok(), batch.broken, batch.got, batch.want);
    r.shape = batch.shape;
    r.shape.append(m);
    r.shape.append(n);
    return r;
}

/// [..., K] with a weight [N, K] gives [..., N].
constexpr inferred linear_shape_rule(const extents& x, const extents& weight) {
    inferred r;
    r.require(x.rank >= 1, fault::rank_is_too_small, x.rank, 1);
    r.require(weight.rank == 2, fault::weight_rank_differs, weight.rank, 2);
    r.require(x.width() == weight.width(), fault::features_differ, x.width(), weight.width());
    r.shape = x;
    if (r.shape.rank > 0) {
        r.shape[r.shape.rank - 1] = weight.rank == 2 ? weight[0] : 1;
    }
    return r;
}

namespace detail {

// Variables of their own, not of the builders: computed once, not at each call in the graph's constant.
template <transposed Form, class A, class B>
inline constexpr inferred multiplied = shape_rule(Form, A::value, B::value);
template <class X, class W> inline constexpr inferred connected = linear_shape_rule(X::value, W::value);
template <class X, class W, class B>
inline constexpr inferred connected_with_bias = require_vector(connected<X, W>, B::value,
                                                               W::value.rank > 0 ? W::value[0] : 1);

} // namespace detail

/// Matrix product y = a b over the last two axes, batched over the leading ones. R012, R050-R053, R056.
template <transposed Form = transposed{}, class A, dtype TA, class B, dtype TB>
constexpr auto matmul(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    return detail::append_arithmetic<detail::multiplied<Form, A, B>>(op::matmul, Form, where, a, b);
}

/// Fully connected layer y = x W^T over the last axis; W is [out features, in features]. R054, R055.
template <class X, dtype TX, class W, dtype TW>
constexpr auto linear(tensor<X, TX> x, tensor<W, TW> weight, site where = here()) {
    return detail::append_arithmetic<detail::connected<X, W>>(op::linear, no_attributes{}, where, x, weight);
}
/// The same plus a bias of one value per output feature, which starts the accumulator.
template <class X, dtype TX, class W, dtype TW, class B, dtype TB>
constexpr auto linear(tensor<X, TX> x, tensor<W, TW> weight, tensor<B, TB> bias, site where = here()) {
    return detail::append_arithmetic<detail::connected_with_bias<X, W, B>>(op::linear, no_attributes{}, where, x,
                                                                           weight, bias);
}

} // namespace ane

#pragma once

#include "append.hpp"
#include "broadcast.hpp"
#include "convolution.hpp"

namespace ane {

/// [..., M, K] times [..., K, N] gives [..., M, N]; leading axes broadcast.
constexpr inferred shape_rule(const transposed& form, const extents& a, const extents& b) {
    inferred r;
    r.require(a.rank >= 2, fault::operand_must_have_rows_and_columns, a.rank, 2);
    r.require(b.rank >= 2, fault::operand_must_have_rows_and_columns, b.rank, 2);
    if (!r.ok()) {
        r.shape = a;
        return r;
    }
    const std::int64_t m = form.a ? a.width() : a.height();
    const std::int64_t inner_a = form.a ? a.height() : a.width();
    const std::int64_t inner_b = form.b ? b.width() : b.height();
    const std::int64_t n = form.b ? b.height() : b.width();
    r.require(inner_a == inner_b, fault::inner_extents_must_be_equal_R053, inner_a, inner_b);
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
    r.require(x.rank >= 1, fault::operand_must_have_an_axis, x.rank, 1);
    r.require(weight.rank == 2, fault::weight_must_have_rank_2_as_out_in, weight.rank, 2);
    r.require(x.width() == weight.width(), fault::input_features_must_equal_the_last_axis_of_the_weight_R053, x.width(),
              weight.width());
    r.shape = x;
    if (r.shape.rank > 0) {
        r.shape[r.shape.rank - 1] = weight.rank == 2 ? weight[0] : 1;
    }
    return r;
}

/// The same with a bias of one value for each output feature.
constexpr inferred linear_bias_rule(const extents& x, const extents& weight, const extents& bias) {
    return detail::require_vector(linear_shape_rule(x, weight), bias, weight.rank > 0 ? weight[0] : 1,
                                  fault::bias_must_have_one_value_for_each_output);
}

/// Matrix product y = a b over the last two axes, batched over the leading ones. Either may be `scaled`. R012,
/// R050-R053, R056.
template <transposed Form = transposed{}, class A, class B>
    requires obeys<shapes::product_of<Form>, A, B>
constexpr auto matmul(A a, B b, source_location where = here()) {
    return detail::product<shapes::product_of<Form>>(op::matmul, Form, where, a, b);
}
template <transposed Form = transposed{}, class A, class B,
          class Broken = breach<op::matmul, shapes::product_of<Form>, A, B>>
Broken matmul(A, B, ...);

/// Fully connected layer y = x W^T over the last axis; W is [out features, in features]. Either may be `scaled`. R054,
/// R055.
template <class X, class W>
    requires obeys<shapes::product_by<linear_shape_rule>, X, W>
constexpr auto linear(X x, W weight, source_location where = here()) {
    return detail::product<shapes::product_by<linear_shape_rule>>(op::linear, no_attributes{}, where, x, weight);
}
template <class X, class W, class Broken = breach<op::linear, shapes::product_by<linear_shape_rule>, X, W>>
Broken linear(X, W, ...);

/// The same plus a bias of one value per output feature, which starts the accumulator.
template <class X, class W, class B>
    requires obeys<shapes::product_by<linear_bias_rule>, X, W, B>
constexpr auto linear(X x, W weight, B bias, source_location where = here()) {
    return detail::product<shapes::product_by<linear_bias_rule>>(op::linear, no_attributes{}, where, x, weight, bias);
}
template <class X, class W, class B, class Broken = breach<op::linear, shapes::product_by<linear_bias_rule>, X, W, B>>
Broken linear(X, W, B, ...);

} // namespace ane

#pragma once

#include "../ops/attention.hpp"
#include "rewriter.hpp"

/// Norms and reductions as their parts, in forms that run on every family (MIL facts section 5, rewrites section 1).
namespace ane::detail {

/// The axis of a norm, counted from the front.
constexpr int axis_of(const rewriter& w, const node& n, int x) {
    return normalized_axis(n.get<stabilizer>().axis, w.shape(x).rank);
}

/// (x - mean) / sqrt(variance + epsilon) over the axes: mean, centre, mean of squares, reciprocal root, scale.
constexpr int standardized(rewriter& w, int x, const axes& over, float epsilon) {
    const int mean = w.emit(op::reduce_mean, over, {x});
    const int centred = w.emit(op::sub, no_attributes{}, {x, mean});
    const int squares = w.emit(op::mul, no_attributes{}, {centred, centred});
    const int variance = w.emit(op::reduce_mean, over, {squares});
    const int stabilised = w.emit(op::add, no_attributes{}, {variance, w.scalar(epsilon)});
    const int inverse = w.emit(op::rsqrt, stabilizer{}, {stabilised});
    return w.emit(op::mul, no_attributes{}, {centred, inverse});
}

/// gamma x + beta with one value of each for every index of an axis.
constexpr int scaled_and_shifted(rewriter& w, int x, int gamma, int beta, int axis) {
    const int rank = w.shape(x).rank;
    const int scaled = w.emit(op::mul, no_attributes{}, {x, w.along(gamma, axis, rank)});
    return w.emit(op::add, no_attributes{}, {scaled, w.along(beta, axis, rank)});
}

constexpr int lower_layer_norm(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    const int axis = axis_of(w, n, x);
    const int normal = standardized(w, x, axes{axis}, n.get<stabilizer>().epsilon);
    return scaled_and_shifted(w, normal, w.operand(n, 1), w.operand(n, 2), axis);
}

/// One scale and one offset per channel. Both depend on weights alone, so they are computed when the graph is compiled.
constexpr int lower_batch_norm(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    const int mean = w.operand(n, 1);
    const int variance = w.operand(n, 2);
    const int root = w.emit(op::rsqrt, stabilizer{.epsilon = n.get<stabilizer>().epsilon}, {variance});
    const int scale = w.emit(op::mul, no_attributes{}, {w.operand(n, 3), root});
    const int shift = w.emit(op::mul, no_attributes{}, {mean, scale});
    const int offset = w.emit(op::sub, no_attributes{}, {w.operand(n, 4), shift});
    return scaled_and_shifted(w, x, scale, offset, 1);
}

/// Mean and variance over everything behind the channels.
constexpr int lower_instance_norm(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    axes spatial;
    for (int i = 2; i < w.shape(x).rank; ++i) {
        spatial.list.append(i);
    }
    const int normal = standardized(w, x, spatial, n.get<stabilizer>().epsilon);
    return scaled_and_shifted(w, normal, w.operand(n, 1), w.operand(n, 2), 1);
}

/// The same over [N, groups, channels of a group, elements of a channel].
constexpr int lower_group_norm(rewriter& w, const node& n) {
    const grouping a = n.get<grouping>();
    const int x = w.operand(n, 0);
    const extents whole = w.shape(x);
    const std::int64_t inner = whole.count() / (whole[0] * whole[1]);
    const int grouped = w.reshape(x, {whole[0], a.groups, whole[1] / a.groups, inner});
    const int normal = w.reshape(standardized(w, grouped, axes{2, 3}, a.epsilon), whole);
    return scaled_and_shifted(w, normal, w.operand(n, 1), w.operand(n, 2), 1);
}

/// gamma x / sqrt(mean of squares + epsilon)
constexpr int lower_rms_norm(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    const int axis = axis_of(w, n, x);
    const int squares = w.emit(op::mul, no_attributes{}, {x, x});
    const int mean = w.emit(op::reduce_mean, axes{axis}, {squares});
    const int stabilised = w.emit(op::add, no_attributes{}, {mean, w.scalar(n.get<stabilizer>().epsilon)});
    const int inverse = w.emit(op::rsqrt, stabilizer{}, {stabilised});
    const int normal = w.emit(op::mul, no_attributes{}, {x, inverse});
    return w.emit(op::mul, no_attributes{}, {normal, w.along(w.operand(n, 1), axis, w.shape(x).rank)});
}

constexpr int sum_of_squares(rewriter& w, int x, const axes& over) {
    const int squares = w.emit(op::mul, no_attributes{}, {x, x});
    return w.emit(op::reduce_sum, over, {squares});
}

/// x / max(norm, sqrt(epsilon))
constexpr int lower_l2_norm(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    const auto epsilon = static_cast<double>(n.get<stabilizer>().epsilon);
    int norm = w.emit(op::sqrt, no_attributes{}, {sum_of_squares(w, x, axes{axis_of(w, n, x)})});
    if (epsilon > 0) {
        const double least = square_root(epsilon);
        norm = w.emit(op::maximum, no_attributes{}, {norm, w.scalar(static_cast<float>(least))});
    }
    return w.emit(op::div, no_attributes{}, {x, norm});
}

/// (x - min) / (max - min + epsilon)
constexpr int lower_minmax_norm(rewriter& w, const node& n) {
    const int x = w.operand(n, 0);
    const axes along{axis_of(w, n, x)};
    const int least = w.emit(op::reduce_min, along, {x});
    const int span = w.emit(op::sub, no_attributes{}, {w.emit(op::reduce_max, along, {x}), least});
    const int stabilised = w.emit(op::add, no_attributes{}, {span, w.scalar(n.get<stabilizer>().epsilon)});
    const int above = w.emit(op::sub, no_attributes{}, {x, least});
    return w.emit(op::div, no_attributes{}, {above, stabilised});
}

// Reductions of a function, and functions of a reduction. Squares come before the sum, as products (R071, R072).

constexpr int lower_sum_square(rewriter& w, const node& n) { return sum_of_squares(w, w.operand(n, 0), n.get<axes>()); }

constexpr int lower_l1_norm(rewriter& w, const node& n) {
    return w.emit(op::reduce_sum, n.get<axes>(), {w.emit(op::abs, no_attributes{}, {w.operand(n, 0)})});
}

constexpr int lower_length(rewriter& w, const node& n) {
    return w.emit(op::sqrt, no_attributes{}, {lower_sum_square(w, n)});
}

constexpr int lower_log_sum(rewriter& w, const node& n) {
    return w.emit(op::log, stabilizer{}, {w.emit(op::reduce_sum, n.get<axes>(), {w.operand(n, 0)})});
}

/// The engine's own form: the exponentials as they are, infinite from 11.09 on.
constexpr int own_log_sum_exp(rewriter& w, const node& n) {
    const int sum = w.emit(op::reduce_sum, n.get<axes>(), {w.emit(op::exp, no_attributes{}, {w.operand(n, 0)})});
    return w.emit(op::log, stabilizer{}, {sum});
}

/// m + ln of the sum of e^(x - m), where m is the maximum: no term is above 1.
constexpr int lower_log_sum_exp(rewriter& w, const node& n) {
    const axes over = n.get<axes>();
    const int x = w.operand(n, 0);
    const int largest = w.emit(op::reduce_max, over, {x});
    const int below = w.emit(op::sub, no_attributes{}, {x, largest});
    const int sum = w.emit(op::reduce_sum, over, {w.emit(op::exp, no_attributes{}, {below})});
    return w.emit(op::add, no_attributes{}, {w.emit(op::log, stabilizer{}, {sum}), largest});
}

} // namespace ane::detail

#pragma once

#include "../graph/constants.hpp"
#include "../graph/graph.hpp"
#include "reduction.hpp"
#include "unary.hpp"

/// Ranges of norms by their formulas. Of n elements divided by their root mean square none exceeds sqrt(n), whatever
/// the input is: the squares of the results add up to n.
namespace ane::detail {

/// Whether an epsilon is still above zero as fp16. If it rounds to zero, elements that are all equal have a variance of
/// 0, and the norm computes 1 / sqrt(0).
constexpr bool stabilises(double epsilon) { return static_cast<double>(half(epsilon)) > 0; }

/// x / rms(x) over `count` elements, with 1 % for the errors of the mean and the reciprocal root.
constexpr interval unit_rms(double count) {
    const double most = root(count) * 1.01;
    return {-most, most, true};
}

/// The range of gamma u + beta, where the root mean square of u along the norm's axis is 1, with 2 % for the errors of
/// the mean, the reciprocal root and the products.
constexpr interval with_unit_rms(const node& n, interval r, double gamma, double beta) {
    r.rms = 1.02 * gamma + 1.001 * beta + 0x1p-20;
    r.along = n.shape.rank - 1 - normalized_axis(n.get<stabilizer>().axis, n.shape.rank);
    return r;
}

constexpr interval root_of_shifted(const interval& x, double epsilon) {
    return root_of(interval{x.low + epsilon, x.high < unbounded ? x.high + epsilon : unbounded, x.declared});
}

/// Whether all parameters of a batch norm are known when the graph is compiled: then its scale and its offset are
/// computed there, and refused where they leave fp16.
constexpr bool has_known_parameters(const graph_view& g, const node& n) {
    for (const int parameter : g.operands(n).subspan(1)) {
        if (!is_known_when_compiled(g, parameter)) {
            return false;
        }
    }
    return true;
}

/// A batch norm whose parameters are computed at run time: the device computes scale and offset too, and stores every
/// intermediate result in fp16.
template <class Operand> constexpr interval range_of_batch_norm_parts(const node& n, Operand in) {
    const interval variance = shifted(in(2), n.get<stabilizer>().epsilon);
    if (static_cast<double>(half(variance.low)) <= 0) {
        return anything(in(0).declared && variance.declared);
    }
    const interval root = stored(table_slack(quotient({1, 1, true}, root_of(variance))));
    const interval scale = stored(product(in(3), root));
    const interval offset = stored(difference(in(4), stored(product(in(1), scale))));
    const interval scaled = stored(product(in(0), scale));
    const bool declared = scaled.declared && offset.declared;
    if (!scaled.bounded() || !offset.bounded()) {
        return anything(declared); // infinities of either sign may meet
    }
    return sum(scaled, offset);
}

/// What is known of a batch norm's parameters, of one channel or of all.
struct batch_norm_channel {
    interval mean, variance, gamma, beta;
};

/// A batch norm of such channels.
constexpr interval range_of_batch_norm_channel(const interval& x, const batch_norm_channel& c, double epsilon) {
    const interval deviation = root_of_shifted(c.variance, epsilon);
    const interval scale = product(quotient({1, 1, true}, deviation), c.gamma);
    const interval centred = product(difference(x, c.mean), scale);
    // The engine computes x scale + offset with a scale and an offset = beta - mean scale that were each rounded to
    // fp16. The errors are in proportion to |x scale| and |mean scale|, also where the two cancel; a subnormal scale is
    // off by up to 2^-24 however small it is.
    const double rounding = (product(x, scale).magnitude() + product(c.mean, scale).magnitude()) / 256 +
                            (x.magnitude() + c.mean.magnitude()) * 0x1p-24 + c.beta.magnitude() / 1024 + 0x1p-20;
    return sum(widened(centred, rounding), c.beta);
}

/// batch_norm (x, mean, variance, gamma, beta). Parameters that are constants have values of their own for each channel;
/// of others, what is known of all channels is known of each, and the largest gamma may meet the smallest variance.
template <class Operand> constexpr interval range_of_batch_norm(const graph_view& g, const node& n, Operand in) {
    if (!has_known_parameters(g, n)) {
        return range_of_batch_norm_parts(n, in);
    }
    bool differ = false;
    for (const int parameter : g.operands(n).subspan(1)) {
        differ = differ || (g[parameter].kind == op::constant && g.values(g[parameter]).size() > 1);
    }
    const std::int64_t channels = differ ? g.operand(n, 1).shape.count() : 1;
    const auto of_channel = [&](int position, std::int64_t channel) -> interval {
        const node& parameter = g.operand(n, position);
        if (!differ || parameter.kind != op::constant) {
            return in(position);
        }
        const auto value = static_cast<double>(half(g.value(parameter, channel)));
        return {value, value, true};
    };
    const auto epsilon = static_cast<double>(n.get<stabilizer>().epsilon);
    interval all{};
    for (std::int64_t c = 0; c < channels; ++c) {
        const interval one = range_of_batch_norm_channel(
            in(0), {of_channel(1, c), of_channel(2, c), of_channel(3, c), of_channel(4, c)}, epsilon);
        all = c == 0 ? one : hull(all, one);
    }
    return all;
}

/// How many elements a norm takes together.
constexpr double normalized_elements(const graph_view& g, const node& n) {
    const extents& x = g.operand(n, 0).shape;
    if (n.kind == op::group_norm) {
        const std::int64_t image = x.count() / x[0];
        return static_cast<double>(image) / n.get<grouping>().groups;
    }
    if (n.kind == op::instance_norm) {
        const std::int64_t plane = x.count() / (x[0] * x[1]);
        return static_cast<double>(plane);
    }
    const int axis = n.get<stabilizer>().axis;
    return static_cast<double>(x[axis < 0 ? axis + x.rank : axis]);
}

constexpr double epsilon_of(const node& n) {
    return static_cast<double>(n.kind == op::group_norm ? n.get<grouping>().epsilon : n.get<stabilizer>().epsilon);
}

/// The squares of the distances from the mean of `count` elements: one of them is farthest if all others are equal.
constexpr interval centred_squares(const interval& x, double count) {
    if (!x.bounded()) {
        return anything(x.declared);
    }
    const double most = (x.high - x.low) * (count - 1) / count;
    return {0, most * most, x.declared};
}

/// layer_norm, instance_norm, group_norm (x, gamma, beta): no element of n is farther from the mean than sqrt(n - 1)
/// standard deviations. The bound here is sqrt(n), because the mean is rounded.
template <class Operand> constexpr interval range_of_centred_norm(const graph_view& g, const node& n, Operand in) {
    const bool declared = in(1).declared && in(2).declared;
    if (!stabilises(epsilon_of(n))) {
        return anything(false);
    }
    // The product with gamma is stored before beta is added.
    const interval scaled = product(unit_rms(normalized_elements(g, n)), in(1));
    interval r = table_slack(hull(sum(scaled, in(2)), sum(stored(scaled), in(2))));
    r.declared = declared;
    return n.kind == op::layer_norm ? with_unit_rms(n, r, in(1).magnitude(), in(2).magnitude()) : r;
}

/// Whether the length that l2_norm divides by may be so small that its reciprocal overflows, as that of elements whose
/// squares are zero in fp16.
constexpr bool may_divide_by_zero_length(const node& n, const interval& x) {
    const double least = least_magnitude(x);
    const double length = static_cast<double>(half(least * least)) > 0 ? least / 2 : 0;
    const double bound = root(epsilon_of(n));
    return (length > bound ? length : bound) * 65472 < 1;
}

/// rms_norm (x, gamma) and l2_norm (x): dividing by a length keeps the sign of x.
template <class Operand> constexpr interval range_of_length_norm(const graph_view& g, const node& n, Operand in) {
    if (n.kind == op::rms_norm ? !stabilises(epsilon_of(n)) : may_divide_by_zero_length(n, in(0))) {
        return anything(n.kind == op::l2_norm && in(0).declared);
    }
    const double count = normalized_elements(g, n);
    const interval& x = in(0);
    interval unit = n.kind == op::rms_norm ? unit_rms(count) : interval{-1.01, 1.01, true};
    // Of numbers of one sign, whose squares keep their digits, the least is a part of the length that is never zero.
    const double least = least_magnitude(x);
    const bool keeps = least >= 0x1p-6 && x.magnitude() * x.magnitude() * count <= half_max;
    const double squares = x.magnitude() * x.magnitude() * (n.kind == op::rms_norm ? 1 : count);
    const double epsilon = epsilon_of(n) > 0 ? epsilon_of(n) : 0;
    const double part = keeps ? 0.97 * least / root(squares + epsilon) : 0;
    unit.low = x.low >= 0 ? part : unit.low;
    unit.high = x.high <= 0 ? -part : unit.high;
    const interval r = n.kind == op::rms_norm ? product(unit, in(1)) : unit;
    const interval around = relative_slack(r);
    return n.kind == op::rms_norm ? with_unit_rms(n, around, in(1).magnitude(), 0) : around;
}

/// The squares of a response norm, and k + alpha times their mean.
constexpr interval parts_of_response_norm(const node& n, const interval& x) {
    const response_norm_shape& a = n.get<response_norm_shape>();
    const interval squares = square_of(x);
    return hull(squares, sum(multiple(with_zero(squares), static_cast<double>(a.alpha)),
                             {static_cast<double>(a.k), static_cast<double>(a.k), true}));
}

/// x / (k + alpha / size * sum of x^2 over size channels)^beta: the divisor is least where x is 0.
constexpr interval range_of_response_norm(const node& n, const interval& x) {
    const response_norm_shape& a = n.get<response_norm_shape>();
    const double given = static_cast<double>(a.k);
    const double stored_k = static_cast<double>(half(given)); // what the engine adds
    const double k = stored_k < given ? stored_k : given;
    if (!(a.alpha >= 0 && a.beta >= 0 && k > 0) || !x.bounded()) {
        return anything(x.declared);
    }
    const double divisor = exponential(static_cast<double>(a.beta) * logarithm(k));
    const interval r = with_zero(times(x, 1.0 / divisor));
    // The power goes through a logarithm and an exponential: an error of 0.007 beta and more.
    return table_slack(widened(r, r.magnitude() * (0.01 * static_cast<double>(a.beta) + 1.0 / 64)));
}

} // namespace ane::detail

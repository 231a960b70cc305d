#pragma once

#include "../graph/graph.hpp"
#include "unary.hpp"

/// Ranges of windows, reductions, index reductions and running sums.
namespace ane::detail {

/// The range of a sum of `terms` elements: in the narrow register of the engine's reduction path (numerics-datapath,
/// section 2), in a wide one, or in fp32 on the CPU. In each addition of the narrow register the smaller operand loses
/// what lies below the 12 significant bits of the larger one, so a sum of elements of one sign may come out too close
/// to zero. The other two round to nearest.
constexpr interval narrow_sum(const interval& x, double terms) {
    if (!x.bounded()) { // of one sign, even of infinities, a sum keeps it
        return {x.low >= 0 ? 0 : -unbounded, x.high <= 0 ? 0 : unbounded, x.declared};
    }
    const interval exact = times(x, terms);
    const double rounding = exact.magnitude() * terms * 0x1p-24;
    interval r = widened(exact, rounding);
    // The bits that the narrow register drops, as much as 1/512 of the sum. No rounding takes a sum of elements of one
    // sign across zero.
    r.low = exact.low > 0 ? r.low - exact.low / 512 : r.low;
    r.high = exact.high < 0 ? r.high - exact.high / 512 : r.high;
    return with_sign_of(exact, r);
}

/// The range of a mean: that of its elements, plus half an ulp for the fp16 reciprocal of their number, by which the
/// sum is multiplied. Towards zero it is wider, since the narrow register may lose part of the sum (`narrow_sum`).
constexpr interval mean_of(interval x) {
    x.low -= magnitude(x.low) / (x.low > 0 ? 256 : 2048);
    x.high += magnitude(x.high) / (x.high < 0 ? 256 : 2048);
    return of_elements(x);
}

/// The range of squares, whether they are exact or each is rounded to fp16; of an infinity, an infinity.
constexpr interval square_of(const interval& x) {
    const interval exact = square_by_product(x);
    return hull(exact, stored(exact));
}

/// How many elements a reduction adds up for each result.
constexpr double reduced_terms(const graph_view& g, const node& n) {
    const std::int64_t results = n.shape.count();
    const std::int64_t terms = results > 0 ? g.operand(n, 0).shape.count() / results : 0;
    return static_cast<double>(terms);
}

/// The sum of the squares of `terms` elements, some of which may be missing.
constexpr interval sum_of_squares_of(const interval& x, double terms, bool partial) {
    const interval squares = narrow_sum(square_of(x), terms);
    return partial ? with_zero(squares) : squares;
}

/// The square of the distance of two points in space.
constexpr interval squared_distance_of(const interval& a, const interval& b) {
    return sum_of_squares_of(stored(difference(a, b)), 3, false);
}

/// The root of a sum of squares: infinite where the sum is.
constexpr interval length_of(const interval& sum) {
    interval r = relative_slack(root_of(stored(sum)));
    r.low = r.low > 0 ? r.low : 0;
    return r;
}

/// ln of a sum of n terms e^x as it is lowered: the largest of them plus the ln of a sum between 1 and n.
constexpr interval log_sum_exp(const interval& x, double terms) {
    return sum(x, table_slack({0, logarithm(terms > 1 ? terms : 1), true}));
}

/// Whether some windows reach beyond the tensor and so hold fewer elements than the kernel has places.
constexpr bool has_partial_windows(const pool& a) { return a.padding != padding2{} || a.ceil_mode; }

/// ln of a sum.
constexpr interval logarithm_of_sum(const interval& x, double terms) {
    const interval sum = stored(narrow_sum(x, terms));
    if (!sum.bounded() || static_cast<double>(half(sum.low)) <= 0) {
        return anything(x.declared);
    }
    return table_slack({logarithm(sum.low), logarithm(sum.high), x.declared});
}

constexpr interval indices_below(std::int64_t count) {
    return stored(interval{0, static_cast<double>(count > 0 ? count - 1 : 0), true});
}

/// Running sums of 1 to n elements, or of 0 to n - 1 if they are exclusive. On the engine this is a matrix product with
/// ones (R125), whose accumulator has its ceiling at 2^15 and may drop subnormals. `rounding` allows each addition an
/// error of half an fp16 ulp of the largest sum.
constexpr interval range_of_scan(const graph_view& g, const node& n, const interval& x) {
    const cumulation& a = n.get<cumulation>();
    const extents& shape = g.operand(n, 0).shape;
    const auto length = static_cast<double>(shape[a.axis < 0 ? a.axis + shape.rank : a.axis]);
    const interval unknown{x.low >= 0 ? 0 : -unbounded, x.high <= 0 ? 0 : unbounded, x.declared};
    if (!x.bounded()) {
        return unknown;
    }
    const interval all = times(x, a.exclusive ? length - 1 : length);
    const interval r = hull(a.exclusive ? interval{0, 0, true} : x, all);
    const double rounding = x.magnitude() * length * length / 2048 + length * 0x1p-14;
    if (x.magnitude() * length + rounding >= 32768) {
        return unknown;
    }
    interval rounded = widened(r, rounding);
    // A sum of numbers of one sign is at least the first of them.
    const double first = a.exclusive || least_magnitude(x) < 0x1p-14 ? 0 : least_magnitude(x) - 0x1p-16;
    rounded.low = x.low >= 0 && rounded.low < first ? first : rounded.low;
    rounded.high = x.high <= 0 && rounded.high > -first ? -first : rounded.high;
    return {rounded.low, rounded.high, x.declared};
}

} // namespace ane::detail

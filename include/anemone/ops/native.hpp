#pragma once

#include "append.hpp"
#include "quantization.hpp"

/// Layers that only the netplist route has: MIL's front end refuses most of them. Guide chapter 26 and appendix B
/// (decompiled; those of the M1 run there).
namespace ane {

/// Only the rate is checked: the shape is the operand's.
constexpr inferred dropout_rule(const coefficients& c, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(c.alpha >= 0 && c.alpha < 1, fault::rate_is_no_fraction, detail::thousandths(c.alpha), 1000);
    return r;
}

constexpr inferred random_uniform_rule(const coefficients& c, const extents& shape) {
    inferred r;
    r.shape = shape;
    r.require(c.alpha < c.beta, fault::low_is_not_below_high, detail::thousandths(c.alpha),
              detail::thousandths(c.beta));
    return r;
}

/// Equal shapes; a product has no scale, which the engine would ignore.
constexpr inferred shape_rule(const scaling& s, const extents& a, const extents& b) {
    inferred r;
    r.shape = a;
    r.require(a.rank == b.rank, fault::ranks_differ, b.rank, a.rank);
    for (int i = 0; r.ok() && i < a.rank; ++i) {
        r.require(a[i] == b[i], fault::extents_differ, b[i], a[i]);
    }
    const bool ignored = s.function == scaled_function::mul && s.scale != 1;
    r.require(!ignored, fault::scale_is_ignored, detail::thousandths(s.scale), 1000);
    return r;
}

/// [N, 1, H, W] with a template [1, 1, h, w] gives [N, 1, H - h + 1, W - w + 1].
constexpr inferred cross_correlation_rule(const extents& x, const extents& pattern) {
    inferred r;
    r.shape = x;
    r.require(x.rank == 4, fault::input_rank_differs, x.rank, 4);
    r.require(pattern.rank == 4, fault::weight_rank_differs, pattern.rank, 4);
    r.require(x[1] == 1, fault::template_channels_differ, x[1], 1);
    r.require(pattern[1] == 1, fault::template_channels_differ, pattern[1], 1);
    r.require(pattern[0] == 1, fault::template_channels_differ, pattern[0], 1);
    r.require(pattern[2] <= x[2], fault::template_exceeds_the_map, pattern[2], x[2]);
    r.require(pattern[3] <= x[3], fault::template_exceeds_the_map, pattern[3], x[3]);
    if (r.ok()) {
        r.shape = {x[0], 1, x[2] - pattern[2] + 1, x[3] - pattern[3] + 1};
    }
    return r;
}

/// Two tensors [N, 3, 1, 1].
constexpr inferred cross_product_rule(const extents& a, const extents& b) {
    inferred r;
    r.shape = a;
    for (const extents* e : {&a, &b}) {
        r.require(e->rank == 4, fault::input_rank_differs, e->rank, 4);
        r.require((*e)[1] == 3, fault::vectors_are_not_threes, (*e)[1], 3);
        r.require((*e)[2] == 1, fault::vectors_are_not_threes, (*e)[2], 1);
        r.require((*e)[3] == 1, fault::vectors_are_not_threes, (*e)[3], 1);
    }
    r.require(a[0] == b[0], fault::extents_differ, b[0], a[0]);
    return r;
}

/// An image [N, 1, H, W] and a reference [N, 1, H, Wr] give one plane for each of R + 1 disparities; Wr >= W + R.
constexpr inferred cost_volume_rule(const amount& planes, const extents& image, const extents& reference) {
    inferred r;
    r.shape = image;
    r.require(planes.count >= 1, fault::planes_are_not_positive, planes.count, 1);
    r.require(image.rank == 4, fault::input_rank_differs, image.rank, 4);
    r.require(reference.rank == 4, fault::input_rank_differs, reference.rank, 4);
    r.require(image[1] == 1, fault::cost_channels_differ, image[1], 1);
    r.require(reference[1] == 1, fault::cost_channels_differ, reference[1], 1);
    r.require(reference[0] == image[0], fault::extents_differ, reference[0], image[0]);
    r.require(reference[2] == image[2], fault::extents_differ, reference[2], image[2]);
    const std::int64_t least = image[3] + planes.count - 1;
    r.require(reference[3] >= least, fault::reference_is_too_narrow, reference[3], least);
    if (r.ok()) {
        r.shape[1] = planes.count;
    }
    return r;
}

namespace detail {
/// Points in space as the point layers take them: [1, 3, 1, N].
constexpr void require_points(inferred& r, const extents& points) {
    r.require(points.rank == 4, fault::input_rank_differs, points.rank, 4);
    r.require(points[0] == 1, fault::points_differ, points[0], 1);
    r.require(points[1] == 3, fault::points_differ, points[1], 3);
    r.require(points[2] == 1, fault::points_differ, points[2], 1);
}
} // namespace detail

/// `centroids` of the points, at most 1024 of at most 8192.
constexpr inferred furthest_point_rule(const amount& centroids, const extents& points) {
    inferred r;
    r.shape = points;
    detail::require_points(r, points);
    r.require(points[3] <= 8192, fault::points_exceed, points[3], 8192);
    const std::int64_t most = points[3] < 1024 ? points[3] : 1024;
    r.require(centroids.count >= 2 && centroids.count <= most, fault::centroids_differ, centroids.count, most);
    if (r.ok()) {
        r.shape[3] = centroids.count;
    }
    return r;
}

/// A row for each point, a column for each centroid.
constexpr inferred radius_search_rule(const coefficients& c, const extents& centroids, const extents& points) {
    inferred r;
    r.shape = points;
    detail::require_points(r, centroids);
    detail::require_points(r, points);
    r.require(c.alpha >= 0, fault::radius_is_negative, detail::thousandths(c.alpha), 0);
    if (r.ok()) {
        r.shape = {1, 1, points[3], centroids[3]};
    }
    return r;
}

/// x itself: at inference nothing is dropped. The rate is what the model was trained with; the layer runs at rate 0 on
/// every family (ANEForge, measured) and with another from A15 on (R136).
template <class X, dtype TX> constexpr auto dropout(tensor<X, TX> x, double rate = 0, site where = here()) {
    const coefficients c{.alpha = static_cast<float>(rate)};
    if (!dropout_rule(c, X::value).ok()) {
        detail::refuse_graph("dropout", "its rate must lie in [0, 1)");
    }
    return detail::append_arithmetic<inferred{.shape = X::value}>(op::dropout, c, where, x);
}

/// scale (a op b) for equal shapes, in one layer. The engine ignores the scale of a product, and has no difference
/// (ANEForge, measured).
template <scaled_function Function, class A, dtype TA, class B, dtype TB>
constexpr auto scaled_elementwise(tensor<A, TA> a, tensor<B, TB> b, double scale = 1, site where = here()) {
    detail::require_fp16(scale);
    constexpr inferred r = shape_rule(scaling{.function = Function}, A::value, B::value);
    const scaling s{.function = Function, .scale = static_cast<float>(scale)};
    if (!shape_rule(s, r.shape, r.shape).ok()) {
        detail::refuse_graph("scaled_elementwise", "the engine ignores the scale of a product: multiply by it apart");
    }
    return detail::append_arithmetic<r>(op::scaled_elementwise, s, where, a, b);
}

/// y[i, j] = sum over u, v of x[i + u, j + v] t[u, v]: a template over a map of one channel, not flipped, no padding.
/// The template is a runtime tensor; 3x3 is measured, 15 the widest (ANEForge). R046.
template <class X, dtype TX, class T, dtype TT>
constexpr auto cross_correlation(tensor<X, TX> x, tensor<T, TT> pattern, site where = here()) {
    constexpr inferred r = cross_correlation_rule(X::value, T::value);
    return detail::append_arithmetic<r>(op::cross_correlation, no_attributes{}, where, x, pattern);
}

/// a x b for vectors of three in the channels of [N, 3, 1, 1].
template <class A, dtype TA, class B, dtype TB>
constexpr auto cross_product(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    constexpr inferred r = cross_product_rule(A::value, B::value);
    return detail::append_arithmetic<r>(op::cross_product, no_attributes{}, where, a, b);
}

/// y[d, h, w] = |x[h, w] - reference[h, w + d]| for d = 0 to Planes - 1: the matching cost of each disparity.
template <int Planes, class X, dtype TX, class R, dtype TR>
constexpr auto cost_volume(tensor<X, TX> x, tensor<R, TR> reference, site where = here()) {
    constexpr inferred r = cost_volume_rule({.count = Planes}, X::value, R::value);
    return detail::append_arithmetic<r>(op::cost_volume, amount{.count = Planes}, where, x, reference);
}

/// Count of the points [1, 3, 1, N], from the first on always the one that is farthest (L2) from those chosen:
/// [1, 3, 1, Count]. At most 1024 of 8192.
template <int Count, class P, dtype TP>
constexpr auto furthest_point_sampling(tensor<P, TP> points, site where = here()) {
    constexpr inferred r = furthest_point_rule({.count = Count}, P::value);
    return detail::append_arithmetic<r>(op::furthest_point_sampling, amount{.count = Count}, where, points);
}

/// Which points lie within the radius (L2) of which centroid: centroids [1, 3, 1, M] and points [1, 3, 1, N] give flags
/// of one byte, 0 or 1, [1, 1, N, M]. The layer packs them into the first M bytes of rows of 2 M (ANEForge).
template <class C, dtype TC, class P, dtype TP>
constexpr auto radius_search(tensor<C, TC> centroids, tensor<P, TP> points, double radius, site where = here()) {
    const coefficients c{.alpha = static_cast<float>(radius)};
    constexpr inferred r =
        detail::require_arithmetic<decltype(centroids), decltype(points)>(radius_search_rule({}, C::value, P::value));
    if (r.ok() && !radius_search_rule(c, C::value, P::value).ok()) {
        detail::refuse_graph("radius_search", "its radius must not be negative");
    }
    return detail::append<r, dtype::uint8>(op::radius_search, c, where, centroids, points);
}

} // namespace ane

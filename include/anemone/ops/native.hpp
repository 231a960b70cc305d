#pragma once

#include "append.hpp"
#include "functions.hpp"
#include "quantization.hpp"

/// Layers that only the netplist route has: MIL's front end refuses most of them. Guide chapter 26 and appendix B
/// (decompiled; those of the M1 run there).
namespace ane {

/// Only the rate is checked: the shape is the operand's.
constexpr inferred dropout_rule(const drop_ratio& d, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(d.ratio >= 0 && d.ratio < 1, fault::rate_must_lie_from_0_to_below_1, detail::thousandths(d.ratio), 1000);
    return r;
}

constexpr inferred random_uniform_rule(const uniform_range& u, const extents& shape) {
    inferred r;
    r.shape = shape;
    r.require(u.low < u.high, fault::low_end_must_lie_below_the_high_end, detail::thousandths(u.low),
              detail::thousandths(u.high));
    return r;
}

/// Equal shapes; a product has no scale, which the engine would ignore.
constexpr inferred shape_rule(const scaling& s, const extents& a, const extents& b) {
    inferred r;
    r.shape = a;
    r.require(a.rank == b.rank, fault::operands_must_have_the_same_rank, b.rank, a.rank);
    for (int i = 0; r.ok() && i < a.rank; ++i) {
        r.require(a[i] == b[i], fault::extents_must_be_equal, b[i], a[i]);
    }
    const bool ignored = s.function == scaled_function::mul && s.scale != 1;
    r.require(!ignored, fault::scale_of_a_product_must_be_1, detail::thousandths(s.scale), 1000);
    return r;
}

/// [N, 1, H, W] with a template [1, 1, h, w] gives [N, 1, H - h + 1, W - w + 1].
constexpr inferred cross_correlation_rule(const extents& x, const extents& pattern) {
    inferred r;
    r.shape = x;
    r.require(x.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, x.rank, 4);
    r.require(pattern.rank == 4, fault::template_must_have_rank_4, pattern.rank, 4);
    r.require(x[1] == 1, fault::map_and_template_must_have_one_channel_R046, x[1], 1);
    r.require(pattern[1] == 1, fault::map_and_template_must_have_one_channel_R046, pattern[1], 1);
    r.require(pattern[0] == 1, fault::map_and_template_must_have_one_channel_R046, pattern[0], 1);
    r.require(pattern[2] <= x[2], fault::template_must_fit_into_the_map, pattern[2], x[2]);
    r.require(pattern[3] <= x[3], fault::template_must_fit_into_the_map, pattern[3], x[3]);
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
        r.require(e->rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, e->rank, 4);
        r.require((*e)[1] == 3, fault::vectors_must_be_N_3_1_1, (*e)[1], 3);
        r.require((*e)[2] == 1, fault::vectors_must_be_N_3_1_1, (*e)[2], 1);
        r.require((*e)[3] == 1, fault::vectors_must_be_N_3_1_1, (*e)[3], 1);
    }
    r.require(a[0] == b[0], fault::extents_must_be_equal, b[0], a[0]);
    return r;
}

/// An image [N, 1, H, W] and a reference [N, 1, H, Wr] give one plane for each of R + 1 disparities; Wr >= W + R.
constexpr inferred cost_volume_rule(const item_count& planes, const extents& image, const extents& reference) {
    inferred r;
    r.shape = image;
    r.require(planes.count >= 1, fault::there_must_be_at_least_one_plane, planes.count, 1);
    r.require(image.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, image.rank, 4);
    r.require(reference.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, reference.rank, 4);
    r.require(image[1] == 1, fault::both_images_must_have_one_channel, image[1], 1);
    r.require(reference[1] == 1, fault::both_images_must_have_one_channel, reference[1], 1);
    r.require(reference[0] == image[0], fault::image_and_reference_must_have_the_same_batch_and_height, reference[0],
              image[0]);
    r.require(reference[2] == image[2], fault::image_and_reference_must_have_the_same_batch_and_height, reference[2],
              image[2]);
    const std::int64_t least = image[3] + planes.count - 1;
    r.require(reference[3] >= least, fault::reference_must_be_as_wide_as_image_and_disparities, reference[3], least);
    if (r.ok()) {
        r.shape[1] = planes.count;
    }
    return r;
}

namespace detail {
/// Points in space as the point layers take them: [1, 3, 1, N].
constexpr void require_points(inferred& r, const extents& points) {
    r.require(points.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, points.rank, 4);
    r.require(points[0] == 1, fault::points_must_be_1_3_1_N, points[0], 1);
    r.require(points[1] == 3, fault::points_must_be_1_3_1_N, points[1], 3);
    r.require(points[2] == 1, fault::points_must_be_1_3_1_N, points[2], 1);
}
} // namespace detail

/// `centroids` of the points, at most 1024 of at most 8192.
constexpr inferred furthest_point_rule(const item_count& centroids, const extents& points) {
    inferred r;
    r.shape = points;
    detail::require_points(r, points);
    r.require(points[3] <= 8192, fault::there_must_be_at_most_8192_points, points[3], 8192);
    const std::int64_t most = points[3] < 1024 ? points[3] : 1024;
    r.require(centroids.count >= 2 && centroids.count <= most,
              fault::centroids_must_be_from_2_to_1024_and_no_more_than_points, centroids.count, most);
    if (r.ok()) {
        r.shape[3] = centroids.count;
    }
    return r;
}

/// A row for each point, a column for each centroid.
constexpr inferred radius_search_rule(const search_radius& s, const extents& centroids, const extents& points) {
    inferred r;
    r.shape = points;
    detail::require_points(r, centroids);
    detail::require_points(r, points);
    r.require(s.radius >= 0, fault::radius_must_not_be_negative, detail::thousandths(s.radius), 0);
    if (r.ok()) {
        r.shape = {1, 1, points[3], centroids[3]};
    }
    return r;
}

namespace shapes {
template <scaled_function Function> struct scaled {
    static constexpr inferred judge(const extents& a, const extents& b) {
        return shape_rule(scaling{.function = Function}, a, b);
    }
};
} // namespace shapes

/// x itself: at inference nothing is dropped. The rate is what the model was trained with; the layer runs at rate 0 on
/// every family (ANEForge, measured) and with another from A15 on (R136).
template <class X>
    requires obeys<shapes::same, X>
constexpr auto dropout(X x, double rate = 0, source_location where = here()) {
    const drop_ratio d{static_cast<float>(rate)};
    if (!dropout_rule(d, X::extent).ok()) {
        x.graph->refuse(model_rule::the_rate_must_lie_from_0_to_below_1, "dropout", where);
    }
    return detail::append<shapes::same>(op::dropout, d, where, x);
}
template <class X, class Broken = breach<op::dropout, shapes::same, X>> Broken dropout(X, ...);

/// scale (a op b) for equal shapes, in one layer. The engine ignores the scale of a product, and has no difference
/// (ANEForge, measured).
template <scaled_function Function, class A, class B>
    requires obeys<shapes::scaled<Function>, A, B>
constexpr auto scaled_elementwise(A a, B b, double scale = 1, source_location where = here()) {
    a.graph->require_fp16(scale, "constant", where);
    const scaling s{.function = Function, .scale = static_cast<float>(scale)};
    if (!shape_rule(s, A::extent, B::extent).ok()) {
        a.graph->refuse(model_rule::the_scale_of_a_product_is_ignored, "scaled_elementwise", where);
    }
    return detail::append<shapes::scaled<Function>>(op::scaled_elementwise, s, where, a, b);
}
template <scaled_function Function, class A, class B,
          class Broken = breach<op::scaled_elementwise, shapes::scaled<Function>, A, B>>
Broken scaled_elementwise(A, B, ...);

/// y[i, j] = sum over u, v of x[i + u, j + v] t[u, v]: a template over a map of one channel, not flipped, no padding.
/// The template is a runtime tensor; 3x3 is measured, 15 the widest (ANEForge). R046.
template <class X, class T>
    requires obeys<shapes::by<cross_correlation_rule>, X, T>
constexpr auto cross_correlation(X x, T pattern, source_location where = here()) {
    return detail::append<shapes::by<cross_correlation_rule>>(op::cross_correlation, no_attributes{}, where, x,
                                                              pattern);
}
template <class X, class T, class Broken = breach<op::cross_correlation, shapes::by<cross_correlation_rule>, X, T>>
Broken cross_correlation(X, T, ...);

/// a x b for vectors of three in the channels of [N, 3, 1, 1].
template <class A, class B>
    requires obeys<shapes::by<cross_product_rule>, A, B>
constexpr auto cross_product(A a, B b, source_location where = here()) {
    return detail::append<shapes::by<cross_product_rule>>(op::cross_product, no_attributes{}, where, a, b);
}
template <class A, class B, class Broken = breach<op::cross_product, shapes::by<cross_product_rule>, A, B>>
Broken cross_product(A, B, ...);

/// y[d, h, w] = |x[h, w] - reference[h, w + d]| for d = 0 to Planes - 1: the matching cost of each disparity.
template <int Planes, class X, class R>
    requires obeys<shapes::by<cost_volume_rule, item_count{.count = Planes}>, X, R>
constexpr auto cost_volume(X x, R reference, source_location where = here()) {
    return detail::append<shapes::by<cost_volume_rule, item_count{.count = Planes}>>(
        op::cost_volume, item_count{.count = Planes}, where, x, reference);
}
template <int Planes, class X, class R,
          class Broken = breach<op::cost_volume, shapes::by<cost_volume_rule, item_count{.count = Planes}>, X, R>>
Broken cost_volume(X, R, ...);

/// Count of the points [1, 3, 1, N], from the first on always the one that is farthest (L2) from those chosen:
/// [1, 3, 1, Count]. At most 1024 of 8192.
template <int Count, class P>
    requires obeys<shapes::by<furthest_point_rule, item_count{.count = Count}>, P>
constexpr auto furthest_point_sampling(P points, source_location where = here()) {
    return detail::append<shapes::by<furthest_point_rule, item_count{.count = Count}>>(
        op::furthest_point_sampling, item_count{.count = Count}, where, points);
}
template <
    int Count, class P,
    class Broken = breach<op::furthest_point_sampling, shapes::by<furthest_point_rule, item_count{.count = Count}>, P>>
Broken furthest_point_sampling(P, ...);

/// Which points lie within the radius (L2) of which centroid: centroids [1, 3, 1, M] and points [1, 3, 1, N] give flags
/// of one byte, 0 or 1, [1, 1, N, M]. The layer packs them into the first M bytes of rows of 2 M (ANEForge).
template <class C, class P>
    requires obeys<shapes::by<radius_search_rule, search_radius{}>, C, P>
constexpr auto radius_search(C centroids, P points, double radius, source_location where = here()) {
    const search_radius s{detail::coefficient(points, radius, where)};
    if (!radius_search_rule(s, C::extent, P::extent).ok()) {
        points.graph->refuse(model_rule::the_radius_must_not_be_negative, "radius_search", where);
    }
    return detail::append<shapes::by<radius_search_rule, search_radius{}>, dtype::uint8>(op::radius_search, s, where,
                                                                                         centroids, points);
}
template <class C, class P,
          class Broken = breach<op::radius_search, shapes::by<radius_search_rule, search_radius{}>, C, P>>
Broken radius_search(C, P, ...);

} // namespace ane

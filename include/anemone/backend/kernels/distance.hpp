#pragma once

#include "../../base/way.hpp"
#include "arithmetic.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Points and vectors in space, and matching costs.
namespace ane::kernels::inline ANEMONE_WAY {

/// The point `index` of [1, 3, 1, count]: the coordinates lie in the channels.
template <class Arithmetic> struct point {
    typename Arithmetic::value coordinate[3];

    point(const Arithmetic& a, const element_of<Arithmetic>* points, std::int64_t count, std::int64_t index)
        : coordinate{a.load(points[index]), a.load(points[count + index]), a.load(points[2 * count + index])} {}
};

/// The square of the distance (L2) of two points. On the engine, inferred: differences and squares in fp16 (infinite
/// from a difference of 256 on), their sum by the reduction path.
template <class Arithmetic>
typename Arithmetic::value squared_distance(const Arithmetic& a, const point<Arithmetic>& p,
                                            const point<Arithmetic>& q) {
    typename Arithmetic::sum total(a);
    for (int i = 0; i < 3; ++i) {
        const auto difference = a.subtract(p.coordinate[i], q.coordinate[i]);
        total.add(a.multiply(difference, difference));
    }
    return total.result();
}

/// `chosen` of the points [1, 3, 1, count]: the first, then always the one whose distance to the nearest chosen one is
/// largest, of equals the first (the start and L2 measured M1, ANEForge; ties inferred). A NaN distance counts as 0.
template <class Arithmetic>
void furthest_point_sampling(const Arithmetic& a, const element_of<Arithmetic>* points, std::int64_t count,
                             std::int64_t chosen, element_of<Arithmetic>* out) {
    using value = typename Arithmetic::value;
    std::vector<value> nearest(static_cast<std::size_t>(count));
    std::int64_t latest = 0;
    for (std::int64_t k = 0; k < chosen; ++k) {
        for (std::int64_t c = 0; c < 3; ++c) {
            out[c * chosen + k] = points[c * count + latest];
        }
        const point<Arithmetic> centre(a, points, count, latest);
        std::int64_t farthest = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            value& held = nearest[static_cast<std::size_t>(i)];
            const value distance = squared_distance(a, point<Arithmetic>(a, points, count, i), centre);
            if (k == 0 || !a.at_most(held, distance)) {
                held = a.at_most(value{}, distance) ? distance : value{};
            }
            if (a.less(nearest[static_cast<std::size_t>(farthest)], held)) {
                farthest = i;
            }
        }
        latest = farthest;
    }
}

/// out[p, c] = 1 where point p lies within the radius (L2) of centroid c, its rim included, else 0: squares are
/// compared. A NaN is never within.
template <class Arithmetic>
void radius_search(const Arithmetic& a, float radius, const element_of<Arithmetic>* centroids,
                   std::int64_t centroid_count, const element_of<Arithmetic>* points, std::int64_t point_count,
                   std::byte* out) {
    const auto bound = a.number(static_cast<double>(radius) * static_cast<double>(radius));
    for (std::int64_t p = 0; p < point_count; ++p) {
        const point<Arithmetic> here(a, points, point_count, p);
        for (std::int64_t c = 0; c < centroid_count; ++c) {
            const point<Arithmetic> centre(a, centroids, centroid_count, c);
            *out++ = a.at_most(squared_distance(a, here, centre), bound) ? std::byte{1} : std::byte{0};
        }
    }
}

/// a x b for `count` pairs of vectors [count, 3]. On the engine both products and the difference round (inferred).
template <class Arithmetic>
void cross_product(const Arithmetic& a, const element_of<Arithmetic>* left, const element_of<Arithmetic>* right,
                   std::int64_t count, element_of<Arithmetic>* out) {
    for (std::int64_t n = 0; n < count; ++n) {
        for (std::int64_t i = 0; i < 3; ++i) {
            const std::int64_t j = (i + 1) % 3;
            const std::int64_t k = (i + 2) % 3;
            const auto product = [&](std::int64_t of_left, std::int64_t of_right) {
                return a.multiply(a.load(left[n * 3 + of_left]), a.load(right[n * 3 + of_right]));
            };
            out[n * 3 + i] = a.store(a.subtract(product(j, k), product(k, j)));
        }
    }
}

/// out[n, d, h, w] = |x[n, 0, h, w] - reference[n, 0, h, w + d]| for `planes` disparities d.
template <class Arithmetic>
void cost_volume(const Arithmetic& a, const element_of<Arithmetic>* x, const extents& image,
                 const element_of<Arithmetic>* reference, std::int64_t reference_width, std::int64_t planes,
                 element_of<Arithmetic>* out) {
    for (std::int64_t n = 0; n < image[0]; ++n) {
        for (std::int64_t d = 0; d < planes; ++d) {
            for (std::int64_t h = 0; h < image[2]; ++h) {
                const element_of<Arithmetic>* const own = x + (n * image[2] + h) * image[3];
                const element_of<Arithmetic>* const other = reference + (n * image[2] + h) * reference_width + d;
                for (std::int64_t w = 0; w < image[3]; ++w) {
                    *out++ = a.store(a.magnitude(a.subtract(a.load(own[w]), a.load(other[w]))));
                }
            }
        }
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY

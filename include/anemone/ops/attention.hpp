#pragma once

#include "append.hpp"
#include "functions.hpp"

namespace ane {

namespace detail {
/// Square root by Newton's iteration, for constant expressions.
constexpr double square_root(double x) {
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 64; ++i) {
        root = 0.5 * (root + x / root);
    }
    return root;
}
} // namespace detail

/// query [..., Sq, D], key and value [..., Skv, D] give [..., Sq, D]; leading axes are equal. R080-R086.
constexpr inferred attention_rule(const extents& query, const extents& key, const extents& value) {
    inferred r;
    r.shape = query;
    r.require(query.rank >= 2, fault::rank_is_too_small, query.rank, 2);
    r.require(key.rank == query.rank, fault::ranks_differ, key.rank, query.rank);
    r.require(value.rank == query.rank, fault::ranks_differ, value.rank, query.rank);
    if (!r.ok()) {
        return r;
    }
    r.require(query.width() == key.width(), fault::key_depth_differs, key.width(), query.width());
    for (int i = 0; i < query.rank; ++i) {
        r.require(key[i] == value[i], fault::value_shape_differs, value[i], key[i]);
        if (i < query.rank - 2) {
            r.require(key[i] == query[i], fault::extents_differ, key[i], query[i]);
        }
    }
    return r;
}

/// The same with a mask that broadcasts to [..., Sq, Skv].
constexpr inferred attention_rule(const extents& query, const extents& key, const extents& value, const extents& mask) {
    inferred r = attention_rule(query, key, value);
    if (r.ok()) {
        extents scores = query;
        scores[scores.rank - 1] = key.height();
        r.require(mask.rank <= scores.rank, fault::mask_rank_exceeds, mask.rank, scores.rank);
        for (int i = 0; i < mask.rank; ++i) {
            const std::int64_t extent = mask.from_last(i);
            r.require(extent == 1 || extent == scores.from_last(i), fault::mask_does_not_broadcast, extent,
                      scores.from_last(i));
        }
    }
    return r;
}

/// Scaled dot-product attention softmax(scale query key^T) value; `scale` 0 means 1 / sqrt(D).
template <class Q, dtype TQ, class K, dtype TK, class V, dtype TV>
constexpr auto attention(tensor<Q, TQ> query, tensor<K, TK> key, tensor<V, TV> value, double scale = 0,
                         site where = here()) {
    constexpr inferred r = attention_rule(Q::value, K::value, V::value);
    const double used = scale != 0 ? scale : 1.0 / detail::square_root(static_cast<double>(Q::value.width()));
    return detail::append_arithmetic<r>(op::attention, coefficients{.alpha = detail::coefficient(used)}, where, query,
                                        key, value);
}
/// The same with a mask that is added to the scaled scores; use -1e4 rather than minus infinity.
template <class Q, dtype TQ, class K, dtype TK, class V, dtype TV, class M, dtype TM>
constexpr auto attention(tensor<Q, TQ> query, tensor<K, TK> key, tensor<V, TV> value, tensor<M, TM> mask,
                         double scale = 0, site where = here()) {
    constexpr inferred r = attention_rule(Q::value, K::value, V::value, M::value);
    const double used = scale != 0 ? scale : 1.0 / detail::square_root(static_cast<double>(Q::value.width()));
    return detail::append_arithmetic<r>(op::attention, coefficients{.alpha = detail::coefficient(used)}, where, query,
                                        key, value, mask);
}

} // namespace ane

#pragma once

#include "append.hpp"
#include "comparison.hpp"
#include "functions.hpp"
#include "scaled.hpp"

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
    r.require(query.rank >= 2, fault::operand_must_have_rows_and_columns, query.rank, 2);
    r.require(key.rank == query.rank, fault::query_key_and_value_must_have_the_same_rank, key.rank, query.rank);
    r.require(value.rank == query.rank, fault::query_key_and_value_must_have_the_same_rank, value.rank, query.rank);
    if (!r.ok()) {
        return r;
    }
    r.require(query.width() == key.width(), fault::query_and_key_must_have_the_same_depth, key.width(), query.width());
    for (int i = 0; i < query.rank; ++i) {
        r.require(key[i] == value[i], fault::key_and_value_must_have_the_same_shape_R086, value[i], key[i]);
        if (i < query.rank - 2) {
            const bool grouped = i == query.rank - 3 && key[i] > 0 && query[i] % key[i] == 0;
            r.require(key[i] == query[i],
                      grouped ? fault::grouped_queries_are_reshaped_to_rows_of_one_head_or_key_and_value_repeated
                              : fault::leading_extents_of_query_and_key_must_be_equal,
                      key[i], query[i]);
        }
    }
    return r;
}

/// The same with a mask that broadcasts to [..., Sq, Skv].
constexpr inferred masked_attention_rule(const extents& query, const extents& key, const extents& value,
                                         const extents& mask) {
    inferred r = attention_rule(query, key, value);
    if (r.ok()) {
        extents scores = query;
        scores[scores.rank - 1] = key.height();
        r.require(mask.rank <= scores.rank, fault::mask_must_not_have_more_axes_than_the_scores, mask.rank,
                  scores.rank);
        for (int i = 0; i < mask.rank; ++i) {
            const std::int64_t extent = mask.from_last(i);
            r.require(extent == 1 || extent == scores.from_last(i),
                      fault::mask_must_have_the_extents_of_the_scores_or_1, extent, scores.from_last(i));
        }
    }
    return r;
}

namespace shapes {
struct masked_attention {
    static constexpr int takes_scaled = 3;
    static constexpr inferred judge(const detail::operand& query, const detail::operand& key,
                                    const detail::operand& value, const detail::operand& mask) {
        inferred r = masked_attention_rule(query.shape, key.shape, value.shape, mask.shape);
        if (mask.type != dtype::f16) {
            r = inferred{.shape = r.shape}.require(
                false, fault::a_mask_is_added_to_the_scores_write_select_of_it_with_0_and_minus_30000,
                static_cast<int>(mask.type), static_cast<int>(dtype::f16));
        }
        for (const detail::operand& x : {query, key, value, mask}) {
            detail::require_arithmetic(r, x);
        }
        return r;
    }
};
} // namespace shapes

namespace detail {
/// The scale of the scores without the factors of query and key; 0 stands for 1 / sqrt(D).
template <class Q, class K> constexpr score_scaling score_scale(Q query, K, double scale, source_location where) {
    constexpr int k = scale_of<Q> + scale_of<K>;
    const double used = scale != 0 ? scale : 1.0 / square_root(static_cast<double>(Q::extent.width()));
    const double scores = used * power_of_two(-k);
    const bool subnormal = scores > -power_of_two(-14) && scores < power_of_two(-14);
    if (k != 0 && subnormal) {
        unscaled(query).graph->refuse(model_rule::the_scale_is_subnormal_without_the_factors, "attention", where);
    }
    return {.scale = coefficient(unscaled(query), scores, where)};
}
} // namespace detail

/// Scaled dot-product attention softmax(scale query key^T) value; `scale` 0 means 1 / sqrt(D). A factor of a `scaled`
/// query or key is taken out of the scores by the scale, before the mask; one of the value out of the result.
template <class Q, class K, class V>
    requires obeys<shapes::product_by<attention_rule, 3>, Q, K, V>
constexpr auto attention(Q query, K key, V value, double scale = 0, source_location where = here()) {
    return detail::times_power<-detail::scale_of<V>>(detail::append<shapes::product_by<attention_rule, 3>>(
                                                         op::attention, detail::score_scale(query, key, scale, where),
                                                         where, detail::unscaled(query), detail::unscaled(key),
                                                         detail::unscaled(value)),
                                                     where);
}
template <class Q, class K, class V,
          class Broken = breach<op::attention, shapes::product_by<attention_rule, 3>, Q, K, V>>
Broken attention(Q, K, V, ...);

/// The same with a mask that is added to the scaled scores: 0 where a key is seen and -30000 where not, rather than minus
/// infinity. One of bytes or booleans does not compile, nor what `to_f16` makes of it: 0 and 1 would hide nothing.
template <class Q, class K, class V, class M>
    requires obeys<shapes::masked_attention, Q, K, V, M>
constexpr auto attention(Q query, K key, V value, M mask, double scale = 0, source_location where = here()) {
    if (detail::is_of_bytes(mask)) {
        mask.graph->refuse(
            model_rule::a_mask_is_added_to_the_scores_so_0_and_1_hide_nothing_write_select_with_0_and_minus_30000,
            "attention", where);
    }
    return detail::times_power<-detail::scale_of<V>>(
        detail::append<shapes::masked_attention>(op::attention, detail::score_scale(query, key, scale, where), where,
                                                 detail::unscaled(query), detail::unscaled(key),
                                                 detail::unscaled(value), mask),
        where);
}
template <class Q, class K, class V, class M,
          class Broken = breach<op::attention, shapes::masked_attention, Q, K, V, M>>
Broken attention(Q, K, V, M, ...);

} // namespace ane

#pragma once

#include "decoder_maker.hpp"

namespace ane::models {

/// What the layers of a program share: its ports beside the activation, the caches apart.
struct shared_ports {
    decoder_maker::tables rotary, local_rotary;
    int mask = -1, local_mask = -1; ///< with a row for each query of one kept head
    int at = -1;                    ///< states: [capacity, positions], 1 where a position is written
    int kept_rows = -1;             ///< 1 - the rows that are written, [capacity, 1]
    int kept_columns = -1;          ///< the same as [1, capacity]
};

/// Grouped-query attention over a cache, without the residual connection.
class decoder_attention {
public:
    constexpr decoder_attention(decoder_maker& m, const shared_ports& ports) : m_(m), ports_(ports) {}

    /// Of the normalized activation; declares the ports of the layer's cache.
    constexpr int operator()(int x, std::int64_t layer) {
        const decoder_configuration& c = m_.configuration();
        const published_names& n = m_.names();
        const bool local = has_window(c, layer);
        int query = m_.as_heads(m_.product(x, n.query, c.width, c.heads * c.head_width, c.query_bias), c.heads);
        int key = m_.as_heads(m_.product(x, n.key, c.width, c.kept_heads * c.head_width, c.query_bias), c.kept_heads);
        const int value =
            m_.as_heads(m_.product(x, n.value, c.width, c.kept_heads * c.head_width, c.query_bias), c.kept_heads);
        if (c.query_norm) {
            query = m_.norm(query, n.query_norm, c.head_width, 2);
            key = m_.norm(key, n.key_norm, c.head_width, 2);
        }
        if (c.rotary.kind != rope_kind::none) {
            const decoder_maker::tables& t = local && has_local_rotary(c) ? ports_.local_rotary : ports_.rotary;
            query = m_.rotated(query, t);
            key = m_.rotated(key, t);
        }
        query = m_.scaled(query, c.attention_softcap > 0 ? c.query_scale / c.attention_softcap : c.query_scale);
        // The queries that share a kept head are rows of one product.
        const extents heads = m_.shape(query);
        query = m_.reshape(query, {kept_heads(), c.heads / c.kept_heads * heads[1], heads[2]});
        const int mask = local ? ports_.local_mask : ports_.mask;
        const int mixed = m_.form().caches == cache_form::inputs ? over_inputs(query, key, value, mask)
                                                                 : over_states(query, key, value, mask);
        return m_.product(m_.from_heads(m_.reshape(mixed, heads)), n.output, c.heads * c.head_width, c.width,
                          c.output_bias);
    }

private:
    /// Of all texts.
    constexpr std::int64_t kept_heads() const { return m_.form().batch * m_.configuration().kept_heads; }

    /// softmax(scores + mask), with the cap of the family.
    constexpr int weighed(int scores, int mask) {
        const double cap = m_.configuration().attention_softcap;
        if (cap > 0) {
            scores = m_.scaled(m_.emit(op::tanh, no_attributes{}, {scores}), cap);
        }
        const int seen = m_.back_from_texts(m_.add(m_.by_text(scores), mask), m_.shape(scores));
        return m_.emit(op::softmax, axis{2}, {seen});
    }

    constexpr int over_inputs(int query, int key, int value, int mask) {
        const decoder_configuration& c = m_.configuration();
        const std::int64_t capacity = m_.form().capacity;
        m_.output(key, m_.view(m_.numbered("new_keys")));
        m_.output(value, m_.view(m_.numbered("new_values")));
        const int fresh = m_.matmul(query, key, false, true);
        if (capacity == 0) {
            return m_.matmul(weighed(fresh, mask), value, false, false);
        }
        const int keys = m_.input(m_.view(m_.numbered("keys")), {kept_heads(), c.head_width, capacity});
        const int values = m_.input(m_.view(m_.numbered("values")), {kept_heads(), capacity, c.head_width});
        const int old = m_.matmul(query, keys, false, false);
        const int weights = weighed(m_.emit(op::concat, axis{2}, {old, fresh}), mask);
        const int of_old = m_.matmul(m_.slice(weights, 2, 0, capacity), values, false, false);
        const int of_new = m_.matmul(m_.slice(weights, 2, capacity, m_.form().positions), value, false, false);
        return m_.add(of_old, of_new);
    }

    /// The cache with the new positions in their places, which the host gives as a matrix of zeros and ones.
    constexpr int over_states(int query, int key, int value, int mask) {
        const decoder_configuration& c = m_.configuration();
        const std::int64_t capacity = m_.form().capacity;
        const int keys = m_.input(m_.view(m_.numbered("keys")), {kept_heads(), c.head_width, capacity});
        const int values = m_.input(m_.view(m_.numbered("values")), {kept_heads(), capacity, c.head_width});
        const extents key_shape = m_.shape(keys);
        const extents value_shape = m_.shape(values);
        const int placed_keys = m_.reshape(m_.matmul(as_rows(key), ports_.at, true, true), key_shape);
        const int placed_values = from_rows(m_.matmul(ports_.at, as_rows(value), false, false), value_shape);
        const int old_keys = m_.back_from_texts(m_.mul(m_.by_text(keys), ports_.kept_columns), key_shape);
        const int old_values = m_.back_from_texts(m_.mul(m_.by_text(values), ports_.kept_rows), value_shape);
        const int next_keys = m_.add(old_keys, placed_keys);
        const int next_values = m_.add(old_values, placed_values);
        m_.keep(m_.numbered("keys"), keys, next_keys);
        m_.keep(m_.numbered("values"), values, next_values);
        return m_.matmul(weighed(m_.matmul(query, next_keys, false, false), mask), next_values, false, false);
    }

    /// [texts * kept heads, positions, head width] as rows of positions, [texts, positions, width], and back.
    constexpr int as_rows(int x) {
        const decoder_configuration& c = m_.configuration();
        const decoder_form& f = m_.form();
        const std::int64_t width = c.kept_heads * c.head_width;
        const extents wanted = f.batch == 1 ? extents{f.positions, width} : extents{f.batch, f.positions, width};
        return m_.reshape(f.positions == 1 ? x : m_.exchanged(x, c.kept_heads, f.positions), wanted);
    }
    constexpr int from_rows(int x, const extents& wanted) {
        return m_.reshape(m_.exchanged(x, m_.form().capacity, m_.configuration().kept_heads), wanted);
    }

    decoder_maker& m_;
    const shared_ports& ports_;
};

} // namespace ane::models

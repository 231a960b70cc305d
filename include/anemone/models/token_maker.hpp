#pragma once

#include "../ops/attention.hpp"
#include "activation_layout.hpp"
#include "network_maker.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models {

/// What the products of an attention are called.
struct attention_parts {
    std::string_view query, key, value, output;
};

/// A network_maker with tokens in one layout: [tokens, width], or channels, [1, width, rows, columns] with one row as a rule,
/// whose products are 1x1 convolutions. Heads are [heads, tokens, width of a head], in channels with the last two exchanged.
class token_maker : public network_maker {
public:
    explicit constexpr token_maker(activation_layout layout) : is_rows_(layout == activation_layout::rows) {}

    constexpr bool is_rows() const noexcept { return is_rows_; }
    constexpr extents token_shape(std::int64_t count, std::int64_t width) const {
        return is_rows_ ? extents{count, width} : extents{1, width, 1, count};
    }
    constexpr extents head_shape(std::int64_t heads, std::int64_t count, std::int64_t width) const {
        return is_rows_ ? extents{heads, count, width} : extents{heads, width, count};
    }
    /// The axis of the tokens, and of those of heads.
    constexpr int token_axis() const noexcept { return is_rows_ ? 0 : 3; }
    constexpr int head_token_axis() const noexcept { return is_rows_ ? 1 : 2; }
    constexpr std::int64_t count_of(int x) const { return shape(x).count() / shape(x)[1]; }

    /// [1, width, rows, columns] as tokens, and tokens as that.
    constexpr int tokens_of(int x) {
        const extents& of = shape(x);
        return is_rows_ ? turned(reshape(x, {of[1], of[2] * of[3]}), {1, 0}) : x;
    }
    constexpr int image_of(int x, std::int64_t rows, std::int64_t columns) {
        return is_rows_ ? reshape(turned(x, {1, 0}), {1, shape(x)[1], rows, columns}) : x;
    }

    /// x w^T + b of each token, b where there is one.
    constexpr int projected(int x, std::string_view part, std::int64_t to, bool has_offset = true,
                            std::string_view suffix = ".weight") {
        const std::int64_t from = shape(x)[1];
        const int w = weight(part, suffix, is_rows_ ? extents{to, from} : extents{to, from, 1, 1});
        const op kind = is_rows_ ? op::linear : op::conv2d;
        const attributes how = is_rows_ ? attributes() : attributes(conv{});
        return has_offset ? emit(kind, how, {x, w, weight(part, ".bias", {to})}) : emit(kind, how, {x, w});
    }

    constexpr int as_heads(int x, std::int64_t heads) {
        const std::int64_t head = shape(x)[1] / heads;
        const std::int64_t count = count_of(x);
        return is_rows_ ? turned(reshape(x, {count, heads, head}), {1, 0, 2})
                        : reshape(x, head_shape(heads, count, head));
    }
    /// As tokens of a shape, by value: that of a node may move.
    constexpr int from_heads(int x, extents whole) { // NOLINT(performance-unnecessary-value-param)
        return reshape(is_rows_ ? turned(x, {1, 0, 2}) : x, whole);
    }

    /// Queries divided by the root of a head's width.
    constexpr int scaled_queries(int query, std::int64_t head) {
        return scaled(query, 1 / ane::detail::square_root(static_cast<double>(head)));
    }
    /// Of heads: each query with each key, [heads, queries, keys].
    constexpr int scores(int query, int key) { return matmul(query, key, !is_rows_, is_rows_); }
    /// The shares of scores; a mask, if there is one, is added before.
    constexpr int shares(int scores, int mask = -1) {
        return emit(op::softmax, axis{2}, {mask < 0 ? scores : add(scores, mask)});
    }
    /// The values by their shares, as heads.
    constexpr int mixed(int shares, int value) {
        return is_rows_ ? matmul(shares, value, false, false) : matmul(value, shares, false, true);
    }

    /// How the tokens x, of `width` behind their projection, attend to those of the context, projected in the end: softmax(q k^T /
    /// sqrt(width of a head) + mask) v for each head. `has_offsets`: of queries, keys and values. The mask, if there is one,
    /// is [1, queries or 1, keys].
    constexpr int attention(int x, int context, const attention_parts& p, std::int64_t width, std::int64_t heads,
                            bool has_offsets, int mask = -1) {
        const int query = scaled_queries(as_heads(projected(x, p.query, width, has_offsets), heads), width / heads);
        const int key = as_heads(projected(context, p.key, width, has_offsets), heads);
        const int value = as_heads(projected(context, p.value, width, has_offsets), heads);
        extents whole = shape(x);
        whole[1] = width;
        return projected(from_heads(mixed(shares(scores(query, key), mask), value), whole), p.output, shape(x)[1]);
    }

private:
    bool is_rows_;
};

} // namespace ane::models

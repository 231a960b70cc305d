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
/// whose products are 1x1 convolutions.
class token_maker : public network_maker {
public:
    explicit constexpr token_maker(activation_layout layout) : is_rows_(layout == activation_layout::rows) {}

    constexpr bool is_rows() const noexcept { return is_rows_; }

    /// x w^T + b of each token, b where there is one.
    constexpr int projected(int x, std::string_view part, std::int64_t to, bool has_offset = true) {
        const std::int64_t from = shape(x)[1];
        const int w = weight(part, ".weight", is_rows_ ? extents{to, from} : extents{to, from, 1, 1});
        const op kind = is_rows_ ? op::linear : op::conv2d;
        const attributes how = is_rows_ ? attributes() : attributes(conv{});
        return has_offset ? emit(kind, how, {x, w, weight(part, ".bias", {to})}) : emit(kind, how, {x, w});
    }
    /// How the tokens x, of `width` behind their projection, attend to those of the context, projected in the end: softmax(q k^T /
    /// sqrt(width of a head)) v for each head. `has_offsets`: of queries, keys and values.
    constexpr int attention(int x, int context, const attention_parts& p, std::int64_t width, std::int64_t heads,
                            bool has_offsets) {
        const std::int64_t head = width / heads;
        const double scale = 1 / ane::detail::square_root(static_cast<double>(head));
        const int query = scaled(as_heads(projected(x, p.query, width, has_offsets), heads), scale);
        const int key = as_heads(projected(context, p.key, width, has_offsets), heads);
        const int value = as_heads(projected(context, p.value, width, has_offsets), heads);
        const int weights = emit(op::softmax, axis{2}, {matmul(query, key, !is_rows_, is_rows_)});
        const int mixed =
            is_rows_ ? turned(matmul(weights, value, false, false), {1, 0, 2}) : matmul(value, weights, false, true);
        extents whole = shape(x);
        whole[1] = width;
        return projected(reshape(mixed, whole), p.output, shape(x)[1]);
    }

    /// [1, width, rows, columns] as tokens, and tokens as that.
    constexpr int tokens(int x) {
        const extents& of = shape(x);
        return is_rows_ ? turned(reshape(x, {of[1], of[2] * of[3]}), {1, 0}) : x;
    }
    constexpr int image_of(int x, std::int64_t rows, std::int64_t columns) {
        return is_rows_ ? reshape(turned(x, {1, 0}), {1, shape(x)[1], rows, columns}) : x;
    }

private:
    /// As [heads, tokens, width of a head], or, in channels, with the last two axes exchanged.
    constexpr int as_heads(int x, std::int64_t heads) {
        const std::int64_t width = shape(x)[1];
        const std::int64_t count = shape(x).count() / width;
        return is_rows_ ? turned(reshape(x, {count, heads, width / heads}), {1, 0, 2})
                        : reshape(x, {heads, width / heads, count});
    }

    bool is_rows_;
};

} // namespace ane::models

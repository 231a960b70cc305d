#pragma once

#include "../ops/attention.hpp"
#include "activation_layout.hpp"
#include "network_maker.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models {

/// What the parts of an encoder's layer are called behind its prefix.
struct encoder_layer_names {
    std::string_view query, key, value, output;
    std::string_view attention_norm; ///< before attention, or behind it
    std::string_view up, down;
    std::string_view inner_norm; ///< before the inner layer, or behind it
};

/// What the layers of an encoder have in common.
struct encoder_layer_form {
    std::int64_t heads = 1;
    std::int64_t inner = 1;
    double epsilon = 1e-5;
    op function = op::gelu;
    bool has_offsets = true; ///< of queries, keys and values
};

/// A graph with encoders of tokens under construction. Tokens are [tokens, width], or [1, width, 1, tokens].
class encoder_maker : public network_maker {
public:
    constexpr explicit encoder_maker(activation_layout layout) : is_rows_(layout == activation_layout::rows) {}

    constexpr bool is_rows() const { return is_rows_; }
    constexpr extents tokens(std::int64_t count, std::int64_t width) const {
        return is_rows_ ? extents{count, width} : extents{1, width, 1, count};
    }
    constexpr int token_axis() const { return is_rows_ ? 0 : 3; }
    constexpr std::int64_t count_of(int x) const { return shape(x)[token_axis()]; }
    constexpr int token(int x, std::int64_t which) { return slice(x, token_axis(), which, 1); }

    constexpr int normalized(int x, std::string_view part, double epsilon) { return layer_norm(x, part, epsilon, 1); }

    /// x w^T + b of each token, as a product or as a convolution of one pixel.
    constexpr int token_product(int x, std::string_view part, std::int64_t to, bool has_offset = true) {
        const std::int64_t from = shape(x)[1];
        const int w = weight(part, ".weight", is_rows_ ? extents{to, from} : extents{to, from, 1, 1});
        const op kind = is_rows_ ? op::linear : op::conv2d;
        const attributes how = is_rows_ ? attributes() : attributes(conv{});
        return has_offset ? emit(kind, how, {x, w, weight(part, ".bias", {to})}) : emit(kind, how, {x, w});
    }

    /// softmax(Q K^T / sqrt(width of a head) + mask) V and the product behind it; the mask, if there is one, is [1, queries or
    /// 1, keys].
    constexpr int attention(int x, const encoder_layer_names& n, const encoder_layer_form& f, int mask = -1) {
        const std::int64_t width = shape(x)[1];
        const std::int64_t count = count_of(x);
        const std::int64_t head = width / f.heads;
        const double scale = 1 / ane::detail::square_root(static_cast<double>(head));
        const int query = scaled(as_heads(token_product(x, n.query, width, f.has_offsets), f.heads), scale);
        const int key = as_heads(token_product(x, n.key, width, f.has_offsets), f.heads);
        const int value = as_heads(token_product(x, n.value, width, f.has_offsets), f.heads);
        const int scores = matmul(query, key, !is_rows_, is_rows_);
        const int weights = emit(op::softmax, axis{2}, {mask < 0 ? scores : add(scores, mask)});
        const int mixed =
            is_rows_ ? turned(matmul(weights, value, false, false), {1, 0, 2}) : matmul(value, weights, false, true);
        return token_product(reshape(mixed, tokens(count, width)), n.output, width);
    }

    /// A layer that normalizes first: x + attention(norm(x)), x + inner layer(norm(x)).
    constexpr int layer_normed_before(int x, const encoder_layer_names& n, const encoder_layer_form& f, int mask = -1) {
        x = add(x, attention(normalized(x, n.attention_norm, f.epsilon), n, f, mask));
        return add(x, inner_layer(normalized(x, n.inner_norm, f.epsilon), n, f));
    }
    /// A layer that normalizes what was added: norm(x + attention(x)), norm(x + inner layer(x)).
    constexpr int layer_normed_behind(int x, const encoder_layer_names& n, const encoder_layer_form& f, int mask = -1) {
        x = normalized(add(x, attention(x, n, f, mask)), n.attention_norm, f.epsilon);
        return normalized(add(x, inner_layer(x, n, f)), n.inner_norm, f.epsilon);
    }

    /// The sum of tokens times weights [1, tokens], as [1, width].
    constexpr int weighed_sum(int x, int weights) {
        const std::int64_t width = shape(x)[1];
        if (is_rows_) {
            return matmul(weights, x, false, false);
        }
        return reshape(matmul(reshape(x, {width, count_of(x)}), weights, false, true), {1, width});
    }
    /// x / |x| of [1, width], so that the product of two is the cosine of their angle; zeros stay zeros.
    constexpr int of_length_one(int x) {
        const stabilizer how{.epsilon = static_cast<float>(least_epsilon), .axis = 1};
        return emit(op::l2_norm, how, {x});
    }

private:
    constexpr int inner_layer(int x, const encoder_layer_names& n, const encoder_layer_form& f) {
        const std::int64_t width = shape(x)[1];
        return token_product(function(f.function, token_product(x, n.up, f.inner)), n.down, width);
    }
    /// As [heads, tokens, width of a head], or, in channels, with the last two axes exchanged.
    constexpr int as_heads(int x, std::int64_t heads) {
        const std::int64_t head = shape(x)[1] / heads;
        return is_rows_ ? turned(reshape(x, {count_of(x), heads, head}), {1, 0, 2})
                        : reshape(x, {heads, head, count_of(x)});
    }

    bool is_rows_;
};

} // namespace ane::models

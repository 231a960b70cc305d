#pragma once

#include "token_maker.hpp"

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

/// A graph with encoders of tokens under construction.
class encoder_maker : public token_maker {
public:
    using token_maker::token_maker;

    constexpr int token(int x, std::int64_t which) { return slice(x, token_axis(), which, 1); }
    constexpr int normalized(int x, std::string_view part, double epsilon) { return layer_norm(x, part, epsilon, 1); }

    /// A layer that normalizes first: x + attention(norm(x)), x + inner layer(norm(x)).
    constexpr int layer_normed_before(int x, const encoder_layer_names& n, const encoder_layer_form& f, int mask = -1) {
        x = add(x, self_attention(normalized(x, n.attention_norm, f.epsilon), n, f, mask));
        return add(x, inner_layer(normalized(x, n.inner_norm, f.epsilon), n, f));
    }
    /// A layer that normalizes what was added: norm(x + attention(x)), norm(x + inner layer(x)).
    constexpr int layer_normed_behind(int x, const encoder_layer_names& n, const encoder_layer_form& f, int mask = -1) {
        x = normalized(add(x, self_attention(x, n, f, mask)), n.attention_norm, f.epsilon);
        return normalized(add(x, inner_layer(x, n, f)), n.inner_norm, f.epsilon);
    }

    /// The sum of tokens times weights [1, tokens], as [1, width].
    constexpr int weighed_sum(int x, int weights) {
        const std::int64_t width = shape(x)[1];
        if (is_rows()) {
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
    constexpr int self_attention(int x, const encoder_layer_names& n, const encoder_layer_form& f, int mask) {
        return attention(x, x, {n.query, n.key, n.value, n.output}, shape(x)[1], f.heads, f.has_offsets, mask);
    }
    constexpr int inner_layer(int x, const encoder_layer_names& n, const encoder_layer_form& f) {
        const std::int64_t width = shape(x)[1];
        return projected(function(f.function, projected(x, n.up, f.inner)), n.down, width);
    }
};

} // namespace ane::models

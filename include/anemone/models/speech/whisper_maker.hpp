#pragma once

#include "../../ops/attention.hpp"
#include "../network_maker.hpp"
#include "whisper_configuration.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models::detail {

/// The parts that encoder and decoder share, in one layout: tokens are [tokens, width], heads [heads, tokens, width of a head];
/// or [1, width, 1, tokens] and [heads, width of a head, tokens].
class whisper_maker : public network_maker {
public:
    constexpr whisper_maker(const whisper_configuration& c, activation_layout layout)
        : c_(c), is_rows_(layout == activation_layout::rows) {}

    constexpr const whisper_configuration& configuration() const { return c_; }
    constexpr bool is_rows() const { return is_rows_; }

    /// The axis of the tokens of an activation, and of heads.
    constexpr int along() const { return is_rows_ ? 0 : 3; }
    constexpr int along_heads() const { return is_rows_ ? 1 : 2; }
    constexpr extents activation(std::int64_t tokens) const {
        return is_rows_ ? extents{tokens, c_.width} : extents{1, c_.width, 1, tokens};
    }
    constexpr extents heads(std::int64_t count, std::int64_t tokens) const {
        return is_rows_ ? extents{count, tokens, c_.width / count} : extents{count, c_.width / count, tokens};
    }

    constexpr int normalized(int x, std::string_view part) { return layer_norm(x, part, 1e-5, 1); }
    /// x w^T + b of tokens.
    constexpr int projected(int x, std::string_view part, std::int64_t to, bool has_offset = true,
                            std::string_view suffix = ".weight") {
        const std::int64_t from = shape(x)[1];
        const int w = weight(part, suffix, is_rows_ ? extents{to, from} : extents{to, from, 1, 1});
        const op kind = is_rows_ ? op::linear : op::conv2d;
        const attributes how = is_rows_ ? attributes() : attributes(conv{});
        return has_offset ? emit(kind, how, {x, w, weight(part, ".bias", {to})}) : emit(kind, how, {x, w});
    }
    constexpr int as_heads(int x, std::int64_t count) {
        const std::int64_t tokens = shape(x)[along()];
        return is_rows_ ? turned(reshape(x, {tokens, count, c_.width / count}), {1, 0, 2})
                        : reshape(x, heads(count, tokens));
    }
    constexpr int from_heads(int x) {
        const std::int64_t tokens = shape(x)[along_heads()];
        return reshape(is_rows_ ? turned(x, {1, 0, 2}) : x, activation(tokens));
    }

    /// Queries, divided by the root of a head's width, as heads; keys, which have no offset, and values.
    constexpr int queries(int x, std::string_view part, std::int64_t count) {
        const std::int64_t head = c_.width / count;
        const double scale = 1 / ane::detail::square_root(static_cast<double>(head));
        return scaled(as_heads(projected(x, part, c_.width), count), scale);
    }
    constexpr int keys(int x, std::string_view part, std::int64_t count) {
        return as_heads(projected(x, part, c_.width, false), count);
    }
    constexpr int values(int x, std::string_view part, std::int64_t count) {
        return as_heads(projected(x, part, c_.width), count);
    }
    /// Of heads: each query with each key, [heads, queries, keys].
    constexpr int scores(int query, int key) { return matmul(query, key, !is_rows_, is_rows_); }
    constexpr int weighed(int scores) { return emit(op::softmax, axis{2}, {scores}); }
    /// The values by their weights, as heads.
    constexpr int mixed(int weights, int value) {
        return is_rows_ ? matmul(weights, value, false, false) : matmul(value, weights, false, true);
    }

    /// The inner layer, behind its normalization, added to its operand.
    constexpr int inner(int x, std::int64_t width) {
        const int up = projected(normalized(x, "final_layer_norm"), "fc1", width);
        return add(x, projected(function(op::gelu, up), "fc2", c_.width));
    }

private:
    whisper_configuration c_;
    bool is_rows_;
};

} // namespace ane::models::detail

#pragma once

#include "../token_maker.hpp"
#include "whisper_configuration.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models::detail {

/// The parts that encoder and decoder share.
class whisper_maker : public token_maker {
public:
    constexpr whisper_maker(const whisper_configuration& c, activation_layout layout) : token_maker(layout), c_(c) {}

    constexpr const whisper_configuration& configuration() const { return c_; }

    constexpr extents activation(std::int64_t tokens) const { return token_shape(tokens, c_.width); }
    constexpr extents heads(std::int64_t count, std::int64_t tokens) const {
        return head_shape(count, tokens, c_.width / count);
    }
    constexpr int normalized(int x, std::string_view part) { return layer_norm(x, part, 1e-5, 1); }

    /// Queries, divided by the root of a head's width, as heads; keys, which have no offset, and values.
    constexpr int queries(int x, std::string_view part, std::int64_t count) {
        return scaled_queries(as_heads(projected(x, part, c_.width), count), c_.width / count);
    }
    constexpr int keys(int x, std::string_view part, std::int64_t count) {
        return as_heads(projected(x, part, c_.width, false), count);
    }
    constexpr int values(int x, std::string_view part, std::int64_t count) {
        return as_heads(projected(x, part, c_.width), count);
    }

    /// The inner layer, behind its normalization, added to its operand.
    constexpr int inner(int x, std::int64_t width) {
        const int up = projected(normalized(x, "final_layer_norm"), "fc1", width);
        return add(x, projected(function(op::gelu, up), "fc2", c_.width));
    }

private:
    whisper_configuration c_;
};

} // namespace ane::models::detail

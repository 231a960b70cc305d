#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../publisher.hpp"
#include "../token_maker.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::models {

/// Vision transformers (Dosovitskiy et al. 2020): patches and a token of the class through an encoder that normalizes first.
struct vision_transformer_configuration {
    publisher source = publisher::torchvision;
    std::int64_t layers = 12;
    std::int64_t width = 768;
    std::int64_t heads = 12;
    std::int64_t inner = 3072;
    std::int64_t patch = 16; ///< pixels, both ways
    std::int64_t channels = 3;
    std::int64_t size = 224; ///< of the image, both ways
    std::int64_t classes = 1000;
    bool has_offsets = true; ///< of queries, keys and values
    double epsilon = 1e-6;
    friend constexpr bool operator==(const vision_transformer_configuration&,
                                     const vision_transformer_configuration&) = default;
};
inline constexpr vision_transformer_configuration vit_b_16{};
inline constexpr vision_transformer_configuration vit_b_32{.patch = 32};
inline constexpr vision_transformer_configuration vit_l_16{.layers = 24, .width = 1024, .heads = 16, .inner = 4096};
inline constexpr vision_transformer_configuration vit_s_16{
    .source = publisher::timm, .width = 384, .heads = 6, .inner = 1536};
inline constexpr vision_transformer_configuration vit_t_16{
    .source = publisher::timm, .width = 192, .heads = 3, .inner = 768};

/// Of the patches and the class.
constexpr std::int64_t tokens_of(const vision_transformer_configuration& c) noexcept {
    return (c.size / c.patch) * (c.size / c.patch) + 1;
}

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const vision_transformer_configuration& c) noexcept {
    for (const std::int64_t n : {c.width, c.heads, c.inner, c.channels}) {
        if (n < 1 || n > 65536) {
            return "width, heads, inner layer and channels must be from 1 to 65536";
        }
    }
    return c.layers < 1 || c.layers > 1000        ? "the layers must be from 1 to 1000"
           : c.width % c.heads != 0               ? "the width must be a multiple of the heads"
           : c.classes < 1 || c.classes > 1 << 24 ? "the classes are from 1 to 16777216"
           : c.patch < 1 || c.patch > 1024        ? "a patch must be from 1 to 1024 pixels wide"
           : c.size < c.patch || c.size > 16384   ? "the image must be from one patch to 16384 pixels wide"
           : c.size / c.patch > 1024              ? "the image must be at most 1024 patches wide"
           : !(c.epsilon >= 0 && c.epsilon < 1)   ? "epsilon must be from 0 to below 1"
                                                  : "";
}

namespace detail {

/// Joined weights of queries, keys and values are read apart: "attn.qkv" as "attn.q", "attn.k" and "attn.v".
struct vision_transformer_names {
    std::string_view token, positions, patches;
    std::string_view layer; ///< '*': its number
    std::string_view first_norm, query, key, value, output, second_norm, up, down;
    std::string_view last_norm, head;
};
constexpr vision_transformer_names names_of(const vision_transformer_configuration& c) noexcept {
    if (c.source == publisher::timm) {
        return {"cls_token", "pos_embed", "patch_embed.proj", "blocks.*.", "norm1", "attn.q", "attn.k", "attn.v",
                "attn.proj", "norm2",     "mlp.fc1",          "mlp.fc2",   "norm",  "head"};
    }
    if (c.source == publisher::transformers) {
        return {.token = "embeddings.cls_token",
                .positions = "embeddings.position_embeddings",
                .patches = "embeddings.patch_embeddings.projection",
                .layer = "encoder.layer.*.",
                .first_norm = "layernorm_before",
                .query = "attention.attention.query",
                .key = "attention.attention.key",
                .value = "attention.attention.value",
                .output = "attention.output.dense",
                .second_norm = "layernorm_after",
                .up = "intermediate.dense",
                .down = "output.dense",
                .last_norm = "layernorm",
                .head = "classifier"};
    }
    return {.token = "class_token",
            .positions = "encoder.pos_embedding",
            .patches = "conv_proj",
            .layer = "encoder.layers.encoder_layer_*.",
            .first_norm = "ln_1",
            .query = "self_attention.q_proj",
            .key = "self_attention.k_proj",
            .value = "self_attention.v_proj",
            .output = "self_attention.out_proj",
            .second_norm = "ln_2",
            .up = "mlp.0",
            .down = "mlp.3",
            .last_norm = "encoder.ln",
            .head = "heads.head"};
}

/// The encoder's parts in one layout: tokens are [tokens, width], or [1, width, 1, tokens].
class vision_transformer_maker {
public:
    constexpr vision_transformer_maker(const vision_transformer_configuration& c, const network_form& f)
        : c_(c), n_(names_of(c)), f_(f), is_rows_(f.layout == activation_layout::rows), m_(f.layout) {}

    constexpr dynamic_graph graph() && {
        int x = m_.image(f_, c_.channels, c_.size);
        m_.enter_whole("stem");
        x = embedded(x);
        for (std::int64_t layer = 0; layer < c_.layers; ++layer) {
            m_.enter(n_.layer, 0, layer);
            const int seen = normalized(x, n_.first_norm);
            x = m_.add(x, m_.attention(seen, seen, {n_.query, n_.key, n_.value, n_.output}, c_.width, c_.heads,
                                       c_.has_offsets));
            const int inner = m_.projected(normalized(x, n_.second_norm), n_.up, c_.inner);
            x = m_.add(x, m_.projected(m_.function(op::gelu, inner), n_.down, c_.width));
        }
        m_.enter_whole("head");
        x = m_.slice(x, is_rows_ ? 0 : 3, 0, 1); // the token of the class alone is looked at
        m_.classify(normalized(x, n_.last_norm), n_.head, c_.classes);
        return std::move(m_).taken();
    }

private:
    /// The patches behind the token of the class, each with its position added.
    constexpr int embedded(int image) {
        const int patch = static_cast<int>(c_.patch);
        const std::int64_t count = tokens_of(c_) - 1;
        if (is_rows_) {
            int x = m_.convolution(image, n_.patches, n_.patches, c_.width, {.size = patch, .stride = patch});
            x = m_.turned(m_.reshape(x, {c_.width, count}), {1, 0});
            x = m_.emit(op::concat, axis{0}, {m_.weight(n_.token, "", {1, c_.width}), x});
            return m_.add(x, m_.weight(n_.positions, "", {count + 1, c_.width}));
        }
        int x = m_.reshape(m_.projected(patches(image), n_.patches, c_.width), {1, c_.width, 1, count});
        x = m_.emit(op::concat, axis{3}, {m_.weight(n_.token, "", {1, c_.width, 1, 1}), x});
        return m_.add(x, m_.weight(n_.positions, "", {1, c_.width, 1, count + 1}));
    }
    /// The pixels of a patch as channels, [1, channels * patch^2, rows, columns]: windows that do not overlap are a product,
    /// and chips have limits for the extents of a window (R030).
    constexpr int patches(int image) {
        const std::int64_t p = c_.patch;
        const std::int64_t count = c_.size / p;
        for (const int along : {2, 3}) { // what is behind the last whole patch is not seen
            image = count * p == c_.size ? image : m_.slice(image, along, 0, count * p);
        }
        int x = m_.reshape(image, {c_.channels * count, p, count, p});
        x = m_.reshape(m_.turned(x, {0, 1, 3, 2}), {c_.channels, count, p * p, count});
        return m_.reshape(m_.turned(x, {0, 2, 1, 3}), {1, c_.channels * p * p, count, count});
    }
    constexpr int normalized(int x, std::string_view part) { return m_.layer_norm(x, part, c_.epsilon, 1); }
    vision_transformer_configuration c_;
    vision_transformer_names n_;
    network_form f_;
    bool is_rows_;
    token_maker m_;
};

} // namespace detail

/// The graph of a vision transformer: `image` [1, channels, size, size], as the form has it, to `logits` [1, classes]. Throws
/// `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const vision_transformer_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("vision_transformer", wrong.data());
    }
    return detail::vision_transformer_maker(c, f).graph();
}

} // namespace ane::models

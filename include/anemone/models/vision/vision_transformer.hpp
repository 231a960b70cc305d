#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../publisher.hpp"
#include "patches.hpp"

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
    patch_names embedding;
    std::string_view layer; ///< '*': its number
    encoder_layer_names parts;
    std::string_view last_norm, head;
};
constexpr vision_transformer_names names_of(const vision_transformer_configuration& c) noexcept {
    if (c.source == publisher::timm) {
        return {.embedding = {"cls_token", "patch_embed.proj", "pos_embed"},
                .layer = "blocks.*.",
                .parts = {.query = "attn.q",
                          .key = "attn.k",
                          .value = "attn.v",
                          .output = "attn.proj",
                          .attention_norm = "norm1",
                          .up = "mlp.fc1",
                          .down = "mlp.fc2",
                          .inner_norm = "norm2"},
                .last_norm = "norm",
                .head = "head"};
    }
    if (c.source == publisher::transformers) {
        return {.embedding = {"embeddings.cls_token", "embeddings.patch_embeddings.projection",
                              "embeddings.position_embeddings"},
                .layer = "encoder.layer.*.",
                .parts = {.query = "attention.attention.query",
                          .key = "attention.attention.key",
                          .value = "attention.attention.value",
                          .output = "attention.output.dense",
                          .attention_norm = "layernorm_before",
                          .up = "intermediate.dense",
                          .down = "output.dense",
                          .inner_norm = "layernorm_after"},
                .last_norm = "layernorm",
                .head = "classifier"};
    }
    return {.embedding = {"class_token", "conv_proj", "encoder.pos_embedding"},
            .layer = "encoder.layers.encoder_layer_*.",
            .parts = {.query = "self_attention.q_proj",
                      .key = "self_attention.k_proj",
                      .value = "self_attention.v_proj",
                      .output = "self_attention.out_proj",
                      .attention_norm = "ln_1",
                      .up = "mlp.0",
                      .down = "mlp.3",
                      .inner_norm = "ln_2"},
            .last_norm = "encoder.ln",
            .head = "heads.head"};
}

} // namespace detail

/// The positions, which are published as rows of tokens.
constexpr std::string_view positions_name(const vision_transformer_configuration& c) noexcept {
    return detail::names_of(c).embedding.positions;
}

/// The graph of a vision transformer: `image` [1, channels, size, size], as the form has it, to `logits` [1, classes]. Throws
/// `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const vision_transformer_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("vision_transformer", wrong.data());
    }
    const detail::vision_transformer_names n = detail::names_of(c);
    const encoder_layer_form each{
        .heads = c.heads, .inner = c.inner, .epsilon = c.epsilon, .has_offsets = c.has_offsets};
    encoder_maker m(f.layout);
    const int image = m.image(f, c.channels, c.size);
    m.enter_whole("stem");
    int x = detail::patch_tokens(m, image, n.embedding, c.patch, c.width, true);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        m.enter(n.layer, 0, layer);
        x = m.layer_normed_before(x, n.parts, each);
    }
    m.enter_whole("head");
    x = m.token(x, 0); // the token of the class alone is looked at
    m.classify(m.normalized(x, n.last_norm, c.epsilon), n.head, c.classes);
    return std::move(m).taken();
}

} // namespace ane::models

#pragma once

#include <anemone/models/configuration.hpp>

#include <cmath>

/// A small decoder of each family, as values for tests.
namespace small_decoders {

using ane::models::activation;
using ane::models::decoder_configuration;
using ane::models::rope;
using ane::models::rope_kind;

constexpr rope plain{.kind = rope_kind::plain};

constexpr decoder_configuration llama{.layers = 2,
                                      .width = 32,
                                      .heads = 4,
                                      .kept_heads = 2,
                                      .head_width = 8,
                                      .inner = 48,
                                      .vocabulary = 64,
                                      .positions = 64,
                                      .rotary = plain,
                                      .local_rotary = plain,
                                      .query_scale = 0.35355339};
constexpr decoder_configuration with(decoder_configuration c, ane::models::family kind) {
    using ane::models::family;
    c.kind = kind;
    c.ties_embeddings = kind == family::qwen3 || is_gemma(kind);
    c.query_bias = kind == family::qwen2;
    c.query_norm = kind == family::qwen3 || kind == family::gemma3;
    if (kind == family::mistral) {
        c.window = 5;
    }
    if (is_gemma(kind)) {
        c.act = activation::gelu_tanh;
        c.window = 4;
        c.window_pattern = 2;
        c.query_scale = 0.25;
    }
    if (kind == family::gemma2) {
        c.attention_softcap = 50;
        c.logit_softcap = 30;
    }
    if (kind == family::gemma3) {
        c.layers = 3;
        c.rotary.base = 1e6;
    }
    if (kind == family::gpt2) {
        c.kept_heads = c.heads;
        c.act = activation::gelu_tanh;
        c.ties_embeddings = c.query_bias = c.output_bias = c.mlp_bias = true;
        c.rotary = c.local_rotary = rope{};
    }
    return c;
}
constexpr decoder_configuration of(ane::models::family kind) { return with(llama, kind); }

} // namespace small_decoders

#pragma once

#include "configuration.hpp"
#include "weight_name.hpp"

#include <string_view>

/// The names of a decoder's weights: those of the published tensors, with underscores for the dots.
namespace ane::models {

/// What the parts of a layer are called in a family's files. GPT-2's c_attn, three weights in one, is read as q_attn, k_attn
/// and v_attn.
struct published_names {
    std::string_view layers; ///< before the number of the layer
    std::string_view query, key, value, output;
    std::string_view gate, up, down; ///< no gate: empty
    std::string_view attention_norm; ///< before attention
    std::string_view mlp_norm;       ///< before the inner layer
    std::string_view attention_end;  ///< behind attention, gemma
    std::string_view mlp_end;
    std::string_view query_norm, key_norm;
    std::string_view last_norm;
    std::string_view embedding;
    std::string_view position_embedding;
    std::string_view head; ///< where it is not the embedding
};

constexpr published_names names_of(family f) noexcept {
    published_names n{.layers = "model.layers.",
                      .query = "self_attn.q_proj",
                      .key = "self_attn.k_proj",
                      .value = "self_attn.v_proj",
                      .output = "self_attn.o_proj",
                      .gate = "mlp.gate_proj",
                      .up = "mlp.up_proj",
                      .down = "mlp.down_proj",
                      .attention_norm = "input_layernorm",
                      .mlp_norm = is_gemma(f) ? "pre_feedforward_layernorm" : "post_attention_layernorm",
                      .attention_end = is_gemma(f) ? "post_attention_layernorm" : "",
                      .mlp_end = is_gemma(f) ? "post_feedforward_layernorm" : "",
                      .query_norm = "self_attn.q_norm",
                      .key_norm = "self_attn.k_norm",
                      .last_norm = "model.norm",
                      .embedding = "model.embed_tokens",
                      .position_embedding = "",
                      .head = "lm_head"};
    if (f == family::gpt2) {
        n = {.layers = "h.",
             .query = "attn.q_attn",
             .key = "attn.k_attn",
             .value = "attn.v_attn",
             .output = "attn.c_proj",
             .gate = "",
             .up = "mlp.c_fc",
             .down = "mlp.c_proj",
             .attention_norm = "ln_1",
             .mlp_norm = "ln_2",
             .attention_end = "",
             .mlp_end = "",
             .query_norm = "",
             .key_norm = "",
             .last_norm = "ln_f",
             .embedding = "wte",
             .position_embedding = "wpe",
             .head = "lm_head"};
    }
    return n;
}

/// The published name of the head's weight without its ".weight": the embedding's, where they are one.
constexpr std::string_view head_of(const decoder_configuration& c) noexcept {
    return c.ties_embeddings ? names_of(c.kind).embedding : names_of(c.kind).head;
}

} // namespace ane::models

#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_configuration_hpp);

#include "configuration.hpp"
#include "configuration_keys.hpp"

#include <cmath>
#include <vector>

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_INLINE family family_in(configuration_keys& keys) {
    const std::string type = keys.text("model_type", "");
    if (type == "gemma3") { // a model of pictures and text
        keys.prefix = "text_config/";
        if (keys.text("model_type", "gemma3_text") != "gemma3_text") {
            keys.refuse("text_config/model_type", "'" + keys.text("model_type", "") + "' is not gemma3_text");
        }
        return family::gemma3;
    }
    for (int i = 0; i < family_count; ++i) {
        const auto f = static_cast<family>(i);
        if (f != family::gemma3 ? type == name(f) : type == "gemma3_text") {
            return f;
        }
    }
    keys.refuse("model_type",
                (type.empty() ? std::string("is not there") : "'" + error::shortened(type, 80) + "' is unknown") +
                    "; known are gpt2, llama, qwen2, qwen3, mistral, gemma2, gemma3 and gemma3_text");
}

/// Scalings under one key, with the base of the angles.
ANEMONE_INLINE rope rope_in(const configuration_keys& keys, const std::string& key, double base,
                            std::int64_t positions) {
    rope r{.kind = rope_kind::plain, .base = base};
    const std::string at = key + "/";
    r.base = keys.number(at + "rope_theta", base);
    if (!(r.base > 0)) {
        keys.refuse("rope_theta", formatted("{} is not above 0", r.base));
    }
    const std::string kind_key = at + (keys.has(at + "rope_type") ? "rope_type" : "type");
    const std::string kind = keys.text(kind_key, "default");
    if (kind == "default") {
        return r;
    }
    r.kind = kind == "linear"    ? rope_kind::linear
             : kind == "llama3"  ? rope_kind::llama3
             : kind == "yarn"    ? rope_kind::yarn
             : kind == "dynamic" ? rope_kind::dynamic
                                 : rope_kind::none;
    if (r.kind == rope_kind::none) {
        keys.refuse(kind_key,
                    "'" + error::shortened(kind, 80) +
                        "' is an unknown scaling of rotary positions; known are default, linear, dynamic, llama3 "
                        "and yarn");
    }
    r.factor = keys.number(at + "factor");
    if (!(r.factor >= 1)) {
        keys.refuse(at + "factor", formatted("{} is below 1", r.factor));
    }
    r.original_positions = keys.integer(at + "original_max_position_embeddings",
                                        r.kind == rope_kind::llama3 ? std::optional<std::int64_t>() : positions);
    if (r.original_positions < 1) {
        keys.refuse(at + "original_max_position_embeddings", "0 is below 1");
    }
    if (r.kind == rope_kind::llama3) {
        r.low_frequency = keys.number(at + "low_freq_factor");
        r.high_frequency = keys.number(at + "high_freq_factor");
        if (!(r.low_frequency > 0) || !(r.high_frequency > r.low_frequency)) {
            keys.refuse(at + "high_freq_factor", formatted("{} is not above low_freq_factor, {}, and that not above 0",
                                                           r.high_frequency, r.low_frequency));
        }
    }
    if (r.kind == rope_kind::yarn) {
        for (const char* const other : {"mscale", "mscale_all_dim"}) {
            if (keys.has(at + other)) {
                keys.refuse(at + other, "is of another family's form of yarn, which is not known here");
            }
        }
        r.beta_fast = keys.number(at + "beta_fast", 32);
        r.beta_slow = keys.number(at + "beta_slow", 1);
        r.attention_factor = keys.number(at + "attention_factor", r.factor <= 1 ? 1 : 0.1 * std::log(r.factor) + 1);
        if (!(r.beta_slow > 0) || !(r.beta_fast > r.beta_slow) || !(r.attention_factor > 0)) {
            keys.refuse(at + "beta_fast", "must be above beta_slow, and that and attention_factor above 0");
        }
        if (!keys.truth(at + "truncate", true)) {
            keys.refuse(at + "truncate", "false is not known here");
        }
    }
    return r;
}

ANEMONE_INLINE activation activation_in(const configuration_keys& keys, const std::string& key,
                                        const std::string& otherwise) {
    const std::string word = keys.text(key, otherwise);
    if (word == "silu" || word == "swish") {
        return activation::silu;
    }
    if (word == "gelu") {
        return activation::gelu;
    }
    if (word == "gelu_new" || word == "gelu_pytorch_tanh") {
        return activation::gelu_tanh;
    }
    keys.refuse(key, "'" + error::shortened(word, 80) +
                         "' is an unknown activation; known are silu, gelu, gelu_new and gelu_pytorch_tanh");
}

ANEMONE_INLINE decoder_configuration read_gpt2(const configuration_keys& keys) {
    decoder_configuration c{.kind = family::gpt2};
    c.layers = keys.integer("n_layer");
    c.width = keys.integer("n_embd");
    c.heads = keys.integer("n_head");
    c.kept_heads = c.heads;
    c.head_width = c.heads > 0 && c.width % c.heads == 0 ? c.width / c.heads : 0;
    if (c.head_width == 0) {
        keys.refuse("n_embd", formatted("{} is not a multiple of n_head, {}", c.width, c.heads));
    }
    c.inner = keys.integer("n_inner", c.width > (std::int64_t{1} << 24U) ? 0 : 4 * c.width);
    c.vocabulary = keys.integer("vocab_size");
    c.positions = keys.integer("n_positions", keys.integer("n_ctx", 1024));
    c.norm_epsilon = keys.number("layer_norm_epsilon", 1e-5);
    c.act = activation_in(keys, "activation_function", "gelu_new");
    c.ties_embeddings = keys.truth("tie_word_embeddings", true);
    c.query_bias = c.output_bias = c.mlp_bias = true;
    c.query_scale = keys.truth("scale_attn_weights", true) ? 1 / std::sqrt(static_cast<double>(c.head_width)) : 1;
    for (const char* const other : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"}) {
        if (keys.truth(other, false)) {
            keys.refuse(other, "true is not known here");
        }
    }
    return c;
}

/// The window of a family's layers, and which of them have it.
ANEMONE_INLINE void read_windows(const configuration_keys& keys, decoder_configuration& c) {
    if (c.kind == family::mistral) {
        c.window = keys.integer("sliding_window", 0);
    } else if (c.kind == family::qwen2 || c.kind == family::qwen3) {
        if (keys.truth("use_sliding_window", false)) {
            c.window = keys.integer("sliding_window", 4096);
            c.first_window_layer = keys.integer("max_window_layers", 28);
        }
    } else if (is_gemma(c.kind)) {
        c.window = keys.integer("sliding_window", 4096);
        c.window_pattern = c.kind == family::gemma2
                               ? 2
                               : keys.integer("sliding_window_pattern", keys.integer("_sliding_window_pattern", 6));
    }
    for (std::int64_t i = 0; keys.has("layer_types/0") && i < c.layers; ++i) { // the newer way to say it
        const std::string key = "layer_types/" + std::to_string(i);
        const std::string word = keys.text(key, "");
        const std::string wanted = has_window(c, i) ? "sliding_attention" : "full_attention";
        if (word != wanted) {
            keys.refuse(
                key, formatted("'{}' is not {}, which the other keys say of it", error::shortened(word, 80), wanted));
        }
    }
}

ANEMONE_INLINE decoder_configuration read_llama_like(const configuration_keys& keys, family kind) {
    decoder_configuration c{.kind = kind};
    const bool has_defaults = kind == family::gemma3 && !keys.prefix.empty(); // as published: what differs from them
    const auto integer = [&](const char* key, std::int64_t otherwise) {
        return has_defaults ? keys.integer(key, otherwise) : keys.integer(key);
    };
    c.layers = integer("num_hidden_layers", 26);
    c.width = integer("hidden_size", 2304);
    c.heads = integer("num_attention_heads", 8);
    c.kept_heads = keys.integer("num_key_value_heads", has_defaults ? 4 : c.heads);
    c.inner = integer("intermediate_size", 9216);
    c.vocabulary = integer("vocab_size", 262208);
    c.positions = keys.integer("max_position_embeddings", kind == family::gemma3   ? 131072
                                                          : kind == family::gemma2 ? 8192
                                                                                   : 2048);
    c.head_width = is_gemma(kind) ? keys.integer("head_dim", 256)
                   : kind == family::qwen3
                       ? keys.integer("head_dim", 128)
                       : keys.integer("head_dim", c.heads > 0 && c.width % c.heads == 0 ? c.width / c.heads : 0);
    if (c.head_width == 0) {
        keys.refuse(
            "hidden_size",
            formatted("{} is not a multiple of num_attention_heads, {}, and there is no head_dim", c.width, c.heads));
    }
    c.norm_epsilon = keys.number("rms_norm_eps", 1e-6);
    c.act = is_gemma(kind) ? activation_in(keys, keys.has("hidden_activation") ? "hidden_activation" : "hidden_act",
                                           "gelu_pytorch_tanh")
                           : activation_in(keys, "hidden_act", "silu");
    c.ties_embeddings = keys.truth("tie_word_embeddings", is_gemma(kind));
    const bool attention_bias = keys.truth("attention_bias", false);
    c.query_bias = kind == family::qwen2 || attention_bias;
    c.output_bias = kind != family::qwen2 && attention_bias;
    c.mlp_bias = keys.truth("mlp_bias", false);
    c.query_norm = kind == family::qwen3 || kind == family::gemma3;
    c.query_scale =
        1 / std::sqrt(is_gemma(kind) ? keys.number("query_pre_attn_scalar", 256) : static_cast<double>(c.head_width));
    if (!std::isfinite(c.query_scale)) {
        keys.refuse("query_pre_attn_scalar", "0 is not above 0");
    }
    if (is_gemma(kind)) {
        const bool is_2 = kind == family::gemma2;
        c.embedding_scale = std::sqrt(static_cast<double>(c.width));
        c.attention_softcap =
            keys.number("attn_logit_softcapping", keys.otherwise("attn_logit_softcapping", is_2 ? 50 : 0));
        c.logit_softcap =
            keys.number("final_logit_softcapping", keys.otherwise("final_logit_softcapping", is_2 ? 30 : 0));
    }
    read_windows(keys, c);

    const double base = keys.number("rope_theta", kind == family::gemma3 ? 1e6 : 10000);
    const bool newer = keys.has("rope_parameters");
    const std::string scaling = newer ? "rope_parameters" : "rope_scaling";
    if (newer && keys.has("rope_parameters/full_attention")) {
        c.rotary = rope_in(keys, "rope_parameters/full_attention", base, c.positions);
        c.local_rotary =
            rope_in(keys, "rope_parameters/sliding_attention", keys.number("rope_local_base_freq", 10000), c.positions);
    } else {
        c.rotary = rope_in(keys, scaling, base, c.positions);
        c.local_rotary = kind == family::gemma3
                             ? rope{.kind = rope_kind::plain, .base = keys.number("rope_local_base_freq", 10000)}
                             : c.rotary;
    }
    if (keys.number("partial_rotary_factor", 1) != 1) {
        keys.refuse("partial_rotary_factor", "must be 1: parts of a head that do not turn are not known here");
    }
    return c;
}

} // namespace ane::models::inline ANEMONE_WAY

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_BODY_OF decoder_configuration read_configuration(std::string_view json, std::string_view file) {
    constexpr std::size_t most = std::size_t{1} << 24U;
    if (json.size() > most) {
        throw error(errc::file, std::string(file),
                    formatted("has {} bytes, a configuration at most {}", json.size(), most));
    }
    configuration_keys keys(json, file);
    const family kind = family_in(keys);
    keys.refuse_packed_weights();
    const decoder_configuration c = kind == family::gpt2 ? read_gpt2(keys) : read_llama_like(keys, kind);
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        throw error(errc::file, std::string(file), formatted("{}: it says {}", wrong, print(c)));
    }
    return c;
}

ANEMONE_BODY_OF std::string print(const decoder_configuration& c) {
    std::string text = formatted(
        "{}: layers {}, width {}, heads {} of {} ({} kept), inner layer {}, vocabulary {}, positions {}", name(c.kind),
        c.layers, c.width, c.heads, c.head_width, c.kept_heads, c.inner, c.vocabulary, c.positions);
    if (has_windows(c)) {
        text += formatted(", window {}", c.window);
    }
    return text + (c.ties_embeddings ? ", the head is the embedding" : "");
}

} // namespace ane::models::inline ANEMONE_WAY

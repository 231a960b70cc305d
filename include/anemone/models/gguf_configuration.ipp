#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_gguf_configuration_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../io/unicode.hpp"
#include "../weights/convert.hpp"
#include "gguf_configuration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace ane::models::detail::inline ANEMONE_WAY {

/// The metadata of one architecture.
class gguf_keys {
public:
    ANEMONE_INLINE explicit gguf_keys(const gguf_file& file) : file_(file) {
        const std::optional<std::string> found = file.text("general.architecture");
        constexpr std::pair<std::string_view, family> known[] = {{"llama", family::llama},   {"qwen2", family::qwen2},
                                                                 {"qwen3", family::qwen3},   {"gemma2", family::gemma2},
                                                                 {"gemma3", family::gemma3}, {"gpt2", family::gpt2}};
        for (const auto& [word, f] : known) {
            if (found == word) {
                kind = f;
                architecture_ = word;
            }
        }
        if (architecture_.empty()) {
            refuse("general.architecture",
                   (found ? "'" + error::shortened(ane::detail::printable(*found), 80) + "' is unknown"
                          : std::string("is not there")) +
                       "; known are llama, qwen2, qwen3, gemma2, gemma3 and gpt2");
        }
    }

    ANEMONE_INLINE void refuse [[noreturn]] (const std::string& key, const std::string& why) const {
        throw error(errc::file, file_.path(), key + ": " + why);
    }
    ANEMONE_INLINE std::string full(std::string_view key) const { return architecture_ + "." + std::string(key); }

    ANEMONE_INLINE std::int64_t integer(std::string_view key, std::optional<std::int64_t> otherwise = {}) const {
        const std::optional<std::int64_t> found = file_.integer(full(key));
        if (!found && !otherwise) {
            refuse(full(key), "is not there, and has no default");
        }
        return found ? *found : *otherwise;
    }
    /// A float of the file as the decimal number that it was: 1e-6 and not 9.99999997e-7.
    ANEMONE_INLINE double number(std::string_view key, std::optional<double> otherwise = {}) const {
        const std::optional<double> found = file_.number(full(key));
        if (!found && !otherwise) {
            refuse(full(key), "is not there, and has no default");
        }
        if (!found) {
            return *otherwise;
        }
        if (!std::isfinite(*found) || *found < 0 || *found > 1e30) {
            refuse(full(key), formatted("{} is not a number from 0 to 1e30", *found));
        }
        const auto narrow = static_cast<float>(*found);
        return static_cast<double>(narrow) == *found ? std::strtod(formatted("{}", narrow).c_str(), nullptr) : *found;
    }
    ANEMONE_INLINE std::string text(std::string_view key, std::string_view otherwise) const {
        return file_.text(full(key)).value_or(std::string(otherwise));
    }

    family kind = family::llama;

private:
    const gguf_file& file_;
    std::string architecture_;
};

/// By what the angle of each pair is divided, as Llama 3 published it.
ANEMONE_INLINE double llama3_factor(const rope& r, std::int64_t head_width, std::size_t pair) {
    const double turns = static_cast<double>(r.original_positions) / (2 * std::numbers::pi) *
                         std::pow(r.base, -2.0 * static_cast<double>(pair) / static_cast<double>(head_width));
    if (turns > r.high_frequency) {
        return 1;
    }
    if (turns < r.low_frequency) {
        return r.factor;
    }
    const double smooth = (turns - r.low_frequency) / (r.high_frequency - r.low_frequency);
    return 1 / ((1 - smooth) / r.factor + smooth);
}

/// The scaling that the factors of a file are of.
ANEMONE_INLINE rope rope_of_factors(const gguf_file& file, const gguf_tensor& factors, rope r,
                                    std::int64_t head_width) {
    const std::vector<float> all = to_float(file.read(factors));
    r.kind = rope_kind::llama3;
    r.original_positions = 8192;
    r.low_frequency = 1;
    r.high_frequency = 4;
    r.factor = all.empty() ? 1 : static_cast<double>(*std::max_element(all.begin(), all.end()));
    bool same = all.size() == static_cast<std::size_t>(head_width / 2) && r.factor >= 1;
    for (std::size_t i = 0; same && i < all.size(); ++i) {
        same = std::abs(static_cast<double>(all[i]) / llama3_factor(r, head_width, i) - 1) < 1e-4;
    }
    if (!same) {
        throw error(errc::file, file.path(),
                    formatted("tensor {}: its {} factors of rotary positions are not those of Llama 3, with 8192 "
                              "positions before the scaling, which alone are known",
                              factors.name, all.size()));
    }
    return r;
}

ANEMONE_INLINE rope gguf_rope(const gguf_file& file, const gguf_keys& keys, std::int64_t head_width,
                              std::int64_t positions) {
    rope r{.kind = rope_kind::plain, .base = keys.number("rope.freq_base", 10000)};
    if (!(r.base > 0)) {
        keys.refuse(keys.full("rope.freq_base"), "0 is not above 0");
    }
    if (keys.integer("rope.dimension_count", head_width) != head_width) {
        keys.refuse(keys.full("rope.dimension_count"),
                    formatted("{} is not the width of a head, {}: parts of a head that do not turn are not known here",
                              keys.integer("rope.dimension_count"), head_width));
    }
    if (const gguf_tensor* const factors = file.find("rope_freqs.weight")) {
        return rope_of_factors(file, *factors, r, head_width);
    }
    const std::string kind = keys.text("rope.scaling.type", "none");
    if (kind == "none") {
        return r;
    }
    if (kind != "linear" && kind != "yarn") {
        keys.refuse(keys.full("rope.scaling.type"), "'" + error::shortened(ane::detail::printable(kind), 80) +
                                                        "' is unknown; known are none, linear and yarn");
    }
    r.kind = kind == "linear" ? rope_kind::linear : rope_kind::yarn;
    r.factor = keys.number("rope.scaling.factor");
    if (!(r.factor >= 1)) {
        keys.refuse(keys.full("rope.scaling.factor"), formatted("{} is below 1", r.factor));
    }
    r.original_positions = keys.integer("rope.scaling.original_context_length", positions);
    if (r.kind == rope_kind::yarn) {
        r.attention_factor = keys.number("rope.scaling.attn_factor", 1) * (0.1 * std::log(r.factor) + 1);
        r.beta_fast = keys.number("rope.scaling.yarn_beta_fast", 32);
        r.beta_slow = keys.number("rope.scaling.yarn_beta_slow", 1);
        if (r.original_positions < 1 || !(r.beta_slow > 0) || !(r.beta_fast > r.beta_slow)) {
            keys.refuse(keys.full("rope.scaling.yarn_beta_fast"),
                        "must be above yarn_beta_slow, and that and original_context_length above 0");
        }
    }
    return r;
}

/// Rows of the embedding, as far as a file says.
ANEMONE_INLINE std::int64_t gguf_vocabulary(const gguf_file& file, const gguf_keys& keys) {
    if (const gguf_tensor* const table = file.find("token_embd.weight"); table != nullptr && table->shape.rank == 2) {
        return table->shape[0];
    }
    const std::optional<std::int64_t> tokens = file.length("tokenizer.ggml.tokens");
    return keys.integer("vocab_size", tokens);
}

ANEMONE_INLINE void read_gemma(const gguf_keys& keys, decoder_configuration& c) {
    const bool is_2 = c.kind == family::gemma2;
    c.act = activation::gelu_tanh;
    c.embedding_scale = std::sqrt(static_cast<double>(c.width));
    c.window = keys.integer("attention.sliding_window", is_2 ? 4096 : 1024);
    c.window_pattern = is_2 ? 2 : 6;
    // The largest model of each generation scales by the width of the stream over the heads.
    const bool by_width = c.layers == (is_2 ? 46 : 62);
    c.query_scale = 1 / std::sqrt(by_width ? static_cast<double>(c.width) / static_cast<double>(c.heads)
                                           : static_cast<double>(c.head_width));
    if (is_2) {
        c.attention_softcap = keys.number("attn_logit_softcapping", 50);
        c.logit_softcap = keys.number("final_logit_softcapping", 30);
    }
}

/// A part of a name of each, and whether gpt2 has it.
struct gguf_part {
    std::string_view gguf, published;
};
inline constexpr gguf_part gpt2_parts[] = {{"attn_norm", "ln_1"},          {"attn_qkv", "attn.c_attn"},
                                           {"attn_output", "attn.c_proj"}, {"ffn_norm", "ln_2"},
                                           {"ffn_up", "mlp.c_fc"},         {"ffn_down", "mlp.c_proj"}};
inline constexpr gguf_part layer_parts[] = {{"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
                                            {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
                                            {"attn_output", "self_attn.o_proj"}, {"attn_q_norm", "self_attn.q_norm"},
                                            {"attn_k_norm", "self_attn.k_norm"}, {"ffn_gate", "mlp.gate_proj"},
                                            {"ffn_up", "mlp.up_proj"},           {"ffn_down", "mlp.down_proj"}};
/// Normalizations before the inner layer, and behind both blocks: only Gemma's families have the latter.
inline constexpr gguf_part gemma_parts[] = {{"post_attention_norm", "post_attention_layernorm"},
                                            {"ffn_norm", "pre_feedforward_layernorm"},
                                            {"post_ffw_norm", "post_feedforward_layernorm"}};
inline constexpr gguf_part other_parts[] = {{"ffn_norm", "post_attention_layernorm"}};

template <std::size_t Count> std::string_view published_part(const gguf_part (&parts)[Count], std::string_view part) {
    for (const gguf_part& each : parts) {
        if (each.gguf == part) {
            return each.published;
        }
    }
    return {};
}

} // namespace ane::models::detail::inline ANEMONE_WAY

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_BODY_OF decoder_configuration read_gguf_configuration(const gguf_file& file) {
    const detail::gguf_keys keys(file);
    decoder_configuration c{.kind = keys.kind};
    const bool is_gpt2 = c.kind == family::gpt2;
    c.layers = keys.integer("block_count");
    c.width = keys.integer("embedding_length");
    c.heads = keys.integer("attention.head_count");
    c.kept_heads = keys.integer("attention.head_count_kv", c.heads);
    c.inner = keys.integer("feed_forward_length");
    c.positions = keys.integer("context_length");
    c.vocabulary = detail::gguf_vocabulary(file, keys);
    if (c.heads < 1) {
        keys.refuse(keys.full("attention.head_count"), formatted("{} is below 1", c.heads));
    }
    const bool divides = c.width % c.heads == 0;
    c.head_width =
        keys.integer("attention.key_length", divides ? std::optional<std::int64_t>(c.width / c.heads) : std::nullopt);
    if (keys.integer("attention.value_length", c.head_width) != c.head_width) {
        keys.refuse(keys.full("attention.value_length"), "is another width than that of keys, which is not known here");
    }
    c.norm_epsilon =
        is_gpt2 ? keys.number("attention.layer_norm_epsilon") : keys.number("attention.layer_norm_rms_epsilon");
    c.query_scale = 1 / std::sqrt(static_cast<double>(c.head_width));
    c.ties_embeddings = file.find("output.weight") == nullptr;
    const auto has = [&](std::string_view name) { return file.find(name) != nullptr; };
    c.query_bias = is_gpt2 || c.kind == family::qwen2 || has("blk.0.attn_q.bias");
    c.output_bias = is_gpt2 || has("blk.0.attn_output.bias");
    c.mlp_bias = is_gpt2 || has("blk.0.ffn_up.bias");
    c.query_norm = c.kind == family::qwen3 || c.kind == family::gemma3;
    if (is_gpt2) {
        c.act = activation::gelu_tanh;
    } else {
        c.rotary = c.local_rotary = detail::gguf_rope(file, keys, c.head_width, c.positions);
    }
    if (is_gemma(c.kind)) {
        detail::read_gemma(keys, c);
        if (c.kind == family::gemma3) {
            c.local_rotary = {.kind = rope_kind::plain, .base = 10000};
        }
    }
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        throw error(errc::file, file.path(), formatted("{}: it says {}", wrong, print(c)));
    }
    return c;
}

ANEMONE_BODY_OF std::string published_name(const decoder_configuration& c, std::string_view gguf_name) {
    const bool is_gpt2 = c.kind == family::gpt2;
    const std::size_t dot = gguf_name.rfind('.');
    if (dot == std::string_view::npos) {
        return {};
    }
    const std::string ending(gguf_name.substr(dot)); // ".weight", ".bias"
    std::string_view part = gguf_name.substr(0, dot);
    if (part == "token_embd") {
        return (is_gpt2 ? "wte" : "model.embed_tokens") + ending;
    }
    if (part == "position_embd" && is_gpt2) {
        return "wpe" + ending;
    }
    if (part == "output_norm") {
        return (is_gpt2 ? "ln_f" : "model.norm") + ending;
    }
    if (part == "output") {
        return "lm_head" + ending;
    }
    if (!part.starts_with("blk.")) {
        return {};
    }
    part.remove_prefix(4);
    std::int64_t layer = -1;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), layer);
    const auto digits = static_cast<std::size_t>(end - part.data());
    if (failure != std::errc() || layer < 0 || layer >= c.layers || digits >= part.size() || part[digits] != '.' ||
        (digits > 1 && part[0] == '0')) {
        return {};
    }
    const std::string_view number = part.substr(0, digits);
    part.remove_prefix(digits + 1);
    std::string_view found =
        is_gpt2 ? detail::published_part(detail::gpt2_parts, part) : detail::published_part(detail::layer_parts, part);
    if (found.empty() && !is_gpt2) {
        found = is_gemma(c.kind) ? detail::published_part(detail::gemma_parts, part)
                                 : detail::published_part(detail::other_parts, part);
    }
    return found.empty() ? std::string()
                         : formatted("{}{}.{}{}", is_gpt2 ? "h." : "model.layers.", number, found, ending);
}

} // namespace ane::models::inline ANEMONE_WAY

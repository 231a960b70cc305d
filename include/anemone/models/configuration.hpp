#ifndef ANEMONE_MODELS_CONFIGURATION_HPP
#define ANEMONE_MODELS_CONFIGURATION_HPP

#include "../base/way.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// Language models that are published with a configuration: what they are, as a value, and as graphs.
namespace ane::models {

/// The families of decoders that are known. A `model_type` of a configuration picks one.
enum class family : std::uint8_t { gpt2, llama, qwen2, qwen3, mistral, gemma2, gemma3 };
inline constexpr int family_count = 7;

constexpr std::string_view name(family f) noexcept {
    constexpr std::string_view names[] = {"gpt2", "llama", "qwen2", "qwen3", "mistral", "gemma2", "gemma3"};
    return names[static_cast<int>(f)];
}

/// The published ways to stretch rotary positions ("rope_scaling"): none and plain have no factor.
enum class rope_kind : std::uint8_t { none, plain, linear, llama3, yarn, dynamic };

/// Rotary positions. Pair k of n = head width / 2 turns by position * base^(-k/n), scaled by its kind:
/// linear: the angle / factor; llama3: the slow pairs / factor, between `low_frequency` and `high_frequency` mixed;
/// yarn: the same between `beta_slow` and `beta_fast` turns, both tables * `attention_factor`; dynamic: another base for a
/// context of more than `original_positions`.
struct rope {
    rope_kind kind = rope_kind::none;
    double base = 10000;
    double factor = 1;
    double low_frequency = 1;
    double high_frequency = 4;
    std::int64_t original_positions = 0;
    double attention_factor = 1;
    double beta_fast = 32;
    double beta_slow = 1;
    friend constexpr bool operator==(const rope&, const rope&) = default;
};

/// The function of the inner layer: gelu and its tanh form are one table on the engine.
enum class activation : std::uint8_t { gelu, gelu_tanh, silu };

/// What a configuration says of a decoder. A value that can be a template argument.
struct decoder_configuration {
    family kind = family::llama;
    std::int64_t layers = 0;
    std::int64_t width = 0;      ///< of the residual stream
    std::int64_t heads = 0;      ///< of queries
    std::int64_t kept_heads = 0; ///< of keys and values; each serves heads / kept_heads of the others
    std::int64_t head_width = 0;
    std::int64_t inner = 0; ///< of the inner layer
    std::int64_t vocabulary = 0;
    std::int64_t positions = 0; ///< that it was trained for
    double norm_epsilon = 1e-6;
    activation act = activation::silu;
    rope rotary{};
    rope local_rotary{}; ///< of the layers with a window; the same but for gemma3
    bool ties_embeddings = false;
    bool query_bias = false; ///< of queries, keys and values
    bool output_bias = false;
    bool mlp_bias = false;
    bool query_norm = false;      ///< queries and keys are normalized, head by head
    double embedding_scale = 1;   ///< of rows of the embedding, by the host; gemma: sqrt(width)
    double query_scale = 1;       ///< of the products of queries and keys
    double attention_softcap = 0; ///< c: c tanh(s / c) for a product s; 0: none
    double logit_softcap = 0;
    std::int64_t window = 0;         ///< positions that a layer with a window sees, its own among them; 0: none has one
    std::int64_t window_pattern = 0; ///< every n-th layer sees all positions; 0: each has a window from the first on
    std::int64_t first_window_layer = 0; ///< qwen: the layers before it see all positions
    friend constexpr bool operator==(const decoder_configuration&, const decoder_configuration&) = default;
};

/// Whether a layer sees only the last `window` positions.
constexpr bool has_window(const decoder_configuration& c, std::int64_t layer) noexcept {
    return c.window > 0 && layer >= c.first_window_layer &&
           (c.window_pattern == 0 || (layer + 1) % c.window_pattern != 0);
}
/// Whether any layer does.
constexpr bool has_windows(const decoder_configuration& c) noexcept {
    return c.window > 0 && c.window_pattern != 1 && c.first_window_layer < c.layers &&
           (c.layers - c.first_window_layer > 1 || has_window(c, c.layers - 1));
}
/// Whether layers with a window turn by tables of their own.
constexpr bool has_local_rotary(const decoder_configuration& c) noexcept {
    return c.rotary.kind != rope_kind::none && has_windows(c) && !(c.rotary == c.local_rotary);
}
/// Gemma's normalizations multiply by 1 + w, and there is one behind each block, too.
constexpr bool is_gemma(family f) noexcept { return f == family::gemma2 || f == family::gemma3; }

/// The sentence that says why no decoder has such numbers, empty where one can. Each is checked before anything is
/// multiplied.
constexpr std::string_view fault_of(const decoder_configuration& c) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 24U;
    for (const std::int64_t n :
         {c.layers, c.width, c.heads, c.kept_heads, c.head_width, c.inner, c.vocabulary, c.positions}) {
        if (n < 1 || n > most) {
            return "layers, width, heads, inner layer, vocabulary and positions must be from 1 to 16777216";
        }
    }
    return c.layers > 1000                         ? "more than 1000 layers"
           : c.heads > 1024 || c.head_width > 4096 ? "more than 1024 heads or heads wider than 4096"
           : c.heads % c.kept_heads != 0           ? "the heads of queries must be a multiple of those of keys"
           : c.rotary.kind != rope_kind::none && c.head_width % 2 != 0 ? "rotary positions need an even width of a head"
           : c.kind == family::gpt2 && c.heads * c.head_width != c.width ? "the width must be a multiple of the heads"
                                                                         : "";
}

} // namespace ane::models

namespace ane::models::inline ANEMONE_WAY {

/// What the text of a `config.json` says. `file` names it in errors. Throws `ane::error` (errc::file), naming key, value and
/// what is known, for a `model_type` that is none of the families, for a quantization, for scalings of positions and
/// variants of a family that are unknown, and for numbers that no decoder has.
ANEMONE_API_OF(anemone_models_configuration_hpp)
decoder_configuration read_configuration(std::string_view json, std::string_view file = "config.json");

/// The words of `read_configuration` for a configuration: "llama: 22 layers of 2048, 32 heads of 64 (4 kept), ...".
ANEMONE_API_OF(anemone_models_configuration_hpp) std::string print(const decoder_configuration& c);

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "configuration.ipp"
#endif

#pragma once

#include "../host_tables.hpp"
#include "../network_form.hpp"
#include "../publisher.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models {

/// Whisper (Radford et al. 2022): an encoder of log-mel spectra, and a decoder of tokens that looks at what it gives. Both
/// normalize first.
struct whisper_configuration {
    publisher source = publisher::transformers;
    std::int64_t width = 384;
    std::int64_t encoder_layers = 4;
    std::int64_t encoder_heads = 6;
    std::int64_t encoder_inner = 1536;
    std::int64_t decoder_layers = 4;
    std::int64_t decoder_heads = 6;
    std::int64_t decoder_inner = 1536;
    std::int64_t mels = 80;            ///< bands of a spectrum
    std::int64_t positions = 1500;     ///< of the encoder: half as many as spectra
    std::int64_t text_positions = 448; ///< of the decoder
    std::int64_t vocabulary = 51865;

    /// `encoder` once for 30 seconds of sound, `cross` once behind it, `step` for each token; or `decoder` for a text as a whole.
    static constexpr network_part parts[] = {network_part::encoder, network_part::cross, network_part::decoder,
                                             network_part::step};

    friend constexpr bool operator==(const whisper_configuration&, const whisper_configuration&) = default;
};

namespace detail {
/// The published sizes differ in the width and the number of layers.
constexpr whisper_configuration whisper_of(std::int64_t width, std::int64_t encoder_layers,
                                           std::int64_t decoder_layers) {
    return {.width = width,
            .encoder_layers = encoder_layers,
            .encoder_heads = width / 64,
            .encoder_inner = 4 * width,
            .decoder_layers = decoder_layers,
            .decoder_heads = width / 64,
            .decoder_inner = 4 * width};
}
constexpr whisper_configuration third_version(whisper_configuration c) {
    c.mels = 128;
    c.vocabulary = 51866; // with Cantonese
    return c;
}
} // namespace detail

inline constexpr whisper_configuration whisper_tiny{};
inline constexpr whisper_configuration whisper_base = detail::whisper_of(512, 6, 6);
inline constexpr whisper_configuration whisper_small = detail::whisper_of(768, 12, 12);
inline constexpr whisper_configuration whisper_medium = detail::whisper_of(1024, 24, 24);
inline constexpr whisper_configuration whisper_large_v3 = detail::third_version(detail::whisper_of(1280, 32, 32));
inline constexpr whisper_configuration whisper_large_v3_turbo = detail::third_version(detail::whisper_of(1280, 32, 4));

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const whisper_configuration& c) noexcept {
    for (const std::int64_t n : {c.width, c.encoder_heads, c.encoder_inner, c.decoder_heads, c.decoder_inner}) {
        if (n < 1 || n > 65536) {
            return "width, heads and inner layers must be from 1 to 65536";
        }
    }
    for (const std::int64_t n : {c.encoder_layers, c.decoder_layers}) {
        if (n < 1 || n > 1000) {
            return "the layers must be from 1 to 1000";
        }
    }
    return c.width % c.encoder_heads != 0 || c.width % c.decoder_heads != 0
               ? "the width must be a multiple of the heads"
           : c.mels < 1 || c.mels > 4096                      ? "the bands of a spectrum must be from 1 to 4096"
           : c.positions < 1 || c.positions > 65536           ? "the encoder's positions must be from 1 to 65536"
           : c.text_positions < 1 || c.text_positions > 65536 ? "the decoder's positions must be from 1 to 65536"
           : c.vocabulary < 1 || c.vocabulary > 1 << 24       ? "the words are from 1 to 16777216"
           : c.source != publisher::transformers              ? "the names of Whisper's tensors are transformers'"
                                                              : "";
}

/// The tables that no graph has: rows of tokens and of positions are added on the host.
constexpr host_tables tables_of(const whisper_configuration& c) noexcept {
    return {{{"decoder.embed_tokens.weight", c.vocabulary, c.width},
             {"decoder.embed_positions.weight", c.text_positions, c.width},
             {}}};
}
/// The weight whose rows are the positions of spectra.
constexpr std::string_view positions_name(const whisper_configuration&) noexcept {
    return "encoder.embed_positions.weight";
}

} // namespace ane::models

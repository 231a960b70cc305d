#pragma once

#include "../configuration_keys.hpp"
#include "whisper_configuration.hpp"

#include <cstdint>
#include <string>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// Whisper by the keys of transformers' `config.json`: what is not there has the default of its class, the sizes of
/// whisper-tiny. Throws `ane::error` (errc::file) for what the graph does not compute.
ANEMONE_INLINE whisper_configuration whisper_of_transformers(const configuration_keys& keys) {
    const auto require_text = [&](const std::string& key, std::string_view wanted, const std::string& known) {
        const std::string found = keys.text(key, std::string(wanted));
        if (found != wanted) {
            keys.refuse(key, "'" + error::shortened(found, 80) + "' is unknown; known " + known);
        }
    };
    require_text("activation_function", "gelu", "is gelu");
    const std::string model = keys.text("architectures/0", "WhisperForConditionalGeneration");
    if (model != "WhisperForConditionalGeneration" && model != "WhisperModel") {
        keys.refuse("architectures", "'" + error::shortened(model, 80) +
                                         "' is unknown; known are WhisperForConditionalGeneration and WhisperModel");
    }
    if (keys.truth("scale_embedding", false)) {
        keys.refuse("scale_embedding", "true is not known: no published Whisper scales its embedding");
    }
    if (!keys.truth("tie_word_embeddings", true)) {
        keys.refuse("tie_word_embeddings", "false is not known: the head is the table of the tokens");
    }
    if (!keys.truth("is_encoder_decoder", true)) {
        keys.refuse("is_encoder_decoder", "false is not known: a decoder alone is no Whisper");
    }
    whisper_configuration c;
    c.width = keys.integer("d_model", c.width);
    c.encoder_layers = keys.integer("encoder_layers", c.encoder_layers);
    c.encoder_heads = keys.integer("encoder_attention_heads", c.encoder_heads);
    c.encoder_inner = keys.integer("encoder_ffn_dim", c.encoder_inner);
    c.decoder_layers = keys.integer("decoder_layers", c.decoder_layers);
    c.decoder_heads = keys.integer("decoder_attention_heads", c.decoder_heads);
    c.decoder_inner = keys.integer("decoder_ffn_dim", c.decoder_inner);
    c.mels = keys.integer("num_mel_bins", c.mels);
    c.positions = keys.integer("max_source_positions", c.positions);
    c.text_positions = keys.integer("max_target_positions", c.text_positions);
    c.vocabulary = keys.integer("vocab_size", c.vocabulary);
    if (keys.integer("num_hidden_layers", c.encoder_layers) != c.encoder_layers) {
        keys.refuse("num_hidden_layers", formatted("{} contradicts \"encoder_layers\", {}",
                                                   keys.integer("num_hidden_layers"), c.encoder_layers));
    }
    return c;
}

} // namespace ane::models::inline ANEMONE_WAY

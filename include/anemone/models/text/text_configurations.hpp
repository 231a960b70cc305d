#pragma once

#include "../configuration_keys.hpp"
#include "bert.hpp"
#include "clip.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

/// What the configurations of networks of texts say. Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// Text that must be one of some words; which of them.
ANEMONE_INLINE std::size_t one_of(const configuration_keys& keys, const std::string& key, const std::string& otherwise,
                                  std::initializer_list<const char*> known) {
    const std::string found = keys.text(key, otherwise);
    std::string words;
    std::size_t at = 0;
    for (const char* const each : known) {
        if (found == each) {
            return at;
        }
        words += (at++ == 0 ? "" : ", ") + std::string(each);
    }
    keys.refuse(key, "'" + error::shortened(found, 80) + "' is unknown; known is " + words);
}
/// Switches of what the graph does not have.
ANEMONE_INLINE void require_off(const configuration_keys& keys, std::initializer_list<const char*> switches) {
    for (const char* const each : switches) {
        if (keys.truth(each, false)) {
            keys.refuse(each, "true is not known here");
        }
    }
}
/// That the network has a key's default, where it is there at all.
ANEMONE_INLINE void require_integer(const configuration_keys& keys, const std::string& key, std::int64_t wanted) {
    if (keys.has(key) && keys.integer(key) != wanted) {
        keys.refuse(key, formatted("{} does not fit: the network has {}", keys.integer(key), wanted));
    }
}

ANEMONE_INLINE bool is_bert_type(std::string_view type) {
    return type == "bert" || type == "roberta" || type == "xlm-roberta" || type == "distilbert";
}

ANEMONE_INLINE bert_configuration distilbert_of_transformers(const configuration_keys& keys) {
    one_of(keys, "activation", "gelu", {"gelu"});
    bert_configuration c = distilbert_base;
    c.vocabulary = keys.integer("vocab_size", 30522);
    c.layers = keys.integer("n_layers", 6);
    c.width = keys.integer("dim", 768);
    c.heads = keys.integer("n_heads", 12);
    c.inner = keys.integer("hidden_dim", 3072);
    c.positions = keys.integer("max_position_embeddings", 512);
    return c;
}
ANEMONE_INLINE bert_configuration bert_of_transformers(const configuration_keys& keys, std::string_view type) {
    bert_configuration c;
    if (type == "distilbert") {
        c = distilbert_of_transformers(keys);
    } else {
        const bool is_roberta = type != "bert";
        one_of(keys, "hidden_act", "gelu", {"gelu"});
        one_of(keys, "position_embedding_type", "absolute", {"absolute"});
        require_off(keys, {"is_decoder", "add_cross_attention"});
        c.family = is_roberta ? bert_family::roberta : bert_family::bert;
        c.vocabulary = keys.integer("vocab_size", is_roberta ? 50265 : 30522);
        c.layers = keys.integer("num_hidden_layers", 12);
        c.width = keys.integer("hidden_size", 768);
        c.heads = keys.integer("num_attention_heads", 12);
        c.inner = keys.integer("intermediate_size", 3072);
        const std::int64_t padding = keys.integer("pad_token_id", is_roberta ? 1 : 0);
        if (padding > 65535) {
            keys.refuse("pad_token_id", formatted("{} is above 65535", padding));
        }
        c.first_position = is_roberta ? padding + 1 : 0; // positions are counted from behind it
        c.positions = keys.integer("max_position_embeddings", 512);
        if (c.positions <= c.first_position) {
            keys.refuse("max_position_embeddings", formatted("{} leaves none: the first token has the position {}",
                                                             c.positions, c.first_position));
        }
        c.positions -= c.first_position;
        c.types = keys.integer("type_vocab_size", 2);
        c.epsilon = keys.number("layer_norm_eps", 1e-12);
    }
    if (!keys.beginning_with("pruned_heads/").empty()) {
        keys.refuse("pruned_heads", "layers with fewer heads are not known here");
    }
    c.usual = std::min<std::int64_t>(c.positions, 128);
    return c;
}

/// A number of one of CLIP's towers, "vision_config/hidden_size"; older files have it in "vision_config_dict", too.
ANEMONE_INLINE std::int64_t tower_integer(const configuration_keys& keys, const std::string& tower,
                                          const std::string& key, std::int64_t otherwise) {
    const std::string newer = tower + "/" + key;
    const std::string older = tower + "_dict/" + key;
    if (keys.has(older) && keys.has(newer) && keys.integer(older) != keys.integer(newer)) {
        keys.refuse(older, formatted("{} contradicts the {} of {}", keys.integer(older), keys.integer(newer), newer));
    }
    return keys.integer(keys.has(newer) ? newer : older, otherwise);
}
ANEMONE_INLINE clip_tower tower_in(const configuration_keys& keys, const std::string& tower, clip_tower usual) {
    for (const char* const key : {"hidden_act", "layer_norm_eps"}) {
        if (keys.has(tower + "_dict/" + key)) {
            keys.refuse(tower + "_dict/" + key, "is read from " + tower + " alone");
        }
    }
    const std::size_t function = one_of(keys, tower + "/hidden_act", "quick_gelu", {"quick_gelu", "gelu"});
    return {.layers = tower_integer(keys, tower, "num_hidden_layers", usual.layers),
            .width = tower_integer(keys, tower, "hidden_size", usual.width),
            .heads = tower_integer(keys, tower, "num_attention_heads", usual.heads),
            .inner = tower_integer(keys, tower, "intermediate_size", usual.inner),
            .epsilon = keys.number(tower + "/layer_norm_eps", 1e-5),
            .has_quick_gelu = function == 0};
}
ANEMONE_INLINE clip_configuration clip_of_transformers(const configuration_keys& keys) {
    const std::string text = "text_config";
    const std::string image = "vision_config";
    clip_configuration c;
    c.text = tower_in(keys, text, c.text);
    c.image = tower_in(keys, image, c.image);
    c.projected = keys.integer("projection_dim", 512);
    c.patch = tower_integer(keys, image, "patch_size", 32);
    c.channels = tower_integer(keys, image, "num_channels", 3);
    c.size = tower_integer(keys, image, "image_size", 224);
    c.vocabulary = tower_integer(keys, text, "vocab_size", 49408);
    c.positions = tower_integer(keys, text, "max_position_embeddings", 77);
    c.end_token = tower_integer(keys, text, "eos_token_id", 49407);
    if (c.end_token == 2 && c.vocabulary > 0) { // older files: then the token with the largest number ends the text
        c.end_token = c.vocabulary - 1;
    }
    return c;
}

ANEMONE_INLINE std::string said(const bert_configuration& c) {
    std::string text = formatted("{}: {} layers of {}, {} heads, inner layer {}, vocabulary {}, positions {}",
                                 name(c.family), c.layers, c.width, c.heads, c.inner, c.vocabulary, c.positions);
    if (c.pooling != sentence_pooling::none) {
        text += formatted(", sentences as the {}{}", c.pooling == sentence_pooling::mean ? "mean" : "first token",
                          c.has_length_one ? " of length one" : "");
    }
    return text;
}
ANEMONE_INLINE std::string said(const clip_configuration& c) {
    return formatted("clip: of images {} layers of {}, {} x {} patches of {}, image {} x {} x {}; of texts {} layers "
                     "of {}, vocabulary {}, positions {}; embeddings of {}",
                     c.image.layers, c.image.width, c.size / c.patch, c.size / c.patch, c.patch, c.channels, c.size,
                     c.size, c.text.layers, c.text.width, c.vocabulary, c.positions, c.projected);
}

} // namespace ane::models::inline ANEMONE_WAY

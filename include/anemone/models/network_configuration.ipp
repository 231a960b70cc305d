#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_network_configuration_hpp);

#include "configuration_keys.hpp"
#include "network_configuration.hpp"
#include "speech/whisper_keys.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_INLINE bool is_network_type(std::string_view type) {
    return type == "resnet" || type == "convnext" || type == "vit" || type == "whisper";
}

ANEMONE_BODY_OF bool names_network(std::string_view json, std::string_view file) {
    const configuration_keys keys(json, file);
    return keys.has("architecture") || (keys.has("model_type") && is_network_type(keys.text("model_type", "")));
}

/// The keys of transformers: what is not there has the default of its classes.
class network_keys {
public:
    ANEMONE_INLINE explicit network_keys(const configuration_keys& keys) : keys_(keys) {}

    ANEMONE_INLINE std::array<std::int64_t, 4> four(const std::string& key,
                                                    std::array<std::int64_t, 4> otherwise) const {
        if (!keys_.has(key)) {
            return otherwise;
        }
        if (!keys_.has(key + "/3") || keys_.has(key + "/4")) {
            keys_.refuse(key, "is no list of four numbers, one for each stage");
        }
        for (std::size_t i = 0; i < 4; ++i) {
            otherwise[i] = keys_.integer(key + "/" + std::to_string(i));
        }
        return otherwise;
    }
    /// The labels, or two where none are named.
    ANEMONE_INLINE std::int64_t classes() const {
        if (keys_.has("num_labels")) {
            return keys_.integer("num_labels");
        }
        std::int64_t count = 0;
        while (keys_.has("id2label/" + std::to_string(count))) {
            ++count;
        }
        return count > 0 ? count : 2;
    }
    ANEMONE_INLINE void require_function(std::string_view wanted) const {
        const std::string found = keys_.text("hidden_act", std::string(wanted));
        if (found != wanted) {
            keys_.refuse("hidden_act",
                         "'" + error::shortened(found, 80) + "' is unknown; known is " + std::string(wanted));
        }
    }

private:
    const configuration_keys& keys_;
};

ANEMONE_INLINE network resnet_of_transformers(const configuration_keys& keys) {
    const network_keys network(keys);
    network.require_function("relu");
    const std::string layer = keys.text("layer_type", "bottleneck");
    if (layer != "basic" && layer != "bottleneck") {
        keys.refuse("layer_type", "'" + error::shortened(layer, 80) + "' is unknown; known are basic and bottleneck");
    }
    resnet_configuration c;
    c.source = publisher::transformers;
    c.has_bottlenecks = layer == "bottleneck";
    c.strides_first = keys.truth("downsample_in_bottleneck", false);
    c.halves_first_stage = keys.truth("downsample_in_first_stage", false);
    c.depths = network.four("depths", {3, 4, 6, 3});
    c.widths = network.four("hidden_sizes", {256, 512, 1024, 2048});
    c.stem = keys.integer("embedding_size", 64);
    c.channels = keys.integer("num_channels", 3);
    c.size = keys.integer("image_size", 224);
    c.classes = network.classes();
    return c;
}

ANEMONE_INLINE network convnext_of_transformers(const configuration_keys& keys) {
    const network_keys network(keys);
    network.require_function("gelu");
    convnext_configuration c;
    c.source = publisher::transformers;
    c.depths = network.four("depths", {3, 3, 9, 3});
    c.widths = network.four("hidden_sizes", {96, 192, 384, 768});
    c.patch = keys.integer("patch_size", 4);
    c.channels = keys.integer("num_channels", 3);
    c.size = keys.integer("image_size", 224);
    c.classes = network.classes();
    c.last_epsilon = keys.number("layer_norm_eps", 1e-12);
    if (keys.has("layer_scale_init_value") && keys.number("layer_scale_init_value") == 0) {
        keys.refuse("layer_scale_init_value", "0 leaves the blocks without their scales, which the graph has");
    }
    return c;
}

ANEMONE_INLINE network vit_of_transformers(const configuration_keys& keys) {
    const network_keys network(keys);
    network.require_function("gelu");
    vision_transformer_configuration c;
    c.source = publisher::transformers;
    c.layers = keys.integer("num_hidden_layers", 12);
    c.width = keys.integer("hidden_size", 768);
    c.heads = keys.integer("num_attention_heads", 12);
    c.inner = keys.integer("intermediate_size", 3072);
    c.patch = keys.integer("patch_size", 16);
    c.channels = keys.integer("num_channels", 3);
    c.size = keys.integer("image_size", 224);
    c.classes = network.classes();
    c.has_offsets = keys.truth("qkv_bias", true);
    c.epsilon = keys.number("layer_norm_eps", 1e-12);
    return c;
}

ANEMONE_INLINE network network_of_timm(const configuration_keys& keys) {
    const std::string name = keys.text("architecture", "");
    std::optional<network> found = find_network(name, publisher::timm);
    if (!found) {
        std::string known;
        for (const known_network& each : known_networks) {
            if (each.source == publisher::timm) {
                known += (known.empty() ? "" : ", ") + std::string(each.name);
            }
        }
        keys.refuse("architecture", "'" + error::shortened(name, 80) + "' is unknown; known of timm are " + known);
    }
    if (keys.has("num_classes")) {
        const std::int64_t classes = keys.integer("num_classes");
        std::visit(
            [&](auto& each) {
                if constexpr (requires { each.classes; }) {
                    each.classes = classes;
                }
            },
            *found);
    }
    const std::string size = "pretrained_cfg/input_size/";
    if (keys.has(size + "1")) {
        if (keys.integer(size + "1") != keys.integer(size + "2")) {
            keys.refuse("pretrained_cfg/input_size", "the image must be a square");
        }
        const std::int64_t pixels = keys.integer(size + "1");
        std::visit(
            [&](auto& each) {
                if constexpr (requires { each.size; }) {
                    each.size = pixels;
                }
            },
            *found);
    }
    return *found;
}

ANEMONE_BODY_OF network read_network_configuration(std::string_view json, std::string_view file) {
    const configuration_keys keys(json, file);
    const std::string type = keys.text("model_type", "");
    if (!keys.has("architecture") && !is_network_type(type)) {
        keys.refuse("model_type",
                    (type.empty() ? std::string("is not there") : "'" + error::shortened(type, 80) + "' is unknown") +
                        "; known of networks are resnet, convnext, vit, whisper and timm's \"architecture\"");
    }
    const network found = keys.has("architecture") ? network_of_timm(keys)
                          : type == "resnet"       ? resnet_of_transformers(keys)
                          : type == "convnext"     ? convnext_of_transformers(keys)
                          : type == "whisper"      ? network(whisper_of_transformers(keys))
                                                   : vit_of_transformers(keys);
    const std::string_view wrong = std::visit([](const auto& each) { return fault_of(each); }, found);
    if (!wrong.empty()) {
        throw error(errc::file, std::string(file), std::string(wrong));
    }
    return found;
}

ANEMONE_BODY_OF std::optional<pixel_statistics> read_pixel_statistics(std::string_view json, std::string_view file) {
    const configuration_keys keys(json, file);
    for (const auto& [mean, deviation] : {std::pair<const char*, const char*>{"image_mean", "image_std"},
                                          {"pretrained_cfg/mean", "pretrained_cfg/std"}}) {
        if (!keys.has(mean) && !keys.has(deviation)) {
            continue;
        }
        pixel_statistics found;
        const bool is_grey = !keys.has(std::string(mean) + "/1");
        for (std::size_t c = 0; c < 3; ++c) {
            const std::string channel = "/" + std::to_string(is_grey ? 0 : c);
            found.mean[c] = static_cast<float>(keys.number(mean + channel));
            found.deviation[c] = static_cast<float>(keys.number(deviation + channel));
            if (!(found.deviation[c] >= 1e-3F && found.deviation[c] <= 1e3F && found.mean[c] <= 1e3F)) {
                keys.refuse(deviation,
                            formatted("{} with the mean {}: the deviation must be from 0.001 to 1000, the mean at "
                                      "most 1000",
                                      found.deviation[c], found.mean[c]));
            }
        }
        return found;
    }
    return {};
}

ANEMONE_INLINE std::string numbers(const std::array<std::int64_t, 4>& all) {
    return formatted("{}, {}, {}, {}", all[0], all[1], all[2], all[3]);
}
ANEMONE_INLINE std::string said(const resnet_configuration& c) {
    return formatted("resnet: {} {} blocks of {} channels, image {} x {} x {}", numbers(c.depths),
                     c.has_bottlenecks ? "bottleneck" : "basic", numbers(c.widths), c.channels, c.size, c.size);
}
ANEMONE_INLINE std::string said(const mobile_configuration& c) {
    return formatted("{}: image 3 x {} x {}", name(c.kind), c.size, c.size);
}
ANEMONE_INLINE std::string said(const convnext_configuration& c) {
    return formatted("convnext: {} blocks of {} channels, image {} x {} x {}", numbers(c.depths), numbers(c.widths),
                     c.channels, c.size, c.size);
}
ANEMONE_INLINE std::string said(const vision_transformer_configuration& c) {
    return formatted("vit: {} layers of {}, {} heads, inner layer {}, {} x {} patches of {}, image {} x {} x {}",
                     c.layers, c.width, c.heads, c.inner, c.size / c.patch, c.size / c.patch, c.patch, c.channels,
                     c.size, c.size);
}

ANEMONE_INLINE std::string said(const whisper_configuration& c) {
    return formatted(
        "whisper: {} wide, {} layers of {} heads and {} for {} positions of {} bands, {} layers of {} heads "
        "and {} for {} tokens of {} words",
        c.width, c.encoder_layers, c.encoder_heads, c.encoder_inner, c.positions, c.mels, c.decoder_layers,
        c.decoder_heads, c.decoder_inner, c.text_positions, c.vocabulary);
}

ANEMONE_BODY_OF std::string print(const network& n) {
    return std::visit(
        [](const auto& each) {
            std::string text = said(each);
            if constexpr (requires { each.classes; }) {
                text += formatted(", {} classes", each.classes);
            }
            return text + formatted("; weights as {} names them", name(each.source));
        },
        n);
}

} // namespace ane::models::inline ANEMONE_WAY

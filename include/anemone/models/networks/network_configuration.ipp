#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_networks_network_configuration_hpp);

#include "../configuration_keys.hpp"
#include "../speech/whisper_keys.hpp"
#include "../text/text_configurations.hpp"
#include "network_configuration.hpp"
#include "vision_configurations.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_INLINE bool is_network_type(std::string_view type) {
    return type == "resnet" || type == "convnext" || type == "vit" || type == "swin" || type == "clip" ||
           type == "whisper" || is_bert_type(type);
}
/// Of diffusers' "_class_name".
ANEMONE_INLINE bool is_network_class(std::string_view name) {
    return name == "UNet2DConditionModel" || name == "AutoencoderKL";
}

ANEMONE_BODY_OF bool names_network(std::string_view json, std::string_view file) {
    const configuration_keys keys(json, file);
    return keys.has("architecture") || is_network_type(keys.text("model_type", "")) || keys.has("_class_name");
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

ANEMONE_INLINE network network_said_by(const configuration_keys& keys) {
    const std::string type = keys.text("model_type", "");
    const std::string diffusers = keys.text("_class_name", "");
    if (keys.has("architecture")) {
        return network_of_timm(keys);
    }
    if (is_network_class(diffusers)) {
        return diffusers == "AutoencoderKL" ? autoencoder_of_diffusers(keys) : unet_of_diffusers(keys);
    }
    if (!diffusers.empty()) {
        keys.refuse("_class_name", "'" + error::shortened(diffusers, 80) +
                                       "' is unknown; known of diffusers are UNet2DConditionModel and AutoencoderKL");
    }
    if (!is_network_type(type)) {
        keys.refuse("model_type",
                    (type.empty() ? std::string("is not there") : "'" + error::shortened(type, 80) + "' is unknown") +
                        "; known of networks are resnet, convnext, vit, swin, clip, bert, roberta, xlm-roberta, "
                        "distilbert and whisper, timm's \"architecture\", and diffusers' \"_class_name\" "
                        "UNet2DConditionModel and AutoencoderKL");
    }
    return type == "resnet"     ? resnet_of_transformers(keys)
           : type == "convnext" ? convnext_of_transformers(keys)
           : type == "swin"     ? swin_of_transformers(keys)
           : type == "clip"     ? network(clip_of_transformers(keys))
           : is_bert_type(type) ? network(bert_of_transformers(keys, type))
           : type == "whisper"  ? network(whisper_of_transformers(keys))
                                : vit_of_transformers(keys);
}

ANEMONE_BODY_OF network read_network_configuration(std::string_view json, std::string_view file) {
    const configuration_keys keys(json, file);
    keys.refuse_packed_weights();
    const network found = network_said_by(keys);
    if (const std::string_view wrong = fault_of_network(found); !wrong.empty()) {
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
ANEMONE_INLINE std::string said(const swin_configuration& c) {
    return formatted("swin: {} blocks of {} channels and {} heads, windows of {} x {}, image {} x {} x {}",
                     numbers(c.depths), numbers({c.width, 2 * c.width, 4 * c.width, 8 * c.width}), numbers(c.heads),
                     c.window, c.window, c.channels, c.size, c.size);
}
ANEMONE_INLINE std::string said(const yolo_configuration& c) {
    return formatted("yolov8: {} blocks at strides 4 to 32, {} channels at the last, image 3 x {} x {}",
                     numbers(c.depths), c.widths.back(), c.size, c.size);
}
ANEMONE_INLINE std::string said(const espcn_configuration& c) {
    return formatted("espcn: image {} x {} x {}, {} times as high and wide", c.channels, c.size, c.size, c.scale);
}
ANEMONE_INLINE std::string said(const autoencoder_configuration& c) {
    return formatted("autoencoder: {} blocks a stage of {} channels, image {} x {} x {}, latent {} x {} x {}", c.blocks,
                     numbers(c.widths), c.channels, c.size, c.size, c.latent, c.size / 8, c.size / 8);
}
ANEMONE_INLINE std::string said(const unet_configuration& c) {
    return formatted("unet: {} blocks a stage of {} channels, latent {} x {} x {}, text of {} tokens of {}", c.blocks,
                     numbers(c.widths), c.channels, c.size, c.size, c.positions, c.context_width);
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

#ifndef ANEMONE_MODELS_NETWORKS_NETWORK_CONFIGURATION_HPP
#define ANEMONE_MODELS_NETWORKS_NETWORK_CONFIGURATION_HPP

#include "../../base/way.hpp"
#include "network.hpp"

#include <string>
#include <string_view>

namespace ane::models::inline ANEMONE_WAY {

/// Whether the text of a `config.json` is that of one of these networks, known or not: it has timm's "architecture", or a
/// `model_type` of transformers or a `_class_name` of diffusers of theirs. Throws `ane::error` (errc::file) for text that is
/// not JSON.
ANEMONE_API_OF(anemone_models_networks_network_configuration_hpp)
bool names_network(std::string_view json, std::string_view file = "config.json");

/// What the text of a `config.json` says: of transformers, `model_type` resnet, convnext, vit, swin, clip, bert, roberta,
/// xlm-roberta, distilbert or whisper; of timm, "architecture"; of diffusers, `_class_name` UNet2DConditionModel or
/// AutoencoderKL. How sentences are pooled stands in other files (`read_network`).
/// `file` names it in errors. Throws `ane::error` (errc::file), naming key, value and what is known.
ANEMONE_API_OF(anemone_models_networks_network_configuration_hpp)
network read_network_configuration(std::string_view json, std::string_view file = "config.json");

/// What the text of a configuration says of pixels: "image_mean" and "image_std" of transformers' `preprocessor_config.json`,
/// "mean" and "std" of timm's "pretrained_cfg"; nothing where it has neither. Throws as `read_network_configuration`, also for
/// a deviation that is not above 0 in fp16.
ANEMONE_API_OF(anemone_models_networks_network_configuration_hpp)
std::optional<pixel_statistics> read_pixel_statistics(std::string_view json, std::string_view file);

/// "resnet, 2, 2, 2, 2 basic blocks of 64, 128, 256, 512 channels, image 3 x 224 x 224, 1000 classes".
ANEMONE_API_OF(anemone_models_networks_network_configuration_hpp) std::string print(const network& n);

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "network_configuration.ipp"
#endif

#pragma once

#include "../host_tables.hpp"
#include "../speech/whisper.hpp"
#include "../text/bert.hpp"
#include "../text/clip.hpp"
#include "../vision/autoencoder.hpp"
#include "../vision/convnext.hpp"
#include "../vision/espcn.hpp"
#include "../vision/mobile_network.hpp"
#include "../vision/resnet.hpp"
#include "../vision/swin.hpp"
#include "../vision/unet.hpp"
#include "../vision/vision_transformer.hpp"
#include "../vision/yolo.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

/// Networks that are published with their weights: what they are, as a value, and as graphs.
namespace ane::models {

/// One of the families. What ports their graphs have stands beside their `network_graph`; most of images give `logits` of an
/// `image`.
using network =
    std::variant<resnet_configuration, mobile_configuration, convnext_configuration, vision_transformer_configuration,
                 swin_configuration, yolo_configuration, espcn_configuration, autoencoder_configuration,
                 unet_configuration, bert_configuration, clip_configuration, whisper_configuration>;

/// The graph of a network (`network_graph` of its family). Throws `ane::error` (errc::graph) for one that cannot be.
constexpr dynamic_graph network_graph(const network& n, const network_form& f = {}) {
    return std::visit([&](const auto& each) { return network_graph(each, f); }, n);
}
/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of_network(const network& n) noexcept {
    return std::visit([](const auto& each) { return fault_of(each); }, n);
}
/// The graphs of a network that is published as several, a list in its configuration; of all others `whole` alone.
constexpr std::span<const network_part> parts_of(const network& n) noexcept {
    return std::visit(
        [](const auto& each) -> std::span<const network_part> {
            using configuration = std::remove_cvref_t<decltype(each)>;
            if constexpr (requires { configuration::parts; }) {
                return configuration::parts;
            } else {
                constexpr static network_part whole[] = {network_part::whole};
                return whole;
            }
        },
        n);
}
/// How many tokens or frames a network was trained for, which `network_form::positions` may choose fewer of; 0 where its
/// graph does not depend on it.
constexpr std::int64_t positions_of(const network& n) noexcept {
    return std::visit(
        [](const auto& each) -> std::int64_t {
            if constexpr (requires { each.positions; }) {
                return each.positions;
            } else {
                return 0;
            }
        },
        n);
}
/// The tensors that no graph of a network has, since the host takes rows of them; without names where there are none.
constexpr host_tables host_tables_of(const network& n) noexcept {
    return std::visit(
        [](const auto& each) -> host_tables {
            if constexpr (requires { tables_of(each); }) {
                return tables_of(each);
            } else {
                return {};
            }
        },
        n);
}
/// How a text is given to the graph of a network; nothing where it takes none.
constexpr std::optional<text_ports> text_ports_of(const network& n) noexcept {
    return std::visit(
        [](const auto& each) -> std::optional<text_ports> {
            if constexpr (requires { ports_of(each); }) {
                return ports_of(each);
            } else {
                return {};
            }
        },
        n);
}
/// The weight whose rows are the positions of patches, by its published name; empty where there is none.
constexpr std::string_view positions_name_of(const network& n) noexcept {
    return std::visit(
        [](const auto& each) -> std::string_view {
            if constexpr (requires { positions_name(each); }) {
                return positions_name(each);
            } else {
                return {};
            }
        },
        n);
}
/// The library whose names the weights have.
constexpr publisher source_of(const network& n) noexcept {
    return std::visit([](const auto& each) { return each.source; }, n);
}
/// The same network under the names of another library.
constexpr network published_by(network n, publisher p) noexcept {
    std::visit([&](auto& each) { each.source = p; }, n);
    return n;
}

/// Of the batch norms of a network, `norm_epsilon` of its configuration where they have another than most.
constexpr double norm_epsilon_of(const network& n) noexcept {
    if (const auto* const mobile = std::get_if<mobile_configuration>(&n)) {
        return norm_epsilon_of(*mobile);
    }
    return std::visit(
        [](const auto& each) -> double {
            using configuration = std::remove_cvref_t<decltype(each)>;
            if constexpr (requires { configuration::norm_epsilon; }) {
                return configuration::norm_epsilon;
            } else {
                return 1e-5;
            }
        },
        n);
}

/// What the pixels of a family are normalized by where its files do not say it: `pixels` of its configuration where there is
/// such; timm and transformers have -1 to 1 for vision transformers, all others the statistics of ImageNet.
constexpr pixel_statistics usual_pixels(const network& n) noexcept {
    return std::visit(
        [](const auto& each) -> pixel_statistics {
            using configuration = std::remove_cvref_t<decltype(each)>;
            if constexpr (requires { configuration::pixels; }) {
                return configuration::pixels;
            } else if constexpr (std::is_same_v<configuration, vision_transformer_configuration>) {
                return each.source == publisher::torchvision ? imagenet : from_minus_1_to_1;
            } else {
                return imagenet;
            }
        },
        n);
}

/// A network by the name that a library gives it.
struct known_network {
    std::string_view name;
    publisher source;
    network is;
};
inline constexpr known_network known_networks[] = {
    {"resnet18", publisher::torchvision, resnet18},
    {"resnet34", publisher::torchvision, resnet34},
    {"resnet50", publisher::torchvision, resnet50},
    {"resnet101", publisher::torchvision, resnet101},
    {"resnet152", publisher::torchvision, resnet152},
    {"mobilenet_v2", publisher::torchvision, mobilenet_v2},
    {"mobilenet_v3_large", publisher::torchvision, mobilenet_v3_large},
    {"mobilenet_v3_small", publisher::torchvision, mobilenet_v3_small},
    {"efficientnet_b0", publisher::torchvision, efficientnet_b0},
    {"convnext_tiny", publisher::torchvision, convnext_tiny},
    {"convnext_small", publisher::torchvision, convnext_small},
    {"convnext_base", publisher::torchvision, convnext_base},
    {"vit_b_16", publisher::torchvision, vit_b_16},
    {"vit_b_32", publisher::torchvision, vit_b_32},
    {"vit_l_16", publisher::torchvision, vit_l_16},
    {"swin_t", publisher::torchvision, swin_t},
    {"swin_s", publisher::torchvision, swin_s},
    {"swin_b", publisher::torchvision, swin_b},
    {"resnet18", publisher::timm, resnet18},
    {"resnet34", publisher::timm, resnet34},
    {"resnet50", publisher::timm, resnet50},
    {"resnet101", publisher::timm, resnet101},
    {"resnet152", publisher::timm, resnet152},
    {"mobilenetv2_100", publisher::timm, mobilenet_v2},
    {"efficientnet_b0", publisher::timm, efficientnet_b0},
    {"convnext_tiny", publisher::timm, convnext_tiny},
    {"convnext_small", publisher::timm, convnext_small},
    {"convnext_base", publisher::timm, convnext_base},
    {"vit_tiny_patch16_224", publisher::timm, vit_t_16},
    {"vit_small_patch16_224", publisher::timm, vit_s_16},
    {"vit_base_patch16_224", publisher::timm, vit_b_16},
    {"vit_base_patch32_224", publisher::timm, vit_b_32},
    {"vit_large_patch16_224", publisher::timm, vit_l_16},
    {"all-MiniLM-L6-v2", publisher::transformers, minilm_l6},
    {"all-MiniLM-L12-v2", publisher::transformers, minilm_l12},
    {"bge-small-en-v1.5", publisher::transformers, bge_small},
    {"bge-base-en-v1.5", publisher::transformers, bge_base},
    {"bert-base-uncased", publisher::transformers, bert_base},
    {"bert-large-uncased", publisher::transformers, bert_large},
    {"roberta-base", publisher::transformers, roberta_base},
    {"distilbert-base-uncased", publisher::transformers, distilbert_base},
    {"clip-vit-base-patch32", publisher::transformers, clip_b_32},
    {"clip-vit-base-patch16", publisher::transformers, clip_b_16},
    {"clip-vit-large-patch14", publisher::transformers, clip_l_14},
    {"whisper-tiny", publisher::transformers, whisper_tiny},
    {"whisper-base", publisher::transformers, whisper_base},
    {"whisper-small", publisher::transformers, whisper_small},
    {"whisper-medium", publisher::transformers, whisper_medium},
    {"whisper-large-v3", publisher::transformers, whisper_large_v3},
    {"whisper-large-v3-turbo", publisher::transformers, whisper_large_v3_turbo},
    {"swin_tiny_patch4_window7_224", publisher::timm, swin_t},
    {"swin_small_patch4_window7_224", publisher::timm, swin_s},
    {"swin_base_patch4_window7_224", publisher::timm, swin_b},
    {"yolov8n", publisher::ultralytics, yolov8n},
    {"yolov8s", publisher::ultralytics, yolov8s},
    {"yolov8m", publisher::ultralytics, yolov8m},
    {"yolov8l", publisher::ultralytics, yolov8l},
    {"yolov8x", publisher::ultralytics, yolov8x},
    {"espcn_x2", publisher::espcn_pytorch, espcn_x2},
    {"espcn_x3", publisher::espcn_pytorch, espcn_x3},
    {"espcn_x4", publisher::espcn_pytorch, espcn_x4},
    {"sd15_unet", publisher::diffusers, stable_diffusion_unet},
    {"sd15_vae", publisher::diffusers, stable_diffusion_vae},
};

/// The network that a library calls so; nothing where it has none of the name.
constexpr std::optional<network> find_network(std::string_view name, publisher source) noexcept {
    for (const known_network& each : known_networks) {
        if (each.name == name && each.source == source) {
            return published_by(each.is, source);
        }
    }
    return {};
}
/// The network of a name, torchvision's where two libraries have it.
constexpr std::optional<network> find_network(std::string_view name) noexcept {
    for (const known_network& each : known_networks) { // torchvision's come first
        if (each.name == name) {
            return published_by(each.is, each.source);
        }
    }
    return {};
}

namespace detail {
template <auto Configuration, network_form Form>
inline constexpr graph_size network_size = size_of(network_graph(Configuration, Form));
}

/// A network as a constant, for the checks of compilers: `static_assert(ane::conforms<image_network<resnet50>, ane::macs>)`.
template <auto Configuration, network_form Form = network_form{}>
inline constexpr static_graph<detail::network_size<Configuration, Form>> image_network{
    network_graph(Configuration, Form)};

} // namespace ane::models

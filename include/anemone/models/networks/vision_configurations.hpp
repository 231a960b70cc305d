#pragma once

#include "../../base/error.hpp"
#include "../../base/way.hpp"
#include "../configuration_keys.hpp"
#include "network.hpp"
#include "network_keys.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What `config.json` says of image networks, a function a family. Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

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

ANEMONE_INLINE network swin_of_transformers(const configuration_keys& keys) {
    const network_keys network(keys);
    network.require_function("gelu");
    network.require_value("use_absolute_embeddings", "false");
    swin_configuration c;
    c.source = publisher::transformers;
    c.depths = network.four("depths", {2, 2, 6, 2});
    c.heads = network.four("num_heads", {3, 6, 12, 24});
    c.width = keys.integer("embed_dim", 96);
    const double inner = keys.number("mlp_ratio", 4);
    if (!(inner >= 1 && inner <= 64) || inner != static_cast<double>(static_cast<std::int64_t>(inner))) {
        keys.refuse("mlp_ratio", "the inner layer is a whole number of times as wide, from 1 to 64");
    }
    c.inner = static_cast<std::int64_t>(inner);
    c.window = keys.integer("window_size", 7);
    c.patch = keys.integer("patch_size", 4);
    c.channels = keys.integer("num_channels", 3);
    c.size = keys.integer("image_size", 224);
    c.classes = network.classes();
    c.has_offsets = keys.truth("qkv_bias", true);
    c.epsilon = keys.number("layer_norm_eps", 1e-5);
    return c;
}

/// Whether each of four blocks is of the one kind, or of the other.
ANEMONE_INLINE std::array<bool, 4> kinds_of_blocks(const configuration_keys& keys, const std::string& key,
                                                   const std::array<bool, 4>& otherwise, std::string_view is,
                                                   std::string_view is_not) {
    if (!keys.has(key)) {
        return otherwise;
    }
    if (!keys.has(key + "/3") || keys.has(key + "/4")) {
        keys.refuse(key, "is no list of four blocks, one for each stage");
    }
    std::array<bool, 4> found{};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::string block = key + "/" + std::to_string(i);
        const std::string kind = keys.text(block, "");
        if (kind != is && kind != is_not) {
            keys.refuse(block, "'" + error::shortened(kind, 80) + "' is unknown; known is " + std::string(is) +
                                   (is == is_not ? "" : " and " + std::string(is_not)));
        }
        found[i] = kind == is;
    }
    return found;
}

ANEMONE_INLINE network autoencoder_of_diffusers(const configuration_keys& keys) {
    keys.require_known({"_class_name",
                        "_diffusers_version",
                        "_name_or_path",
                        "act_fn",
                        "block_out_channels",
                        "down_block_types",
                        "force_upcast",
                        "in_channels",
                        "latent_channels",
                        "latents_mean",
                        "latents_std",
                        "layers_per_block",
                        "mid_block_add_attention",
                        "norm_num_groups",
                        "out_channels",
                        "sample_size",
                        "scaling_factor",
                        "shift_factor",
                        "up_block_types",
                        "use_post_quant_conv",
                        "use_quant_conv"});
    const network_keys network(keys);
    network.require_value("act_fn", "silu");
    for (const char* const key : {"use_quant_conv", "use_post_quant_conv", "mid_block_add_attention"}) {
        network.require_value(key, "true");
    }
    kinds_of_blocks(keys, "down_block_types", {}, "DownEncoderBlock2D", "DownEncoderBlock2D");
    kinds_of_blocks(keys, "up_block_types", {}, "UpDecoderBlock2D", "UpDecoderBlock2D");
    autoencoder_configuration c;
    keys.require("block_out_channels"); // the default is another network, of one stage
    c.widths = network.four("block_out_channels", c.widths);
    c.blocks = keys.integer("layers_per_block", 1);
    c.latent = keys.integer("latent_channels", 4);
    c.groups = keys.integer("norm_num_groups", 32);
    c.channels = keys.integer("in_channels", 3);
    if (keys.integer("out_channels", 3) != c.channels) {
        keys.refuse("out_channels", "differs from \"in_channels\": an image comes out as it went in");
    }
    c.size = keys.integer("sample_size", 32);
    return c;
}

ANEMONE_INLINE network unet_of_diffusers(const configuration_keys& keys) {
    struct fixed {
        const char* key;
        std::string_view value; ///< "": null
    };
    constexpr fixed all[] = {{"act_fn", "silu"},
                             {"addition_embed_type", ""},
                             {"attention_type", "default"},
                             {"center_input_sample", "false"},
                             {"class_embed_type", ""},
                             {"class_embeddings_concat", "false"},
                             {"conv_in_kernel", "3"},
                             {"conv_out_kernel", "3"},
                             {"cross_attention_norm", ""},
                             {"downsample_padding", "1"},
                             {"dual_cross_attention", "false"},
                             {"encoder_hid_dim", ""},
                             {"encoder_hid_dim_type", ""},
                             {"flip_sin_to_cos", "true"},
                             {"freq_shift", "0"},
                             {"mid_block_only_cross_attention", ""},
                             {"mid_block_scale_factor", "1"},
                             {"mid_block_type", "UNetMidBlock2DCrossAttn"},
                             {"num_attention_heads", ""},
                             {"num_class_embeds", ""},
                             {"only_cross_attention", "false"},
                             {"projection_class_embeddings_input_dim", ""},
                             {"resnet_out_scale_factor", "1"},
                             {"resnet_skip_time_act", "false"},
                             {"resnet_time_scale_shift", "default"},
                             {"reverse_transformer_layers_per_block", ""},
                             {"time_cond_proj_dim", ""},
                             {"time_embedding_act_fn", ""},
                             {"time_embedding_dim", ""},
                             {"time_embedding_type", "positional"},
                             {"timestep_post_act", ""},
                             {"transformer_layers_per_block", "1"}};
    std::vector<std::string_view> known{"_class_name",
                                        "_diffusers_version",
                                        "_name_or_path",
                                        "addition_embed_type_num_heads",
                                        "addition_time_embed_dim",
                                        "attention_head_dim",
                                        "block_out_channels",
                                        "cross_attention_dim",
                                        "down_block_types",
                                        "dropout",
                                        "in_channels",
                                        "layers_per_block",
                                        "norm_eps",
                                        "norm_num_groups",
                                        "out_channels",
                                        "sample_size",
                                        "up_block_types",
                                        "upcast_attention",
                                        "use_linear_projection"};
    const network_keys network(keys);
    for (const fixed& each : all) {
        known.push_back(each.key);
        if (each.value.empty() && keys.has(each.key)) {
            keys.refuse(each.key, "is not null: the graph computes nothing of that kind");
        }
        network.require_value(each.key, each.value);
    }
    keys.require_known(known);
    unet_configuration c;
    c.attends = kinds_of_blocks(keys, "down_block_types", c.attends, "CrossAttnDownBlock2D", "DownBlock2D");
    std::array<bool, 4> mirrored = c.attends;
    std::reverse(mirrored.begin(), mirrored.end());
    if (kinds_of_blocks(keys, "up_block_types", {false, true, true, true}, "CrossAttnUpBlock2D", "UpBlock2D") !=
        mirrored) {
        keys.refuse("up_block_types", "the way up must have its attention where the way down has it");
    }
    c.widths = network.four("block_out_channels", {320, 640, 1280, 1280});
    if (keys.has("attention_head_dim/0")) {
        c.heads = network.four("attention_head_dim", {});
    } else {
        c.heads.fill(keys.integer("attention_head_dim", 8)); // their number, whatever the key says
    }
    c.blocks = keys.integer("layers_per_block", 2);
    c.context_width = keys.integer("cross_attention_dim", 1280);
    c.channels = keys.integer("in_channels", 4);
    c.given = keys.integer("out_channels", 4);
    c.groups = keys.integer("norm_num_groups", 32);
    c.size = keys.integer("sample_size");
    c.epsilon = keys.number("norm_eps", 1e-5);
    return c;
}

} // namespace ane::models::inline ANEMONE_WAY

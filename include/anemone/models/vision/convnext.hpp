#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../network_maker.hpp"
#include "../publisher.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::models {

/// ConvNeXt (Liu et al. 2022): four stages of blocks of a 7x7 by channel, a normalization and an inner layer of 1x1s.
struct convnext_configuration {
    publisher source = publisher::torchvision;
    std::array<std::int64_t, 4> depths{};
    std::array<std::int64_t, 4> widths{};
    std::int64_t patch = 4; ///< pixels of the stem's window, both ways
    std::int64_t channels = 3;
    std::int64_t size = 224; ///< of the image, both ways
    std::int64_t classes = 1000;
    double last_epsilon = 1e-6; ///< of the last normalization; the others have 1e-6
    friend constexpr bool operator==(const convnext_configuration&, const convnext_configuration&) = default;
};
inline constexpr convnext_configuration convnext_tiny{.depths = {3, 3, 9, 3}, .widths = {96, 192, 384, 768}};
inline constexpr convnext_configuration convnext_small{.depths = {3, 3, 27, 3}, .widths = {96, 192, 384, 768}};
inline constexpr convnext_configuration convnext_base{.depths = {3, 3, 27, 3}, .widths = {128, 256, 512, 1024}};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const convnext_configuration& c) noexcept {
    for (std::size_t s = 0; s < 4; ++s) {
        if (c.depths[s] < 1 || c.depths[s] > 256 || c.widths[s] < 1 || c.widths[s] > 65536) {
            return "a stage has from 1 to 256 blocks and from 1 to 65536 channels";
        }
    }
    return c.channels < 1 || c.channels > 65536 || c.classes < 1 || c.classes > 1 << 24
               ? "the image has from 1 to 65536 channels, and the classes are from 1 to 16777216"
           : c.patch < 1 || c.patch > 1024 || c.size < 8 * c.patch || c.size > 16384
               ? "the image must be at least 8 patches and at most 16384 pixels wide, a patch from 1 to 1024"
               : "";
}

namespace detail {

struct convnext_names {
    std::string_view stem, stem_norm;
    std::string_view block; ///< '#': the stage; '*': the block
    std::string_view across, norm, up, down, scale;
    std::string_view halving; ///< what precedes a stage: its prefix, a normalization and a convolution 2x2
    std::string_view halving_norm, halving_convolution;
    std::string_view last_norm, head;
    std::int64_t stride = 1;  ///< torchvision counts what precedes a stage, too: stage s is 2 s + 1
    std::int64_t offset = 0;  ///< of the stage
    std::int64_t earlier = 0; ///< the halving of a stage is so much before it
};
constexpr convnext_names names_of(const convnext_configuration& c) noexcept {
    if (c.source == publisher::timm) {
        return {.stem = "stem.0",
                .stem_norm = "stem.1",
                .block = "stages.#.blocks.*.",
                .across = "conv_dw",
                .norm = "norm",
                .up = "mlp.fc1",
                .down = "mlp.fc2",
                .scale = "gamma",
                .halving = "stages.#.downsample.",
                .halving_norm = "0",
                .halving_convolution = "1",
                .last_norm = "head.norm",
                .head = "head.fc"};
    }
    if (c.source == publisher::transformers) {
        return {.stem = "embeddings.patch_embeddings",
                .stem_norm = "embeddings.layernorm",
                .block = "encoder.stages.#.layers.*.",
                .across = "dwconv",
                .norm = "layernorm",
                .up = "pwconv1",
                .down = "pwconv2",
                .scale = "layer_scale_parameter",
                .halving = "encoder.stages.#.downsampling_layer.",
                .halving_norm = "0",
                .halving_convolution = "1",
                .last_norm = "layernorm",
                .head = "classifier"};
    }
    return {.stem = "features.0.0",
            .stem_norm = "features.0.1",
            .block = "features.#.*.",
            .across = "block.0",
            .norm = "block.2",
            .up = "block.3",
            .down = "block.5",
            .scale = "layer_scale",
            .halving = "features.#.",
            .halving_norm = "0",
            .halving_convolution = "1",
            .last_norm = "classifier.0",
            .head = "classifier.2",
            .stride = 2,
            .offset = 1,
            .earlier = 1};
}

/// x + scale * (the inner layer of the normalized 7x7 by channel).
constexpr int convnext_block(network_maker& m, const convnext_names& n, int x) {
    const std::int64_t width = m.shape(x)[1];
    int y = m.convolution(x, n.across, n.across, width, {.size = 7, .border = 3, .groups = static_cast<int>(width)});
    y = m.layer_norm(y, n.norm, 1e-6, 1);
    y = m.function(op::gelu, m.convolution(y, n.up, n.up, 4 * width, {}));
    y = m.convolution(y, n.down, n.down, width, {});
    return m.add(x, m.mul(y, m.weight(n.scale, "", {1, width, 1, 1})));
}

} // namespace detail

/// The graph of a ConvNeXt: `image` [1, channels, size, size], as the form has it, to `logits` [1, classes]. Throws `ane::error`
/// (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const convnext_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("convnext", wrong.data());
    }
    const detail::convnext_names n = detail::names_of(c);
    const int patch = static_cast<int>(c.patch);
    network_maker m;
    int x = m.image(f, c.channels, c.size);
    m.enter_whole("stem");
    x = m.convolution(x, n.stem, n.stem, c.widths[0], {.size = patch, .stride = patch});
    x = m.layer_norm(x, n.stem_norm, 1e-6, 1);
    for (std::size_t s = 0; s < 4; ++s) {
        const std::int64_t stage = n.stride * static_cast<std::int64_t>(s) + n.offset;
        if (s > 0) {
            m.enter(n.halving, stage - n.earlier);
            x = m.layer_norm(x, n.halving_norm, 1e-6, 1);
            x = m.convolution(x, n.halving_convolution, n.halving_convolution, c.widths[s], {.size = 2, .stride = 2});
        }
        for (std::int64_t block = 0; block < c.depths[s]; ++block) {
            m.enter(n.block, stage, block);
            x = detail::convnext_block(m, n, x);
        }
    }
    m.enter_whole("head");
    m.classify(m.layer_norm(m.pooled(x), n.last_norm, c.last_epsilon, 1), n.head, c.classes);
    return std::move(m).taken();
}

} // namespace ane::models

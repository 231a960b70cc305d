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

/// Residual networks (He et al. 2015): four stages of basic blocks, two convolutions 3x3, or of bottlenecks, 1x1, 3x3, 1x1.
struct resnet_configuration {
    publisher source = publisher::torchvision; ///< timm has torchvision's names
    bool has_bottlenecks = false;
    bool strides_first = false;           ///< bottlenecks: the stride is that of the first 1x1, not of the 3x3
    bool halves_first_stage = false;      ///< the first stage has stride 2, too
    std::array<std::int64_t, 4> depths{}; ///< blocks of a stage
    std::array<std::int64_t, 4> widths{}; ///< channels that a stage gives
    std::int64_t stem = 64;               ///< channels behind the first convolution
    std::int64_t channels = 3;
    std::int64_t size = 224; ///< of the image, both ways
    std::int64_t classes = 1000;
    friend constexpr bool operator==(const resnet_configuration&, const resnet_configuration&) = default;
};

inline constexpr resnet_configuration resnet18{.depths = {2, 2, 2, 2}, .widths = {64, 128, 256, 512}};
inline constexpr resnet_configuration resnet34{.depths = {3, 4, 6, 3}, .widths = {64, 128, 256, 512}};
inline constexpr resnet_configuration resnet50{
    .has_bottlenecks = true, .depths = {3, 4, 6, 3}, .widths = {256, 512, 1024, 2048}};
inline constexpr resnet_configuration resnet101{
    .has_bottlenecks = true, .depths = {3, 4, 23, 3}, .widths = {256, 512, 1024, 2048}};
inline constexpr resnet_configuration resnet152{
    .has_bottlenecks = true, .depths = {3, 8, 36, 3}, .widths = {256, 512, 1024, 2048}};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const resnet_configuration& c) noexcept {
    for (std::size_t s = 0; s < 4; ++s) {
        if (c.depths[s] < 1 || c.depths[s] > 256 || c.widths[s] < 1 || c.widths[s] > 65536) {
            return "a stage has from 1 to 256 blocks and from 1 to 65536 channels";
        }
        if (c.has_bottlenecks && c.widths[s] % 4 != 0) {
            return "bottlenecks give a multiple of 4 channels";
        }
    }
    return c.stem < 1 || c.stem > 65536 || c.channels < 1 || c.channels > 65536 || c.classes < 1 || c.classes > 1 << 24
               ? "the image has from 1 to 65536 channels, as the stem, and the classes are from 1 to 16777216"
           : c.size < 1 || c.size > 16384 ? "the image must be from 1 to 16384 pixels wide"
                                          : "";
}

namespace detail {

/// What the parts are called, behind the prefix of a block: convolutions and their batch norms.
struct resnet_names {
    std::string_view stem, stem_norm;
    std::string_view block; ///< '#': the stage, counted from first_stage on; '*': the block
    std::int64_t first_stage;
    std::array<std::string_view, 3> convolutions, norms;
    std::string_view shortcut, shortcut_norm;
    std::string_view head;
};
constexpr resnet_names names_of(const resnet_configuration& c) noexcept {
    if (c.source == publisher::transformers) {
        return {.stem = "embedder.embedder.convolution",
                .stem_norm = "embedder.embedder.normalization",
                .block = "encoder.stages.#.layers.*.",
                .first_stage = 0,
                .convolutions = {"layer.0.convolution", "layer.1.convolution", "layer.2.convolution"},
                .norms = {"layer.0.normalization", "layer.1.normalization", "layer.2.normalization"},
                .shortcut = "shortcut.convolution",
                .shortcut_norm = "shortcut.normalization",
                .head = "classifier.1"};
    }
    return {.stem = "conv1",
            .stem_norm = "bn1",
            .block = "layer#.*.",
            .first_stage = 1,
            .convolutions = {"conv1", "conv2", "conv3"},
            .norms = {"bn1", "bn2", "bn3"},
            .shortcut = "downsample.0",
            .shortcut_norm = "downsample.1",
            .head = "fc"};
}

/// relu(the convolutions of a block + x), x by a convolution 1x1 where the shapes differ.
constexpr int resnet_block(network_maker& m, const resnet_configuration& c, const resnet_names& n, int x,
                           std::int64_t width, int stride) {
    int shortcut = x;
    if (stride != 1 || m.shape(x)[1] != width) {
        shortcut = m.convolution(x, n.shortcut, n.shortcut_norm, width, {.stride = stride});
    }
    const int count = c.has_bottlenecks ? 3 : 2;
    const int strided = c.has_bottlenecks && !c.strides_first ? 1 : 0;
    for (int i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const bool is_wide = !c.has_bottlenecks || i == 1;
        const std::int64_t to = c.has_bottlenecks && i < 2 ? width / 4 : width;
        x = m.convolution(x, n.convolutions[k], n.norms[k], to,
                          {.size = is_wide ? 3 : 1, .stride = i == strided ? stride : 1, .border = is_wide ? 1 : 0});
        x = i + 1 < count ? m.function(op::relu, x) : x;
    }
    return m.function(op::relu, m.add(x, shortcut));
}

} // namespace detail

/// The graph of a residual network: `image` [1, channels, size, size], as the form has it, to `logits` [1, classes]. Batch norms are
/// part of the convolutions before them. Throws `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const resnet_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("resnet", wrong.data());
    }
    const detail::resnet_names n = detail::names_of(c);
    network_maker m;
    int x = m.image(f, c.channels, c.size);
    m.enter_whole("stem");
    x = m.function(op::relu, m.convolution(x, n.stem, n.stem_norm, c.stem, {.size = 7, .stride = 2, .border = 3}));
    pool largest;
    largest.kernel = 3;
    largest.stride = 2;
    largest.padding = 1;
    x = m.emit(op::max_pool, largest, {x});
    for (std::size_t s = 0; s < 4; ++s) {
        for (std::int64_t block = 0; block < c.depths[s]; ++block) {
            m.enter(n.block, n.first_stage + static_cast<std::int64_t>(s), block);
            const bool halves = block == 0 && (s > 0 || c.halves_first_stage);
            x = detail::resnet_block(m, c, n, x, c.widths[s], halves ? 2 : 1);
        }
    }
    m.enter_whole("head");
    m.classify(m.pooled(x), n.head, c.classes);
    return std::move(m).taken();
}

} // namespace ane::models

#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "network_maker.hpp"
#include "publisher.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::models {

/// MobileNetV2 (Sandler et al. 2018), of width 1: inverted residuals, 1x1 up, 3x3 by channel, 1x1 down, with ReLU6.
struct mobilenet_v2_configuration {
    publisher source = publisher::torchvision;
    std::int64_t size = 224; ///< of the image, both ways
    std::int64_t classes = 1000;
    friend constexpr bool operator==(const mobilenet_v2_configuration&, const mobilenet_v2_configuration&) = default;
};
inline constexpr mobilenet_v2_configuration mobilenet_v2{};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const mobilenet_v2_configuration& c) noexcept {
    return c.source == publisher::transformers    ? "MobileNetV2 is known as torchvision and timm publish it"
           : c.size < 1 || c.size > 16384         ? "the image must be from 1 to 16384 pixels wide"
           : c.classes < 1 || c.classes > 1 << 24 ? "the classes are from 1 to 16777216"
                                                  : "";
}

namespace detail {

struct mobilenet_stage {
    int expansion;
    std::int64_t width;
    std::int64_t depth;
    int stride;
};
inline constexpr mobilenet_stage mobilenet_stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                                       {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

/// What the parts of a block are called: convolutions and their batch norms, up, by channel and down.
struct mobilenet_names {
    std::string_view block;
    std::string_view up, up_norm, across, across_norm, down, down_norm;
};
/// Blocks without a convolution up have other names for the others. torchvision counts blocks through all stages.
constexpr mobilenet_names names_of(const mobilenet_v2_configuration& c, bool expands) noexcept {
    if (c.source == publisher::torchvision) {
        return expands
                   ? mobilenet_names{"features.*.", "conv.0.0", "conv.0.1", "conv.1.0", "conv.1.1", "conv.2", "conv.3"}
                   : mobilenet_names{"features.*.", "", "", "conv.0.0", "conv.0.1", "conv.1", "conv.2"};
    }
    return expands ? mobilenet_names{"blocks.#.*.", "conv_pw", "bn1", "conv_dw", "bn2", "conv_pwl", "bn3"}
                   : mobilenet_names{"blocks.#.*.", "", "", "conv_dw", "bn1", "conv_pw", "bn2"};
}

constexpr int mobilenet_block(network_maker& m, const mobilenet_names& n, int x, const mobilenet_stage& s, int stride) {
    const std::int64_t from = m.shape(x)[1];
    int y = x;
    if (s.expansion != 1) {
        y = m.function(op::relu6, m.convolution(y, n.up, n.up_norm, from * s.expansion, {}));
    }
    const std::int64_t inner = from * s.expansion;
    const square_window by_channel{.size = 3, .stride = stride, .border = 1, .groups = static_cast<int>(inner)};
    y = m.function(op::relu6, m.convolution(y, n.across, n.across_norm, inner, by_channel));
    y = m.convolution(y, n.down, n.down_norm, s.width, {});
    return stride == 1 && from == s.width ? m.add(x, y) : y;
}

} // namespace detail

/// The graph of a MobileNetV2: `image` [1, 3, size, size], as the form has it, to `logits` [1, classes]. Batch norms are part of the
/// convolutions before them. Throws `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const mobilenet_v2_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("mobilenet_v2", wrong.data());
    }
    const bool is_timm = c.source == publisher::timm;
    network_maker m;
    int x = m.image(f, 3, c.size);
    m.enter_whole("stem");
    x = m.convolution(x, is_timm ? "conv_stem" : "features.0.0", is_timm ? "bn1" : "features.0.1", 32,
                      {.size = 3, .stride = 2, .border = 1});
    x = m.function(op::relu6, x);
    std::int64_t number = 0, stage = 0;
    for (const detail::mobilenet_stage& s : detail::mobilenet_stages) {
        const detail::mobilenet_names n = detail::names_of(c, s.expansion != 1);
        for (std::int64_t block = 0; block < s.depth; ++block) {
            ++number;
            m.enter(n.block, stage, is_timm ? block : number);
            x = detail::mobilenet_block(m, n, x, s, block == 0 ? s.stride : 1);
        }
        ++stage;
    }
    m.enter_whole("head");
    x = m.convolution(x, is_timm ? "conv_head" : "features.18.0", is_timm ? "bn2" : "features.18.1", 1280, {});
    m.classify(m.pooled(m.function(op::relu6, x)), is_timm ? "classifier" : "classifier.1", c.classes);
    return std::move(m).taken();
}

} // namespace ane::models

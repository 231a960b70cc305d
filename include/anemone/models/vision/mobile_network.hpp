#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../network_maker.hpp"
#include "../publisher.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace ane::models {

/// Networks of inverted residuals, 1x1 up, a window by channel, 1x1 down: MobileNetV2 (Sandler et al. 2018), MobileNetV3 (Howard
/// et al. 2019) and EfficientNet-B0 (Tan and Le 2019), whose blocks weigh their channels by what all pixels say.
enum class mobile_family : std::uint8_t { mobilenet_v2, mobilenet_v3_large, mobilenet_v3_small, efficientnet_b0 };

constexpr std::string_view name(mobile_family f) noexcept {
    constexpr std::string_view names[] = {"mobilenet_v2", "mobilenet_v3_large", "mobilenet_v3_small",
                                          "efficientnet_b0"};
    return names[static_cast<int>(f)];
}

struct mobile_configuration {
    mobile_family kind = mobile_family::mobilenet_v2;
    publisher source = publisher::torchvision;
    std::int64_t size = 224; ///< of the image, both ways
    std::int64_t classes = 1000;
    friend constexpr bool operator==(const mobile_configuration&, const mobile_configuration&) = default;
};
inline constexpr mobile_configuration mobilenet_v2{};
inline constexpr mobile_configuration mobilenet_v3_large{.kind = mobile_family::mobilenet_v3_large};
inline constexpr mobile_configuration mobilenet_v3_small{.kind = mobile_family::mobilenet_v3_small};
inline constexpr mobile_configuration efficientnet_b0{.kind = mobile_family::efficientnet_b0};

/// Of the batch norms.
constexpr double norm_epsilon_of(const mobile_configuration& c) noexcept {
    const bool is_v3 = c.kind == mobile_family::mobilenet_v3_large || c.kind == mobile_family::mobilenet_v3_small;
    return is_v3 ? 1e-3 : 1e-5;
}

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const mobile_configuration& c) noexcept {
    const bool is_of_timm = c.kind == mobile_family::mobilenet_v2 || c.kind == mobile_family::efficientnet_b0;
    return c.source == publisher::transformers
               ? "networks of inverted residuals are known as torchvision and timm publish them"
           : c.source == publisher::timm && !is_of_timm ? "MobileNetV3 is known as torchvision publishes it"
           : c.size < 1 || c.size > 16384               ? "the image must be from 1 to 16384 pixels wide"
           : c.classes < 1 || c.classes > 1 << 24       ? "the classes are from 1 to 16777216"
                                                        : "";
}

namespace detail {

enum class mobile_function : std::uint8_t { relu, relu6, silu, hard_swish };

/// Equal blocks in a row, of which the first has the stride.
struct mobile_stage {
    int window;
    std::int64_t expanded; ///< channels between; 0: `times` those of the operand
    std::int64_t times;
    std::int64_t width; ///< channels that a block gives
    std::int64_t depth;
    int stride;
    mobile_function function;
    bool squeezes; ///< weighs its channels
};
inline constexpr mobile_stage mobilenet_v2_stages[] = {
    {3, 0, 1, 16, 1, 1, mobile_function::relu6, false}, {3, 0, 6, 24, 2, 2, mobile_function::relu6, false},
    {3, 0, 6, 32, 3, 2, mobile_function::relu6, false}, {3, 0, 6, 64, 4, 2, mobile_function::relu6, false},
    {3, 0, 6, 96, 3, 1, mobile_function::relu6, false}, {3, 0, 6, 160, 3, 2, mobile_function::relu6, false},
    {3, 0, 6, 320, 1, 1, mobile_function::relu6, false}};
inline constexpr mobile_stage efficientnet_b0_stages[] = {
    {3, 0, 1, 16, 1, 1, mobile_function::silu, true},  {3, 0, 6, 24, 2, 2, mobile_function::silu, true},
    {5, 0, 6, 40, 2, 2, mobile_function::silu, true},  {3, 0, 6, 80, 3, 2, mobile_function::silu, true},
    {5, 0, 6, 112, 3, 1, mobile_function::silu, true}, {5, 0, 6, 192, 4, 2, mobile_function::silu, true},
    {3, 0, 6, 320, 1, 1, mobile_function::silu, true}};
inline constexpr mobile_stage mobilenet_v3_large_stages[] = {{3, 16, 0, 16, 1, 1, mobile_function::relu, false},
                                                             {3, 64, 0, 24, 1, 2, mobile_function::relu, false},
                                                             {3, 72, 0, 24, 1, 1, mobile_function::relu, false},
                                                             {5, 72, 0, 40, 1, 2, mobile_function::relu, true},
                                                             {5, 120, 0, 40, 2, 1, mobile_function::relu, true},
                                                             {3, 240, 0, 80, 1, 2, mobile_function::hard_swish, false},
                                                             {3, 200, 0, 80, 1, 1, mobile_function::hard_swish, false},
                                                             {3, 184, 0, 80, 2, 1, mobile_function::hard_swish, false},
                                                             {3, 480, 0, 112, 1, 1, mobile_function::hard_swish, true},
                                                             {3, 672, 0, 112, 1, 1, mobile_function::hard_swish, true},
                                                             {5, 672, 0, 160, 1, 2, mobile_function::hard_swish, true},
                                                             {5, 960, 0, 160, 2, 1, mobile_function::hard_swish, true}};
inline constexpr mobile_stage mobilenet_v3_small_stages[] = {
    {3, 16, 0, 16, 1, 2, mobile_function::relu, true},        {3, 72, 0, 24, 1, 2, mobile_function::relu, false},
    {3, 88, 0, 24, 1, 1, mobile_function::relu, false},       {5, 96, 0, 40, 1, 2, mobile_function::hard_swish, true},
    {5, 240, 0, 40, 2, 1, mobile_function::hard_swish, true}, {5, 120, 0, 48, 1, 1, mobile_function::hard_swish, true},
    {5, 144, 0, 48, 1, 1, mobile_function::hard_swish, true}, {5, 288, 0, 96, 1, 2, mobile_function::hard_swish, true},
    {5, 576, 0, 96, 2, 1, mobile_function::hard_swish, true}};

constexpr std::span<const mobile_stage> stages_of(const mobile_configuration& c) noexcept {
    switch (c.kind) {
    case mobile_family::mobilenet_v3_large: return mobilenet_v3_large_stages;
    case mobile_family::mobilenet_v3_small: return mobilenet_v3_small_stages;
    case mobile_family::efficientnet_b0: return efficientnet_b0_stages;
    case mobile_family::mobilenet_v2: break;
    }
    return mobilenet_v2_stages;
}

/// What the parts of a block are called: convolutions and their batch norms, up, by channel and down, and what weighs channels.
struct mobile_names {
    std::string_view up, up_norm, across, across_norm, reduce, expand, down, down_norm;
};
constexpr mobile_names names_of(const mobile_configuration& c, bool expands, bool squeezes) noexcept {
    if (c.source == publisher::timm) {
        return expands ? mobile_names{"conv_pw",        "bn1",      "conv_dw", "bn2", "se.conv_reduce",
                                      "se.conv_expand", "conv_pwl", "bn3"}
                       : mobile_names{"", "", "conv_dw", "bn1", "se.conv_reduce", "se.conv_expand", "conv_pw", "bn2"};
    }
    if (c.kind == mobile_family::mobilenet_v2) {
        return expands ? mobile_names{"conv.0.0", "conv.0.1", "conv.1.0", "conv.1.1", "", "", "conv.2", "conv.3"}
                       : mobile_names{"", "", "conv.0.0", "conv.0.1", "", "", "conv.1", "conv.2"};
    }
    mobile_names n =
        expands
            ? mobile_names{"block.0.0",   "block.0.1",   "block.1.0", "block.1.1",
                           "block.2.fc1", "block.2.fc2", "block.3.0", "block.3.1"}
            : mobile_names{"", "", "block.0.0", "block.0.1", "block.1.fc1", "block.1.fc2", "block.2.0", "block.2.1"};
    if (!squeezes) { // which the parts behind it are counted by
        n.down = expands ? "block.2.0" : "block.1.0";
        n.down_norm = expands ? "block.2.1" : "block.1.1";
    }
    return n;
}
/// What stands before and behind the blocks.
struct mobile_ends {
    std::string_view stem, stem_norm, last, last_norm;
    std::string_view inner; ///< a layer before the head; empty: none
    std::string_view head;
    std::int64_t stem_width, last_width, inner_width;
};
constexpr mobile_ends ends_of(const mobile_configuration& c) noexcept {
    if (c.source == publisher::timm) {
        return {"conv_stem", "bn1", "conv_head", "bn2", "", "classifier", 32, 1280, 0};
    }
    switch (c.kind) {
    case mobile_family::mobilenet_v3_large:
        return {"features.0.0",
                "features.0.1",
                "features.16.0",
                "features.16.1",
                "classifier.0",
                "classifier.3",
                16,
                960,
                1280};
    case mobile_family::mobilenet_v3_small:
        return {"features.0.0",
                "features.0.1",
                "features.12.0",
                "features.12.1",
                "classifier.0",
                "classifier.3",
                16,
                576,
                1024};
    case mobile_family::efficientnet_b0:
        return {"features.0.0", "features.0.1", "features.8.0", "features.8.1", "", "classifier.1", 32, 1280, 0};
    case mobile_family::mobilenet_v2: break;
    }
    return {"features.0.0", "features.0.1", "features.18.0", "features.18.1", "", "classifier.1", 32, 1280, 0};
}

constexpr int applied(network_maker& m, mobile_function f, int x) {
    switch (f) {
    case mobile_function::relu: return m.function(op::relu, x);
    case mobile_function::relu6: return m.function(op::relu6, x);
    case mobile_function::silu: return m.function(op::silu, x);
    case mobile_function::hard_swish: break;
    }
    return m.mul(x, m.emit(op::hard_sigmoid, clamped_line{1.0F / 6, 0.5F}, {x})); // x min(max(x + 3, 0), 6) / 6
}

/// The channels a squeeze leaves: a quarter of those before the block in EfficientNet; a quarter of those between, in eights, in
/// MobileNetV3, never below nine tenths of it.
constexpr std::int64_t squeezed(const mobile_configuration& c, std::int64_t from, std::int64_t inner) noexcept {
    if (c.kind == mobile_family::efficientnet_b0) {
        return std::max<std::int64_t>(1, from / 4);
    }
    const std::int64_t wanted = inner / 4;
    const std::int64_t rounded = std::max<std::int64_t>(8, (wanted + 4) / 8 * 8);
    return 10 * rounded < 9 * wanted ? rounded + 8 : rounded;
}

/// The channels by a factor each, from the means of all pixels.
constexpr int squeezed_and_excited(network_maker& m, const mobile_configuration& c, const mobile_names& n, int x,
                                   std::int64_t width) {
    const std::int64_t inner = m.shape(x)[1];
    const bool is_efficient = c.kind == mobile_family::efficientnet_b0;
    int weights = m.convolution(m.pooled(x), n.reduce, n.reduce, width, {});
    weights = m.convolution(m.function(is_efficient ? op::silu : op::relu, weights), n.expand, n.expand, inner, {});
    weights = is_efficient ? m.function(op::sigmoid, weights)
                           : m.emit(op::hard_sigmoid, clamped_line{1.0F / 6, 0.5F}, {weights});
    return m.mul(x, weights);
}

constexpr int mobile_block(network_maker& m, const mobile_configuration& c, const mobile_stage& s, int x, int stride) {
    const std::int64_t from = m.shape(x)[1];
    const std::int64_t inner = s.expanded > 0 ? s.expanded : from * s.times;
    const mobile_names n = names_of(c, inner != from, s.squeezes);
    int y = x;
    if (inner != from) {
        y = applied(m, s.function, m.convolution(y, n.up, n.up_norm, inner, {}));
    }
    const square_window by_channel{
        .size = s.window, .stride = stride, .border = s.window / 2, .groups = static_cast<int>(inner)};
    y = applied(m, s.function, m.convolution(y, n.across, n.across_norm, inner, by_channel));
    if (s.squeezes) {
        y = squeezed_and_excited(m, c, n, y, squeezed(c, from, inner));
    }
    y = m.convolution(y, n.down, n.down_norm, s.width, {});
    return stride == 1 && from == s.width ? m.add(x, y) : y;
}

} // namespace detail

/// The graph of a network of inverted residuals: `image` [1, 3, size, size], as the form has it, to `logits` [1, classes]. Batch
/// norms are part of the convolutions before them. Throws `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const mobile_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph(name(c.kind), wrong.data());
    }
    const detail::mobile_ends ends = detail::ends_of(c);
    const std::span<const detail::mobile_stage> stages = detail::stages_of(c);
    const bool is_v3 = !ends.inner.empty();
    const bool is_timm = c.source == publisher::timm;
    // torchvision counts the blocks of MobileNet through all stages, EfficientNet's and timm's stage by stage.
    const bool counts_stages = is_timm || c.kind == mobile_family::efficientnet_b0;
    const std::string_view place = is_timm ? "blocks.#.*." : counts_stages ? "features.#.*." : "features.*.";
    network_maker m;
    int x = m.image(f, 3, c.size);
    m.enter_whole("stem");
    const detail::mobile_function stem = is_v3 ? detail::mobile_function::hard_swish : stages[0].function;
    x = detail::applied(
        m, stem, m.convolution(x, ends.stem, ends.stem_norm, ends.stem_width, {.size = 3, .stride = 2, .border = 1}));
    std::int64_t number = 0;
    std::int64_t stage = is_timm ? 0 : 1;
    for (const detail::mobile_stage& s : stages) {
        for (std::int64_t block = 0; block < s.depth; ++block) {
            ++number;
            m.enter(place, stage, counts_stages ? block : number);
            x = detail::mobile_block(m, c, s, x, block == 0 ? s.stride : 1);
        }
        ++stage;
    }
    m.enter_whole("head");
    x = m.convolution(x, ends.last, ends.last_norm, ends.last_width, {});
    x = m.pooled(detail::applied(m, stem, x));
    if (is_v3) {
        x = detail::applied(m, stem, m.product(x, ends.inner, ends.inner_width));
    }
    m.classify(x, ends.head, c.classes);
    return std::move(m).taken();
}

} // namespace ane::models

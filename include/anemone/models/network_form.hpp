#pragma once

#include "activation_layout.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace ane::models {

/// What the port `image` holds: numbers that were normalized, (x / 255 - mean) / deviation for each channel, or the pixels as a
/// camera gives them, bytes from 0 to 255, which the graph normalizes.
enum class image_input : std::uint8_t { normalized, pixels };

/// The mean and the deviation of each channel of the images that a network was trained on, of pixels from 0 to 1.
struct pixel_statistics {
    std::array<float, 3> mean{};
    std::array<float, 3> deviation{};
    friend constexpr bool operator==(const pixel_statistics&, const pixel_statistics&) = default;
};
inline constexpr pixel_statistics imagenet{.mean = {0.485F, 0.456F, 0.406F}, .deviation = {0.229F, 0.224F, 0.225F}};

/// Of networks that take the pixels as they are, from 0 to 1.
inline constexpr pixel_statistics from_0_to_1{.mean = {0, 0, 0}, .deviation = {1, 1, 1}};

/// Of networks that take them from -1 to 1.
inline constexpr pixel_statistics from_minus_1_to_1{.mean = {0.5F, 0.5F, 0.5F}, .deviation = {0.5F, 0.5F, 0.5F}};

/// Which graph of a network that is published as several; `whole` where it is one. down, middle, up: of a U-Net, which is one and
/// can be three.
enum class network_part : std::uint8_t { whole, encoder, cross, decoder, step, image, text, down, middle, up };

constexpr std::string_view name(network_part p) noexcept {
    constexpr std::string_view names[] = {"whole", "encoder", "cross", "decoder", "step",
                                          "image", "text",    "down",  "middle",  "up"};
    return names[static_cast<int>(p)];
}

/// Which graph is made of a network. In networks of convolutions both layouts are one graph.
struct network_form {
    activation_layout layout = activation_layout::rows;
    image_input image = image_input::normalized;
    pixel_statistics pixels = imagenet; ///< of `image_input::pixels`
    std::int64_t frame_height = 0; ///< of what the camera gives, of `image_input::pixels`; 0: as the network takes it
    std::int64_t frame_width = 0;
    network_part part = network_part::whole;
    bool decodes_boxes = true;  ///< detectors: boxes in pixels and scores, not what they are computed from
    std::int64_t positions = 0; ///< tokens or frames that a run computes; 0: what is usual for the family
    std::int64_t capacity = 0;  ///< of a decoder's step: earlier tokens that its caches hold; 0: what is usual
    friend constexpr bool operator==(const network_form&, const network_form&) = default;
};

} // namespace ane::models

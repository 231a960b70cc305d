#pragma once

#include "../activation_layout.hpp"

#include <array>
#include <cstdint>

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

/// Which graph is made of an image network. In networks of convolutions both layouts are one graph.
struct network_form {
    activation_layout layout = activation_layout::rows;
    image_input image = image_input::normalized;
    pixel_statistics pixels = imagenet; ///< of `image_input::pixels`
    friend constexpr bool operator==(const network_form&, const network_form&) = default;
};

} // namespace ane::models

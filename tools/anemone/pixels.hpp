#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// An image as it is in a file: rows of pixels, the channels of each side by side.
struct pixels {
    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 1; ///< 1 grey, 3 red, green and blue
    int white = 255;  ///< the largest value
    std::vector<std::uint16_t> values = {};

    std::size_t count() const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(channels);
    }
};

/// Throws where an image of that size takes more than `most` bytes as numbers: before it is decoded.
void require_image_memory(const std::string& path, std::uint64_t width, std::uint64_t height, std::uint64_t most);

/// `path` is for messages.
pixels png_pixels(const std::string& path, std::string_view bytes, std::uint64_t most);
pixels pnm_pixels(const std::string& path, std::string_view bytes, std::uint64_t most);

/// Of 8-bit pixels.
std::string png_bytes(const std::string& path, const pixels& image);
std::string pnm_bytes(const pixels& image);

} // namespace command

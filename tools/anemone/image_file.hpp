#pragma once

#include "tensor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace command {

/// Which numbers of a tensor the brightness of a pixel stands for.
struct image_scale {
    /// Of black and white. None: 0..1 for fp16 ports, 0..255 for bytes.
    std::optional<std::pair<double, double>> range = std::nullopt;
    std::vector<double> mean = {};      ///< is subtracted then; one for all channels, or one each
    std::vector<double> deviation = {}; ///< and divided by
};

/// "0..1", "-1..1". Throws `ane::error` (errc::argument).
std::pair<double, double> range_in(const std::string& text);

/// Whether a file begins as a PNG, PGM or PPM image does.
bool begins_as_image(const std::string& path);
/// Whether a file that is to be written is named as one.
bool is_named_as_image(const std::string& path);

/// An image as 1 x channels x height x width, for a port of that size: grey or red, green, blue; grey is repeated for a
/// port of three channels. PNG of 1 to 16 bits, with a palette or interlaced; an alpha channel has to be opaque. No more
/// than `most` bytes are taken. Throws `ane::error`: errc::file for a file that is not an image, errc::port for another size.
tensor read_image(const std::string& path, const app::port& port, const image_scale& scale, std::uint64_t most);

/// Writes an output of 1 or 3 channels as an 8-bit image, whole or not at all: .png, .pgm, .ppm. The scale is undone.
/// Returns the number of elements that lay outside of it, which are written as black or white. Throws `ane::error`
/// (errc::port) where the output is no image, (errc::file) where it cannot be written.
std::size_t write_image(const std::string& path, const tensor& output, const image_scale& scale);

} // namespace command

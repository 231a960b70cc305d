#pragma once

#include <anemone/base/error.hpp>
#include <anemone/values/ndarray.hpp>

#include <png.h>

#include <filesystem>
#include <vector>

/// Reads a grey PNG of 28 x 28 pixels as values in [0, 1]. Throws `ane::error` (errc::file) with the path.
inline ane::ndarray<ane::shape<1, 1, 28, 28>> read_image(const std::filesystem::path& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image, path.c_str()) == 0) {
        throw ane::error(ane::errc::file, path.string(), image.message);
    }
    if (image.width != 28 || image.height != 28) {
        png_image_free(&image);
        throw ane::error(ane::errc::file, path.string(),
                         std::to_string(image.width) + " x " + std::to_string(image.height) +
                             " pixels, a digit has 28 x 28");
    }
    image.format = PNG_FORMAT_GRAY;
    std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
    if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) {
        throw ane::error(ane::errc::file, path.string(), image.message);
    }
    ane::ndarray<ane::shape<1, 1, 28, 28>> result;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        result[i] = ane::half(pixels[i] / 255.0);
    }
    return result;
}

#include "image_file.hpp"

#include "input_file.hpp"
#include "output_path.hpp"
#include "pixels.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <span>

namespace command {

namespace {

constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";

bool is_pnm(std::string_view bytes) {
    return bytes.size() > 2 && bytes[0] == 'P' && std::string_view("2356").find(bytes[1]) != std::string_view::npos &&
           (bytes[2] == '#' || bytes[2] == ' ' || (bytes[2] >= '\t' && bytes[2] <= '\r'));
}

/// For one channel: number = value * factor + offset.
struct line {
    double factor;
    double offset;
};

line line_of(const image_scale& scale, std::pair<double, double> usual, int channel, int channels, int white) {
    const auto one = [&](const std::vector<double>& list, const char* option, double none) {
        if (list.size() > 1 && list.size() != static_cast<std::size_t>(channels)) {
            throw ane::error(ane::errc::argument, option,
                             fmt::format("has {} numbers, the image {} channels", list.size(), channels));
        }
        return list.empty() ? none : list[list.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
    };
    const auto [black, bright] = scale.range.value_or(usual);
    const double mean = one(scale.mean, "--image-mean", 0);
    const double deviation = one(scale.deviation, "--image-std", 1);
    if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation == 0) {
        throw ane::error(ane::errc::argument, "--image-mean, --image-std",
                         fmt::format("({} - {}) / {} is not a number", bright, mean, deviation));
    }
    return {(bright - black) / white / deviation, (black - mean) / deviation};
}

std::pair<double, double> usual_range(ane::element_type type) {
    return type == ane::element_type::f16 ? std::pair(0.0, 1.0) : std::pair(0.0, 255.0);
}

/// Extent `from_end` of a shape, counted from its end; 1 beyond its beginning.
std::int64_t extent(std::span<const std::int64_t> shape, std::size_t from_end) {
    return from_end > shape.size() ? 1 : shape[shape.size() - from_end];
}

std::string size_text(std::int64_t channels, std::int64_t height, std::int64_t width) {
    return fmt::format("{} x {} pixels of {} channel{}", width, height, channels, channels == 1 ? "" : "s");
}

} // namespace

void require_image_memory(const std::string& path, std::uint64_t width, std::uint64_t height, std::uint64_t most) {
    constexpr std::uint64_t each = 3 * (sizeof(double) + 2 * sizeof(std::uint16_t)); // as numbers, in the file, decoded
    if (width > (std::uint64_t{1} << 31U) || height > (std::uint64_t{1} << 31U) || width * height > most / each) {
        throw ane::error(ane::errc::file, path,
                         fmt::format("{} x {} pixels take up to {} bytes each, allowed are {} in all (--max-memory)",
                                     width, height, each, most));
    }
}

std::pair<double, double> range_in(const std::string& text) {
    const std::size_t dots = text.find("..");
    const auto number = [](const std::string& part) {
        char* end = nullptr; // std::from_chars of floats is missing from the Mac's library
        const double value = std::strtod(part.c_str(), &end);
        return !part.empty() && *end == '\0' && end != part.c_str() ? value : NAN;
    };
    const double black = dots == std::string::npos ? NAN : number(text.substr(0, dots));
    const double white = dots == std::string::npos ? NAN : number(text.substr(dots + 2));
    if (!std::isfinite(black) || !std::isfinite(white) || black == white) {
        throw ane::error(ane::errc::argument, "--image-scale " + text, "is not a range like 0..1, -1..1, 0..255");
    }
    return {black, white};
}

bool begins_as_image(const std::string& path) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
        return false;
    }
    const std::string found = first_bytes(path, 8);
    return found == png_magic || is_pnm(found);
}

bool is_named_as_image(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    return extension == ".png" || extension == ".pgm" || extension == ".ppm";
}

tensor read_image(const std::string& path, const app::port& port, const image_scale& scale, std::uint64_t most) {
    const std::string bytes = input_bytes(path, most);
    const pixels image = bytes.starts_with(png_magic) ? png_pixels(path, bytes, most) : pnm_pixels(path, bytes, most);
    const std::vector<std::int64_t>& shape = port.shape;
    const auto elements = static_cast<std::int64_t>(port.count);
    const std::int64_t channels = extent(shape, 3);
    const std::int64_t height = extent(shape, 2);
    const std::int64_t width = extent(shape, 1);
    if (image.width != width || image.height != height || channels * height * width != elements ||
        (image.channels != channels && image.channels != 1) || (channels != 1 && channels != 3)) {
        const bool is_image = (channels == 1 || channels == 3) && channels * height * width == elements;
        throw ane::error(ane::errc::port, path,
                         fmt::format("is {}, the input is {}; {}", size_text(image.channels, image.height, image.width),
                                     is_image ? size_text(channels, height, width) : app::shape_text(shape),
                                     is_image ? "resize or convert the image first"
                                              : "an image goes into 1 x 1 or 3 x height x width"));
    }
    tensor result{std::filesystem::path(path).stem().string(), {1, channels, height, width}, {}};
    result.values.reserve(static_cast<std::size_t>(channels * height * width));
    for (int c = 0; c < channels; ++c) {
        const line to = line_of(scale, usual_range(port.type), c, static_cast<int>(channels), image.white);
        for (std::size_t i = image.channels == 1 ? 0 : static_cast<std::size_t>(c); i < image.values.size();
             i += static_cast<std::size_t>(image.channels)) {
            result.values.push_back(image.values[i] * to.factor + to.offset);
        }
    }
    return result;
}

std::size_t write_image(const std::string& path, const tensor& output, const image_scale& scale) {
    pixels image{extent(output.shape, 1), extent(output.shape, 2), static_cast<int>(extent(output.shape, 3)), 255, {}};
    const std::string extension = std::filesystem::path(path).extension().string();
    const bool fits = extension == ".pgm" ? image.channels == 1 : extension != ".ppm" || image.channels == 3;
    if ((image.channels != 1 && image.channels != 3) || image.count() != output.count() || output.shape.size() < 2 ||
        !fits) {
        throw ane::error(ane::errc::port, output.name,
                         fmt::format("is {}, {} holds {} x height x width; name a .npy or .npz file",
                                     app::shape_text(output.shape), path,
                                     extension == ".pgm"   ? "1 x 1"
                                     : extension == ".ppm" ? "1 x 3"
                                                           : "1 x 1 or 3"));
    }
    image.values.resize(image.count());
    const auto plane = static_cast<std::size_t>(image.width * image.height);
    std::size_t outside = 0;
    for (int c = 0; c < image.channels; ++c) {
        const line from = line_of(scale, {0, 1}, c, image.channels, 255);
        for (std::size_t i = 0; i < plane; ++i) {
            const double value =
                std::round((output.values[static_cast<std::size_t>(c) * plane + i] - from.offset) / from.factor);
            const bool inside = value >= 0 && value <= 255;
            outside += inside ? 0 : 1;
            image.values[i * static_cast<std::size_t>(image.channels) + static_cast<std::size_t>(c)] =
                static_cast<std::uint16_t>(inside        ? value
                                           : value > 255 ? 255
                                                         : 0);
        }
    }
    require_unread(path);
    ane::write_file(path, extension == ".png" ? png_bytes(path, image) : pnm_bytes(image));
    return outside;
}

} // namespace command

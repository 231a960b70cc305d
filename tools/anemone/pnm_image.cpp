#include "pixels.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <charconv>

namespace command {

namespace {

/// The numbers of a PGM or PPM file (https://netpbm.sourceforge.net/doc/pgm.html): between blanks and comments.
class pnm_words {
public:
    pnm_words(const std::string& path, std::string_view bytes) : path_(path), rest_(bytes.substr(2)) {}

    std::uint64_t number(const char* what, std::uint64_t most) {
        while (!rest_.empty() && (is_blank(rest_.front()) || rest_.front() == '#')) {
            const std::size_t end = rest_.front() == '#' ? rest_.find_first_of("\r\n") : 1;
            rest_.remove_prefix(std::min(end, rest_.size()));
        }
        std::uint64_t value = 0;
        const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (failed != std::errc() || value > most) {
            throw ane::error(ane::errc::file, path_,
                             rest_.empty() ? fmt::format("ends where its {} should be", what)
                                           : fmt::format("its {} is not a number up to {}", what, most));
        }
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }
    /// What follows the one blank behind the header.
    std::string_view data() const { return rest_.substr(std::min<std::size_t>(1, rest_.size())); }

private:
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    const std::string& path_;
    std::string_view rest_;
};

} // namespace

pixels pnm_pixels(const std::string& path, std::string_view bytes, std::uint64_t most) {
    const bool in_words = bytes[1] < '4'; // P2 and P3
    pnm_words words(path, bytes);
    pixels image;
    image.channels = bytes[1] == '2' || bytes[1] == '5' ? 1 : 3;
    image.width = static_cast<std::int64_t>(words.number("width", 1U << 30U));
    image.height = static_cast<std::int64_t>(words.number("height", 1U << 30U));
    image.white = static_cast<int>(words.number("largest value", 65'535));
    if (image.width == 0 || image.height == 0 || image.white == 0) {
        throw ane::error(
            ane::errc::file, path,
            fmt::format("is {} x {} pixels up to {}: an image has some", image.width, image.height, image.white));
    }
    require_image_memory(path, static_cast<std::uint64_t>(image.width), static_cast<std::uint64_t>(image.height), most);
    const std::size_t width = in_words ? 2 : image.white > 255 ? 2 : 1; // bytes of a value; a digit and a blank
    if ((words.data().size() + 1) / width < image.count()) {
        throw ane::error(ane::errc::file, path,
                         fmt::format("is {} x {} x {} and has {} bytes of pixels", image.width, image.height,
                                     image.channels, words.data().size()));
    }
    image.values.reserve(image.count());
    const std::string_view data = words.data();
    if (!in_words && data.size() < image.count() * width) {
        throw ane::error(ane::errc::file, path,
                         fmt::format("has {} bytes of pixels instead of {}", data.size(), image.count() * width));
    }
    for (std::size_t i = 0; i < image.count(); ++i) {
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(data[at]); };
        const std::uint64_t value = in_words     ? words.number("pixel", static_cast<std::uint64_t>(image.white))
                                    : width == 1 ? byte(i)
                                                 : static_cast<std::uint64_t>(256 * byte(2 * i) + byte(2 * i + 1));
        if (value > static_cast<std::uint64_t>(image.white)) {
            throw ane::error(ane::errc::file, path,
                             fmt::format("value {} is {}, above its white of {}", i, value, image.white));
        }
        image.values.push_back(static_cast<std::uint16_t>(value));
    }
    return image;
}

std::string pnm_bytes(const pixels& image) {
    std::string bytes = fmt::format("P{}\n{} {}\n255\n", image.channels == 1 ? 5 : 6, image.width, image.height);
    for (const std::uint16_t value : image.values) {
        bytes += static_cast<char>(value);
    }
    return bytes;
}

} // namespace command

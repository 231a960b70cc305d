#include "pixels.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#if defined(ANEMONE_COMMAND_PNG)
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#endif

namespace command {

#if defined(ANEMONE_COMMAND_PNG)

namespace {

/// What libpng's functions are called with.
struct png_work {
    std::string_view rest;      ///< bytes to read
    std::string written;        ///< bytes that were written
    char message[120] = "ends"; ///< why it failed
    png_structp png = nullptr;
    png_infop info = nullptr;
};

extern "C" {
[[noreturn]] static void png_failed(png_structp png, png_const_charp message) {
    auto& work = *static_cast<png_work*>(::png_get_error_ptr(png));
    std::strncpy(work.message, message, sizeof work.message - 1);
    ::png_longjmp(png, 1);
}
static void png_warned(png_structp /*png*/, png_const_charp /*message*/) {}
static void png_reads(png_structp png, png_bytep to, std::size_t size) {
    auto& work = *static_cast<png_work*>(::png_get_io_ptr(png));
    if (size > work.rest.size()) {
        ::png_error(png, "is not all there");
    }
    std::memcpy(to, work.rest.data(), size);
    work.rest.remove_prefix(size);
}
static void png_writes(png_structp png, png_bytep from, std::size_t size) {
    static_cast<png_work*>(::png_get_io_ptr(png))->written.append(reinterpret_cast<const char*>(from), size);
}
static void png_flushes(png_structp /*png*/) {}
}

// libpng leaves its functions by longjmp: nothing in these three may have a destructor.

bool reads_header(png_work& work) noexcept {
    if (setjmp(png_jmpbuf(work.png)) != 0) { // NOLINT: the library has no other way
        return false;
    }
    ::png_set_read_fn(work.png, &work, png_reads);
    ::png_read_info(work.png, work.info);
    ::png_set_expand(work.png); // palettes, less than 8 bits, and transparency as what they mean
    ::png_set_interlace_handling(work.png);
    ::png_read_update_info(work.png, work.info);
    return true;
}

bool reads_rows(png_work& work, png_bytepp rows) noexcept {
    if (setjmp(png_jmpbuf(work.png)) != 0) { // NOLINT
        return false;
    }
    ::png_read_image(work.png, rows);
    ::png_read_end(work.png, nullptr);
    return true;
}

bool writes_rows(png_work& work, const pixels& image, png_bytepp rows) noexcept {
    if (setjmp(png_jmpbuf(work.png)) != 0) { // NOLINT
        return false;
    }
    ::png_set_write_fn(work.png, &work, png_writes, png_flushes);
    ::png_set_IHDR(work.png, work.info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
                   8, image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                   PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    ::png_write_info(work.png, work.info);
    ::png_write_image(work.png, rows);
    ::png_write_end(work.png, nullptr);
    return true;
}

struct reader_of_png : png_work {
    reader_of_png() {
        png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, static_cast<png_work*>(this), png_failed, png_warned);
        info = png != nullptr ? ::png_create_info_struct(png) : nullptr;
    }
    reader_of_png(const reader_of_png&) = delete;
    reader_of_png& operator=(const reader_of_png&) = delete;
    ~reader_of_png() { ::png_destroy_read_struct(&png, &info, nullptr); }
};
struct writer_of_png : png_work {
    writer_of_png() {
        png = ::png_create_write_struct(PNG_LIBPNG_VER_STRING, static_cast<png_work*>(this), png_failed, png_warned);
        info = png != nullptr ? ::png_create_info_struct(png) : nullptr;
    }
    writer_of_png(const writer_of_png&) = delete;
    writer_of_png& operator=(const writer_of_png&) = delete;
    ~writer_of_png() { ::png_destroy_write_struct(&png, &info); }
};

void require_made(const png_work& work) {
    if (work.info == nullptr) {
        throw std::bad_alloc();
    }
}

} // namespace

pixels png_pixels(const std::string& path, std::string_view bytes, std::uint64_t most) {
    reader_of_png work;
    require_made(work);
    work.rest = bytes;
    const auto refuse = [&] {
        throw ane::error(ane::errc::file, path, fmt::format("is not a PNG image: {}", work.message));
    };
    if (!reads_header(work)) {
        refuse();
    }
    const std::uint64_t width = ::png_get_image_width(work.png, work.info);
    const std::uint64_t height = ::png_get_image_height(work.png, work.info);
    require_image_memory(path, width, height, most);
    const std::size_t stored = ::png_get_channels(work.png, work.info); // 1 to 4: the even ones have alpha
    const std::size_t wide = ::png_get_bit_depth(work.png, work.info) == 16 ? 2 : 1;
    const std::size_t stride = ::png_get_rowbytes(work.png, work.info);
    std::vector<png_byte> data(stride * static_cast<std::size_t>(height));
    std::vector<png_bytep> rows;
    for (std::size_t y = 0; y < height; ++y) {
        rows.push_back(data.data() + y * stride);
    }
    if (!reads_rows(work, rows.data())) {
        refuse();
    }
    pixels image{static_cast<std::int64_t>(width),
                 static_cast<std::int64_t>(height),
                 stored < 3 ? 1 : 3,
                 wide == 2 ? 65'535 : 255,
                 {}};
    image.values.reserve(image.count());
    const std::size_t kept = stored < 3 ? 1 : 3;
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width * stored; ++x) {
            const png_byte* const at = rows[y] + x * wide;
            const auto value = static_cast<std::uint16_t>(wide == 2 ? 256 * at[0] + at[1] : at[0]);
            if (x % stored < kept) {
                image.values.push_back(value);
            } else if (value != image.white) {
                throw ane::error(
                    ane::errc::file, path,
                    fmt::format("is transparent at column {}, row {}: put it on a background", x / stored, y));
            }
        }
    }
    return image;
}

std::string png_bytes(const std::string& path, const pixels& image) {
    writer_of_png work;
    require_made(work);
    std::vector<png_byte> data(image.values.begin(), image.values.end());
    std::vector<png_bytep> rows;
    for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
        rows.push_back(data.data() + y * static_cast<std::size_t>(image.width * image.channels));
    }
    if (!writes_rows(work, image, rows.data())) {
        throw ane::error(ane::errc::file, path, fmt::format("cannot be made: {}", work.message));
    }
    return std::move(work.written);
}

#else

namespace {
[[noreturn]] void refuse(const std::string& path) {
    throw ane::error(ane::errc::file, path,
                     "this program was built without libpng (Debian: libpng-dev); .pgm and .ppm files need nothing");
}
} // namespace
pixels png_pixels(const std::string& path, std::string_view /*bytes*/, std::uint64_t /*most*/) { refuse(path); }
std::string png_bytes(const std::string& path, const pixels& /*image*/) { refuse(path); }

#endif

} // namespace command

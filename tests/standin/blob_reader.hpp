#pragma once

#include "mil_ast.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ane::standin {

/// A weight file of format version 2 (facts: weights, section 1): a 64-byte header, then per entry 64 bytes of metadata
/// and the data. `entry` takes the offset of the METADATA, as BLOBFILE does.
class blob_reader {
public:
    explicit blob_reader(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
        if (bytes_.size() < 64) {
            refuse("weight file: " + std::to_string(bytes_.size()) + " bytes are less than the 64 of the header");
        }
        if (word<std::uint32_t>(4) != 2) {
            refuse("Storage Reader expects file format version 2.");
        }
    }

    static blob_reader open(const std::string& path) {
        std::error_code ignored;
        std::ifstream file;
        if (std::filesystem::is_regular_file(path, ignored)) { // a pipe would wait, a device may have no end
            file.open(path, std::ios::binary);
        }
        if (!file.is_open()) {
            refuse("weight file: cannot open " + path);
        }
        return blob_reader(std::vector<std::uint8_t>(std::istreambuf_iterator<char>(file), {}));
    }

    std::uint32_t count() const { return word<std::uint32_t>(0); }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

    /// The data of the entry at `offset`, checked to hold exactly `elements` of `type`.
    std::span<const std::uint8_t> entry(std::uint64_t offset, element type, std::int64_t elements) const {
        const std::string where = "weight file: entry at " + std::to_string(offset) + ": ";
        if (offset < 64 || offset % 64 != 0) {
            refuse(where + "the offset is not that of a metadata record (64-aligned, after the header)");
        }
        if (offset > bytes_.size() || bytes_.size() - offset < 64) {
            refuse(where + "beyond the end of the file of " + std::to_string(bytes_.size()) + " bytes");
        }
        const auto at = static_cast<std::size_t>(offset);
        if (word<std::uint32_t>(at) != 0xDEADBEEFU) {
            refuse(where + "Invalid sentinel in blob_metadata.");
        }
        if (word<std::uint32_t>(at + 4) != code(type)) {
            refuse(where + "Metadata data type does not match requested type.");
        }
        const auto size = word<std::uint64_t>(at + 8);
        const auto data = word<std::uint64_t>(at + 16);
        const auto padding = word<std::uint64_t>(at + 24);
        if (data < offset + 64 || data > bytes_.size() || bytes_.size() - data < size) {
            refuse(where + "data at " + std::to_string(data) + " of " + std::to_string(size) +
                   " bytes does not lie in the file after its metadata");
        }
        const auto width = static_cast<std::uint64_t>(bits(type));
        const bool divides_byte = width == 1 || width == 2 || width == 4;
        if (padding >= 8 || padding > size * 8 || (divides_byte && padding % width != 0)) {
            refuse(where + "padding of " + std::to_string(padding) + " bits is not possible");
        }
        const std::uint64_t held = (size * 8 - padding) / width;
        const auto asked = static_cast<std::uint64_t>(elements);
        if (held != asked || size != (asked * width + 7) / 8) {
            refuse(where + "holds " + std::to_string(held) + " elements in " + std::to_string(size) +
                   " bytes, the declared tensor has " + std::to_string(elements));
        }
        return std::span(bytes_).subspan(static_cast<std::size_t>(data), static_cast<std::size_t>(size));
    }

private:
    template <class Word> Word word(std::size_t at) const {
        Word value = 0;
        for (std::size_t i = 0; i < sizeof(Word); ++i) {
            value = static_cast<Word>(value | static_cast<Word>(static_cast<Word>(bytes_[at + i]) << (8 * i)));
        }
        return value;
    }

    static std::uint32_t code(element type) {
        constexpr std::array<std::pair<element, std::uint32_t>, 15> codes = {{
            {element::fp16, 1},
            {element::fp32, 2},
            {element::uint8, 3},
            {element::int8, 4},
            {element::bf16, 5},
            {element::int16, 6},
            {element::uint16, 7},
            {element::int4, 8},
            {element::uint1, 9},
            {element::uint2, 10},
            {element::uint4, 11},
            {element::uint3, 12},
            {element::uint6, 13},
            {element::int32, 14},
            {element::uint32, 15},
        }};
        for (const auto& [known, number] : codes) {
            if (known == type) {
                return number;
            }
        }
        refuse("a weight file cannot hold elements of type " + std::string(name(type)));
    }

    std::vector<std::uint8_t> bytes_;
};

/// Integers of `width` bits packed least significant bit first, as the file stores them.
inline std::vector<std::int64_t> unpack_integers(std::span<const std::uint8_t> data, element type, std::int64_t count) {
    const auto width = static_cast<std::size_t>(bits(type));
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint64_t raw = 0;
        for (std::size_t b = 0; b < width; ++b) {
            const std::size_t bit = i * width + b;
            raw |= static_cast<std::uint64_t>((data[bit / 8] >> (bit % 8)) & 1U) << b;
        }
        const bool negative = is_signed_integer(type) && ((raw >> (width - 1)) & 1U) != 0;
        if (negative && width < 64) {
            raw |= ~std::uint64_t{0} << width;
        }
        values[i] = static_cast<std::int64_t>(raw);
    }
    return values;
}

} // namespace ane::standin

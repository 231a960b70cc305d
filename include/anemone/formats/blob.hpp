#pragma once

#include "../dtype.hpp"
#include "../way.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The element types of the blob that are written here (facts: weights, section 1).
enum class blob_type : std::uint32_t { fp16 = 1, uint8 = 3, int8 = 4, uint1 = 9, uint4 = 11 };

/// Bits of the last byte that `count` elements of `width` bits leave over.
constexpr std::uint64_t unused_bits(std::int64_t count, int width) {
    return static_cast<std::uint64_t>((8 - count * width % 8) % 8);
}

/// Writes the weight blob that MIL text refers to (facts: weights, section 1; version 2, little endian). The file
/// starts with a header of 64 bytes: the number of entries and the version. An entry is a metadata record of 64 bytes
/// (sentinel, element type, size, offset of its data, unused bits) and the data right behind it; every record starts at
/// a multiple of 64. MIL text names an entry by the offset of its metadata.
class blob_writer {
public:
    static constexpr std::uint32_t version = 2;
    static constexpr std::uint32_t sentinel = 0xDEADBEEF;
    static constexpr std::size_t alignment = 64;

    blob_writer() : bytes_(alignment) {
        put(0, std::uint32_t{0});
        put(4, version);
    }

    /// Appends one tensor and returns the offset to write into `BLOBFILE(..., offset = uint64(...))`.
    std::uint64_t add(std::span<const half> values) { return add(blob_type::fp16, std::as_bytes(values), 0); }
    /// The same for elements that are packed already; `unused` bits of the last byte are none of theirs.
    std::uint64_t add(blob_type type, std::span<const std::byte> data, std::uint64_t unused) {
        return append(static_cast<std::uint32_t>(type), data, unused);
    }

    /// The finished file.
    std::span<const std::byte> bytes() const { return bytes_; }
    std::uint32_t count() const { return count_; }

private:
    std::uint64_t append(std::uint32_t type_code, std::span<const std::byte> data, std::uint64_t unused) {
        const std::size_t metadata = (bytes_.size() + alignment - 1) / alignment * alignment;
        bytes_.resize(metadata + alignment + data.size());
        put(metadata, sentinel);
        put(metadata + 4, type_code);
        put(metadata + 8, std::uint64_t{data.size()});
        put(metadata + 16, std::uint64_t{metadata + alignment});
        put(metadata + 24, unused);
        if (!data.empty()) {
            std::memcpy(bytes_.data() + metadata + alignment, data.data(), data.size());
        }
        put(0, ++count_);
        return metadata;
    }
    template <class T> void put(std::size_t at, T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bytes_[at + i] = static_cast<std::byte>((value >> (8 * i)) & 0xFFU);
        }
    }

    std::vector<std::byte> bytes_;
    std::uint32_t count_ = 0;
};

} // namespace ane::inline ANEMONE_WAY

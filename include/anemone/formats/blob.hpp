#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"

#include <cstddef>
#include <cstdint>
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

    ANEMONE_API blob_writer();

    /// Appends one tensor and returns the offset to write into `BLOBFILE(..., offset = uint64(...))`.
    ANEMONE_API std::uint64_t add(std::span<const half> values);
    /// The same for elements that are packed already; `unused` bits of the last byte are none of theirs.
    ANEMONE_API std::uint64_t add(blob_type type, std::span<const std::byte> data, std::uint64_t unused);

    /// The finished file.
    ANEMONE_API std::span<const std::byte> bytes() const;
    std::uint32_t count() const { return count_; }

private:
    std::vector<std::byte> bytes_;
    std::uint32_t count_ = 0;
};

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "blob.ipp"
#endif

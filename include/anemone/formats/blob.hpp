#ifndef ANEMONE_FORMATS_BLOB_HPP
#define ANEMONE_FORMATS_BLOB_HPP

#include "../base/way.hpp"
#include "../values/half.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The element types of the blob that are written here (facts: weights, section 1).
enum class blob_type : std::uint32_t {
    fp16 = 1,
    uint8 = 3,
    int8 = 4,
    int4 = 8,
    uint1 = 9,
    uint2 = 10,
    uint4 = 11,
    uint3 = 12,
    uint6 = 13
};

/// The type of a name, which must be one of these: "uint4".
constexpr blob_type blob_type_of(std::string_view name) {
    struct row {
        std::string_view name;
        blob_type type;
    };
    for (const row& r : {row{"uint8", blob_type::uint8}, row{"int8", blob_type::int8}, row{"int4", blob_type::int4},
                         row{"uint1", blob_type::uint1}, row{"uint2", blob_type::uint2}, row{"uint4", blob_type::uint4},
                         row{"uint3", blob_type::uint3}, row{"uint6", blob_type::uint6}}) {
        if (r.name == name) {
            return r.type;
        }
    }
    return blob_type::fp16;
}

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

    ANEMONE_API_OF(anemone_formats_blob_hpp) blob_writer();

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

#endif
#if ANEMONE_BODIES
#include "blob.ipp"
#endif

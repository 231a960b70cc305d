#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_formats_blob_hpp);

#include "blob.hpp"

#include <cstring>

namespace ane::formats::inline ANEMONE_WAY {

/// Writes an integer, little endian.
template <class Integer> void put(std::vector<std::byte>& bytes, std::size_t at, Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        bytes[at + i] = static_cast<std::byte>((value >> (8 * i)) & 0xFFU);
    }
}

} // namespace ane::formats::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF blob_writer::blob_writer() : bytes_(alignment) {
    formats::put(bytes_, 0, count_);
    formats::put(bytes_, 4, version);
}

ANEMONE_BODY std::uint64_t blob_writer::add(std::span<const half> values) {
    return add(blob_type::fp16, std::as_bytes(values), 0);
}

ANEMONE_BODY std::uint64_t blob_writer::add(blob_type type, std::span<const std::byte> data, std::uint64_t unused) {
    const std::size_t metadata = (bytes_.size() + alignment - 1) / alignment * alignment;
    bytes_.resize(metadata + alignment + data.size());
    formats::put(bytes_, metadata, sentinel);
    formats::put(bytes_, metadata + 4, static_cast<std::uint32_t>(type));
    formats::put(bytes_, metadata + 8, std::uint64_t{data.size()});
    formats::put(bytes_, metadata + 16, std::uint64_t{metadata + alignment});
    formats::put(bytes_, metadata + 24, unused);
    if (!data.empty()) {
        std::memcpy(bytes_.data() + metadata + alignment, data.data(), data.size());
    }
    formats::put(bytes_, 0, ++count_);
    return metadata;
}

ANEMONE_BODY std::span<const std::byte> blob_writer::bytes() const { return bytes_; }

} // namespace ane::inline ANEMONE_WAY

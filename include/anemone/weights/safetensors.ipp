#pragma once

#include "../base/formatted.hpp"
#include "../io/file.hpp"
#include "../io/json.hpp"
#include "../io/open_file.hpp"
#include "../io/steady_file.hpp"
#include "safetensors.hpp"
#include "safetensors_file.hpp"
#include "safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// The length field, checked against the bytes that follow it.
ANEMONE_INLINE std::uint64_t header_length(std::span<const std::byte, 8> field, std::uint64_t following,
                                           const std::string& source) {
    std::uint64_t length = 0;
    std::memcpy(&length, field.data(), 8);
    if (length > safetensors_header_limit) {
        refuse_file(source,
                    formatted("the header is {} bytes long, the limit is {}", length, safetensors_header_limit));
    }
    if (length > following) {
        refuse_file(source,
                    formatted("the header is {} bytes long, the file has {} after the length", length, following));
    }
    return length;
}

/// Throws if the system cannot provide that much memory: at once, not after most of a file has been read. The memory is
/// asked for in one piece, and none of it is touched.
ANEMONE_INLINE void require_memory(std::uint64_t bytes, const std::string& source) {
    try {
        ::operator delete(::operator new(static_cast<std::size_t>(bytes)));
    } catch (const std::bad_alloc&) {
        refuse_file(source, formatted("its tensors take {} bytes, more than the system has memory for", bytes));
    }
}

/// Makes a store of a layout; `bytes_of` gives the bytes of an entry.
template <class BytesOf> weight_store store_of(safetensors_layout layout, const BytesOf& bytes_of) {
    weight_store store;
    if (!layout.metadata.empty()) {
        store.set_metadata(std::move(layout.metadata));
    }
    for (safetensors_entry& e : layout.entries) {
        tensor_bytes bytes = bytes_of(e);
        store.add({std::move(e.name), e.type, e.shape, std::move(bytes)});
    }
    return store;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY weight_store parse_safetensors(std::span<const std::byte> file, const std::string& source) {
    if (file.size() < 8) {
        detail::refuse_file(source, formatted("has {} bytes, the header length alone takes 8", file.size()));
    }
    const std::uint64_t length = detail::header_length(file.first<8>(), file.size() - 8, source);
    const std::string_view header(reinterpret_cast<const char*>(file.data()) + 8, length);
    const std::span<const std::byte> data = file.subspan(8 + length);
    return detail::store_of(detail::parse_header(header, data.size(), source), [&](const auto& entry) {
        const auto bytes = data.subspan(entry.begin, entry.end - entry.begin);
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    });
}

ANEMONE_BODY weight_store load_safetensors(const std::string& path) {
    const auto file = std::make_shared<const detail::steady_file>(detail::opened_to_read(path), path);
    if (file->size() < 8) {
        detail::refuse_file(path, formatted("has {} bytes, the header length alone takes 8", file->size()));
    }
    std::array<std::byte, 8> field{};
    file->read(0, field);
    std::string header(detail::header_length(field, file->size() - 8, path), ' ');
    file->read(8, std::as_writable_bytes(std::span(header)));
    const std::uint64_t begin = 8 + header.size();
    const std::uint64_t data_bytes = file->size() - begin;
    detail::safetensors_layout layout = detail::parse_header(header, data_bytes, path);
    header = {};
    detail::require_memory(data_bytes, path);
    return detail::store_of(std::move(layout), [&](const auto& entry) {
        const auto count = static_cast<std::size_t>(entry.end - entry.begin);
        tensor_bytes bytes = tensor_bytes::in_file({file, begin + entry.begin, count});
        return count < detail::least_file_part ? tensor_bytes(std::move(bytes).taken()) : bytes;
    });
}

ANEMONE_BODY void save_safetensors(const std::string& path, const weight_store& store) {
    const detail::safetensors_file file(path, store);
    detail::write_pieces(path, file.pieces());
}

} // namespace ane::inline ANEMONE_WAY

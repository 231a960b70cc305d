#pragma once

#include "../base/formatted.hpp"
#include "../io/file.hpp"
#include "../io/json.hpp"
#include "../io/open_file.hpp"
#include "safetensors.hpp"
#include "safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>
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
        std::vector<std::byte> bytes = bytes_of(e);
        store.add({std::move(e.name), e.type, e.shape, std::move(bytes)});
    }
    return store;
}

/// A text as a JSON string; one that is not UTF-8 would not be read back.
ANEMONE_INLINE std::string header_string(std::string_view text, const std::string& source) {
    if (!is_utf8(text)) {
        refuse_file(source, formatted("a name or the metadata is not UTF-8: {}", printable(text)));
    }
    return json_string(text);
}

/// The header of tensors that lie one behind the other.
ANEMONE_INLINE std::string header_of(const std::vector<const stored_tensor*>& order,
                                     const weight_store::texts& metadata, const std::string& source) {
    std::string header;
    for (const auto& [key, text] : metadata) {
        header += formatted("{}{}:{}", header.empty() ? "{\"__metadata__\":{" : ",", header_string(key, source),
                            header_string(text, source));
    }
    header += header.empty() ? "" : "}";
    std::uint64_t offset = 0;
    for (const stored_tensor* const tensor : order) {
        if (tensor->name == "__metadata__") {
            refuse_file(source, "a tensor cannot be called __metadata__");
        }
        std::string shape;
        for (int axis = 0; axis < tensor->shape.rank; ++axis) {
            shape += formatted("{}{}", axis == 0 ? "" : ",", tensor->shape[axis]);
        }
        const std::uint64_t end = offset + tensor->bytes.size();
        header += formatted(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", header.empty() ? "{" : ",",
                            header_string(tensor->name, source), name(tensor->type), shape, offset, end);
        offset = end;
    }
    return header.empty() ? "{}" : header + "}";
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
    const detail::file_reader file(path);
    if (file.size() < 8) {
        detail::refuse_file(path, formatted("has {} bytes, the header length alone takes 8", file.size()));
    }
    std::array<std::byte, 8> field{};
    file.read(field);
    std::string header(detail::header_length(field, file.size() - 8, path), ' ');
    file.read(std::as_writable_bytes(std::span(header)));
    const std::uint64_t data_bytes = file.size() - 8 - header.size();
    detail::safetensors_layout layout = detail::parse_header(header, data_bytes, path);
    header = {};
    detail::require_memory(data_bytes, path);
    return detail::store_of(std::move(layout), [&](const auto& entry) {
        std::vector<std::byte> bytes(entry.end - entry.begin);
        file.read(bytes);
        return bytes;
    });
}

ANEMONE_BODY void save_safetensors(const std::string& path, const weight_store& store) {
    std::vector<std::size_t> places(store.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { // wide elements first, then as stored
        return std::pair(element_bytes(store[b].type), a) < std::pair(element_bytes(store[a].type), b);
    });
    std::vector<const stored_tensor*> order(places.size());
    std::transform(places.begin(), places.end(), order.begin(), [&](std::size_t place) { return &store[place]; });
    if (store.metadata().size() > safetensors_metadata_limit) {
        detail::refuse_file(path, formatted("the metadata has {} entries, the limit is {}", store.metadata().size(),
                                            safetensors_metadata_limit));
    }
    std::string header = detail::header_of(order, store.metadata(), path);
    header.resize((header.size() + 7) / 8 * 8, ' ');
    if (header.size() > safetensors_header_limit) {
        detail::refuse_file(path, formatted("the header would be {} bytes long, the limit is {}", header.size(),
                                            safetensors_header_limit));
    }
    const std::uint64_t length = header.size();
    std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(&length, 1)),
                                                   std::as_bytes(std::span(header))};
    for (const stored_tensor* const tensor : order) {
        pieces.emplace_back(tensor->bytes);
    }
    detail::write_pieces(path, pieces);
}

} // namespace ane::inline ANEMONE_WAY

#pragma once

#include "../base/formatted.hpp"
#include "../io/json.hpp"
#include "../io/open_file.hpp"
#include "../io/unicode.hpp"
#include "safetensors.hpp"
#include "safetensors_header.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a safetensors file is written of. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

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
        header +=
            formatted(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", header.empty() ? "{" : ",",
                      header_string(tensor->name, source), facts_of(tensor->type).safetensors, shape, offset, end);
        offset = end;
    }
    return header.empty() ? "{}" : header + "}";
}

/// A store as the pieces of a file, which refer to the store. `path` is for errors.
class safetensors_file {
public:
    ANEMONE_INLINE safetensors_file(const std::string& path, const weight_store& store) {
        std::vector<std::size_t> places(store.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::sort(places.begin(), places.end(),
                  [&](std::size_t a, std::size_t b) { // wide elements first, then as stored
                      return std::pair(bytes(store[b].type, 1), a) < std::pair(bytes(store[a].type, 1), b);
                  });
        std::vector<const stored_tensor*> order(places.size());
        std::transform(places.begin(), places.end(), order.begin(), [&](std::size_t place) { return &store[place]; });
        if (store.metadata().size() > safetensors_metadata_limit) {
            refuse_file(path, formatted("the metadata has {} entries, the limit is {}", store.metadata().size(),
                                        safetensors_metadata_limit));
        }
        header_ = header_of(order, store.metadata(), path);
        header_.resize((header_.size() + 7) / 8 * 8, ' ');
        if (header_.size() > safetensors_header_limit) {
            refuse_file(path, formatted("the header would be {} bytes long, the limit is {}", header_.size(),
                                        safetensors_header_limit));
        }
        length_ = header_.size();
        pieces_ = {std::as_bytes(std::span(&length_, 1)), std::as_bytes(std::span(header_))};
        for (const stored_tensor* const tensor : order) {
            pieces_.emplace_back(tensor->bytes);
        }
    }
    safetensors_file(const safetensors_file&) = delete;
    safetensors_file& operator=(const safetensors_file&) = delete;

    ANEMONE_INLINE std::span<const std::span<const std::byte>> pieces() const { return pieces_; }

private:
    std::uint64_t length_ = 0;
    std::string header_;
    std::vector<std::span<const std::byte>> pieces_;
};

} // namespace ane::detail::inline ANEMONE_WAY

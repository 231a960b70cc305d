#pragma once

#include "../way.hpp"
#include "store.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <tuple>

/// The safetensors file format: u64 header length (little endian), a JSON header, then the bytes of all tensors. The
/// header maps a name to {"dtype", "shape", "data_offsets": [begin, end)}, offsets counted from the end of the header;
/// `__metadata__` maps strings to strings. The reader is strict; each failure is an ane::error(errc::file, source,
/// ...).
namespace ane::inline ANEMONE_WAY {

/// Longest header that is read or written, in bytes (the limit of the reference implementation).
inline constexpr std::uint64_t safetensors_header_limit = 100'000'000;

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// Where one tensor lies in the data part.
struct safetensors_entry {
    std::string name;
    source_type type = source_type::f32;
    extents shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct safetensors_layout {
    std::vector<safetensors_entry> entries; // by offset
    std::map<std::string, std::string> metadata;
};

class safetensors_reader {
public:
    explicit safetensors_reader(std::string source) : source_(std::move(source)) {}

    [[noreturn]] void fail(const std::string& detail) const { throw error(errc::file, source_, detail); }

    /// The length field, checked against the bytes that follow it.
    std::uint64_t header_length(std::span<const std::byte, 8> field, std::uint64_t following) const {
        std::uint64_t length = 0;
        std::memcpy(&length, field.data(), 8);
        if (length > safetensors_header_limit) {
            fail(fmt::format("the header is {} bytes long, the limit is {}", length, safetensors_header_limit));
        }
        if (length > following) {
            fail(fmt::format("the header is {} bytes long, the file has {} after the length", length, following));
        }
        return length;
    }

    /// Parses the header and proves that the tensors tile `data_bytes` without a hole, an overlap or a rest.
    safetensors_layout layout(std::string_view header, std::uint64_t data_bytes) const {
        const nlohmann::json document = parse(header);
        safetensors_layout result;
        for (const auto& [key, value] : document.items()) {
            if (key == "__metadata__") {
                result.metadata = metadata(value);
            } else {
                result.entries.push_back(entry(key, value));
            }
        }
        // The header may list tensors in any order; a file of zero-sized tensors has several at one offset.
        std::stable_sort(result.entries.begin(), result.entries.end(), [](const auto& a, const auto& b) {
            return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
        });
        std::uint64_t expected = 0;
        for (const safetensors_entry& e : result.entries) {
            if (e.begin != expected) {
                fail(fmt::format("tensor '{}' begins at {}, the one before it ends at {}: {}", e.name, e.begin,
                                 expected, e.begin < expected ? "they overlap" : "there is a hole"));
            }
            expected = e.end;
        }
        if (expected != data_bytes) {
            fail(fmt::format("the tensors end at {}, the data has {} bytes", expected, data_bytes));
        }
        return result;
    }

private:
    nlohmann::json parse(std::string_view header) const {
        if (header.empty() || header.front() != '{') {
            fail("the header does not begin with '{'");
        }
        if (header.find('\0') != std::string_view::npos) {
            fail("the header contains a zero byte"); // which the JSON parser would take for its end
        }
        using event = nlohmann::json::parse_event_t;
        std::vector<std::set<std::string>> keys; // of the objects that are open
        const auto watch = [&](int depth, event kind, nlohmann::json& value) {
            if (depth > 2 && (kind == event::object_start || kind == event::array_start)) {
                fail("the header nests deeper than a list in a tensor's entry");
            }
            if (kind == event::object_start) {
                keys.emplace_back();
            } else if (kind == event::object_end) {
                keys.pop_back();
            } else if (kind == event::key && !keys.back().insert(value.get<std::string>()).second) {
                fail(fmt::format("the header has the key '{}' twice in one object", value.get<std::string>()));
            }
            return true;
        };
        try {
            return nlohmann::json::parse(header.begin(), header.end(), watch);
        } catch (const nlohmann::json::exception& reason) {
            fail(fmt::format("the header is not JSON: {}", reason.what()));
        }
    }

    std::map<std::string, std::string> metadata(const nlohmann::json& value) const {
        if (!value.is_object()) {
            fail("__metadata__ is not an object");
        }
        std::map<std::string, std::string> result;
        for (const auto& [key, text] : value.items()) {
            if (!text.is_string()) {
                fail(fmt::format("__metadata__ entry '{}' is not a string", key));
            }
            result.emplace(key, text.get<std::string>());
        }
        return result;
    }

    const nlohmann::json& field(const std::string& tensor, const nlohmann::json& value, const char* key) const {
        const auto found = value.find(key);
        if (found == value.end()) {
            fail(fmt::format("tensor '{}' has no \"{}\"", tensor, key));
        }
        return *found;
    }

    std::uint64_t number(const std::string& tensor, const nlohmann::json& value, const char* key, std::size_t i) const {
        if (!value[i].is_number_unsigned()) {
            fail(fmt::format("tensor '{}': {}[{}] is {}, not an integer from 0 to 2^63 - 1", tensor, key, i,
                             shown(value[i])));
        }
        const auto result = value[i].get<std::uint64_t>();
        if (result > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            fail(fmt::format("tensor '{}': {}[{}] is {}, above 2^63 - 1", tensor, key, i, result));
        }
        return result;
    }

    static std::string shown(const nlohmann::json& value) {
        const std::string text = value.dump();
        return text.size() <= 40 ? text : text.substr(0, 40) + "...";
    }

    safetensors_entry entry(const std::string& tensor, const nlohmann::json& value) const {
        if (!value.is_object()) {
            fail(fmt::format("the entry of tensor '{}' is {}, not an object", tensor, shown(value)));
        }
        if (value.size() != 3) {
            fail(fmt::format("the entry of tensor '{}' has {} keys, not the 3 of dtype, shape and data_offsets", tensor,
                             value.size()));
        }
        safetensors_entry result;
        result.name = tensor;
        result.type = type(tensor, field(tensor, value, "dtype"));
        const std::uint64_t bytes = shape(tensor, field(tensor, value, "shape"), result);
        const nlohmann::json& offsets = field(tensor, value, "data_offsets");
        if (!offsets.is_array() || offsets.size() != 2) {
            fail(fmt::format("tensor '{}': data_offsets is {}, not two integers", tensor, shown(offsets)));
        }
        result.begin = number(tensor, offsets, "data_offsets", 0);
        result.end = number(tensor, offsets, "data_offsets", 1);
        if (result.end < result.begin) {
            fail(fmt::format("tensor '{}' ends at {}, before its begin {}", tensor, result.end, result.begin));
        }
        if (result.end - result.begin != bytes) {
            fail(fmt::format("tensor '{}' spans {} bytes, its shape and type {} need {}", tensor,
                             result.end - result.begin, name(result.type), bytes));
        }
        return result;
    }

    source_type type(const std::string& tensor, const nlohmann::json& value) const {
        for (auto code = std::uint8_t{0}; code <= static_cast<std::uint8_t>(source_type::i64); ++code) {
            const auto candidate = static_cast<source_type>(code);
            if (value.is_string() && value.get_ref<const std::string&>() == name(candidate)) {
                return candidate;
            }
        }
        fail(fmt::format("tensor '{}': dtype is {}, which is unknown", tensor, shown(value)));
    }

    /// Fills the shape, returns its bytes. Extents of zero are left out of the overflow check's product on purpose:
    /// strides of such a shape must not overflow either.
    std::uint64_t shape(const std::string& tensor, const nlohmann::json& value, safetensors_entry& result) const {
        if (!value.is_array()) {
            fail(fmt::format("tensor '{}': shape is {}, not a list", tensor, shown(value)));
        }
        if (value.size() > static_cast<std::size_t>(extents::capacity)) {
            fail(fmt::format("tensor '{}' has rank {}, the limit is {}", tensor, value.size(), extents::capacity));
        }
        std::int64_t product = element_bytes(result.type);
        for (std::size_t axis = 0; axis < value.size(); ++axis) {
            const auto e = static_cast<std::int64_t>(number(tensor, value, "shape", axis));
            if (e != 0 && __builtin_mul_overflow(product, e, &product)) {
                fail(fmt::format("tensor '{}': shape {} needs more than 2^63 - 1 bytes", tensor, shown(value)));
            }
            result.shape.append(e);
        }
        return static_cast<std::uint64_t>(result.shape.count() == 0 ? 0 : product);
    }

    std::string source_;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Reads a file that is held in memory. `source` names it in errors. Tensors come in the order of their offsets.
ANEMONE_INLINE weight_store parse_safetensors(std::span<const std::byte> file, std::string source = "safetensors") {
    const detail::safetensors_reader reader(std::move(source));
    if (file.size() < 8) {
        reader.fail(fmt::format("has {} bytes, the header length alone takes 8", file.size()));
    }
    const std::uint64_t length = reader.header_length(file.first<8>(), file.size() - 8);
    const std::span<const std::byte> data = file.subspan(8 + length);
    const std::string header(reinterpret_cast<const char*>(file.data()) + 8, length);
    detail::safetensors_layout layout = reader.layout(header, data.size());
    weight_store store;
    store.metadata() = std::move(layout.metadata);
    for (detail::safetensors_entry& e : layout.entries) {
        const auto bytes = data.subspan(e.begin, e.end - e.begin);
        store.add({std::move(e.name), e.type, e.shape, {bytes.begin(), bytes.end()}});
    }
    return store;
}

/// Reads a file; the header first, then each tensor straight into its place.
ANEMONE_INLINE weight_store load_safetensors(const std::filesystem::path& path) {
    const detail::safetensors_reader reader(path.string());
    std::ifstream stream(path, std::ios::binary);
    std::error_code failure;
    const std::uint64_t size = std::filesystem::file_size(path, failure);
    if (!stream || failure) {
        reader.fail(fmt::format("cannot be opened{}{}", failure ? ": " : "", failure ? failure.message() : ""));
    }
    if (size < 8) {
        reader.fail(fmt::format("has {} bytes, the header length alone takes 8", size));
    }
    const auto read = [&](void* into, std::uint64_t count) {
        if (!stream.read(static_cast<char*>(into), static_cast<std::streamsize>(count))) {
            reader.fail(fmt::format("could not be read to its end, {} bytes", size));
        }
    };
    std::array<std::byte, 8> field{};
    read(field.data(), field.size());
    const std::uint64_t length = reader.header_length(field, size - 8);
    std::string header(length, ' ');
    read(header.data(), length);
    detail::safetensors_layout layout = reader.layout(header, size - 8 - length);
    weight_store store;
    store.metadata() = std::move(layout.metadata);
    for (detail::safetensors_entry& e : layout.entries) {
        std::vector<std::byte> bytes(e.end - e.begin);
        read(bytes.data(), bytes.size());
        store.add({std::move(e.name), e.type, e.shape, std::move(bytes)});
    }
    return store;
}

/// Writes a store. Tensors are ordered by falling element size, else as in the store, and the header is filled up to a
/// multiple of 8 bytes, so that every tensor is aligned to its element.
ANEMONE_INLINE void save_safetensors(const std::filesystem::path& path, const weight_store& store) {
    const detail::safetensors_reader reader(path.string());
    std::vector<const stored_tensor*> order;
    for (const stored_tensor& tensor : store) {
        order.push_back(&tensor);
    }
    std::stable_sort(order.begin(), order.end(), [](const stored_tensor* a, const stored_tensor* b) {
        return element_bytes(a->type) > element_bytes(b->type);
    });
    std::string header;
    try {
        nlohmann::json document = nlohmann::json::object();
        if (!store.metadata().empty()) {
            document["__metadata__"] = store.metadata();
        }
        std::uint64_t offset = 0;
        for (const stored_tensor* tensor : order) {
            if (tensor->name == "__metadata__") {
                reader.fail("a tensor cannot be called __metadata__");
            }
            nlohmann::json shape = nlohmann::json::array();
            for (int axis = 0; axis < tensor->shape.rank; ++axis) {
                shape.push_back(static_cast<std::uint64_t>(tensor->shape[axis]));
            }
            const std::uint64_t end = offset + tensor->bytes.size();
            document[tensor->name] = {{"dtype", name(tensor->type)}, {"shape", shape}, {"data_offsets", {offset, end}}};
            offset = end;
        }
        header = document.dump();
    } catch (const nlohmann::json::exception& reason) {
        reader.fail(fmt::format("a name or the metadata is not UTF-8: {}", reason.what()));
    }
    header.resize((header.size() + 7) / 8 * 8, ' ');
    if (header.size() > safetensors_header_limit) {
        reader.fail(
            fmt::format("the header would be {} bytes long, the limit is {}", header.size(), safetensors_header_limit));
    }
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    const std::uint64_t length = header.size();
    stream.write(reinterpret_cast<const char*>(&length), 8);
    stream.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const stored_tensor* tensor : order) {
        stream.write(reinterpret_cast<const char*>(tensor->bytes.data()),
                     static_cast<std::streamsize>(tensor->bytes.size()));
    }
    stream.close();
    if (!stream) {
        reader.fail("could not be written");
    }
}

} // namespace ane::inline ANEMONE_WAY

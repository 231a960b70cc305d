#pragma once

#include "../base/error.hpp"
#include "../folding/known_tensor.hpp"
#include "../formats/blob.hpp"
#include "../passes/print.hpp"
#include "element_count.hpp"
#include "file_lookup.hpp"

#include <cstring>
#include <map>
#include <string>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

using folding::known_tensor;

/// Why a statement cannot be read; the statement gives place and operation.
using refused_statement = folding::refused;

/// Reads entries of weight blobs, of versions 1 and 2 (facts: weights section 1): each claim of a header is checked
/// against the size of the file before anything is done with it.
class mil_blobs {
public:
    explicit mil_blobs(file_lookup files) : files_(files) {}

    /// The entry whose metadata stand at `offset`. Throws `refused_statement`.
    ANEMONE_INLINE known_tensor entry(const std::string& path, double offset, element_type type, const extents& shape) {
        const file_bytes file = bytes_of(path);
        if (file.size() < blob_writer::alignment) {
            refuse(path, formatted("has {} bytes, its header alone takes {}", file.size(), blob_writer::alignment));
        }
        if (const auto version = load<std::uint32_t>(path, file, 4); version != 1 && version != 2) {
            refuse(path, formatted("has version {}, known are 1 and 2", version));
        }
        if (!(offset >= 0) || offset > static_cast<double>(file.size() - blob_writer::alignment)) {
            refuse(path, formatted("has {} bytes, none for the metadata at {}", file.size(), offset));
        }
        const auto at = static_cast<std::size_t>(offset);
        if (load<std::uint32_t>(path, file, at) != blob_writer::sentinel) {
            refuse(path, formatted("has no entry at {}: the sentinel is missing", at));
        }
        const auto code = load<std::uint32_t>(path, file, at + 4);
        const auto size = load<std::uint64_t>(path, file, at + 8);
        const auto begin = load<std::uint64_t>(path, file, at + 16);
        if (begin > file.size() || size > file.size() - begin) {
            refuse(path, formatted("has {} bytes, its entry at {} claims {} from {} on", file.size(), at, size, begin));
        }
        // A truth value is a byte. Blobs that say uint8 for what the text calls int8 are met, and the other way round.
        const element_facts& facts = facts_of(type);
        const bool fits =
            code == static_cast<std::uint32_t>(facts.blob) || (facts.bits == 8 && (code == 3 || code == 4));
        if (!fits) {
            refuse(path, formatted("has elements of type {} at {}, the text says {} ({})", code, at, facts.mil,
                                   facts.blob < 0 ? std::string("not in blobs") : formatted("{}", facts.blob)));
        }
        const std::int64_t count = element_count(shape);
        const std::int64_t needed = count < 0 ? -1 : weight_formats::packed_bytes(count, facts.bits);
        if (needed < 0 || static_cast<std::uint64_t>(needed) > size) {
            refuse(path, formatted("has {} bytes at {}, {} of {} takes more", size, at, facts.mil, print(shape)));
        }
        if (static_cast<std::uint64_t>(needed) < size) {
            refuse(path, formatted("has {} bytes at {}, {} of {} takes {}", size, at, facts.mil, print(shape), needed));
        }
        known_tensor c;
        c.type = type;
        c.shape = shape;
        c.bytes = part(path, file, begin, size);
        return c;
    }

private:
    ANEMONE_INLINE std::span<const std::byte> part(const std::string& path, const file_bytes& file, std::uint64_t begin,
                                                   std::uint64_t count) const {
        try {
            return file.part(begin, count);
        } catch (const error& e) {
            refuse(path, formatted("cannot be read: {}", e.what()));
        }
    }
    template <class T> T load(const std::string& path, const file_bytes& file, std::size_t at) const {
        T value;
        std::memcpy(&value, part(path, file, at, sizeof(T)).data(), sizeof(T));
        return value;
    }
    void refuse [[noreturn]] (const std::string& path, const std::string& why) const {
        throw refused_statement{formatted("the blob {} {}", path, why)};
    }
    ANEMONE_INLINE file_bytes bytes_of(const std::string& path) {
        const auto known = known_.find(path);
        if (known != known_.end()) {
            return known->second;
        }
        try {
            return known_[path] = files_(path);
        } catch (const error& e) {
            refuse(path, formatted("cannot be read: {}", e.what()));
        }
    }

    file_lookup files_;
    std::map<std::string, file_bytes> known_;
};

} // namespace ane::readers::inline ANEMONE_WAY

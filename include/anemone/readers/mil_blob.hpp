#pragma once

#include "../base/error.hpp"
#include "../folding/known_tensor.hpp"
#include "../formats/blob.hpp"
#include "../passes/print.hpp"
#include "element_count.hpp"
#include "file_elements.hpp"
#include "file_lookup.hpp"
#include "missing_data.hpp"
#include "missing_file.hpp"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

    bool allows_missing = false; ///< of files that are not there, or end too early
    missing_data gaps;
    std::map<std::string, std::string> lost; ///< the paths of such files, with what is wrong

    /// The entry whose metadata stand at `offset`; nothing is copied. Throws `refused_statement`.
    ANEMONE_INLINE known_tensor entry(const std::string& path, double offset, element_type type, const extents& shape) {
        try {
            return entry_in(bytes_of(path), path, offset, type, shape);
        } catch (const nothing_there& gone) {
            if (!allows_missing) {
                refuse(path, gone.why);
            }
            lost.emplace(path, gone.why);
            return gaps.tensor(type, shape);
        }
    }

    /// What is odd about the records that were read since this was last asked, with what to write instead.
    ANEMONE_INLINE std::vector<std::string> taken_remarks() { return std::exchange(remarks_, {}); }

private:
    /// A file that is not there, or that ends before what is asked for.
    struct nothing_there {
        std::string why;
    };

    ANEMONE_INLINE known_tensor entry_in(const file_bytes& file, const std::string& path, double offset,
                                         element_type type, const extents& shape) {
        if (file.size() < blob_writer::alignment) {
            throw nothing_there{
                formatted("has {} bytes, its header alone takes {}", file.size(), blob_writer::alignment)};
        }
        if (const auto version = load<std::uint32_t>(path, file, 4); version != 1 && version != 2) {
            refuse(path, formatted("has version {}, known are 1 and 2", version));
        }
        if (!(offset >= 0) || offset > static_cast<double>(file.size() - blob_writer::alignment)) {
            throw nothing_there{formatted("has {} bytes, none for the metadata at {}", file.size(), offset)};
        }
        const auto at = static_cast<std::size_t>(offset);
        if (at % blob_writer::alignment != 0) {
            remarks_.push_back(
                formatted("the offset {} in the blob {} is no multiple of {}: records begin at such; write "
                          "the blob anew, with padding",
                          at, path, blob_writer::alignment));
        }
        if (load<std::uint32_t>(path, file, at) != blob_writer::sentinel) {
            refuse(path, formatted("has no entry at {}: the sentinel is missing", at));
        }
        const auto code = load<std::uint32_t>(path, file, at + 4);
        auto size = load<std::uint64_t>(path, file, at + 8);
        const auto begin = load<std::uint64_t>(path, file, at + 16);
        if (size == 0 && count_of(type, shape) > 0) {
            size = static_cast<std::uint64_t>(count_of(type, shape));
            remarks_.push_back(formatted("the record at {} in the blob {} says no size: write {} bytes at {}", at, path,
                                         size, at + 8));
        }
        if (begin > file.size() || size > file.size() - begin) {
            throw nothing_there{
                formatted("has {} bytes, its entry at {} claims {} from {} on", file.size(), at, size, begin)};
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
        try {
            give_elements(c, file, begin, size);
        } catch (const error& e) {
            refuse(path, formatted("cannot be read: {}", e.what()));
        }
        c.lender = file.hold(begin, size);
        return c;
    }

    /// The bytes of a tensor; below 0 for a shape that none has.
    ANEMONE_INLINE static std::int64_t count_of(element_type type, const extents& shape) {
        const std::int64_t count = element_count(shape);
        return count < 0 ? -1 : weight_formats::packed_bytes(count, facts_of(type).bits);
    }
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
        } catch (const missing_file& gone) {
            throw nothing_there{formatted("cannot be read: {}", gone.what())};
        } catch (const error& e) {
            refuse(path, formatted("cannot be read: {}", e.what()));
        }
    }

    file_lookup files_;
    std::map<std::string, file_bytes> known_;
    std::vector<std::string> remarks_;
};

} // namespace ane::readers::inline ANEMONE_WAY

#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../values/checked_integer.hpp"
#include "../values/half.hpp"
#include "../weights/store.hpp"
#include "missing_file.hpp"
#include "netplist.hpp"
#include "netplist_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The weight files of a netplist. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// How many elements a shape has. Its extents are at most `most_netplist_extent`; a product beyond 2^40 stays there.
ANEMONE_INLINE std::int64_t bounded_count(const extents& shape) {
    constexpr std::int64_t most = std::int64_t{1} << 40U;
    checked_integer count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        count = count * shape[i];
        if (!count.is_within(0, most)) {
            return most;
        }
    }
    return count.value();
}

class netplist_blobs {
public:
    /// `most`: bytes that the tensors may take, all together.
    netplist_blobs(std::vector<std::string_view> names, const blob_lookup& look_up, std::uint64_t most,
                   bool allows_missing)
        : names_(std::move(names)), look_up_(look_up), most_(most), allows_missing_(allows_missing) {}

    /// `shape` elements of `type` (Float16, Float32, or the UInt16 of indices) from byte `offset` of file `index`. Throws
    /// `error` (errc::file) where the file ends before them.
    ANEMONE_INLINE stored_tensor tensor(std::int64_t index, std::int64_t offset, std::string_view type,
                                        const extents& shape) {
        stored_tensor result;
        const element_type named = find_element(&element_facts::netplist, type);
        result.type = named == element_type::f32 || named == element_type::uint16 ? named : element_type::f16;
        result.shape = shape;
        const std::int64_t size = bytes(result.type, 1);
        const std::int64_t count = bounded_count(shape);
        if (is_gone(index, offset, count * size)) {
            was_missing_ = true;
            result.bytes = std::vector<std::byte>(static_cast<std::size_t>(count * size));
            return result;
        }
        const tensor_bytes& held = file(index);
        const auto all = static_cast<std::int64_t>(held.size());
        if (offset < 0 || offset > all || count > (all - offset) / size) {
            throw error(
                errc::file, std::string(names_[static_cast<std::size_t>(index)]),
                formatted("has {} bytes, not the {} elements of {} bytes from byte {} on", all, count, size, offset));
        }
        given_ += count * size;
        if (given_ > sharing * (held_ + 4096)) {
            throw error(errc::file, std::string(names_[static_cast<std::size_t>(index)]),
                        formatted("the units read more than {} times the bytes of the weight files", sharing));
        }
        if (static_cast<std::uint64_t>(given_) > most_) {
            throw error(errc::file, std::string(names_[static_cast<std::size_t>(index)]),
                        formatted("the units read {} bytes of weights, more than the {} that the reader may use",
                                  given_, most_));
        }
        result.bytes = held.part(static_cast<std::size_t>(offset), static_cast<std::size_t>(count * size));
        return result;
    }

    /// Whether something was not there, since this was last asked; zeros stand for it.
    ANEMONE_INLINE bool take_missing() { return std::exchange(was_missing_, false); }
    /// What is wrong with the first file that is not there; empty where all are.
    const std::string& lost() const { return lost_; }

private:
    /// Whether a file is not there, or ends before so many bytes, and the caller allows that.
    ANEMONE_INLINE bool is_gone(std::int64_t index, std::int64_t offset, std::int64_t size) {
        if (!allows_missing_) {
            return false;
        }
        std::string why;
        try {
            const auto all = static_cast<std::int64_t>(file(index).size());
            if (offset < 0 || (offset <= all && size <= all - offset)) {
                return false;
            }
            why = formatted("{} has {} bytes, not {} from byte {} on", names_[static_cast<std::size_t>(index)], all,
                            size, offset);
        } catch (const missing_file& gone) {
            why = gone.what();
        }
        gone_ += size;
        if (static_cast<std::uint64_t>(gone_) > most_) {
            throw error(errc::file, "Weights", formatted("more than {} bytes of them are not there", most_));
        }
        lost_ = lost_.empty() ? why : lost_;
        return true;
    }

    static constexpr std::int64_t sharing = 16; ///< so that a small file cannot ask for all memory

    ANEMONE_INLINE const tensor_bytes& file(std::int64_t index) {
        if (index < 0 || index >= static_cast<std::int64_t>(names_.size())) {
            throw error(errc::file, "Weights",
                        formatted("has {} files, and none with number {}", names_.size(), index));
        }
        const auto [known, is_new] = files_.try_emplace(index);
        if (is_new) {
            try {
                known->second = look_up_(std::string(names_[static_cast<std::size_t>(index)]));
            } catch (...) {
                files_.erase(known);
                throw;
            }
            held_ += static_cast<std::int64_t>(known->second.size());
        }
        return known->second;
    }

    std::vector<std::string_view> names_;
    const blob_lookup& look_up_;
    std::uint64_t most_;
    std::map<std::int64_t, tensor_bytes> files_;
    std::int64_t held_ = 0;
    std::int64_t given_ = 0;
    std::int64_t gone_ = 0;
    bool allows_missing_ = false;
    bool was_missing_ = false;
    std::string lost_;
};

} // namespace ane::readers::inline ANEMONE_WAY

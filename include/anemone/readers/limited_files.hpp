#pragma once

#include "file_lookup.hpp"
#include "mapped_file.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Files that a model refers to, by name: each opened once, read part by part, and all of them together no more than the
/// caller allows.
class limited_files {
public:
    explicit limited_files(std::uint64_t most) : left_(most) {}
    limited_files(const limited_files&) = delete;
    limited_files& operator=(const limited_files&) = delete;

    /// The file of this name if it was opened already.
    ANEMONE_INLINE const file_bytes* find(const std::string& name) const {
        const auto found = files_.find(name);
        return found == files_.end() ? nullptr : &found->second.bytes;
    }
    /// The same, which is open now; the path is for messages. Throws `error` (errc::file).
    ANEMONE_INLINE file_bytes add(const std::string& name, ane::detail::open_file file, const std::string& path) {
        const auto [place, is_new] = files_.try_emplace(name, std::move(file), path, left_);
        if (is_new) {
            place->second.stays_open = files_.size() <= most_open;
            place->second.bytes = file_bytes::of(place->second, place->second.file.size());
        }
        return place->second.bytes;
    }

private:
    struct opened {
        opened(ane::detail::open_file from, const std::string& path, std::uint64_t& allowed)
            : file(std::move(from), path), left(allowed) {}
        std::span<const std::byte> part(std::uint64_t begin, std::uint64_t count) {
            return file.part(begin, count, left);
        }
        std::shared_ptr<ane::detail::lender> hold(std::uint64_t begin, std::uint64_t count) {
            return std::make_shared<held_part>(file, begin, count, left);
        }
        /// What is left in the file takes no memory now, but would where somebody needs it: it must fit.
        ane::detail::file_part unread(std::uint64_t begin, std::uint64_t count) const {
            if (count < ane::detail::least_file_part || !stays_open) {
                return {};
            }
            file.require_room(count, left);
            return {file.file(), begin, static_cast<std::size_t>(count)};
        }
        mapped_file file;
        std::uint64_t& left;
        bool stays_open = false; ///< after the reader: not all of a thousand files
        file_bytes bytes;
    };
    static constexpr std::size_t most_open = 32;

    std::uint64_t left_;
    std::map<std::string, opened> files_;
};

} // namespace ane::readers::inline ANEMONE_WAY

#pragma once

#include "../base/cancellation.hpp"
#include "../base/error.hpp"
#include "../base/way.hpp"
#include "file_part.hpp"
#include "made_bytes.hpp"
#include "open_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// A regular file that is kept open, of which any part is read when somebody asks for it, by several threads if they like.
/// One that another program writes to meanwhile is an error: what was read before would not belong to what is read after.
/// A file that gets its name in place of this one changes nothing.
class steady_file {
public:
    /// The path is for messages. Throws `error` (errc::file).
    ANEMONE_INLINE steady_file(open_file file, const std::string& path) : path_(path), file_(std::move(file)) {
        const struct stat found = status();
        if (!S_ISREG(found.st_mode)) {
            throw error(errc::file, path, S_ISDIR(found.st_mode) ? "is a directory" : "is not a regular file");
        }
        size_ = static_cast<std::uint64_t>(found.st_size);
        changed_ = time_of(found);
    }
    /// Bytes that are made of those of a file, in its place.
    ANEMONE_INLINE steady_file(std::shared_ptr<const made_bytes> made, std::uint64_t size, const std::string& path)
        : path_(path), made_(std::move(made)), size_(size) {}

    const std::string& path() const { return path_; }
    /// Bytes of the whole file, when it was opened.
    std::uint64_t size() const { return size_; }

    /// Fills `into` with the bytes from `at` on, which must lie in the file. Throws `error` (errc::file).
    ANEMONE_INLINE void read(std::uint64_t at, std::span<std::byte> into) const {
        if (made_ != nullptr) {
            made_->read(at, into);
            return;
        }
        while (!into.empty()) {
            const ssize_t count =
                ::pread(file_.get(), into.data(), std::min(into.size(), longest_transfer), static_cast<off_t>(at));
            if (count > 0) {
                into = into.subspan(static_cast<std::size_t>(count));
                at += static_cast<std::uint64_t>(count);
            } else if (count == 0) {
                throw error(errc::file, path_,
                            "ends at byte " + std::to_string(at) + ", it had " + std::to_string(size_) +
                                " bytes when it was opened");
            } else if (errno != EINTR) {
                refuse_file_call(path_, "could not be read to its end", errno);
            }
        }
        const struct stat now = status();
        if (static_cast<std::uint64_t>(now.st_size) != size_ || time_of(now) != changed_) {
            throw error(errc::file, path_, "was written to while it was read; read the model again");
        }
    }

private:
    using time = std::pair<std::int64_t, std::int64_t>; ///< seconds and nanoseconds

    ANEMONE_INLINE struct stat status() const {
        struct stat found {};
        if (::fstat(file_.get(), &found) != 0) {
            refuse_file_call(path_, "cannot be opened", errno);
        }
        return found;
    }
    ANEMONE_INLINE static time time_of(const struct stat& found) {
#if defined(__APPLE__)
        return {found.st_mtimespec.tv_sec, found.st_mtimespec.tv_nsec};
#else
        return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
#endif
    }

    std::string path_;
    open_file file_;
    std::shared_ptr<const made_bytes> made_;
    std::uint64_t size_ = 0;
    time changed_;
};

/// Fills `into` with the bytes of a part from number `offset` on. Throws `error` (errc::file).
ANEMONE_INLINE void read_part(const file_part& part, std::size_t offset, std::span<std::byte> into) {
    part.file->read(part.begin + offset, into);
}

/// Fewer bytes than these are not worth a call of the system each time: they are read at once.
inline constexpr std::size_t least_file_part = std::size_t{64} << 10U;

/// Calls `take(offset, bytes)` with all of a part, piece after piece; a piece has a multiple of 64 bytes but for the last.
template <class Take> void each_piece(const file_part& part, const Take& take) {
    constexpr std::size_t longest = std::size_t{1} << 20U;
    const std::size_t room = std::min(part.count, longest);
    const std::unique_ptr<std::byte[]> piece(new std::byte[room]);
    for (std::size_t at = 0; at < part.count;) {
        const std::span<std::byte> some(piece.get(), std::min(room, part.count - at));
        stop_if_cancelled();
        read_part(part, at, some);
        take(at, std::span<const std::byte>(some));
        at += some.size();
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

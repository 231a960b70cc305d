#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "unicode.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <span>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>

/// Files by the calls of POSIX, which say what went wrong.
namespace ane::detail::inline ANEMONE_WAY {

/// Throws `error` (errc::file): "<path>: <what>: <the system's reason>".
ANEMONE_INLINE void refuse_file_call [[noreturn]] (const std::string& path, const std::string& what, int reason) {
    throw error(errc::file, path, what + ": " + std::generic_category().message(reason));
}

/// Throws for a path that names no file: an empty one, a folder's, one that the system would not read to its end.
ANEMONE_INLINE void require_file_path(const std::string& path) {
    if (path.find('\0') != std::string::npos) {
        throw error(errc::file, printable(path), "the path has a null character");
    }
    if (path.empty() || path.back() == '/') {
        throw error(errc::file, path, path.empty() ? "the path is empty" : "is a directory");
    }
}

/// Owns a descriptor.
class open_file {
public:
    open_file() = default;
    explicit open_file(int descriptor) : descriptor_(descriptor) {}
    open_file(open_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    open_file& operator=(open_file&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~open_file() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    int get() const { return descriptor_; }
    explicit operator bool() const { return descriptor_ >= 0; }
    /// Closes it now and gives errno, or 0.
    int close() { return ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno; }

private:
    int descriptor_ = -1;
};

/// Bytes of one call: some systems take no more than 2 GiB.
inline constexpr std::size_t longest_transfer = std::size_t{1} << 30U;

/// Writes everything; gives errno, or 0.
ANEMONE_INLINE int write_all(const open_file& file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), std::min(bytes.size(), longest_transfer));
        if (written > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (written == 0 || errno != EINTR) {
            return written == 0 ? EIO : errno;
        }
    }
    return 0;
}

/// A file that can be read, whatever it is, without waiting: a pipe would wait for its writer. Throws `error` (errc::file).
ANEMONE_INLINE open_file opened_to_read(const std::string& path) {
    require_file_path(path);
    open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file) {
        refuse_file_call(path, "cannot be opened", errno);
    }
    return file;
}

/// A regular file that is read from its begin to its end. Throws `error` (errc::file).
class file_reader {
public:
    ANEMONE_INLINE explicit file_reader(const std::string& path) : file_reader(opened_to_read(path), path) {}
    /// The same of an open file; the path is for messages.
    ANEMONE_INLINE file_reader(open_file file, const std::string& path) : path_(path), file_(std::move(file)) {
        struct stat found {};
        if (::fstat(file_.get(), &found) != 0) {
            refuse_file_call(path, "cannot be opened", errno);
        }
        if (!S_ISREG(found.st_mode)) {
            throw error(errc::file, path, S_ISDIR(found.st_mode) ? "is a directory" : "is not a regular file");
        }
        size_ = static_cast<std::uint64_t>(found.st_size);
    }

    /// Bytes of the whole file, when it was opened.
    std::uint64_t size() const { return size_; }

    /// Fills `into` with the next bytes.
    ANEMONE_INLINE void read(std::span<std::byte> into) const {
        while (!into.empty()) {
            const ssize_t count = ::read(file_.get(), into.data(), std::min(into.size(), longest_transfer));
            if (count > 0) {
                into = into.subspan(static_cast<std::size_t>(count));
            } else if (count == 0) {
                throw error(errc::file, path_,
                            "could not be read to its end: it had " + std::to_string(size_) + " bytes when opened");
            } else if (errno != EINTR) {
                refuse_file_call(path_, "could not be read to its end", errno);
            }
        }
    }

private:
    std::string path_;
    open_file file_;
    std::uint64_t size_ = 0;
};

} // namespace ane::detail::inline ANEMONE_WAY

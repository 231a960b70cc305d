#pragma once

#include "file.hpp"
#include "open_file.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace ane::detail::inline ANEMONE_WAY {

/// The part of a path up to its last slash.
ANEMONE_INLINE std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// Whether what is in a folder belongs to the system, which keeps no files there: as root we could replace /dev/stdout.
ANEMONE_INLINE bool is_system_folder(const std::string& folder) {
    struct freed {
        void operator()(char* text) const { std::free(text); } // NOLINT: realpath allocates with malloc
    };
    const std::unique_ptr<char, freed> whole(::realpath(folder.empty() ? "." : folder.c_str(), nullptr));
    const std::string real = whole ? whole.get() : "";
    return real == "/dev" || real == "/dev/fd" || real.starts_with("/proc/");
}

ANEMONE_INLINE mode_t permissions(const struct stat& of) { return static_cast<mode_t>(of.st_mode & 0777U); }

/// A new file beside a path, under a name of its own until it gets the path's. Removed unless it did.
class file_aside {
public:
    /// Its permissions are at most `mode`.
    ANEMONE_INLINE file_aside(const std::string& path, mode_t mode) {
        static std::atomic<unsigned> made{0};
        for (int attempt = 0; !file_ && attempt < 1000; ++attempt) { // others may have left one of the name
            std::string name =
                folder_of(path) + ".anemone-" + std::to_string(::getpid()) + "-" + std::to_string(made++);
            file_ = open_file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
            if (file_) {
                name_ = std::move(name);
            } else if (errno != EEXIST) {
                break;
            }
        }
        if (!file_) {
            refuse_file_call(path, "cannot be written, no file can be made beside it", errno);
        }
    }
    file_aside(const file_aside&) = delete;
    file_aside& operator=(const file_aside&) = delete;
    ~file_aside() {
        if (!name_.empty()) {
            ::unlink(name_.c_str());
        }
    }

    const open_file& file() const { return file_; }

    /// The owner and the permissions of the file that it will replace, as far as the system allows.
    ANEMONE_INLINE void take_over(const struct stat& old) const {
        if (::fchown(file_.get(), old.st_uid, old.st_gid) != 0) {
            // It stays ours.
        }
        if (::fchmod(file_.get(), permissions(old)) != 0) {
            // It stays as strict as it was made, or stricter.
        }
    }

    /// To the disk, then under the path's name. Gives errno, or 0.
    ANEMONE_INLINE int finish(const std::string& path) {
        const bool kept = ::fsync(file_.get()) == 0 || errno == EINVAL || errno == ENOTSUP; // no disk to wait for
        if (const int failed = kept ? file_.close() : errno; failed != 0) {
            return failed;
        }
        if (std::rename(name_.c_str(), path.c_str()) != 0) {
            return errno;
        }
        name_.clear();
        return 0;
    }

private:
    std::string name_;
    open_file file_;
};

/// Writes all pieces; gives errno, or 0.
ANEMONE_INLINE int write_all(const open_file& file, std::span<const std::span<const std::byte>> pieces) {
    int failed = 0;
    for (std::size_t i = 0; failed == 0 && i < pieces.size(); ++i) {
        failed = write_all(file, pieces[i]);
    }
    return failed;
}

/// Into a pipe or a device, behind what is there. Gives errno, or 0.
ANEMONE_INLINE int write_straight(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
    open_file file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
    if (!file) {
        return errno;
    }
    const int failed = write_all(file, pieces);
    return failed != 0 ? failed : file.close();
}

/// Beside the path, then under its name. Gives errno, or 0.
ANEMONE_INLINE int write_aside(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
    struct stat old {};
    const bool replaces = ::lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
    if (replaces && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
        return errno;
    }
    file_aside aside(path, replaces ? permissions(old) : mode_t{0666});
    if (replaces) {
        aside.take_over(old);
    }
    const int failed = write_all(aside.file(), pieces);
    return failed != 0 ? failed : aside.finish(path);
}

ANEMONE_BODY void write_pieces(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
    require_file_path(path);
    struct stat found {};
    const bool exists = ::stat(path.c_str(), &found) == 0;
    if (exists && S_ISDIR(found.st_mode)) {
        throw error(errc::file, path, "is a directory");
    }
    const bool straight = (exists && !S_ISREG(found.st_mode)) || is_system_folder(folder_of(path));
    if (const int failed = straight ? write_straight(path, pieces) : write_aside(path, pieces); failed != 0) {
        std::size_t size = 0;
        for (const std::span<const std::byte> piece : pieces) {
            size += piece.size();
        }
        refuse_file_call(path, "cannot be written (" + std::to_string(size) + " bytes)", failed);
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY void write_file(const std::string& path, std::span<const std::byte> bytes) {
    detail::require_file_path(path); // before a directory is made for it
    if (const std::filesystem::path directory = std::filesystem::path(path).parent_path(); !directory.empty()) {
        std::error_code failed;
        std::filesystem::create_directories(directory, failed);
        if (failed) {
            throw error(errc::file, path, "its directory cannot be made: " + failed.message());
        }
    }
    detail::write_pieces(path, std::span(&bytes, 1));
}

ANEMONE_BODY void write_file(const std::string& path, const std::string& text) {
    write_file(path, std::as_bytes(std::span(text)));
}

} // namespace ane::inline ANEMONE_WAY

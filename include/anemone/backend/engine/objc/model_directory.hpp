#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../../io/folder_contents.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ane::objc::detail::inline ANEMONE_WAY {

/// A use of the folder of a model's files. The runtime names it after the content, so that sessions of one model share
/// it, in this process and in others: each holds a lock on the folder, and the last one that leaves removes it, if one of
/// them made it. The system lets go of a lock when a process ends, however it ends.
class model_directory {
public:
    model_directory() noexcept = default;
    ANEMONE_INLINE explicit model_directory(const std::string& path) {
        while (true) {
            std::error_code failed;
            const bool made = std::filesystem::create_directories(path, failed);
            if (failed == std::errc::file_exists && is_no_file(path))
                continue; // it was there when it was to be made, and is gone since
            if (failed)
                throw error(errc::file, path, "the directory of the program cannot be made: " + failed.message());
            const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (folder < 0 && errno == ENOENT)
                continue; // another session left meanwhile
            if (folder < 0 || ::flock(folder, LOCK_SH) != 0) {
                const std::string why = std::generic_category().message(errno);
                if (folder >= 0)
                    ::close(folder);
                throw error(errc::file, path, "the directory of the program cannot be locked: " + why);
            }
            if (!is(folder, path)) {
                ::close(folder);
                continue;
            }
            if (made)
                std::ofstream(marker_in(path)); // what was there before has none
            folder_ = folder;
            path_ = path;
            return;
        }
    }
    model_directory(model_directory&& other) noexcept
        : folder_(std::exchange(other.folder_, -1)), path_(std::move(other.path_)) {}
    model_directory& operator=(model_directory&& other) noexcept {
        std::swap(folder_, other.folder_);
        std::swap(path_, other.path_);
        return *this;
    }
    ~model_directory() { leave(); }

    /// Uses it no longer. What cannot be removed stays.
    void leave() noexcept {
        if (folder_ < 0)
            return;
        try {
            std::error_code ignored;
            const bool is_last = ::flock(folder_, LOCK_EX | LOCK_NB) == 0; // fails while others have theirs
            if (is_last && is(folder_, path_) && std::filesystem::exists(marker_in(path_), ignored))
                ane::detail::remove_tree(path_);
        } catch (...) { // no memory for the removal
        }
        forget();
    }
    /// Leaves the folder to the process that this one was forked from, which shares the lock.
    void forget() noexcept {
        if (folder_ >= 0)
            ::close(std::exchange(folder_, -1));
    }

private:
    /// Whether what is open is what has the name now.
    static bool is(int folder, const std::string& path) noexcept {
        struct ::stat opened {};
        struct ::stat named {};
        return ::fstat(folder, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
               opened.st_ino == named.st_ino;
    }
    /// Whether nothing has the name, or a folder (again).
    static bool is_no_file(const std::string& path) noexcept {
        std::error_code failed;
        const std::filesystem::file_type type = std::filesystem::status(path, failed).type();
        return type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::directory;
    }
    static std::string marker_in(const std::string& path) { return path + "/made_by_anemone"; }

    int folder_ = -1;
    std::string path_;
};

} // namespace ane::objc::detail::inline ANEMONE_WAY

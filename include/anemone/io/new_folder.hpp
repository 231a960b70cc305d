#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "file.hpp"
#include "folder_contents.hpp"
#include "open_file.hpp"
#include "temporary_name.hpp"
#include "unfinished.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// Whether a new folder can take the place of one: it is missing, or is a folder of ours with no other files than those
/// that are written, each of which we might write. `files` have their paths in the folder.
ANEMONE_INLINE bool can_be_exchanged(const std::string& folder, std::span<const named_bytes> files) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path name = fs::path(folder).filename();
    if (folder.find('\0') != std::string::npos || name.empty() || name == "." || name == "..") {
        return false;
    }
    const fs::file_status found = fs::symlink_status(folder, failed);
    if (!fs::exists(found)) {
        return true;
    }
    if (!fs::is_directory(found) || ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
        return false;
    }
    std::vector<folder_entry> there;
    if (list_folder(folder, there) != 0) {
        return false;
    }
    return std::all_of(there.begin(), there.end(), [&](const folder_entry& each) {
        const auto is_of = [&](const named_bytes& file) {
            return each.is_folder ? file.path.starts_with(each.path + "/") : file.path == each.path;
        };
        return (each.is_folder || each.is_file) && std::any_of(files.begin(), files.end(), is_of) &&
               (each.is_folder || ::faccessat(AT_FDCWD, (folder + "/" + each.path).c_str(), W_OK, AT_EACCESS) == 0);
    });
}

/// For a program that was told to end: removes them, after which none is made and none gets its name. Outputs are those
/// of before or the new ones, whole.
ANEMONE_INLINE void discard_unfinished() {
    unfinished_files& all = unfinished();
    all.changes.lock(); // for good
    for (const std::string& path : all.paths) {
        remove_tree(path);
    }
}

/// A folder that is written beside its path, under a temporary name, until `publish` exchanges the two. Removed if never
/// published, as is what was at its path. Throws `error` (errc::file).
class new_folder {
public:
    /// The folder that the path is in is made where it is missing. False afterwards: the path is a folder, and none can be
    /// made beside it.
    ANEMONE_INLINE explicit new_folder(const std::string& path) : path_(path) {
        const std::filesystem::path around = std::filesystem::path(path).parent_path();
        std::error_code failed;
        if (!around.empty() && (std::filesystem::create_directories(around, failed), failed)) {
            throw error(errc::file, path, "its folder cannot be made: " + failed.message());
        }
        const std::scoped_lock lock(unfinished().changes);
        aside_ = unused();
        unfinished().add(aside_); // before it is there: without memory none is left
        if (::mkdir(aside_.c_str(), 0777) != 0) {
            const int why = errno;
            unfinished().remove(aside_);
            aside_.clear();
            if (!is_there()) {
                refuse_file_call(path, "cannot be written, since no folder can be made beside it", why);
            }
            return;
        }
        struct stat old {};
        if (::stat(path.c_str(), &old) == 0 && ::chmod(aside_.c_str(), old.st_mode & 0777U) != 0) {
            // It stays as it was made.
        }
    }
    new_folder(const new_folder&) = delete;
    new_folder& operator=(const new_folder&) = delete;
    /// Takes no memory where all that is in the folder is known, for there may be none.
    ~new_folder() {
        if (aside_.empty()) {
            return;
        }
        const std::scoped_lock lock(unfinished().changes);
        for (const std::string& each : inside_) {
            ::remove(each.c_str());
        }
        if (::rmdir(aside_.c_str()) != 0 && errno == ENOTEMPTY) {
            try {
                remove_tree(aside_);
            } catch (...) { // NOLINT(bugprone-empty-catch): a destructor cannot tell
            }
        }
        unfinished().remove(aside_);
    }

    explicit operator bool() const { return !aside_.empty(); }

    /// Writes files, by their paths in the folder, with the permissions of those that they replace.
    ANEMONE_INLINE void write(std::span<const named_bytes> files) {
        std::vector<named_bytes> beside(files.begin(), files.end());
        for (named_bytes& each : beside) {
            each.path = aside_ + "/" + each.path;
            for (std::string path = each.path; path.size() > aside_.size(); path.resize(path.rfind('/'))) {
                inside_.push_back(path);
            }
        }
        std::sort(inside_.rbegin(), inside_.rend()); // folders behind what is in them
        try {
            write_files(std::span<const named_bytes>(beside));
        } catch (const error& e) { // of the path that was asked for, not of the temporary one
            throw error(e.code(), path_ + e.subject().substr(std::min(aside_.size(), e.subject().size())), e.detail());
        }
        for (const named_bytes& each : files) {
            struct stat old {};
            if (::stat((path_ + "/" + each.path).c_str(), &old) == 0 &&
                ::chmod((aside_ + "/" + each.path).c_str(), old.st_mode & 0777U) != 0) {
                // It stays as it was made.
            }
        }
    }

    /// Gives the folder its name. False where it is there and the system cannot exchange the two: nothing is changed then.
    ANEMONE_INLINE bool publish() {
        const std::scoped_lock lock(unfinished().changes);
        if (exchange_paths(aside_, path_) == 0) {
            return true; // what is aside now goes with this object
        }
        if (std::rename(aside_.c_str(), path_.c_str()) == 0) { // there was none, or an empty one
            unfinished().remove(aside_);
            aside_.clear();
            return true;
        }
        if (const int why = errno; !is_there()) {
            refuse_file_call(path_, "cannot be written", why);
        }
        return false;
    }

private:
    ANEMONE_INLINE bool is_there() const {
        struct stat found {};
        return ::lstat(path_.c_str(), &found) == 0;
    }

    /// A path beside the folder that nothing has.
    ANEMONE_INLINE std::string unused() const {
        static std::atomic<unsigned> made{0};
        const std::string stem = temporary_stem(path_.substr(0, path_.rfind('/') + 1)) + "folder-";
        std::string name;
        struct ::stat found {};
        do {
            name = stem + std::to_string(made++);
        } while (::lstat(name.c_str(), &found) == 0);
        return name;
    }

    std::string path_;
    std::string aside_;               ///< itself, or once it is published what was there
    std::vector<std::string> inside_; ///< what is removed with it: no other files are exchanged (can_be_exchanged)
};

} // namespace ane::detail::inline ANEMONE_WAY

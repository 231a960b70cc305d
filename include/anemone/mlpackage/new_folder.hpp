#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../io/file.hpp"
#include "../io/open_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

/// A folder that is written beside its path, under a temporary name, until `publish` renames it. Removed if never
/// published. Throws `error` (errc::file).
class new_folder {
public:
    /// The folder that the path is in is made where it is missing.
    ANEMONE_INLINE explicit new_folder(const std::string& path) : path_(path) {
        const std::filesystem::path around = std::filesystem::path(path).parent_path();
        std::error_code failed;
        if (!around.empty() && (std::filesystem::create_directories(around, failed), failed)) {
            throw error(errc::file, path, "its folder cannot be made: " + failed.message());
        }
        aside_ = unused();
        if (::mkdir(aside_.c_str(), 0777) != 0) {
            const int why = errno;
            aside_.clear();
            ane::detail::refuse_file_call(path, "cannot be written, since no folder can be made beside it", why);
        }
    }
    new_folder(const new_folder&) = delete;
    new_folder& operator=(const new_folder&) = delete;
    /// Without memory where all that is in the folder is known, for there may be none.
    ~new_folder() {
        for (const std::string& each : inside_) {
            ::remove(each.c_str());
        }
        if (!aside_.empty() && ::rmdir(aside_.c_str()) != 0 && errno == ENOTEMPTY) {
            try {
                std::filesystem::remove_all(aside_);
            } catch (...) { // NOLINT(bugprone-empty-catch): a destructor cannot tell
            }
        }
    }

    /// Writes files, by their paths in the folder.
    ANEMONE_INLINE void write(std::span<const ane::detail::named_bytes> files) {
        std::vector<ane::detail::named_bytes> beside(files.begin(), files.end());
        for (ane::detail::named_bytes& each : beside) {
            each.path = aside_ + "/" + each.path;
            for (std::string path = each.path; path.size() > aside_.size(); path.resize(path.rfind('/'))) {
                inside_.push_back(path);
            }
        }
        deepest_first();
        try {
            ane::detail::write_files(beside);
        } catch (const error& e) { // of the path that was asked for, not of the temporary one
            const std::string told = std::string(name(e.code())) + ": " + e.subject() + ": ";
            throw error(e.code(), path_ + e.subject().substr(std::min(aside_.size(), e.subject().size())),
                        std::string(e.what()).substr(told.size()));
        }
    }

    /// Gives the folder its name. One that has it already is replaced if `replaces`: it is moved aside first, and removed
    /// last.
    ANEMONE_INLINE void publish(bool replaces) {
        std::string old;
        std::vector<std::string> in_old;
        if (replaces) {
            old = unused();
            list(path_, old, in_old);
        }
        if (replaces && std::rename(path_.c_str(), old.c_str()) != 0) {
            ane::detail::refuse_file_call(path_, "cannot be replaced", errno);
        }
        if (std::rename(aside_.c_str(), path_.c_str()) != 0) {
            const int why = errno;
            if (replaces && std::rename(old.c_str(), path_.c_str()) != 0) {
                ane::detail::refuse_file_call(path_, "cannot be written, and what it was is now in " + old, why);
            }
            ane::detail::refuse_file_call(path_, "cannot be written", why);
        }
        aside_ = std::move(old);
        inside_ = std::move(in_old);
        deepest_first();
    }

private:
    /// Folders behind what is in them.
    ANEMONE_INLINE void deepest_first() { std::sort(inside_.rbegin(), inside_.rend()); }

    /// Appends what a folder holds, under the name that the folder is to have. By the calls of POSIX: where there is no
    /// memory, the directory iterators of libstdc++ end the program.
    ANEMONE_INLINE static void list(const std::string& folder, const std::string& called,
                                    std::vector<std::string>& to) {
        struct closed {
            void operator()(DIR* open) const { ::closedir(open); }
        };
        const std::unique_ptr<DIR, closed> open(::opendir(folder.c_str()));
        if (!open && errno == ENOMEM) {
            throw std::bad_alloc();
        }
        while (const dirent* const each = open ? ::readdir(open.get()) : nullptr) {
            const std::string name = each->d_name;
            if (name == "." || name == "..") {
                continue;
            }
            const std::string path = folder + "/" + name;
            to.push_back(called + "/" + name);
            struct ::stat found {};
            if (::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
                list(path, called + "/" + name, to);
            }
        }
    }

    /// A path beside the folder that nothing has.
    ANEMONE_INLINE std::string unused() const {
        static std::atomic<unsigned> made{0};
        const std::string stem =
            path_.substr(0, path_.rfind('/') + 1) + ".anemone-" + std::to_string(::getpid()) + "-folder-";
        std::string name;
        struct ::stat found {};
        do {
            name = stem + std::to_string(made++);
        } while (::lstat(name.c_str(), &found) == 0);
        return name;
    }

    std::string path_;
    std::string aside_;
    std::vector<std::string> inside_; ///< of what is to be removed
};

} // namespace ane::mlpackage::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"

#include <cerrno>
#include <dirent.h>
#include <memory>
#include <new>
#include <string>
#include <sys/stat.h>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// What lies in a folder, or in a folder below it.
struct folder_entry {
    std::string path; ///< in the folder
    bool is_folder = false;
    bool is_file = false; ///< a regular one, and no link to one
};

/// Appends what a folder holds, each folder before what is in it, no link followed; `in` is its path in the outermost one.
/// Gives errno of the first folder that could not be opened, or 0. Throws `std::bad_alloc`, where the iterators of
/// libstdc++ would end the program.
ANEMONE_INLINE int list_folder(const std::string& folder, std::vector<folder_entry>& to, const std::string& in = {}) {
    struct closed {
        void operator()(DIR* open) const { ::closedir(open); }
    };
    const std::unique_ptr<DIR, closed> open(::opendir(folder.c_str()));
    if (!open) {
        if (errno == ENOMEM) {
            throw std::bad_alloc();
        }
        return errno;
    }
    int failed = 0;
    while (const dirent* const each = ::readdir(open.get())) {
        const std::string name = each->d_name;
        if (name == "." || name == "..") {
            continue;
        }
        std::string path = folder;
        path.append("/").append(name);
        struct ::stat found {};
        const bool is_known = ::lstat(path.c_str(), &found) == 0;
        to.push_back({in + name, is_known && S_ISDIR(found.st_mode), is_known && S_ISREG(found.st_mode)});
        if (to.back().is_folder) {
            const int inside = list_folder(path, to, in + name + "/");
            failed = failed != 0 ? failed : inside;
        }
    }
    return failed;
}

} // namespace ane::detail::inline ANEMONE_WAY

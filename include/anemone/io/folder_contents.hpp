#pragma once

#include "../base/way.hpp"

#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <memory>
#include <new>
#include <string>
#include <string_view>
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

/// Appends the names of what a folder holds, in no order. Gives errno where it could not be opened, or 0. Throws
/// `std::bad_alloc`, where the iterators of libstdc++ would end the program.
ANEMONE_INLINE int list_names(const std::string& folder, std::vector<std::string>& to) {
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
    while (const dirent* const each = ::readdir(open.get())) {
        const std::string_view name = each->d_name;
        if (name != "." && name != "..") {
            to.emplace_back(name);
        }
    }
    return 0;
}

/// Appends what a folder holds, each folder before what is in it, no link followed; `in` is its path in the outermost one.
/// Gives errno of the first folder that could not be opened, or 0. Throws `std::bad_alloc`.
ANEMONE_INLINE int list_folder(const std::string& folder, std::vector<folder_entry>& to, const std::string& in = {}) {
    std::vector<std::string> names;
    int failed = list_names(folder, names);
    for (const std::string& name : names) {
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

/// Removes a file, or a folder with all that is in it, as far as that can be. Throws `std::bad_alloc`.
ANEMONE_INLINE void remove_tree(const std::string& path) {
    if (::remove(path.c_str()) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) {
        return;
    }
    std::vector<folder_entry> inside;
    list_folder(path, inside);
    for (auto each = inside.rbegin(); each != inside.rend(); ++each) { // what is in a folder before it
        ::remove((path + "/" + each->path).c_str());
    }
    ::remove(path.c_str());
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <vector>

/// What is being written under temporary names. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// The files and folders that have a temporary name still. Whoever makes one, gives it its name or removes it holds
/// `changes` meanwhile.
struct unfinished_files {
    std::mutex changes;
    std::vector<std::string> paths;

    ANEMONE_INLINE void add(const std::string& path) { paths.push_back(path); }
    ANEMONE_INLINE void remove(const std::string& path) noexcept {
        for (std::string& each : paths) {
            if (each == path) {
                each.swap(paths.back());
                paths.pop_back();
                return;
            }
        }
    }
};

ANEMONE_INLINE unfinished_files& unfinished() {
    static unfinished_files& all = *new unfinished_files; // never destroyed: threads may write at the end
    return all;
}

/// Exchanges what two paths name, at once. Gives errno, or 0; ENOTSUP where the system has no such call.
ANEMONE_INLINE int exchange_paths([[maybe_unused]] const std::string& one, [[maybe_unused]] const std::string& other) {
#if defined(RENAME_EXCHANGE)
    const bool done = ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
#elif defined(RENAME_SWAP)
    const bool done = ::renamex_np(one.c_str(), other.c_str(), RENAME_SWAP) == 0;
#else
    const bool done = (errno = ENOTSUP, false);
#endif
    return done ? 0 : errno == ENOSYS || errno == EINVAL ? ENOTSUP : errno;
}

} // namespace ane::detail::inline ANEMONE_WAY

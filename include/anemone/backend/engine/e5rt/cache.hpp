#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../../io/folder_contents.hpp"
#include "../../../io/open_file.hpp"
#include "../driver/options.hpp"
#include "../driver/within.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Makes a directory where it is missing: the runtime wants its cache to exist.
ANEMONE_INLINE std::filesystem::path made(const std::filesystem::path& directory) {
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    if (failure || !std::filesystem::is_directory(directory, failure))
        throw error(errc::file, directory.string(), "cannot make the cache directory: " + failure.message());
    return directory;
}

/// Keeps other processes, and other threads of this one, out of a part of the cache; the system lets go of it when a
/// process ends, however it ends. None by default.
class cache_lock {
public:
    cache_lock() = default;
    ANEMONE_INLINE explicit cache_lock(const std::string& path)
        : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        int failed = file_ < 0 ? errno : 0;
        note_step("lock of the cache");
        while (failed == 0 && ::flock(file_, LOCK_EX) != 0)
            failed = errno == EINTR ? 0 : errno;
        if (failed != 0)
            throw error(errc::file, path, "the cache cannot be locked: " + std::generic_category().message(failed));
    }
    cache_lock(cache_lock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    cache_lock& operator=(cache_lock&&) = delete;
    ~cache_lock() {
        if (file_ >= 0)
            ::close(file_);
    }

private:
    int file_ = -1;
};

/// Where the runtime keeps a compiled program, and the lock that is held during the compile.
struct cache_place {
    std::filesystem::path folder;
    cache_lock lock;
};

/// FNV-1a. It chooses a folder and a lock and nothing else: in the folder the runtime compares contents itself.
struct cache_key {
    std::uint64_t value = 14695981039346656037ULL;

    ANEMONE_INLINE void add(std::string_view bytes) {
        for (const char each : bytes)
            value = (value ^ static_cast<unsigned char>(each)) * 1099511628211ULL;
        value = (value ^ 0x100U) * 1099511628211ULL; // a boundary: parts cannot be shifted into each other
    }
};

/// The place in a shared cache for a program: text, weights and every other file beside them, target, device mask,
/// function. Waits for others that compile the same.
ANEMONE_INLINE cache_place shared_cache(const std::string& cache, const std::filesystem::path& model,
                                        const session_options& options) {
    std::vector<std::string> names;
    if (const int why = ane::detail::list_names(model.parent_path().string(), names); why != 0)
        ane::detail::refuse_file_call(model.parent_path().string(), "cannot be listed", why);
    std::vector<std::filesystem::path> files;
    std::error_code failure; // of what is no file any more: it is left out
    for (const std::string& name : names)
        if (std::filesystem::is_regular_file(model.parent_path() / name, failure))
            files.push_back(model.parent_path() / name);
    std::sort(files.begin(), files.end());
    cache_key key;
    std::vector<char> part(std::size_t{1} << 20U);
    for (const std::filesystem::path& each : files) {
        key.add(each.filename().native());
        std::ifstream file(each, std::ios::binary);
        do {
            file.read(part.data(), static_cast<std::streamsize>(part.size()));
            key.add({part.data(), static_cast<std::size_t>(file.gcount())});
        } while (file);
        if (!file.eof())
            throw error(errc::file, each.string(), "cannot be read");
    }
    key.add(options.target_architecture);
    key.add(std::to_string(options.device_mask));
    key.add(options.function);
    std::string name;
    for (unsigned shift = 64; shift != 0; shift -= 4)
        name += "0123456789abcdef"[(key.value >> (shift - 4)) & 15U];
    const std::filesystem::path folder = std::filesystem::absolute(cache, failure);
    if (failure)
        throw error(errc::file, cache, failure.message());
    made(folder);
    cache_lock lock((folder / (name + ".lock")).string());
    return {made(folder / name), std::move(lock)};
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY

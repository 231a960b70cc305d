#pragma once

#include "../../../base/environment.hpp"
#include "../../../base/error.hpp"
#include "../../../base/way.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ftw.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

/// A fresh directory in TMPDIR, or in /tmp, that is removed, with all it holds, when its owner goes in the process that
/// made it; none by default.
class temporary_directory {
public:
    temporary_directory() = default;
    ANEMONE_INLINE explicit temporary_directory(std::string_view stem) : path_((parent() / stem).string() + ".XXXXXX") {
        if (::mkdtemp(path_.data()) == nullptr) {
            throw error(errc::file, path_,
                        "a temporary directory cannot be made: " + std::generic_category().message(errno) +
                            " (TMPDIR names the folder for them)");
        }
        remove_ = [](const std::string& path) { // must not allocate: it has to work when memory has run out
            const auto remove_one = [](const char* entry, const struct stat*, int, FTW*) { return std::remove(entry); };
            ::nftw(path.c_str(), remove_one, 16, FTW_DEPTH | FTW_PHYS);
        };
    }
    temporary_directory(temporary_directory&& other) noexcept
        : path_(std::exchange(other.path_, {})), remove_(std::exchange(other.remove_, nullptr)),
          process_(other.process_) {}
    temporary_directory& operator=(temporary_directory&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(remove_, other.remove_);
        std::swap(process_, other.process_);
        return *this;
    }
    ~temporary_directory() {
        if (remove_ != nullptr && process_ == ::getpid()) { // a child after a fork leaves its parent's alone
            remove_(path_);
        }
    }

    ANEMONE_INLINE std::filesystem::path path() const { return path_; }

private:
    ANEMONE_INLINE static std::filesystem::path parent() {
        const char* const chosen = ane::detail::environment_variable("TMPDIR");
        return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
    }

    std::string path_;
    void (*remove_)(const std::string& path) = nullptr; // set by the constructor: a destructor cannot be a template
    ::pid_t process_ = ::getpid();
};

} // namespace ane::e5rt::inline ANEMONE_WAY

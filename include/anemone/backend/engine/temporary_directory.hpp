#pragma once

#include "../../error.hpp"
#include "../../way.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

/// A fresh directory that is removed, with all it holds, when its owner goes.
class temporary_directory {
public:
    explicit temporary_directory(std::string_view stem) {
        std::string pattern = (std::filesystem::temp_directory_path() / stem).string() + ".XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw error(errc::file, pattern, "a temporary directory cannot be made");
        }
        path_ = pattern;
    }
    temporary_directory(temporary_directory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    temporary_directory& operator=(temporary_directory&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~temporary_directory() {
        if (!path_.empty()) {
            std::error_code ignored;
            std::filesystem::remove_all(path_, ignored);
        }
    }

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY

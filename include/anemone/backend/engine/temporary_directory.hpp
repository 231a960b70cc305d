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

/// A fresh directory that is removed, with all it holds, when its owner goes; none by default.
class temporary_directory {
public:
    temporary_directory() = default;
    ANEMONE_INLINE explicit temporary_directory(std::string_view stem)
        : path_((std::filesystem::temp_directory_path() / stem).string() + ".XXXXXX") {
        if (::mkdtemp(path_.data()) == nullptr) {
            throw error(errc::file, path_, "a temporary directory cannot be made");
        }
        remove_ = [](const std::string& path) {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        };
    }
    temporary_directory(temporary_directory&& other) noexcept
        : path_(std::exchange(other.path_, {})), remove_(std::exchange(other.remove_, nullptr)) {}
    temporary_directory& operator=(temporary_directory&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(remove_, other.remove_);
        return *this;
    }
    ~temporary_directory() {
        if (remove_ != nullptr) {
            remove_(path_);
        }
    }

    ANEMONE_INLINE std::filesystem::path path() const { return path_; }

private:
    std::string path_;
    void (*remove_)(const std::string& path) = nullptr; // known to the constructor alone, which is a template
};

} // namespace ane::e5rt::inline ANEMONE_WAY

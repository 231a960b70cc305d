#pragma once

#include "../base/way.hpp"

#include <filesystem>
#include <string>
#include <string_view>

/// Source files as SARIF names them.
namespace ane::detail::inline ANEMONE_WAY {

/// A path as the path of a URI: blanks, non-ASCII bytes and reserved characters as %20.
ANEMONE_INLINE std::string percent_encoded(std::string_view path) {
    std::string text;
    for (const char c : path) {
        const unsigned byte = static_cast<unsigned char>(c);
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || std::string_view("-._~/").find(c) != std::string_view::npos) {
            text += c;
        } else {
            text += '%';
            for (const unsigned nibble : {byte >> 4U, byte & 0xFU}) {
                text += "0123456789ABCDEF"[nibble];
            }
        }
    }
    return text;
}

/// "file:///my%20models/model.cpp" of an absolute path.
ANEMONE_INLINE std::string uri_of(const std::filesystem::path& absolute) {
    return "file://" + percent_encoded(absolute.lexically_normal().generic_string());
}

/// Where a source file is: a URI, and whether it is relative to the root.
struct artifact {
    std::string uri;
    bool below_root = false;
};

ANEMONE_INLINE artifact artifact_of(std::string_view file, const std::filesystem::path& root) {
    const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
    if (!root.empty()) {
        const std::filesystem::path base = root.lexically_normal();
        const std::filesystem::path relative = path.is_absolute() == base.is_absolute()
                                                   ? path.lexically_relative(base)
                                                   : (path.is_relative() ? path : std::filesystem::path());
        if (!relative.empty() && *relative.begin() != "..") {
            return {percent_encoded(relative.generic_string()), true};
        }
    }
    return {path.is_absolute() ? uri_of(path) : percent_encoded(path.generic_string()), false};
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "../error.hpp"
#include "../way.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Writes a whole file; the directory is made where it is missing. Throws `error` (errc::file) with the path.
ANEMONE_INLINE void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    std::error_code failed;
    if (path.has_parent_path()) {
        std::filesystem::create_directories(path.parent_path(), failed);
        if (failed) {
            throw error(errc::file, path.string(), "its directory cannot be made: " + failed.message());
        }
    }
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
        throw error(errc::file, path.string(), "cannot be written (" + std::to_string(bytes.size()) + " bytes)");
    }
}

ANEMONE_INLINE void write_file(const std::filesystem::path& path, const std::string& text) {
    write_file(path, std::as_bytes(std::span(text)));
}

} // namespace ane::inline ANEMONE_WAY

#pragma once

#include "file.hpp"

#include <filesystem>
#include <fstream>
#include <ios>
#include <system_error>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_BODY void write_pieces(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    std::size_t size = 0;
    for (const std::span<const std::byte> piece : pieces) {
        out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
        size += piece.size();
    }
    out.close();
    if (!out) {
        throw error(errc::file, path, "cannot be written (" + std::to_string(size) + " bytes)");
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY void write_file(const std::string& path, std::span<const std::byte> bytes) {
    if (const std::filesystem::path directory = std::filesystem::path(path).parent_path(); !directory.empty()) {
        std::error_code failed;
        std::filesystem::create_directories(directory, failed);
        if (failed) {
            throw error(errc::file, path, "its directory cannot be made: " + failed.message());
        }
    }
    detail::write_pieces(path, std::span(&bytes, 1));
}

ANEMONE_BODY void write_file(const std::string& path, const std::string& text) {
    write_file(path, std::as_bytes(std::span(text)));
}

} // namespace ane::inline ANEMONE_WAY

#include "input_file.hpp"

#include "output_path.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace command {

std::string input_bytes(const std::string& path, std::uint64_t most) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (!std::filesystem::is_regular_file(status)) {
        throw ane::error(ane::errc::file, path,
                         !std::filesystem::exists(status)        ? "the file does not exist"
                         : std::filesystem::is_directory(status) ? "is a folder"
                                                                 : "is not a regular file: save it as one first");
    }
    const std::uint64_t size = std::filesystem::file_size(path, failed);
    if (failed || size > most) {
        throw ane::error(ane::errc::file, path,
                         failed ? failed.message()
                                : fmt::format("has {} bytes, allowed are {} (--max-memory)", size, most));
    }
    read_files().add(path);
    std::ifstream file(path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (!file || (size > 0 && !file.read(bytes.data(), static_cast<std::streamsize>(size)))) {
        throw ane::error(ane::errc::file, path, "cannot be read");
    }
    return bytes;
}

} // namespace command

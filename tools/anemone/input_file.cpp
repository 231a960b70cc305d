#include "input_file.hpp"

#include "output_path.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/path_status.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

namespace command {

std::string input_bytes(const std::string& path, std::uint64_t most) {
    const auto status = ane::detail::status_of(path);
    if (!std::filesystem::is_regular_file(status)) {
        throw ane::error(ane::errc::file, path,
                         !std::filesystem::exists(status)        ? "the file does not exist"
                         : std::filesystem::is_directory(status) ? "is a folder"
                                                                 : "is not a regular file: save it as one first");
    }
    const ane::detail::file_reader file(path); // a stream would take a lack of memory for a fault of the file
    if (file.size() > most) {
        throw ane::error(ane::errc::file, path,
                         fmt::format("has {} bytes, allowed are {} (--max-memory)", file.size(), most));
    }
    read_files().add(path);
    std::string bytes(static_cast<std::size_t>(file.size()), '\0');
    file.read(std::as_writable_bytes(std::span(bytes)));
    return bytes;
}

std::string first_bytes(const std::string& path, std::size_t most) {
    const ane::detail::file_reader file(path);
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), most)), '\0');
    file.read(std::as_writable_bytes(std::span(bytes)));
    return bytes;
}

} // namespace command

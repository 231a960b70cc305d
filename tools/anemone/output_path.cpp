#include "output_path.hpp"

#include <anemone/base/error.hpp>
#include <anemone/io/open_file.hpp>
#include <anemone/io/path_status.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace command {

namespace {

void refuse_unless_new(const std::string& output, const ane::opened_files& read) {
    std::error_code failed; // a file that is not there is no other file's
    if (std::filesystem::is_regular_file(output, failed) && read.has(output)) {
        throw ane::error(ane::errc::argument, output, "is read, and would be written over; name another output");
    }
}

void require_access(const std::string& output, const std::string& at, int mode) {
    if (::faccessat(AT_FDCWD, at.c_str(), mode, AT_EACCESS) != 0) {
        ane::detail::refuse_file_call(output, "cannot be written", errno);
    }
}

void require_folder(const std::string& output, const std::string& at) {
    const std::filesystem::file_status found = ane::detail::status_of(at);
    if (!std::filesystem::is_directory(found)) {
        ane::detail::refuse_file_call(output, "cannot be written", std::filesystem::exists(found) ? ENOTDIR : ENOENT);
    }
    require_access(output, at, W_OK | X_OK);
}

} // namespace

ane::opened_files& read_files() {
    static ane::opened_files all;
    return all;
}

void require_unread(const std::string& output) { refuse_unless_new(output, read_files()); }

void require_other_file(const std::string& output, std::span<const std::string> inputs) {
    for (const std::string& input : inputs) {
        read_files().add(input);
    }
    require_unread(output);
}

void require_writable(const std::string& file) {
    ane::detail::require_file_path(file);
    const std::filesystem::file_status found = ane::detail::status_of(file);
    if (std::filesystem::is_directory(found)) {
        throw ane::error(ane::errc::file, file, "is a directory");
    }
    if (std::filesystem::exists(found)) {
        require_access(file, file, W_OK);
        return;
    }
    const std::string around = std::filesystem::path(file).parent_path().string();
    require_folder(file, around.empty() ? "." : around);
}

void require_writable_folder(const std::string& folder) {
    std::filesystem::path at = folder;
    while (!at.empty() && !std::filesystem::exists(ane::detail::status_of(at))) {
        at = at.parent_path();
    }
    if (at != folder || std::filesystem::is_directory(ane::detail::status_of(at))) { // a file there is judged later
        require_folder(folder, at.empty() ? "." : at.string());
    }
}

void require_output(const std::string& file, std::span<const std::string> inputs) {
    if (!file.empty() && file != "-") {
        require_writable(file);
    }
    require_other_file(file, inputs);
}

void require_apart(const std::string& folder, const std::string& model, bool is_replaced) {
    namespace fs = std::filesystem;
    std::error_code failed;
    if (!fs::is_directory(folder, failed)) {
        return;
    }
    const fs::path written = fs::canonical(folder, failed);
    const fs::path read = failed ? fs::path() : fs::canonical(model, failed);
    const auto ends = std::mismatch(written.begin(), written.end(), read.begin(), read.end());
    if (!failed && (written == read || (is_replaced && ends.first == written.end()))) {
        throw ane::error(ane::errc::argument, folder, "is read, and would be written over; name another output");
    }
}

} // namespace command

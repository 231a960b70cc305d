#include "output_path.hpp"

#include <anemone/base/error.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace command {

namespace {

void refuse_unless_new(const std::string& output, const ane::opened_files& read) {
    std::error_code failed; // a file that is not there is no other file's
    if (std::filesystem::is_regular_file(output, failed) && read.has(output)) {
        throw ane::error(ane::errc::argument, output, "is read, and would be written over; name another output");
    }
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

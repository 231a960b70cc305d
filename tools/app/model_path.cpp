#include "model_path.hpp"

#include <anemone/base/error.hpp>
#include <anemone/io/path_status.hpp>
#include <anemone/io/sha256.hpp>
#include <anemone/models/networks/network_checkpoint.hpp>
#include <anemone/readers/model_folder.hpp>
#include <anemone/readers/unreadable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

namespace fs = std::filesystem;

namespace {

/// The first bytes of a file that are no blanks.
std::string beginning_of(const std::string& path) {
    const ane::detail::file_reader file(path); // a stream would take a lack of memory for a fault of the file
    std::string text(64, '\0');
    std::uint64_t left = file.size();
    std::size_t kept = 0;
    while (left > 0 && kept < text.size()) {
        const std::size_t more = std::min<std::uint64_t>(left, text.size() - kept);
        file.read(std::as_writable_bytes(std::span(text).subspan(kept, more)));
        left -= more;
        kept += more;
        const std::size_t blanks = std::min(text.find_first_not_of(" \t\n\v\f\r"), kept);
        text.erase(0, blanks).resize(64, '\0');
        kept -= blanks;
    }
    text.resize(kept);
    return text;
}

/// A kind of model that is the file of this name in a folder.
struct file_in_folder {
    const char* name;
    file_kind kind;
};
constexpr file_in_folder files_in_folders[] = {
    {"model.mil", file_kind::mil}, {"net.plist", file_kind::netplist}, {"config.json", file_kind::checkpoint}};

std::optional<file_kind> kind_of(const std::string& path) {
    const std::string text = beginning_of(path);
    const auto begins = [&](std::string_view head) { return text.starts_with(head); };
    if (begins("program") || begins("//") || begins("/*")) {
        return file_kind::mil;
    }
    if (begins("bplist") || begins("<?xml") || begins("<plist") || begins("<!DOCTYPE plist")) {
        return file_kind::netplist;
    }
    return std::nullopt;
}

/// Whether the configuration in a folder is that of a published network of images or texts. What is wrong with it, its reader says.
bool has_network(const std::string& folder) {
    try {
        return ane::models::is_network_folder(folder);
    } catch (const ane::error&) {
        return false;
    }
}

} // namespace

found_file find_model(const std::string& path) {
    const fs::file_status status = ane::detail::status_of(path);
    if (!fs::exists(status)) {
        if (ane::models::find_network(path)) {
            return {path, file_kind::network, path};
        }
        throw ane::error(ane::errc::file, path, "the file does not exist");
    }
    if (fs::is_directory(status)) {
        if (fs::is_regular_file(ane::detail::status_of(fs::path(path) / "Manifest.json"))) {
            return {path, file_kind::mlpackage, path};
        }
        for (const file_in_folder& inside : files_in_folders) {
            const std::string file = (fs::path(path) / inside.name).string();
            if (fs::is_regular_file(ane::detail::status_of(file))) {
                const bool is_network = inside.kind == file_kind::checkpoint && has_network(path);
                return {file, is_network ? file_kind::network : inside.kind, path};
            }
        }
        throw ane::error(
            ane::errc::file, path,
            "is a folder with none of model.mil, net.plist, Manifest.json and config.json; give the path of a file");
    }
    if (!fs::is_regular_file(status)) {
        throw ane::error(ane::errc::file, path, "is not a regular file");
    }
    if (const auto kind = kind_of(path)) {
        return {path, *kind, path};
    }
    const std::string extension = fs::path(path).extension().string();
    if (extension == ".gguf") {
        return {path, file_kind::checkpoint, path};
    }
    if (extension == ".onnx" || extension == ".mlmodel") { // messages of Protocol Buffers have no mark of their own
        return {path, extension == ".onnx" ? file_kind::onnx : file_kind::mlpackage, path};
    }
    if (extension == ".mil" || extension == ".plist") { // let its reader say what is wrong
        return {path, extension == ".mil" ? file_kind::mil : file_kind::netplist, path};
    }
    throw ane::unreadable(
        path,
        {{path,
          0,
          0,
          {},
          "is neither MIL text nor a property list: known are .mil, .mlmodelc, .mlpackage, netplists, .onnx, .gguf and folders with config.json"}});
}

namespace {

bool is_of(file_kind kind, const std::string& path) {
    try {
        return find_model(path).kind == kind;
    } catch (const ane::error&) { // whoever reads it says so
        return false;
    }
}

} // namespace

bool is_checkpoint(const std::string& path) { return is_of(file_kind::checkpoint, path); }
bool is_network(const std::string& path) { return is_of(file_kind::network, path); }

std::string digest_of(const std::string& path) {
    const found_file found = find_model(path);
    if (is_published(found.kind) || (found.kind == file_kind::mlpackage && fs::is_directory(found.path))) {
        return {}; // of several files that belong together
    }
    ane::readers::model_place place = ane::readers::model_at(found.named, fs::path(found.path).filename().string());
    const ane::detail::file_reader file(std::move(place.file), place.path);
    std::vector<std::byte> chunk(std::size_t{1} << 20U);
    ane::sha256 digest;
    for (std::uint64_t left = file.size(); left > 0;) {
        const std::span<std::byte> next(chunk.data(), std::min<std::uint64_t>(left, chunk.size()));
        file.read(next);
        digest.update(next);
        left -= next.size();
    }
    return digest.finish();
}

} // namespace app

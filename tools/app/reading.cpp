#include "reading.hpp"

#include "option_faults.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/sha256.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/readers/netplist.hpp>

#if defined(ANEMONE_APP_ONNX)
#include <anemone/onnx/onnx.hpp>
#endif

#include <charconv>
#include <filesystem>
#include <fstream>
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
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw ane::error(ane::errc::file, path, "cannot be opened");
    }
    std::string text(64, '\0');
    file >> std::ws;
    file.clear();
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

/// The kinds of file that a model comes in.
enum class file_kind { mil, netplist, onnx, mlpackage };

/// Where a model that the user names was found.
struct found_file {
    std::string path; ///< of the text, the property list
    file_kind kind;
};

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

#if defined(ANEMONE_APP_ONNX)
/// "x=1,3,224,224"
ane::onnx_shape shape_in(const std::string& text, const caller& who) {
    const std::size_t equals = text.find('=');
    ane::onnx_shape result{text.substr(0, equals), {}};
    const char* at = equals == std::string::npos ? nullptr : text.c_str() + equals + 1;
    const char* const end = text.c_str() + text.size();
    while (at != nullptr && at != end && result.shape.rank < ane::extents::capacity) {
        std::int64_t extent = 0;
        const auto read = std::from_chars(at, end, extent);
        if (read.ec != std::errc() || extent < 1) {
            break;
        }
        result.shape[result.shape.rank++] = extent;
        at = read.ptr != end && *read.ptr == ',' && read.ptr + 1 != end ? read.ptr + 1 : read.ptr;
        if (at == read.ptr) {
            break;
        }
    }
    if (result.name.empty() || at != end || result.shape.rank == 0) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::shapes, who.by) + " " + text,
                         "must be like x=1,3,224,224");
    }
    return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// A sentence of the reader with the options as the caller knows them, in place of the members of a C++ structure.
std::string for_caller(std::string sentence, const caller& who) {
    replace_all(sentence, "give it in onnx_reader_options::values", "make it a constant of the file");
    replace_all(sentence, "onnx_reader_options::shapes", spelled(&reading_options::shapes, who.by));
    replace_all(sentence, "max_bytes", spelled(&reading_options::max_memory, who.by));
    return sentence;
}

ane::read_model read_onnx(const std::string& path, const reading_options& how, const caller& who) {
    ane::onnx_reader_options options;
    options.max_bytes = how.max_memory;
    options.saturates_infinities = how.approximates;
    for (const std::string& each : how.shapes) {
        options.shapes.push_back(shape_in(each, who));
    }
    try {
        return ane::read_onnx_file(path, options);
    } catch (const ane::unreadable& refused) {
        std::vector<ane::read_fault> faults = refused.faults();
        for (ane::read_fault& each : faults) {
            each.reason = for_caller(each.reason, who);
        }
        throw ane::unreadable(refused.subject(), std::move(faults));
    }
}
#else
ane::read_model read_onnx(const std::string& path, const reading_options& /*how*/, const caller& /*who*/) {
    throw ane::error(ane::errc::file, path,
                     "this program was built without ONNX (Debian: libonnx-dev libprotobuf-dev)");
}
#endif

found_file find_model(const std::string& path) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (!fs::exists(status)) {
        throw ane::error(ane::errc::file, path, "the file does not exist");
    }
    if (fs::is_directory(status)) {
        if (fs::is_regular_file(fs::path(path) / "Manifest.json", failed)) {
            return {path, file_kind::mlpackage};
        }
        for (const char* inside : {"model.mil", "net.plist"}) {
            const std::string file = (fs::path(path) / inside).string();
            if (fs::is_regular_file(file, failed)) {
                return find_model(file);
            }
        }
        throw ane::error(ane::errc::file, path,
                         "is a folder with none of model.mil, net.plist and Manifest.json; give the path of a file");
    }
    if (!fs::is_regular_file(status)) {
        throw ane::error(ane::errc::file, path, "is not a regular file");
    }
    if (const auto kind = kind_of(path)) {
        return {path, *kind};
    }
    const std::string extension = fs::path(path).extension().string();
    if (extension == ".onnx" || extension == ".mlmodel") { // messages of Protocol Buffers have no mark of their own
        return {path, extension == ".onnx" ? file_kind::onnx : file_kind::mlpackage};
    }
    if (extension == ".mil" || extension == ".plist") { // let its reader say what is wrong
        return {path, extension == ".mil" ? file_kind::mil : file_kind::netplist};
    }
    throw ane::error(
        ane::errc::file, path,
        "is neither MIL text nor a property list: known are .mil, .mlmodelc, .mlpackage, netplists and .onnx");
}

/// The text of a model counts too, before it is read: a statement of MIL takes up to 40 times its length, a value of a
/// property list up to 10 times. Messages of ONNX are counted by their reader.
void require_size(const found_file& file, std::uint64_t most, const caller& who) {
    const std::uint64_t times = file.kind == file_kind::mil ? 40 : file.kind == file_kind::netplist ? 10 : 1;
    std::error_code failed;
    const std::uint64_t size = fs::file_size(file.path, failed);
    if (!failed && size > most / times) {
        throw ane::error(ane::errc::file, file.path,
                         "has " + std::to_string(size) + " bytes and takes up to " + std::to_string(times) +
                             " times that while it is read, allowed are " + std::to_string(most) + " (" +
                             spelled(&reading_options::max_memory, who.by) + ")");
    }
}

ane::read_model read(const found_file& file, const reading_options& how, const caller& who) {
    if (file.kind == file_kind::onnx) {
        return read_onnx(file.path, how, who);
    }
    if (file.kind == file_kind::netplist) {
        return ane::read_netplist_file(file.path, {.procedure = how.function});
    }
    ane::mil_reader_options options;
    options.function = how.function;
    options.memory = how.max_memory;
    options.approximates = how.approximates;
    options.saturates_infinities = how.approximates;
    return file.kind == file_kind::mil ? ane::read_mil_file(file.path, options)
                                       : ane::read_mlpackage_file(file.path, options);
}

} // namespace

model_file read(const std::string& path, const reading_options& how, const caller& who) {
    require_limits(how, who.by);
    const task shown(who, "reading " + path);
    const found_file file = find_model(path);
    require_size(file, how.max_memory, who);
    if (file.kind != file_kind::onnx && !how.shapes.empty()) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::shapes, who.by),
                         "is for ONNX files: the shapes of others are in the file");
    }
    return {read(file, how, who), file.kind == file_kind::mil, file.kind != file_kind::onnx};
}

std::string digest_of(const std::string& path) {
    const std::string found = find_model(path).path;
    if (fs::is_directory(found)) {
        return {}; // of several files that belong together
    }
    std::ifstream file(found, std::ios::binary);
    std::vector<char> chunk(std::size_t{1} << 20U);
    ane::sha256 digest;
    while (file) {
        file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
        digest.update(std::as_bytes(std::span(chunk.data(), static_cast<std::size_t>(file.gcount()))));
    }
    if (!file.eof()) {
        throw ane::error(ane::errc::file, found, "cannot be read to its end");
    }
    return digest.finish();
}

} // namespace app

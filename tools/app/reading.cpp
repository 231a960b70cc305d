#include "reading.hpp"

#include "checkpoint_reading.hpp"
#include "option_faults.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/folder_contents.hpp>
#include <anemone/io/path_status.hpp>
#include <anemone/io/sha256.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/readers/model_folder.hpp>
#include <anemone/readers/netplist.hpp>
#include <anemone/weights/gguf.hpp>
#include <anemone/weights/random.hpp>
#include <anemone/weights/safetensors.hpp>

#if defined(ANEMONE_APP_ONNX)
#include <anemone/onnx/onnx.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

namespace fs = std::filesystem;

namespace {

/// Gives the weights whose values are not there others.
void fill_missing(ane::read_model& read, const reading_options& how, ane::opened_files& parts) {
    if (how.weights.empty() || read.missing.empty()) {
        return;
    }
    const ane::graph_view g = read.graph;
    ane::weight_store others;
    if (how.weights != "zeros" && how.weights != "random") {
        parts.add(how.weights);
    }
    if (how.weights != "zeros") {
        others = how.weights == "random"                        ? ane::random_weights(g, 0)
                 : fs::path(how.weights).extension() == ".gguf" ? ane::load_gguf(how.weights)
                                                                : ane::load_safetensors(how.weights);
    }
    for (const std::string& name : read.missing) {
        const int node = g.find(ane::op::weight, name);
        if (node < 0) {
            continue;
        }
        if (how.weights == "zeros") {
            ane::stored_tensor t;
            t.name = name;
            t.type = ane::element_type::f16;
            t.shape = g[node].shape;
            t.bytes = std::vector<std::byte>(static_cast<std::size_t>(t.shape.count()) * 2);
            read.weights.add(std::move(t));
            continue;
        }
        const ane::stored_tensor* const found = others.find(name);
        if (found == nullptr) {
            throw ane::error(ane::errc::weights, name,
                             "is a weight whose values are not beside the model, and not in " + how.weights);
        }
        if (found->shape != g[node].shape) {
            throw ane::error(ane::errc::weights, name,
                             "is " + ane::print(found->shape) + " in " + how.weights + ", the model has " +
                                 ane::print(g[node].shape));
        }
        read.weights.add(*found);
    }
    const std::string weights =
        std::to_string(read.missing.size()) + (read.missing.size() == 1 ? " weight" : " weights");
    read.changes.push_back("the values of " + weights + " are not beside the model: " +
                           (how.weights == "zeros"    ? "zeros stand for them"
                            : how.weights == "random" ? "random numbers stand for them"
                                                      : "they are those of " + how.weights));
    read.notes.push_back(read.changes.back());
    read.missing.clear();
}

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

/// The kinds of file that a model comes in.
enum class file_kind { mil, netplist, onnx, mlpackage, checkpoint };

/// Where a model that the user names was found.
struct found_file {
    std::string path; ///< of the text, the property list
    file_kind kind;
    std::string named; ///< what its reader is given: the folder, where the file in it is not the user's own choice
};

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

/// "x=1,3,224,224"
ane::input_shape shape_in(const std::string& text, const caller& who) {
    const std::size_t equals = text.find('=');
    ane::input_shape result{text.substr(0, equals), {}};
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
std::vector<ane::input_shape> shapes_in(const reading_options& how, const caller& who) {
    std::vector<ane::input_shape> all;
    for (const std::string& each : how.shapes) {
        all.push_back(shape_in(each, who));
    }
    return all;
}

#if defined(ANEMONE_APP_ONNX)
/// "sr=16000", "axes=2,3"
ane::onnx_value value_in(const std::string& text, const caller& who) {
    constexpr std::size_t most = 1000;
    const std::size_t equals = text.find('=');
    ane::onnx_value result{text.substr(0, equals), {}, {}};
    const char* at = equals == std::string::npos ? nullptr : text.c_str() + equals + 1;
    while (at != nullptr && result.values.size() < most) {
        char* end = nullptr;
        const double number = std::strtod(at, &end); // libc++ has no from_chars for it
        if (end == at || !std::isfinite(number)) {
            result.values.clear();
            break;
        }
        result.values.push_back(number);
        if (*end == '\0') {
            if (result.values.size() > 1) {
                result.shape.append(static_cast<std::int64_t>(result.values.size()));
            }
            break;
        }
        if (*end != ',') {
            result.values.clear();
            break;
        }
        at = end + 1;
    }
    if (result.name.empty() || result.values.empty() || result.values.size() == most) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::values, who.by) + " " + text,
                         "must be like sr=16000 or axes=2,3");
    }
    return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// How a caller gives the value of an input, if it can.
std::string values_option(const caller& who) {
    return who.by == front_end::command ? spelled(&reading_options::values, who.by) + " NAME=NUMBER"
                                        : "make it a constant of the file";
}

/// A sentence of the reader with the options as the caller knows them, in place of the members of a C++ structure.
std::string for_caller(std::string sentence, const caller& who) {
    replace_all(sentence, "give it in onnx_reader_options::values", "give it: " + values_option(who));
    replace_all(sentence, "onnx_reader_options::values", values_option(who));
    replace_all(sentence, "onnx_reader_options::shapes", spelled(&reading_options::shapes, who.by));
    replace_all(sentence, "max_bytes", spelled(&reading_options::max_memory, who.by));
    return sentence;
}

ane::read_model read_onnx(const std::string& path, const reading_options& how, const caller& who,
                          ane::opened_files& parts) {
    ane::onnx_reader_options options;
    options.opened = &parts;
    options.max_bytes = how.max_memory;
    options.saturates_infinities = how.approximates;
    options.shapes = shapes_in(how, who);
    for (const std::string& each : how.values) {
        options.values.push_back(value_in(each, who));
    }
    options.allows_missing = allows_missing(how);
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
ane::read_model read_onnx(const std::string& path, const reading_options& /*how*/, const caller& /*who*/,
                          ane::opened_files& /*parts*/) {
    throw ane::error(ane::errc::file, path,
                     "this program was built without ONNX (Debian: libonnx-dev libprotobuf-dev)");
}
#endif

found_file find_model(const std::string& path) {
    const fs::file_status status = ane::detail::status_of(path);
    if (!fs::exists(status)) {
        throw ane::error(ane::errc::file, path, "the file does not exist");
    }
    if (fs::is_directory(status)) {
        if (fs::is_regular_file(ane::detail::status_of(fs::path(path) / "Manifest.json"))) {
            return {path, file_kind::mlpackage, path};
        }
        for (const file_in_folder& inside : files_in_folders) {
            const std::string file = (fs::path(path) / inside.name).string();
            if (fs::is_regular_file(ane::detail::status_of(file))) {
                return {file, inside.kind, path};
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

/// The text of a model counts too, before it is read: a statement of MIL takes up to 40 times its length, a value of a
/// property list up to 10 times. Messages of ONNX are counted by their reader.
struct text_size {
    explicit text_size(const found_file& file)
        : times(file.kind == file_kind::mil        ? 40
                : file.kind == file_kind::netplist ? 10
                                                   : 1) {
        std::error_code failed;
        const std::uint64_t size = fs::file_size(file.path, failed);
        bytes = failed ? 0 : size;
    }
    bool is_within(std::uint64_t most) const { return bytes <= most / times; }

    std::uint64_t times;
    std::uint64_t bytes = 0;
};

void require_size(const found_file& file, std::uint64_t most, const caller& who) {
    const text_size size(file);
    if (!size.is_within(most)) {
        throw ane::error(ane::errc::file, file.path,
                         "has " + std::to_string(size.bytes) + " bytes and takes up to " + std::to_string(size.times) +
                             " times that while it is read, allowed are " + std::to_string(most) + " (" +
                             spelled(&reading_options::max_memory, who.by) + ")");
    }
}

ane::read_model read(const found_file& file, const reading_options& how, const caller& who, ane::opened_files& parts) {
    if (file.kind == file_kind::onnx) {
        return read_onnx(file.named, how, who, parts);
    }
    if (file.kind == file_kind::checkpoint) {
        return read_checkpoint(file.named, how, who, parts);
    }
    if (file.kind == file_kind::netplist) {
        return ane::read_netplist_file(file.named, {.procedure = how.function,
                                                    .opened = &parts,
                                                    .memory = how.max_memory,
                                                    .allows_missing = allows_missing(how)});
    }
    ane::mil_reader_options options;
    options.opened = &parts;
    options.function = how.function;
    options.memory = how.max_memory;
    options.approximates = how.approximates;
    options.saturates_infinities = how.approximates;
    options.allows_missing = allows_missing(how);
    options.shapes = shapes_in(how, who);
    try {
        const bool is_open = who.text != nullptr && who.text->file && who.text->path == file.named;
        return is_open                       ? who.text->file->read(options)
               : file.kind == file_kind::mil ? ane::read_mil_file(file.named, options)
                                             : ane::read_mlpackage_file(file.named, options);
    } catch (const ane::error& wrong) {
        constexpr std::string_view head = "argument: shapes: ";
        const std::string_view said = wrong.what();
        if (!said.starts_with(head)) {
            throw;
        }
        throw ane::error(ane::errc::argument, spelled(&reading_options::shapes, who.by),
                         std::string(said.substr(head.size())));
    }
}

/// The same, where whatever the file is found to be by its reader is a fault of the file, of any format.
ane::read_model read_whole(const found_file& file, const reading_options& how, const caller& who,
                           ane::opened_files& parts) {
    try {
        return read(file, how, who, parts);
    } catch (const ane::unreadable&) {
        throw;
    } catch (const ane::error& wrong) {
        if (wrong.code() != ane::errc::file) {
            throw;
        }
        throw ane::unreadable(file.path, {{wrong.subject(), 0, 0, {}, wrong.detail()}});
    }
}

/// The bundle that an absolute path is or lies in, which belongs together though only some of it is read; empty where there is
/// none. A package has its parts in its folder Data: anything else below a manifest is not of it, and may be much.
fs::path bundle_of(const fs::path& path) {
    std::error_code failed; // what is not there is no bundle
    fs::path name;          // what leads from `at` towards the path
    for (fs::path at = path; at.has_relative_path(); at = at.parent_path()) {
        const bool is_package = at.extension() == ".mlpackage" || fs::is_regular_file(at / "Manifest.json", failed);
        const bool is_of_package = is_package && (name.empty() || name == "Data" || name == "Manifest.json");
        if ((at.extension() == ".mlmodelc" || is_of_package) && fs::is_directory(at, failed)) {
            return at;
        }
        name = at.filename();
    }
    return {};
}

/// What a model's file is part of, as far as that is known before it is read.
void add_known_parts(ane::opened_files& parts, const std::string& path) {
    parts.add(path);
    std::error_code failed;
    const fs::path named = fs::absolute(path, failed);
    for (const fs::path& at : {named, fs::canonical(named, failed)}) { // links lead to a bundle, or out of one
        const fs::path bundle = bundle_of(at);
        std::vector<ane::detail::folder_entry> inside;
        if (!bundle.empty()) {
            static_cast<void>(
                ane::detail::list_folder(bundle.string(), inside)); // of what cannot be listed nothing is known
        }
        for (const ane::detail::folder_entry& each : inside) {
            parts.add((bundle / each.path).string());
        }
    }
}

/// Tells the caller of what was read: when asked to, and where an exception ends the reading before.
class told_parts {
public:
    explicit told_parts(const caller& who) : who_(who) {}
    told_parts(const told_parts&) = delete;
    told_parts& operator=(const told_parts&) = delete;
    ~told_parts() {
        if (!is_told_) {
            try {
                tell();
            } catch (const std::bad_alloc&) { // beside another exception: a second one would end the process
            }
        }
    }

    void tell() {
        if (who_.reads != nullptr) {
            who_.reads->add(all);
        }
        is_told_ = true;
    }

    ane::opened_files all;

private:
    const caller& who_;
    bool is_told_ = false;
};

} // namespace

model_file read(const std::string& path, const reading_options& how, const caller& who) {
    require_limits(how, who.by);
    const task shown(who, "reading " + path);
    told_parts parts(who);
    add_known_parts(parts.all, path);
    const found_file file = find_model(path);
    parts.all.add(file.path);
    if (file.kind != file_kind::checkpoint) { // whose tensors stay in their files
        require_size(file, how.max_memory, who);
    }
    if (file.kind == file_kind::netplist && !how.shapes.empty()) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::shapes, who.by),
                         "is for ONNX, MIL text and ML packages: the shapes of a netplist are in the file");
    }
    if (file.kind != file_kind::onnx && !how.values.empty()) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::values, who.by),
                         "is for ONNX files: others have their constants in the file");
    }
    if (file.kind == file_kind::checkpoint && !how.shapes.empty()) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::shapes, who.by),
                         "is for ONNX, MIL text and ML packages: the form of a published model follows from " +
                             spelled(&reading_options::context, who.by) + " and " +
                             spelled(&reading_options::chunk, who.by));
    }
    if (file.kind != file_kind::checkpoint && (how.context != 0 || how.chunk != reading_options{}.chunk)) {
        throw ane::error(ane::errc::argument,
                         how.context != 0 ? spelled(&reading_options::context, who.by)
                                          : spelled(&reading_options::chunk, who.by),
                         "is for folders with config.json and .gguf files, published language models");
    }
    ane::read_model model = read_whole(file, how, who, parts.all);
    fill_missing(model, how, parts.all);
    const bool is_mil = file.kind == file_kind::mil || file.kind == file_kind::mlpackage;
    const bool has_own_layers = file.kind != file_kind::onnx && file.kind != file_kind::checkpoint;
    parts.tell();
    return {std::move(model), is_mil, has_own_layers, parts.all};
}

bool allows_missing(const reading_options& how) { return how.approximates || !how.weights.empty(); }

bool is_checkpoint(const std::string& path) {
    try {
        return find_model(path).kind == file_kind::checkpoint;
    } catch (const ane::error&) { // whoever reads it says so
        return false;
    }
}

std::vector<variant> variants_of(const std::string& path, const reading_options& how, open_text& text) {
    std::vector<ane::file_function> functions;
    try {
        const found_file file = find_model(path);
        if (file.kind == file_kind::checkpoint) {
            return programs_in(file.named, how);
        }
        if (!text_size(file).is_within(how.max_memory)) {
            return {};
        }
        if (file.kind == file_kind::mil) {
            text.path = file.named;
            functions = text.file.emplace(file.named).functions();
        } else if (file.kind == file_kind::mlpackage) {
            functions = ane::mlpackage_file_functions(file.named);
        }
    } catch (const ane::error&) { // of a file with a fault: whoever reads it says so
        return {};
    }
    std::vector<variant> all;
    for (const ane::file_function& f : functions) {
        if (!how.function.empty() && f.name != how.function) {
            continue;
        }
        if (f.enumerated.empty() || !how.shapes.empty()) {
            all.push_back({f.name, {}});
        }
        for (std::size_t i = 0; how.shapes.empty() && i < f.enumerated.size(); ++i) {
            variant& one = all.emplace_back(variant{f.name, {}});
            for (const ane::input_shape& each : f.enumerated[i]) {
                std::string text = each.name + "=";
                for (int axis = 0; axis < each.shape.rank; ++axis) {
                    text += (axis > 0 ? "," : "") + std::to_string(each.shape[axis]);
                }
                one.shapes.push_back(text);
            }
        }
    }
    return all.size() < 2 ? std::vector<variant>{} : all;
}

std::string digest_of(const std::string& path) {
    const found_file found = find_model(path);
    if (found.kind == file_kind::checkpoint || (found.kind == file_kind::mlpackage && fs::is_directory(found.path))) {
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

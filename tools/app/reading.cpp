#include "reading.hpp"

#include "checkpoint_reading.hpp"
#include "input_options.hpp"
#include "model_path.hpp"
#include "network_reading.hpp"
#include "onnx_reading.hpp"
#include "option_faults.hpp"
#include "stand_in_weights.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/folder_contents.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/readers/netplist.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

namespace fs = std::filesystem;

namespace {

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
    if (file.kind == file_kind::network) {
        return read_network(file, how, who, parts);
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
    if (!is_published(file.kind)) { // whose tensors stay in their files
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
                             spelled(&reading_options::context, who.by) + ", " +
                             spelled(&reading_options::chunk, who.by) + " and " +
                             spelled(&reading_options::batch, who.by));
    }
    if (file.kind == file_kind::network && !how.shapes.empty()) {
        throw ane::error(
            ane::errc::argument, spelled(&reading_options::shapes, who.by),
            "is for ONNX, MIL text and ML packages: the form of a published network follows from its configuration");
    }
    if (!is_published(file.kind) && how.layout != reading_options{}.layout) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::layout, who.by),
                         "is for published models, which are read from a configuration");
    }
    if (file.kind != file_kind::network && how.image != reading_options{}.image) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::image, who.by),
                         "is for image networks, by name or in their folders");
    }
    if (file.kind != file_kind::network && (how.frame_height != 0 || how.frame_width != 0)) {
        throw ane::error(
            ane::errc::argument,
            spelled(how.frame_height != 0 ? &reading_options::frame_height : &reading_options::frame_width, who.by),
            "is for networks of images that are known by name or in their folders: this model has its "
            "own inputs");
    }
    if (file.kind != file_kind::checkpoint) {
        for (const auto form : {&reading_options::context, &reading_options::chunk, &reading_options::batch}) {
            const bool is_of_networks = file.kind == file_kind::network && form == &reading_options::context;
            if (how.*form != reading_options{}.*form && !is_of_networks) {
                throw ane::error(ane::errc::argument, spelled(form, who.by),
                                 "is for folders with config.json and .gguf files, published language models");
            }
        }
    }
    ane::read_model model = read_whole(file, how, who, parts.all);
    fill_missing(model, how, parts.all);
    const bool is_mil = file.kind == file_kind::mil || file.kind == file_kind::mlpackage;
    const bool has_own_layers = file.kind != file_kind::onnx && !is_published(file.kind);
    parts.tell();
    return {std::move(model), is_mil, has_own_layers, parts.all};
}

bool allows_missing(const reading_options& how) { return how.approximates || !how.weights.empty(); }

std::vector<variant> variants_of(const std::string& path, const reading_options& how, open_text& text) {
    std::vector<ane::file_function> functions;
    try {
        const found_file file = find_model(path);
        if (file.kind == file_kind::checkpoint) {
            return programs_in(file.named, how);
        }
        if (file.kind == file_kind::network) {
            return parts_in(file.named, how);
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

} // namespace app

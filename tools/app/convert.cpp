#include "convert.hpp"

#include "model_path.hpp"
#include "target_names.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/cpp.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/formats/netplist_program.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/passes/lowering.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace app {

namespace {

std::string write_cpp(model of, const convert_options& how, const std::string& header) {
    namespace fs = std::filesystem;
    const std::string weights = weights_beside(header);
    ane::cpp_options options;
    options.name = how.name.empty() ? ane::cpp_namespace(fs::path(header).stem().string()) : how.name;
    options.source = of.file_name();
    options.digest = of.is_made() ? std::string() : digest_of(of.path()); // of a file that says the same
    options.weights_file = how.weights_file.empty() ? fs::path(weights).filename().string() : how.weights_file;
    options.targets = how.targets.empty() ? ane::target_set{} : targets_named(how.targets);
    const ane::dynamic_graph graph = of.graph();
    ane::write_cpp(ane::emit_cpp(graph, std::move(of).taken_weights(), options), header, weights);
    return header;
}

/// Throws where one of these files is one that the model, or another one of the caller, was read from.
void require_unread(const model& of, const std::vector<std::string>& written, const caller& who) {
    for (const std::string& each : written) {
        if (of.parts().has(each) || (who.reads != nullptr && who.reads->has(each))) {
            throw ane::error(ane::errc::argument, each, "is read, and would be written over; name another output");
        }
    }
}

/// Those of a folder.
std::vector<std::string> within(const std::string& folder, const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& each : names) {
        all.push_back(std::filesystem::path(folder) / each);
    }
    return all;
}

/// The files that a model becomes, as far as that is known before: a netplist has weight files too.
std::vector<std::string> written_files(const convert_options& how, const std::string& to) {
    switch (how.to) {
    case model_format::cpp: return {to, weights_beside(to)};
    case model_format::netplist: return within(to, {"net.plist"});
    case model_format::mlpackage:
        return within(
            to, {"Manifest.json", "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin"});
    case model_format::mil: break;
    }
    return within(to, {"model.mil", "weights.bin"});
}

} // namespace

void require_unread(const model& of, const convert_options& how, const std::string& to, const caller& who) {
    require_unread(of, written_files(how, to), who);
}

std::string weights_beside(const std::string& header) {
    return std::filesystem::path(header).replace_extension(".safetensors").string();
}

std::string convert(model of, const convert_options& how, const std::string& to, const caller& who) {
    const task shown(who, "writing " + to);
    of.require_exact("written");
    if (to.empty()) {
        throw ane::error(ane::errc::argument, "the output", "has an empty path");
    }
    require_unread(of, how, to, who);
    if (how.to == model_format::cpp) {
        return write_cpp(std::move(of), how, to);
    }
    const ane::lowered_graph lowered = ane::lower(of.graph());
    const ane::folded_constants constants = ane::fold_constants(lowered.graph, of.weights());
    if (how.to == model_format::netplist) {
        const ane::netplist made = ane::emit_netplist(lowered.graph, constants);
        std::vector<std::string> names;
        for (const ane::netplist_blob& each : made.weights) {
            names.push_back(each.name);
        }
        require_unread(of, within(to, names), who);
        return ane::write_netplist(made, to);
    }
    const bool is_package = how.to == model_format::mlpackage;
    const ane::mil_options options{
        .every_stored_form = is_package, .core_ml_states = is_package || how.core_ml_states, .system = how.system};
    const ane::mil_program text = ane::emit_mil(lowered.graph, constants, options);
    return is_package ? ane::write_mlpackage(text, to, how.force) : ane::write_mil(text, to);
}

} // namespace app

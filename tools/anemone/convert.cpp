#include "command.hpp"
#include "model_file.hpp"
#include "output_path.hpp"
#include "target_names.hpp"
#include "written_model.hpp"
#include <anemone/formats/cpp.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace command {

namespace {

struct convert_options {
    std::string file;
    std::string to;
    std::string output;
    std::string name;
    std::string weights_file;
    std::string targets;
    reading how;
    bool core_ml_states = false;
};

std::string weights_beside(const std::string& header) {
    return std::filesystem::path(header).replace_extension(".safetensors").string();
}

/// Writes `--output` and a safetensors file of the same name beside it.
std::string convert_to_cpp(const convert_options& options, ane::read_model model) {
    namespace fs = std::filesystem;
    const fs::path header = options.output;
    const std::string weights = weights_beside(options.output);
    ane::cpp_options how;
    how.name = options.name.empty() ? ane::cpp_namespace(header.stem().string()) : options.name;
    how.source = fs::path(options.file).filename().string();
    how.digest = digest_of(options.file);
    how.weights_file = options.weights_file.empty() ? fs::path(weights).filename().string() : options.weights_file;
    how.targets = options.targets.empty() ? ane::target_set{} : targets_named(options.targets);
    ane::write_cpp(ane::emit_cpp(model.graph, std::move(model.weights), how), header.string(), weights);
    return header.string() + "\n" + weights;
}

int convert(const convert_options& options) {
    if (options.to == "cpp") {
        require_other_file(options.output, std::span(&options.file, 1));
        require_other_file(weights_beside(options.output), std::span(&options.file, 1));
    } else {
        require_apart(options.output, options.file, options.to == "mlpackage");
        for (const char* const written : {"model.mil", "net.plist"}) {
            require_other_file(options.output + "/" + written, std::span(&options.file, 1));
        }
    }
    ane::read_model model = read(options.file, options.how);
    std::string text;
    for (const std::string& note : model.notes) {
        text += fmt::format("note: {}\n", note);
    }
    if (options.to == "cpp") {
        const std::string written = convert_to_cpp(options, std::move(model));
        write_text("", text + written + "\n");
        return well;
    }
    const std::string written = write_model(model, options.to, options.output, options.core_ml_states);
    write_text("", text + written + "\n");
    return well;
}

} // namespace

void add_convert(CLI::App& app, int& status) {
    const auto given = std::make_shared<convert_options>();
    CLI::App* const sub =
        app.add_subcommand("convert", "Writes a model as MIL text, a netplist, an ML package or C++, with its weights");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("--to", given->to, "mil, netplist, mlpackage or cpp")
        ->required()
        ->check(CLI::IsMember({"mil", "netplist", "mlpackage", "cpp"}));
    sub->add_option("-o,--output", given->output,
                    "The folder that gets the files, made where it is missing; for cpp the header, with a safetensors "
                    "file of its name beside it")
        ->required();
    sub->add_option("--name", given->name, "The namespace of the C++ model, a::b too; without it the header's name");
    sub->add_option("--weights-file", given->weights_file, "How the C++ program opens the weights, if it is elsewhere");
    sub->add_option("-t,--targets", given->targets,
                    "Targets that the C++ model has to conform to, checked at build time");
    sub->add_flag("--core-ml-states", given->core_ml_states, "States as Core ML has them, in MIL text");
    add_reading(*sub, given->how);
    sub->footer("Examples:\n  anemone convert net.plist --to mil -o model\n"
                "  anemone convert model.onnx --to mlpackage -o model.mlpackage\n"
                "  anemone convert net.onnx --to cpp -o net.hpp --targets macs");
    sub->callback([given, &status] { status = convert(*given); });
}

} // namespace command

#include "command.hpp"
#include "model_file.hpp"
#include "output_path.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/formats/netplist_program.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/passes/lowering.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct convert_options {
    std::string file;
    std::string to;
    std::string output;
    reading how;
    bool core_ml_states = false;
};

int convert(const convert_options& options) {
    require_apart(options.output, options.file, options.to == "mlpackage");
    for (const char* const written : {"model.mil", "net.plist"}) {
        require_other_file(options.output + "/" + written, std::span(&options.file, 1));
    }
    const ane::read_model model = read(options.file, options.how);
    const ane::lowered_graph lowered = ane::lower(model.graph);
    const ane::materialized constants = ane::materialize(lowered.graph, model.weights);
    std::string written;
    if (options.to == "mil") {
        ane::mil_options how;
        how.core_ml_states = options.core_ml_states;
        written = ane::write_mil(ane::emit_mil(lowered.graph, constants, how), options.output);
    } else if (options.to == "mlpackage") {
        const ane::mil_options for_core_ml{.every_stored_form = true, .core_ml_states = true};
        written = ane::write_mlpackage(ane::emit_mil(lowered.graph, constants, for_core_ml), options.output);
    } else {
        written = ane::write_netplist(ane::emit_netplist(lowered.graph, constants), options.output);
    }
    std::string text;
    for (const std::string& note : model.notes) {
        text += fmt::format("note: {}\n", note);
    }
    write_text("", text + written + "\n");
    return well;
}

} // namespace

void add_convert(CLI::App& app, int& status) {
    const auto given = std::make_shared<convert_options>();
    CLI::App* const sub =
        app.add_subcommand("convert", "Writes a model as MIL text, a netplist or an ML package, with its weights");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("--to", given->to, "mil, netplist or mlpackage")
        ->required()
        ->check(CLI::IsMember({"mil", "netplist", "mlpackage"}));
    sub->add_option("-o,--output", given->output, "The folder that gets the files; made where it is missing")
        ->required();
    sub->add_flag("--core-ml-states", given->core_ml_states, "States as Core ML has them, in MIL text");
    add_reading(*sub, given->how);
    sub->footer("Examples:\n  anemone convert net.plist --to mil -o model\n"
                "  anemone convert model.onnx --to mlpackage -o model.mlpackage");
    sub->callback([given, &status] { status = convert(*given); });
}

} // namespace command

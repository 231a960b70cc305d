#include "../app/diff.hpp"

#include "command.hpp"
#include "numpy_file.hpp"
#include "option_arguments.hpp"
#include "progress.hpp"
#include <anemone/report/diff_report.hpp>
#include <anemone/report/model_pair_report.hpp>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct diff_command {
    std::string file;
    std::string other;
    std::string input;
    app::diff_options how;
    app::reading_options reading;
};

int diff(const diff_command& given) {
    const app::model model(given.file, given.reading, user());
    const std::vector<tensor> tensors =
        given.input.empty() ? std::vector<tensor>() : read_arrays(given.input, given.reading.max_memory);
    const std::vector<app::input_array> inputs = arrays_for(app::ports_of(model.graph()).inputs, tensors);
    if (!given.other.empty()) {
        const app::model other(given.other, given.reading, user());
        const ane::pair_difference found = app::diff(model, other, given.how, inputs, user());
        write_text("", ane::pair_text(model.graph(), other.graph(), found, coloured()));
        return found.same_outputs ? well : refused;
    }
    const ane::model_difference found = app::diff(model, given.how, inputs, user());
    write_text("", ane::diff_report(model.graph(), found).str(coloured()));
    return found.identical() ? well : refused;
}

} // namespace

void add_diff(CLI::App& app, int& status) {
    const auto given = std::make_shared<diff_command>();
    CLI::App* const sub = app.add_subcommand(
        "diff", "Compares the engine's arithmetic with another, or two files, node by node, with the cause");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("OTHER", given->other, "Another model on the same inputs: the two files are compared");
    sub->add_option("-i,--input", given->input, "Arrays for the inputs, .npz or .npy; none: random numbers");
    add_options(*sub, given->how);
    add_options(*sub, given->reading);
    sub->footer("Examples:\n  anemone diff model.mil --target h16 --input images.npz\n"
                "  anemone diff trained.onnx converted.mlpackage");
    sub->callback([given, &status] { status = diff(*given); });
}

} // namespace command

#include "../app/diff.hpp"

#include "../app/layer_errors.hpp"
#include "command.hpp"
#include "numpy_file.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "sample_files.hpp"
#include <anemone/base/error.hpp>
#include <anemone/report/diff_drawing.hpp>
#include <anemone/report/diff_report.hpp>
#include <anemone/report/model_pair_report.hpp>

#include <fmt/format.h>

#include <algorithm>
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
    app::layer_error_options exactly; ///< with double precision
    std::vector<std::string> data;
    app::reading_options reading;
    std::string svg;
    bool json = false;
    bool names_backend = false; ///< it was given
};

bool is_wide(const diff_command& given) { return given.how.reference == app::wide_reference; }

/// Refuses what says nothing in this comparison.
void require_meaning(const diff_command& given) {
    const auto refuse = [](const char* option, const char* what) {
        throw ane::error(ane::errc::argument, option, what);
    };
    if (!is_wide(given)) {
        const app::layer_error_options standard;
        const bool is_told = given.names_backend || !given.data.empty() || given.exactly.bound != standard.bound ||
                             given.exactly.absolute || given.exactly.random_runs != standard.random_runs ||
                             given.exactly.quick;
        if (is_told || given.json) {
            refuse("diff", "--backend, --bound, --absolute, --data, --random-runs, --quick and --json are for "
                           "--reference f64");
        }
    }
    if (!given.other.empty() && !given.svg.empty()) {
        refuse("--svg", "is for one file");
    }
}

/// What a reader remarks of a file explains why two of them are the same, or are not. Which numbers are others is said
/// already.
std::string notes_of(const app::model& model) {
    std::string text;
    const std::vector<std::string>& told = model.changes();
    for (const std::string& note : model.notes()) {
        if (std::find(told.begin(), told.end(), note) != told.end()) {
            continue;
        }
        text += fmt::format("note: {}: {}\n", model.file_name(), note);
    }
    return text;
}

int diff_layers(const diff_command& given, const app::model& model) {
    app::layer_error_options how = given.exactly;
    how.backend = given.names_backend ? how.backend : "oracle:" + given.how.target;
    std::vector<std::string> data = given.data;
    if (!given.input.empty()) {
        data.push_back(given.input);
    }
    const app::layer_errors found = app::compare_layers(model, how, samples_in(data, model), given.how.seed, user());
    if (!given.svg.empty()) {
        write_text(given.svg, drawing(found));
    }
    write_text("", given.json ? json(found) : app::text(found, coloured()) + notes_of(model));
    return found.found.within_bound() ? well : refused;
}

int diff(const diff_command& given) {
    require_meaning(given);
    std::vector<std::string> read_files = given.data;
    read_files.insert(read_files.end(), {given.file, given.other, given.input});
    require_output(given.svg, read_files);
    const app::model model = opened(given.file, given.reading);
    require_unread(given.svg);
    if (is_wide(given) && given.other.empty()) {
        return diff_layers(given, model);
    }
    const std::vector<tensor> tensors =
        given.input.empty() ? std::vector<tensor>() : read_arrays(given.input, given.reading.max_memory);
    const std::vector<app::input_array> inputs = arrays_for(model.ports().inputs, tensors);
    if (!given.other.empty()) {
        const app::model other = opened(given.other, given.reading);
        const ane::pair_difference found = app::diff(model, other, given.how, inputs, user());
        write_text("",
                   ane::pair_text(model.graph(), other.graph(), found, coloured()) + notes_of(model) + notes_of(other));
        return found.same_outputs ? well : refused;
    }
    const ane::model_difference found = app::diff(model, given.how, inputs, user());
    if (!given.svg.empty()) {
        write_text(given.svg, ane::draw_diff(model.graph(), found));
    }
    const char* const hint = "both compute in fp16: --reference f64 tells what that costs\n";
    write_text("", ane::diff_report(model.graph(), found).str(coloured()) + (found.identical() ? hint : ""));
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
    add_options(*sub, given->exactly, {{"data", &given->data}});
    exclude(*sub, "--random-runs", "--data");
    sub->add_option("--svg", given->svg, "Draw the errors of each layer");
    sub->add_flag("--json", given->json, "With --reference f64: as JSON");
    add_options(*sub, given->reading);
    sub->footer("Examples:\n  anemone diff model.mil --target h16 --input images.npz\n"
                "  anemone diff model.onnx --reference f64 --data samples.npz\n"
                "  anemone diff trained.onnx converted.mlpackage");
    sub->callback([given, sub, &status] {
        given->names_backend = sub->count("--backend") > 0;
        status = diff(*given);
    });
}

} // namespace command

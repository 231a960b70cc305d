#include "../app/diff.hpp"

#include "../app/layer_errors.hpp"
#include "command.hpp"
#include "numpy_file.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "sample_files.hpp"
#include "terminal_text.hpp"
#include <anemone/base/error.hpp>
#include <anemone/readers/unreadable.hpp>
#include <anemone/report/diff_drawing.hpp>
#include <anemone/report/diff_report.hpp>
#include <anemone/report/model_pair_report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
        text += fmt::format("note: {}: {}\n", one_line(model.file_name()), one_line(note));
    }
    return text;
}

/// The inputs of a model as options give shapes, without so many extents of 1 that formats put first; nothing where an
/// input has fewer.
std::vector<std::string> shapes_of(const app::model& model, std::size_t without) {
    std::vector<std::string> shapes;
    for (const app::port& p : model.ports().inputs) {
        std::string text;
        for (std::size_t i = 0; i < p.shape.size(); ++i) {
            if (i >= without) {
                text += fmt::format("{}{}", text.empty() ? "" : ",", p.shape[i]);
            } else if (p.shape[i] != 1) {
                return {};
            }
        }
        if (text.empty()) {
            return {};
        }
        shapes.push_back(p.name + "=" + text);
    }
    return shapes;
}

/// A file that could not be read alone, with the shapes that the other one has. Throws `alone`.
app::model opened_as(const std::string& file, const app::reading_options& how, const app::model& other,
                     const ane::unreadable& alone) {
    for (std::size_t without = 0; without < std::size_t{ane::extents::capacity}; ++without) {
        app::reading_options with_shapes = how;
        with_shapes.shapes = shapes_of(other, without);
        if (with_shapes.shapes.empty()) {
            break;
        }
        try {
            return opened(file, with_shapes);
        } catch (const ane::error& wrong) { // of another number of axes, or wrong in other ways: `alone` tells
            if (wrong.code() != ane::errc::file && wrong.code() != ane::errc::argument) {
                throw;
            }
        }
    }
    throw ane::unreadable(alone);
}

/// A file without the shapes of others, or nothing and why it cannot be read so.
std::optional<app::model> opened_alone(const std::string& file, const app::reading_options& how,
                                       std::optional<ane::unreadable>& why) {
    try {
        return opened(file, how);
    } catch (const ane::unreadable& refused) {
        if (!how.shapes.empty()) {
            throw;
        }
        why = refused;
        return std::nullopt;
    }
}

struct model_pair {
    app::model first;
    app::model second;
};

/// Both files; where one leaves shapes free and none are given, with the shapes of the other.
model_pair opened_pair(const diff_command& given) {
    std::optional<ane::unreadable> of_first;
    std::optional<ane::unreadable> of_second;
    std::optional<app::model> first = opened_alone(given.file, given.reading, of_first);
    std::optional<app::model> second = opened_alone(given.other, given.reading, of_second);
    if (!first && !second) {
        throw ane::unreadable(*of_first);
    }
    if (!first) {
        first = opened_as(given.file, given.reading, *second, *of_first);
    } else if (!second) {
        second = opened_as(given.other, given.reading, *first, *of_second);
    }
    return {std::move(*first), std::move(*second)};
}

int diff_files(const diff_command& given) {
    const auto [model, other] = opened_pair(given);
    const std::vector<tensor> tensors =
        given.input.empty() ? std::vector<tensor>() : read_arrays(given.input, given.reading.max_memory);
    const std::vector<app::input_array> inputs = arrays_for(model.ports().inputs, tensors);
    const ane::pair_difference found = app::diff(model, other, given.how, inputs, user());
    write_text("", ane::pair_text(model.graph(), other.graph(), found, coloured()) + notes_of(model) + notes_of(other));
    return found.same_outputs ? well : refused;
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
    if (!given.other.empty()) {
        return diff_files(given);
    }
    const app::model model = opened(given.file, given.reading);
    require_unread(given.svg);
    if (is_wide(given)) {
        return diff_layers(given, model);
    }
    const std::vector<tensor> tensors =
        given.input.empty() ? std::vector<tensor>() : read_arrays(given.input, given.reading.max_memory);
    const std::vector<app::input_array> inputs = arrays_for(model.ports().inputs, tensors);
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
    // Found here: to look for a name takes memory where the parser cannot throw.
    const CLI::Option* const backend = detail::option_named(*sub, "--backend");
    sub->callback([given, backend, &status] {
        given->names_backend = backend->count() > 0;
        status = diff(*given);
    });
}

} // namespace command

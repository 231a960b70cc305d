#include "../app/train.hpp"

#include "command.hpp"
#include "numpy_file.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "written_model.hpp"
#include <anemone/base/error.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace command {

namespace {

struct train_command {
    std::string file;
    app::train_options how;
    std::vector<std::string> data;
    std::vector<std::string> validation;
    app::reading_options reading;
    written_form written;
    std::string csv;
    std::string svg;
    bool json = false;
};

/// Arrays of files, as arrays of a caller, which they keep.
std::vector<app::input_array> arrays_in(const std::vector<tensor>& tensors) {
    std::vector<app::input_array> arrays;
    for (const tensor& each : tensors) {
        arrays.push_back(
            {each.name, ane::element_type::f64, std::as_bytes(std::span(each.values)), each.shape, each.was_fp16});
    }
    return arrays;
}

std::vector<tensor> tensors_in(const std::vector<std::string>& files, std::uint64_t most) {
    std::vector<tensor> all;
    for (const std::string& file : files) {
        std::vector<tensor> found = read_arrays(file, most);
        if (found.empty()) {
            throw ane::error(ane::errc::file, file, "has no arrays");
        }
        std::move(found.begin(), found.end(), std::back_inserter(all));
    }
    return all;
}

int train(train_command given) {
    std::vector<std::string> read_files = given.data;
    read_files.insert(read_files.end(), given.validation.begin(), given.validation.end());
    read_files.push_back(given.file);
    for (const std::string* const each : {&given.csv, &given.svg}) {
        require_output(*each, read_files);
    }
    require_apart(given.written, given.file);
    const app::model model = opened(given.file, given.reading);
    for (const std::string* const each : {&given.csv, &given.svg}) { // before much is computed
        require_unread(*each);
    }
    require_apart(given.written, model);
    const std::vector<tensor> data = tensors_in(given.data, given.reading.max_memory);
    const std::vector<tensor> validation = tensors_in(given.validation, given.reading.max_memory);
    const app::trained found = app::train(model, given.how, arrays_in(data), arrays_in(validation), user());
    const std::string text = given.json ? json(found) + "\n" : app::text(found);
    if (!given.csv.empty()) {
        write_text(given.csv, csv(found));
    }
    if (!given.svg.empty()) {
        write_text(given.svg, drawing(found));
    }
    const std::string written = write(found.made, given.written);
    write_text("", given.json ? text : text + written);
    return well;
}

} // namespace

void add_train(CLI::App& app, int& status) {
    const auto given = std::make_shared<train_command>();
    CLI::App* const sub =
        app.add_subcommand("train", "Trains the weights of a model on samples, by the CPU or in a chip's arithmetic");
    sub->add_option("FILE", given->file, "The model")->required();
    add_options(*sub, given->how, {{"data", &given->data}, {"validate", &given->validation}});
    add_written(*sub, given->written, "The folder that gets the trained model");
    sub->add_option("--csv", given->csv, "A file for the metrics: a line for each step");
    sub->add_option("--svg", given->svg, "Draw the curves");
    sub->add_flag("--json", given->json, "As JSON");
    add_options(*sub, given->reading);
    sub->footer(
        "Examples:\n  anemone train net.onnx --shape image=1,3,32,32 --batch 64 -d train.npz -v held_out.npz -o trained\n"
        "  anemone train net.onnx -d few.npz --freeze 'features.*' --optimizer sgd --rate 0.01 -o tuned --to "
        "mlpackage\n"
        "  anemone train net.mil -d train.npz --checkpoint run --resume --svg curves.svg -o trained");
    sub->callback([given, &status] { status = train(*given); });
}

} // namespace command

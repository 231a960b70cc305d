#include "command.hpp"
#include "comparison.hpp"
#include "image_file.hpp"
#include "model_file.hpp"
#include "numpy_file.hpp"
#include "output_path.hpp"
#include "program_run.hpp"
#include "progress.hpp"
#include "run_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace command {

namespace {

struct run_options {
    std::string file;
    std::string backend = "cpu";
    std::vector<std::string> inputs;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> outputs;
    std::string expected;
    tolerance allowed;
    std::string image_range;
    image_scale images;
    reading how;
};

/// The path in "x=file.npy".
std::string path_in(const std::string& argument) { return argument.substr(argument.find('=') + 1); }

/// "x=file.npy" is one array under another name, "file.npz" what is in it, "x=file.png" an image of the port's size.
std::vector<tensor> arrays_of(const std::string& argument, const port_buffers& ports, const run_options& options) {
    const std::size_t equals = argument.find('=');
    const std::string path = path_in(argument);
    const std::string name = equals == std::string::npos ? "" : argument.substr(0, equals);
    std::vector<tensor> arrays;
    if (!name.empty()) {
        static_cast<void>(ports.input(name)); // there is one
    }
    if (begins_as_image(path)) {
        arrays.push_back(read_image(path, ports.input(name), options.images, options.how.memory));
    } else {
        arrays = read_arrays(path, options.how.memory);
    }
    if (equals != std::string::npos) {
        if (arrays.size() != 1) {
            throw ane::error(ane::errc::argument, argument, "a name goes with a file of one array");
        }
        arrays.front().name = name;
    }
    return arrays;
}

std::string summary(const tensor& output) {
    double least = INFINITY;
    double most = -INFINITY;
    std::size_t others = 0;
    std::size_t place = 0; // of the largest: the answer of a classifier
    for (std::size_t i = 0; i < output.count(); ++i) {
        const double v = output.values[i];
        if (!std::isfinite(v)) {
            ++others;
            continue;
        }
        least = std::min(least, v);
        place = v > most ? i : place;
        most = std::max(most, v);
    }
    if (others == output.count()) {
        return fmt::format("{} ({}): no finite number\n", output.name, text(output.shape));
    }
    std::string shown;
    for (std::size_t i = 0; i < std::min<std::size_t>(output.count(), 6); ++i) {
        shown += fmt::format(" {:.5g}", output.values[i]);
    }
    return fmt::format("{} ({}): from {:.5g} to {:.5g}{}{};{}{}\n", output.name, text(output.shape), least, most,
                       output.count() > 6 ? fmt::format(" at element {}", place) : "",
                       others == 0 ? "" : fmt::format(", {} not finite", others), shown,
                       output.count() > 6 ? " ..." : "");
}

std::string summaries(const port_buffers& ports) {
    std::string text;
    for (const tensor& each : ports.outputs()) {
        text += summary(each);
    }
    return text;
}

/// A run for each request: states go on. An argument NAME=FILE is an input of one request, a file alone all of one.
/// What there is to say.
std::string run_requests(const run_options& options, const ane::graph_view& model, ane::any_program& program,
                         port_buffers& ports) {
    const std::vector<std::string>& inputs = options.inputs;
    const auto named = static_cast<std::size_t>(std::count_if(
        inputs.begin(), inputs.end(), [](const std::string& each) { return each.find('=') != std::string::npos; }));
    if (named != 0 && named != inputs.size()) {
        throw ane::error(ane::errc::argument, "--input",
                         "is NAME=FILE for each input of one request, or a FILE for each request; not both");
    }
    const progress shown("running " + options.file + " (" + options.backend + ")");
    if (named == inputs.size()) {
        std::vector<tensor> arrays;
        for (const std::string& each : inputs) {
            arrays.push_back(arrays_of(each, ports, options).front());
        }
        if (inputs.empty()) {
            ports.fill_randomly(model, options.seed.value_or(0));
        } else {
            ports.fill(arrays);
        }
        ports.run(program);
        return summaries(ports);
    }
    std::string text;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        progress::now(inputs[i]);
        ports.fill(arrays_of(inputs[i], ports, options));
        ports.run(program);
        text += (inputs.size() > 1 ? fmt::format("request {}, {}\n", i + 1, inputs[i]) : "") + summaries(ports);
        progress::at(static_cast<double>(i + 1) / static_cast<double>(inputs.size()));
    }
    return text;
}

/// "y=file.png" is one output, a file alone all of them. What to say of it.
std::string write_output(const run_options& options, const std::string& argument, const std::vector<tensor>& answers) {
    const std::string name = argument.substr(0, argument.find('='));
    const auto named =
        std::find_if(answers.begin(), answers.end(), [&](const tensor& each) { return each.name == name; });
    const bool is_named = name.size() < argument.size() && named != answers.end();
    const std::string path = is_named ? path_in(argument) : argument;
    const std::span<const tensor> chosen =
        is_named ? std::span(&*named, 1) : std::span<const tensor>(answers.data(), answers.size());
    if (!is_named_as_image(path)) {
        write_arrays(path, chosen);
        return "";
    }
    if (chosen.size() != 1) {
        throw ane::error(ane::errc::argument, argument,
                         fmt::format("is one image, there are {} outputs: --output {}={}", chosen.size(),
                                     chosen.empty() ? "NAME" : chosen.front().name, argument));
    }
    const std::size_t outside = write_image(path, chosen.front(), options.images);
    return outside == 0
               ? ""
               : fmt::format("note: {} of {} numbers of {} lie outside {}..{} (--image-scale); they are black or "
                             "white in {}\n",
                             outside, chosen.front().count(), chosen.front().name,
                             options.images.range ? options.images.range->first : 0,
                             options.images.range ? options.images.range->second : 1, path);
}

int run(run_options options) {
    if (!options.image_range.empty()) {
        options.images.range = range_in(options.image_range);
    }
    std::vector<std::string> read_files{options.file, options.expected};
    for (const std::string& each : options.inputs) {
        read_files.push_back(each);
        read_files.push_back(path_in(each));
    }
    for (const std::string& each : options.outputs) {
        require_other_file(each, read_files);
        require_other_file(path_in(each), read_files);
    }
    const ane::read_model model = read(options.file, options.how);
    require_run_memory(model.graph, options.backend == "cpu" ? kept_values::live : kept_values::all,
                       options.how.memory);
    port_buffers ports(model.graph);
    ane::any_program program = compile_for(options.backend, model.graph, model.weights);
    std::string text = run_requests(options, model.graph, program, ports);
    const std::vector<tensor> answers = ports.outputs();
    for (const std::string& each : options.outputs) {
        text += write_output(options, each, answers);
    }
    bool equal = true;
    if (!options.expected.empty()) {
        const comparison found =
            compare_arrays(answers, read_arrays(options.expected, options.how.memory), options.allowed);
        equal = found.equal;
        text += found.text;
    }
    write_text("", text);
    return equal ? well : refused;
}

} // namespace

void add_run(CLI::App& app, int& status) {
    const auto given = std::make_shared<run_options>();
    CLI::App* const sub =
        app.add_subcommand("run", "Runs a model on arrays, by the CPU, the oracle of a chip or the engine");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-b,--backend", given->backend, "cpu, oracle:TARGET or engine:TARGET")->capture_default_str();
    sub->add_option(
        "-i,--input", given->inputs,
        "NAME=FILE for each input, .npy or an image, or FILE.npz with all of them; several files without a name "
        "are runs in a row, between which states are kept. None: random numbers");
    sub->add_option("--seed", given->seed, "Of the random numbers")->default_str("0");
    sub->add_option("-o,--output", given->outputs,
                    "A .npz file for the outputs, .npy for one, .png, .pgm or .ppm for one that is an image; NAME=FILE "
                    "chooses one");
    sub->add_option("--compare", given->expected, "Arrays that the outputs have to be");
    sub->add_option("--atol", given->allowed.absolute, "Allowed difference")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    sub->add_option("--rtol", given->allowed.relative, "Allowed difference, as a part of the expected number")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    sub->add_option("--image-scale", given->image_range,
                    "What black and white are as numbers: -1..1. None: 0..1, and 0..255 for bytes");
    sub->add_option("--image-mean", given->images.mean, "Subtracted from pixels after that; one, or one a channel")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--image-std", given->images.deviation, "What pixels are divided by then; one, or one a channel")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_reading(*sub, given->how);
    sub->footer(
        "Examples:\n  anemone run model.mil --seed 1\n"
        "  anemone run net.onnx -i image=photo.png --image-mean 0.485,0.456,0.406 --image-std 0.229,0.224,0.225\n"
        "  anemone run decoder.mil -i token1.npz -i token2.npz -o last.npz\n"
        "  anemone run model.mil -b oracle:h13 -i x=x.npy --compare expected.npz --atol 0.01");
    sub->callback([given, &status] { status = run(*given); });
}

} // namespace command

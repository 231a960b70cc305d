#include "../app/session.hpp"
#include "command.hpp"
#include "comparison.hpp"
#include "image_file.hpp"
#include "numpy_file.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "terminal_text.hpp"
#include <anemone/backend/samples.hpp>
#include <anemone/base/error.hpp>

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

struct run_command {
    std::string file;
    app::compile_options how;
    std::vector<std::string> inputs;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> outputs;
    std::string expected;
    tolerance allowed;
    std::string image_range;
    image_scale images;
    app::reading_options reading;
};

/// The path in "x=file.npy".
std::string path_in(const std::string& argument) { return argument.substr(argument.find('=') + 1); }

/// The input of a name, or the only one where there is no name.
const app::port& input_named(const std::vector<app::port>& inputs, const std::string& name) {
    if (name.empty() && inputs.size() != 1) {
        throw ane::error(ane::errc::port, "an image",
                         "needs the name of an input, NAME=FILE; there are: " + app::names_of(inputs));
    }
    return name.empty() ? inputs.front() : app::named(inputs, name, "input");
}

/// "x=file.npy" is one array under another name, "file.npz" what is in it, "x=file.png" an image of the port's size.
std::vector<tensor> arrays_of(const std::string& argument, const std::vector<app::port>& inputs,
                              const run_command& given) {
    const std::size_t equals = argument.find('=');
    const std::string path = path_in(argument);
    const std::string name = equals == std::string::npos ? "" : argument.substr(0, equals);
    std::vector<tensor> arrays;
    if (!name.empty()) {
        app::named(inputs, name, "input");
    }
    if (begins_as_image(path)) {
        arrays.push_back(read_image(path, input_named(inputs, name), given.images, given.reading.max_memory));
    } else {
        arrays = read_arrays(path, given.reading.max_memory);
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
        return fmt::format("{} ({}): no finite number\n", one_line(output.name), app::shape_text(output.shape));
    }
    std::string shown;
    for (std::size_t i = 0; i < std::min<std::size_t>(output.count(), 6); ++i) {
        shown += fmt::format(" {:.5g}", output.values[i]);
    }
    return fmt::format(
        "{} ({}): from {:.5g} to {:.5g}{}{};{}{}\n", one_line(output.name), app::shape_text(output.shape), least, most,
        output.count() > 6 ? fmt::format(" at element {}", place) : "",
        others == 0 ? "" : fmt::format(", {} not finite", others), shown, output.count() > 6 ? " ..." : "");
}

std::string summaries(const std::vector<tensor>& answers) {
    std::string text;
    for (const tensor& each : answers) {
        text += summary(each);
    }
    return text;
}

/// The outputs of one run.
std::vector<tensor> answers_to(app::session& program, const std::vector<app::input_array>& inputs) {
    std::vector<tensor> answers;
    std::vector<app::output_array> to;
    for (const app::port& p : program.ports().outputs) {
        answers.push_back({p.name, p.shape, std::vector<double>(p.count)});
    }
    for (tensor& each : answers) { // which stay where they are now
        to.push_back({each.name, ane::element_type::f64, std::as_writable_bytes(std::span(each.values)), each.shape});
    }
    program.run(inputs, to);
    return answers;
}

std::vector<tensor> answers_to_random(app::session& program, std::uint64_t seed) {
    const std::vector<app::port>& inputs = program.ports().inputs;
    const ane::model_samples drawn = ane::random_samples(program.model().graph(), 1, seed);
    const std::vector<std::span<const std::byte>> memory = drawn.inputs(0);
    std::vector<app::input_array> arrays;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        arrays.push_back({inputs[i].name, inputs[i].type, memory[i], inputs[i].shape});
    }
    return answers_to(program, arrays);
}

/// What runs gave: the outputs of the last, and what there is to say of all.
struct run_result {
    std::vector<tensor> answers;
    std::string text;
};

/// A run for each request: states go on. An argument NAME=FILE is an input of one request, a file alone all of one.
run_result run_requests(const run_command& given, app::session& program) {
    const std::vector<std::string>& arguments = given.inputs;
    const std::vector<app::port>& inputs = program.ports().inputs;
    const auto named =
        static_cast<std::size_t>(std::count_if(arguments.begin(), arguments.end(), [](const std::string& each) {
            return each.find('=') != std::string::npos;
        }));
    if (named != 0 && named != arguments.size()) {
        throw ane::error(ane::errc::argument, "--input",
                         "is NAME=FILE for each input of one request, or a FILE for each request; not both");
    }
    const app::task shown(user(), "running " + given.file + " (" + given.how.backend + ")");
    run_result result;
    if (arguments.empty()) {
        result.answers = answers_to_random(program, given.seed.value_or(0));
        result.text = summaries(result.answers);
        return result;
    }
    if (named == arguments.size()) {
        std::vector<tensor> arrays;
        for (const std::string& each : arguments) {
            arrays.push_back(arrays_of(each, inputs, given).front());
        }
        result.answers = answers_to(program, arrays_for(inputs, arrays));
        result.text = summaries(result.answers);
        return result;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        shown.now(arguments[i]);
        result.answers = answers_to(program, arrays_for(inputs, arrays_of(arguments[i], inputs, given)));
        result.text += (arguments.size() > 1 ? fmt::format("request {}, {}\n", i + 1, arguments[i]) : "") +
                       summaries(result.answers);
        shown.at(static_cast<double>(i + 1) / static_cast<double>(arguments.size()));
    }
    return result;
}

/// "y=file.png" is one output, a file alone all of them. What to say of it.
std::string write_output(const run_command& given, const std::string& argument, const std::vector<tensor>& answers) {
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
    const std::size_t outside = write_image(path, chosen.front(), given.images);
    return outside == 0
               ? ""
               : fmt::format("note: {} of {} numbers of {} lie outside {}..{} (--image-scale); they are black or "
                             "white in {}\n",
                             outside, chosen.front().count(), chosen.front().name,
                             given.images.range ? given.images.range->first : 0,
                             given.images.range ? given.images.range->second : 1, path);
}

int run(run_command given) {
    if (!given.image_range.empty()) {
        given.images.range = range_in(given.image_range);
    }
    std::vector<std::string> read_files{given.file, given.expected};
    for (const std::string& each : given.inputs) {
        read_files.push_back(each);
        read_files.push_back(path_in(each));
    }
    for (const std::string& each : given.outputs) {
        require_other_file(each, read_files);
        require_output(path_in(each), read_files);
    }
    app::model model = opened(given.file, given.reading);
    for (const std::string& each : given.outputs) { // before it is run
        require_unread(each);
        require_unread(path_in(each));
    }
    app::session program(std::move(model), given.how, user());
    auto [answers, text] = run_requests(given, program);
    for (const std::string& each : given.outputs) {
        text += write_output(given, each, answers);
    }
    bool equal = true;
    if (!given.expected.empty()) {
        const comparison found =
            compare_arrays(answers, read_arrays(given.expected, given.reading.max_memory), given.allowed);
        equal = found.equal;
        text += found.text;
    }
    write_text("", text);
    return equal ? well : refused;
}

} // namespace

void add_run(CLI::App& app, int& status) {
    const auto given = std::make_shared<run_command>();
    CLI::App* const sub =
        app.add_subcommand("run", "Runs a model on arrays, by the CPU, the oracle of a chip or the engine");
    sub->add_option("FILE", given->file, "The model")->required();
    add_options(*sub, given->how);
    sub->add_option(
        "-i,--input", given->inputs,
        "NAME=FILE for each input, .npy or an image, or FILE.npz with all of them; several files without a name "
        "are runs in a row, between which states are kept. None: random numbers");
    sub->add_option("--seed", given->seed, "Of the random numbers")->default_str("0")->check(CLI::NonNegativeNumber);
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
    add_options(*sub, given->reading);
    sub->footer(
        "Examples:\n  anemone run model.mil --seed 1\n"
        "  anemone run net.onnx -i image=photo.png --image-mean 0.485,0.456,0.406 --image-std 0.229,0.224,0.225\n"
        "  anemone run decoder.mil -i token1.npz -i token2.npz -o last.npz\n"
        "  anemone run model.mil -b oracle:h13 -i x=x.npy --compare expected.npz --atol 0.01");
    sub->callback([given, &status] { status = run(*given); });
}

} // namespace command

#include "command.hpp"
#include "comparison.hpp"
#include "model_file.hpp"
#include "numpy_file.hpp"
#include "program_run.hpp"

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
    std::string output;
    std::string expected;
    tolerance allowed;
    reading how;
};

/// "x=file.npy" is one array under another name, "file.npz" what is in it.
std::vector<tensor> arrays_of(const std::string& argument, std::uint64_t most) {
    const std::size_t equals = argument.find('=');
    std::vector<tensor> arrays =
        read_arrays(equals == std::string::npos ? argument : argument.substr(equals + 1), most);
    if (equals != std::string::npos) {
        if (arrays.size() != 1) {
            throw ane::error(ane::errc::argument, argument, "a name goes with a file of one array");
        }
        arrays.front().name = argument.substr(0, equals);
    }
    return arrays;
}

std::string summary(const tensor& output) {
    double least = INFINITY;
    double most = -INFINITY;
    std::size_t others = 0;
    for (const double v : output.values) {
        others += std::isfinite(v) ? 0 : 1;
        least = std::isfinite(v) ? std::min(least, v) : least;
        most = std::isfinite(v) ? std::max(most, v) : most;
    }
    std::string shown;
    for (std::size_t i = 0; i < std::min<std::size_t>(output.count(), 6); ++i) {
        shown += fmt::format(" {:.5g}", output.values[i]);
    }
    return fmt::format("{} ({}): from {:.5g} to {:.5g}{};{}{}\n", output.name, text(output.shape), least, most,
                       others == 0 ? "" : fmt::format(", {} not finite", others), shown,
                       output.count() > 6 ? " ..." : "");
}

int run(const run_options& options) {
    const ane::read_model model = read(options.file, options.how);
    port_buffers ports(model.graph);
    if (options.inputs.empty()) {
        ports.fill_randomly(options.seed.value_or(0));
    }
    ane::any_program program = compile_for(options.backend, model.graph, model.weights);
    if (options.inputs.empty()) {
        ports.run(program);
    } else if (std::all_of(options.inputs.begin(), options.inputs.end(),
                           [](const std::string& each) { return each.find('=') != std::string::npos; })) {
        std::vector<tensor> arrays;
        for (const std::string& each : options.inputs) {
            arrays.push_back(arrays_of(each, options.how.memory).front());
        }
        ports.fill(arrays);
        ports.run(program);
    } else {
        for (const std::string& each : options.inputs) { // a run for each file: states go on
            ports.fill(arrays_of(each, options.how.memory));
            ports.run(program);
        }
    }
    const std::vector<tensor> answers = ports.outputs();
    if (!options.output.empty()) {
        write_arrays(options.output, answers);
    }
    std::string text;
    for (const tensor& each : answers) {
        text += summary(each);
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
    sub->add_option("-i,--input", given->inputs,
                    "NAME=FILE.npy for each input, or FILE.npz with all of them; several .npz files are runs in a row, "
                    "between which states are kept. None: random numbers");
    sub->add_option("--seed", given->seed, "Of the random numbers")->default_str("0");
    sub->add_option("-o,--output", given->output, "A .npz file for the outputs, or .npy for one");
    sub->add_option("--compare", given->expected, "Arrays that the outputs have to be");
    sub->add_option("--atol", given->allowed.absolute, "Allowed difference")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    sub->add_option("--rtol", given->allowed.relative, "Allowed difference, as a part of the expected number")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    add_reading(*sub, given->how);
    sub->footer("Examples:\n  anemone run model.mil --seed 1\n"
                "  anemone run model.mil -b oracle:h13 -i x=x.npy --compare expected.npz --atol 0.01");
    sub->callback([given, &status] { status = run(*given); });
}

} // namespace command

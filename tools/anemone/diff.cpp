#include "command.hpp"
#include "model_file.hpp"
#include "numpy_file.hpp"
#include "program_run.hpp"
#include "progress.hpp"
#include "run_memory.hpp"
#include "target_names.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/diff/diff.hpp>
#include <anemone/diff/model_pair.hpp>
#include <anemone/report/diff_report.hpp>
#include <anemone/report/model_pair_report.hpp>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct diff_options {
    std::string file;
    std::string other;
    std::string target = "h13";
    std::string reference = "cpu";
    std::string input;
    std::uint64_t seed = 0;
    reading how;
};

/// Two files, both in the arithmetic of the reference.
int diff_files(const diff_options& options, const ane::read_model& first, const port_buffers& ports) {
    const ane::read_model second = read(options.other, options.how);
    require_run_memory(second.graph, kept_values::twice, options.how.memory);
    const auto inputs = ports.inputs();
    const auto compared = [&](const auto& place) {
        const progress shown("comparing " + options.file + " with " + options.other + ", node by node");
        return ane::diff(first.graph, first.weights, second.graph, second.weights, place, inputs);
    };
    const ane::pair_difference found = options.reference == "cpu"
                                           ? compared(ane::backend::cpu{})
                                           : compared(ane::backend::oracle(target_named(options.reference)));
    write_text("", ane::pair_text(first.graph, second.graph, found, coloured()));
    return found.same_outputs ? well : refused;
}

int diff(const diff_options& options) {
    const ane::read_model model = read(options.file, options.how);
    require_run_memory(model.graph, kept_values::twice, options.how.memory);
    port_buffers ports(model.graph);
    if (options.input.empty()) {
        ports.fill_randomly(model.graph, options.seed);
    } else {
        ports.fill(read_arrays(options.input, options.how.memory));
    }
    if (!options.other.empty()) {
        return diff_files(options, model, ports);
    }
    const ane::backend::oracle engine(target_named(options.target));
    const auto inputs = ports.inputs();
    const progress shown("comparing " + options.target + " with " + options.reference + ", node by node");
    const ane::model_difference found =
        options.reference == "cpu" ? ane::diff(model.graph, ane::backend::cpu{}, engine, model.weights, inputs)
                                   : ane::diff(model.graph, ane::backend::oracle(target_named(options.reference)),
                                               engine, model.weights, inputs);
    write_text("", ane::diff_report(model.graph, found).str(coloured()));
    return found.identical() ? well : refused;
}

} // namespace

void add_diff(CLI::App& app, int& status) {
    const auto given = std::make_shared<diff_options>();
    CLI::App* const sub = app.add_subcommand(
        "diff", "Compares the engine's arithmetic with another, or two files, node by node, with the cause");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("OTHER", given->other, "Another model on the same inputs: the two files are compared");
    sub->add_option("-t,--target", given->target, "The chip whose arithmetic is looked at")->capture_default_str();
    sub->add_option("-r,--reference", given->reference, "cpu, or another chip; of two files, what both run on")
        ->capture_default_str();
    sub->add_option("-i,--input", given->input, "Arrays for the inputs, .npz or .npy; none: random numbers");
    sub->add_option("--seed", given->seed, "Of the random numbers")->capture_default_str();
    add_reading(*sub, given->how);
    sub->footer("Examples:\n  anemone diff model.mil --target h16 --input images.npz\n"
                "  anemone diff trained.onnx converted.mlpackage");
    sub->callback([given, &status] { status = diff(*given); });
}

} // namespace command

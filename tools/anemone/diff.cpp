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
#include <anemone/report/diff_report.hpp>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct diff_options {
    std::string file;
    std::string target = "h13";
    std::string reference = "cpu";
    std::string input;
    std::uint64_t seed = 0;
    reading how;
};

int diff(const diff_options& options) {
    const ane::read_model model = read(options.file, options.how);
    require_run_memory(model.graph, kept_values::twice, options.how.memory);
    port_buffers ports(model.graph);
    if (options.input.empty()) {
        ports.fill_randomly(options.seed);
    } else {
        ports.fill(read_arrays(options.input, options.how.memory));
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
    CLI::App* const sub =
        app.add_subcommand("diff", "Compares the engine's arithmetic with another, node by node, with the cause");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-t,--target", given->target, "The chip whose arithmetic is looked at")->capture_default_str();
    sub->add_option("-r,--reference", given->reference, "cpu, or another chip")->capture_default_str();
    sub->add_option("-i,--input", given->input, "Arrays for the inputs, .npz or .npy; none: random numbers");
    sub->add_option("--seed", given->seed, "Of the random numbers")->capture_default_str();
    add_reading(*sub, given->how);
    sub->footer("Example: anemone diff model.mil --target h16 --input images.npz");
    sub->callback([given, &status] { status = diff(*given); });
}

} // namespace command

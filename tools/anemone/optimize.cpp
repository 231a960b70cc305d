#include "command.hpp"
#include "model_file.hpp"
#include "output_path.hpp"
#include "plan_json.hpp"
#include "progress.hpp"
#include "ranges.hpp"
#include "run_memory.hpp"
#include "target_names.hpp"
#include "written_model.hpp"
#include <anemone/report/optimize_drawing.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace command {

namespace {

struct optimize_command {
    std::string file;
    std::string target = "h17s";
    std::string to = "mil";
    std::string output;
    std::string svg;
    std::vector<std::string> ranges;
    reading how;
    bool bits = false;
    bool values = false;
    bool errors = false;
    bool resident = false;
    bool prove = false;
    bool json = false;
};

int optimize(const optimize_command& given) {
    require_other_file(given.svg, std::span(&given.file, 1));
    if (!given.output.empty()) {
        require_apart(given.output, given.file, given.to == "mlpackage");
    }
    const ane::target t = target_named(given.target);
    reading how = given.how;
    how.approximates = given.output.empty() && !given.prove;
    ane::read_model model = read(given.file, how);
    if (given.prove) {
        require_run_memory(model.graph, kept_values::all, how.memory);
    }
    if (given.values || given.errors || !given.ranges.empty()) {
        ane::promise_statistics(model.graph, model.weights);
        promise_inputs(model.graph, given.ranges, how.memory);
    }
    ane::optimized found = ane::optimize(
        model.graph, t,
        {.rounding = !given.bits, .values = given.values, .errors = given.errors, .resident = given.resident});
    std::optional<ane::rewrite_proof> proof;
    if (given.prove) {
        const progress shown("running " + given.file + " before and after each step (oracle of " + given.target + ")");
        proof = ane::prove(model.graph, found, model.weights, t);
    }
    std::string text = given.json ? json_of(found, proof, t) + "\n" : ane::optimize_text(found, t);
    if (proof && !given.json) {
        text += ane::proof_text(*proof);
    }
    if (!given.svg.empty()) {
        write_text(given.svg, ane::draw_optimized(model.graph, found));
    }
    if (!given.output.empty()) {
        model.graph = std::move(found.graph);
        const std::string written = write_model(model, given.to, given.output);
        text += given.json ? "" : written + "\n";
    }
    write_text("", text);
    return proof && !proof->holds() ? refused : well;
}

} // namespace

void add_optimize(CLI::App& app, int& status) {
    const auto given = std::make_shared<optimize_command>();
    CLI::App* const sub =
        app.add_subcommand("optimize", "Rewrites a model into a faster one that computes the same, by the cost model");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-t,--target", given->target, "The chip")->capture_default_str();
    sub->add_flag("--bits", given->bits, "Only rewrites that keep every bit");
    sub->add_option("--ranges", given->ranges, "x=-1,1 promises a range of an input, data.npz measures it");
    sub->add_flag("--values", given->values,
                  "First of all fewer values that may overflow by the ranges of inputs and the true weights");
    sub->add_flag("--errors", given->errors,
                  "First of all a smaller expected error of the least exact product, by the same");
    sub->add_flag("--resident", given->resident, "No more operands than before that do not stay on the chip");
    sub->add_flag("--prove", given->prove,
                  "Run the model before and after each step on random inputs, in the chip's arithmetic");
    sub->add_option("-o,--output", given->output, "The folder that gets the rewritten model");
    sub->add_option("--svg", given->svg, "Draw the model before and after")->type_name("FILE");
    sub->add_option("--to", given->to, "mil, netplist or mlpackage")
        ->capture_default_str()
        ->check(CLI::IsMember({"mil", "netplist", "mlpackage"}));
    sub->add_flag("--json", given->json, "As JSON");
    add_reading(*sub, given->how);
    sub->footer("Example: anemone optimize encoder.onnx --target h13 --prove -o faster");
    sub->callback([given, &status] { status = optimize(*given); });
}

} // namespace command

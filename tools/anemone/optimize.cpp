#include "command.hpp"
#include "model_file.hpp"
#include "output_path.hpp"
#include "target_names.hpp"
#include "written_model.hpp"
#include <anemone/io/json.hpp>
#include <anemone/report/optimize_report.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace command {

namespace {

struct optimize_command {
    std::string file;
    std::string target = "h17s";
    std::string to = "mil";
    std::string output;
    reading how;
    bool bits = false;
    bool json = false;
};

std::string as_json(const ane::optimized& found, const ane::target t) {
    ane::json_writer json;
    json.object();
    json.member("target", ane::describe(t).runtime);
    json.member("before", found.before);
    json.member("after", found.after);
    json.key("steps").array();
    for (const ane::rewrite_step& step : found.steps) {
        json.object();
        json.member("rewrite", step.record().id);
        json.member("places", step.places);
        json.member("keeps", ane::name(step.record().kept));
        json.member("before", step.before);
        json.member("after", step.after);
        json.end();
    }
    json.end();
    json.end();
    return json.str();
}

int optimize(const optimize_command& given) {
    if (!given.output.empty()) {
        require_apart(given.output, given.file, given.to == "mlpackage");
    }
    const ane::target t = target_named(given.target);
    reading how = given.how;
    how.approximates = given.output.empty();
    ane::read_model model = read(given.file, how);
    ane::optimized found = ane::optimize(model.graph, t, {.rounding = !given.bits});
    std::string text = given.json ? as_json(found, t) + "\n" : ane::optimize_text(found, t);
    if (!given.output.empty()) {
        model.graph = std::move(found.graph);
        text += write_model(model, given.to, given.output) + "\n";
    }
    write_text("", text);
    return well;
}

} // namespace

void add_optimize(CLI::App& app, int& status) {
    const auto given = std::make_shared<optimize_command>();
    CLI::App* const sub =
        app.add_subcommand("optimize", "Rewrites a model into a faster one that computes the same, by the cost model");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-t,--target", given->target, "The chip")->capture_default_str();
    sub->add_flag("--bits", given->bits, "Only rewrites that keep every bit");
    sub->add_option("-o,--output", given->output, "The folder that gets the rewritten model");
    sub->add_option("--to", given->to, "mil, netplist or mlpackage")
        ->capture_default_str()
        ->check(CLI::IsMember({"mil", "netplist", "mlpackage"}));
    sub->add_flag("--json", given->json, "As JSON");
    add_reading(*sub, given->how);
    sub->footer("Example: anemone optimize encoder.onnx --target h13 -o faster");
    sub->callback([given, &status] { status = optimize(*given); });
}

} // namespace command

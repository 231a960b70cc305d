#include "command.hpp"
#include "model_file.hpp"
#include "plan_json.hpp"
#include "target_names.hpp"
#include <anemone/passes/lowering.hpp>
#include <anemone/report/device_placement_report.hpp>
#include <anemone/rules/device_placement_of.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace command {

namespace {

struct placement_command {
    std::string file;
    std::string target = "h17s";
    std::string goal = "time";
    std::int64_t batches = 0;
    reading how{.approximates = true};
    bool json = false;
};

int placement(const placement_command& given) {
    const ane::target t = target_named(given.target);
    const ane::read_model model = read(given.file, given.how);
    ane::placement_options how;
    how.goal = given.goal == "energy" ? ane::placement_goal::energy : ane::placement_goal::time;
    if (given.json) {
        write_text("", json_of(ane::place_model(model.graph, t, how)) + "\n");
        return well;
    }
    std::string text = ane::placement_report(model.graph, t, how);
    if (given.batches > 0) {
        const ane::lowered_graph lowered = ane::lower(model.graph);
        const ane::batch_scaling source = ane::scaling_of(lowered.view(), t);
        text += "\n" + ane::serving_table(ane::serving(source, t, given.batches, how)) +
                ane::crossover_line(ane::crossover(source, t, {.last = given.batches}, how));
    }
    write_text("", text);
    return well;
}

} // namespace

void add_placement(CLI::App& app, int& status) {
    const auto given = std::make_shared<placement_command>();
    CLI::App* const sub =
        app.add_subcommand("placement", "Where a model and its layers belong: on the engine, the GPU or the CPU");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-t,--target", given->target, "The chip")->capture_default_str();
    sub->add_option("--goal", given->goal, "What is to be least: time or energy")
        ->capture_default_str()
        ->check(CLI::IsMember({"time", "energy"}));
    CLI::Option* const batches =
        sub->add_option("--batches", given->batches, "Also a table of batches of 1, 2, 4 ... up to this")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
    sub->add_flag("--json", given->json, "As JSON")->excludes(batches);
    add_reading(*sub, given->how);
    sub->footer("Example: anemone placement encoder.onnx --target h17s --batches 64");
    sub->callback([given, &status] { status = placement(*given); });
}

} // namespace command

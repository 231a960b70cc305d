#include "command.hpp"
#include "model_file.hpp"
#include "target_names.hpp"
#include <anemone/io/json.hpp>
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

constexpr ane::compute_device devices[] = {ane::compute_device::engine, ane::compute_device::gpu,
                                           ane::compute_device::cpu};

void write_seconds(ane::json_writer& json, double seconds, double joules) {
    json.member("seconds", seconds);
    if (joules > 0) {
        json.member("joules", joules);
    } else {
        json.key("joules").null(); // not known
    }
}

std::string as_json(const ane::device_plan& plan) {
    ane::json_writer json;
    json.object();
    json.member("target", plan.target);
    json.member("known_by", ane::name(plan.known_by));
    write_seconds(json, plan.seconds, plan.joules);
    json.key("segments").array();
    for (const ane::device_segment& s : plan.segments) {
        json.object().member("device", ane::name(s.on)).member("first", s.first + 1).member("last", s.last + 1);
        write_seconds(json, s.seconds, s.joules);
        json.end();
    }
    json.end();
    json.key("whole").object();
    for (const ane::compute_device d : devices) {
        const ane::device_total& whole = plan.on(d);
        json.key(ane::name(d));
        if (whole.possible) {
            json.object();
            write_seconds(json, whole.seconds, whole.joules);
            json.end();
        } else {
            json.null();
        }
    }
    json.end().end();
    return json.str() + "\n";
}

int placement(const placement_command& given) {
    const ane::target t = target_named(given.target);
    const ane::read_model model = read(given.file, given.how);
    ane::placement_options how;
    how.goal = given.goal == "energy" ? ane::placement_goal::energy : ane::placement_goal::time;
    if (given.json) {
        write_text("", as_json(ane::place_model(model.graph, t, how)));
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

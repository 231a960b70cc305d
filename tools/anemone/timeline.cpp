#include "command.hpp"
#include "model_file.hpp"
#include "output_path.hpp"
#include "plan_json.hpp"
#include "requests.hpp"
#include "target_names.hpp"
#include <anemone/base/error.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/timeline_drawing.hpp>
#include <anemone/report/timeline_report.hpp>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace command {

namespace {

struct timeline_command {
    std::vector<std::string> files;
    std::string target = "h17s";
    int calls = 8;
    double period = 0; // ms
    double idle = 0;   // s
    bool warm = false;
    std::vector<int> batches;
    std::string svg;
    reading how{.approximates = true};
    bool json = false;
};

int timeline(const timeline_command& given) {
    require_other_file(given.svg, given.files);
    for (const auto& [option, value] : {std::pair{"--period", given.period}, std::pair{"--idle", given.idle}}) {
        if (!std::isfinite(value)) { // which the range of an option lets through
            throw ane::error(ane::errc::argument, option, "is no number");
        }
    }
    const ane::target t = target_named(given.target);
    std::vector<ane::program_time> programs;
    std::vector<std::string> names;
    std::string text;
    for (const std::string& file : given.files) {
        const ane::read_model model = read(file, given.how);
        const ane::lowered_graph lowered = ane::lower(model.graph);
        programs.push_back(ane::program_time_of(ane::estimate(lowered.view(), t)));
        names.push_back(std::filesystem::path(file).filename().string());
        if (!given.batches.empty()) {
            text += "\n" + names.back() + " in batches\n" +
                    ane::batch_text(ane::batch_sweep(lowered.view(), given.batches, t));
        }
    }
    ane::timeline_options how;
    how.first_calls = given.warm ? ane::warm_up::none : ane::warm_up::factors;
    how.idle_before = given.idle;
    const ane::timeline simulated = ane::simulate(
        programs, requests_of(static_cast<int>(programs.size()), given.calls, given.period * 1e-3), t, how);
    if (!given.svg.empty()) {
        write_text(given.svg, ane::draw_timeline(simulated, {.names = names}));
    }
    write_text("",
               given.json ? json_of(simulated, names) + "\n" : ane::timeline_text(simulated, {.names = names}) + text);
    return well;
}

} // namespace

void add_timeline(CLI::App& app, int& status) {
    const auto given = std::make_shared<timeline_command>();
    CLI::App* const sub =
        app.add_subcommand("timeline", "Simulates calls of models: when each waits, when the engine has it");
    sub->add_option("FILE", given->files, "The models, which share the engine")->required();
    sub->add_option("-t,--target", given->target, "The chip")->capture_default_str();
    sub->add_option("-n,--calls", given->calls, "Calls of each model")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    sub->add_option("--period", given->period,
                    "Milliseconds from one call of a model to its next; 0: when the one before it has ended")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1e9));
    sub->add_option("--idle", given->idle, "Seconds of rest before the first call")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1e7));
    sub->add_flag("--warm", given->warm, "The models have run before");
    CLI::Option* const batches =
        sub->add_option("--batches", given->batches, "Also what one sample takes in batches of these sizes")
            ->delimiter(',')
            ->allow_extra_args(false);
    sub->add_option("--svg", given->svg, "Draw the calls over time")->type_name("FILE");
    sub->add_flag("--json", given->json, "As JSON")->excludes(batches);
    add_reading(*sub, given->how);
    sub->footer("Example: anemone timeline detector.mil classifier.mil --period 5 --svg timeline.svg");
    sub->callback([given, &status] { status = timeline(*given); });
}

} // namespace command

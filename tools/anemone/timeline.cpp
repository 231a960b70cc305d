#include "../app/timeline.hpp"

#include "command.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct timeline_command {
    std::vector<std::string> files;
    app::timeline_options how;
    app::reading_options reading{.approximates = true};
    std::string svg;
    bool json = false;
};

int timeline(const timeline_command& given) {
    require_output(given.svg, given.files);
    std::vector<app::called_model> models;
    for (const std::string& file : given.files) { // one at a time: together they may not fit
        models.push_back(app::called(opened(file, given.reading), given.how, user()));
    }
    require_unread(given.svg);
    const app::simulated found = app::simulate(models, given.how, user());
    if (!given.svg.empty()) {
        write_text(given.svg, drawing(found));
    }
    write_text("", given.json ? json(found) + "\n" : app::text(found));
    return well;
}

} // namespace

void add_timeline(CLI::App& app, int& status) {
    const auto given = std::make_shared<timeline_command>();
    CLI::App* const sub =
        app.add_subcommand("timeline", "Simulates calls of models: when each waits, when the engine has it");
    sub->add_option("FILE", given->files, "The models, which share the engine")->required();
    add_options(*sub, given->how);
    sub->add_option("--svg", given->svg, "Draw the calls over time");
    sub->add_flag("--json", given->json, "As JSON");
    exclude(*sub, "--json", "--batches");
    add_options(*sub, given->reading);
    sub->footer("Example: anemone timeline detector.mil classifier.mil --period 5 --svg timeline.svg");
    sub->callback([given, &status] { status = timeline(*given); });
}

} // namespace command

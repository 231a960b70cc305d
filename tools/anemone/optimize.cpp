#include "../app/optimize.hpp"

#include "command.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "ranges.hpp"
#include "written_model.hpp"

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct optimize_command {
    std::string file;
    app::optimize_options how;
    std::vector<std::string> ranges;
    app::reading_options reading;
    written_form written;
    std::string svg;
    bool json = false;
};

int optimize(optimize_command given) {
    require_output(given.svg, std::span(&given.file, 1));
    require_apart(given.written, given.file);
    given.reading.approximates = given.written.path.empty() && !given.how.prove;
    const app::model model = opened(given.file, given.reading);
    require_unread(given.svg); // before much is computed
    require_apart(given.written, model);
    given.how.ranges = ranges_in(given.ranges, model).ranges;
    const app::optimized found = app::optimize(model, given.how, user());
    const std::string text = given.json ? json(found) + "\n" : app::text(found);
    if (!given.svg.empty()) {
        write_text(given.svg, drawing(found));
    }
    const std::string written = write(found.made, given.written);
    write_text("", given.json ? text : text + written);
    return found.proof && !found.proof->holds() ? refused : well;
}

} // namespace

void add_optimize(CLI::App& app, int& status) {
    const auto given = std::make_shared<optimize_command>();
    CLI::App* const sub =
        app.add_subcommand("optimize", "Rewrites a model into a faster one that computes the same, by the cost model");
    sub->add_option("FILE", given->file, "The model")->required();
    add_options(*sub, given->how, {{"ranges", &given->ranges}});
    add_written(*sub, given->written, "The folder that gets the rewritten model");
    sub->add_option("--svg", given->svg, "Draw the model before and after");
    sub->add_flag("--json", given->json, "As JSON");
    add_options(*sub, given->reading);
    sub->footer("Example: anemone optimize encoder.onnx --target h13 --prove -o faster");
    sub->callback([given, &status] { status = optimize(*given); });
}

} // namespace command

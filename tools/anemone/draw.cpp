#include "../app/draw.hpp"

#include "command.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"

#include <memory>
#include <string>

namespace command {

namespace {

struct draw_command {
    std::string file;
    std::string output;
    app::draw_options how;
    app::reading_options reading{.approximates = true};
};

int draw(const draw_command& given) {
    require_output(given.output, std::span(&given.file, 1));
    app::depth_of(given.how, user()); // before the model is read
    const app::model model = opened(given.file, given.reading);
    require_unread(given.output);
    write_text(given.output, app::draw(model, model.file_name(), given.how, user()));
    return well;
}

} // namespace

void add_draw(CLI::App& app, int& status) {
    const auto given = std::make_shared<draw_command>();
    CLI::App* const sub = app.add_subcommand("draw", "Draws a model as SVG");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-o,--output", given->output, "The drawing; none: standard output");
    add_options(*sub, given->how);
    add_options(*sub, given->reading);
    sub->footer("Example: anemone draw model.mil -o model.svg");
    sub->callback([given, &status] { status = draw(*given); });
}

} // namespace command

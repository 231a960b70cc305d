#include "command.hpp"
#include "model_file.hpp"
#include "output_path.hpp"
#include <anemone/base/error.hpp>
#include <anemone/drawing/drawing.hpp>

#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct draw_options {
    std::string file;
    std::string output;
    reading how{.approximates = true};
    std::string theme = "automatic";
    std::string collapse = "auto";
    bool weights = false;
};

int depth_of(const std::string& collapse) {
    if (collapse == "auto") {
        return ane::readable_depth;
    }
    if (collapse == "none") {
        return ane::every_operation;
    }
    int depth = 0;
    const char* const end = collapse.data() + collapse.size();
    const auto read = std::from_chars(collapse.data(), end, depth);
    if (read.ec != std::errc() || read.ptr != end || depth < 1) {
        throw ane::error(ane::errc::argument, "--collapse " + collapse, "is none of auto, none and 1, 2, 3 ...");
    }
    return depth;
}

int draw(const draw_options& options) {
    require_other_file(options.output, std::span(&options.file, 1));
    const int depth = depth_of(options.collapse);
    const ane::read_model model = read(options.file, options.how);
    ane::drawing_options how;
    how.title = std::filesystem::path(options.file).filename().string();
    how.fold_weights = !options.weights;
    how.depth = depth;
    how.theme = options.theme == "light"  ? ane::drawing::theme::light
                : options.theme == "dark" ? ane::drawing::theme::dark
                                          : ane::drawing::theme::automatic;
    write_text(options.output, ane::draw_svg(model.graph, how));
    return well;
}

} // namespace

void add_draw(CLI::App& app, int& status) {
    const auto given = std::make_shared<draw_options>();
    CLI::App* const sub = app.add_subcommand("draw", "Draws a model as SVG");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-o,--output", given->output, "The drawing; none: standard output");
    sub->add_option("--theme", given->theme, "The colours")
        ->check(CLI::IsMember({"automatic", "light", "dark"}))
        ->capture_default_str();
    sub->add_option("--collapse", given->collapse,
                    "Blocks as one box: none; by so many parts of their names; auto: as many as one can read")
        ->capture_default_str();
    sub->add_flag("--weights", given->weights, "Weights and constants as boxes of their own");
    add_reading(*sub, given->how);
    sub->footer("Example: anemone draw model.mil -o model.svg");
    sub->callback([given, &status] { status = draw(*given); });
}

} // namespace command

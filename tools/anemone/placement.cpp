#include "../app/placement.hpp"

#include "../app/plan_json.hpp"
#include "command.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "progress.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>

namespace command {

namespace {

struct placement_command {
    std::string file;
    app::placement_options how;
    app::reading_options reading{.approximates = true};
    bool json = false;
};

/// What the file's own tool wrote of its placement, beside ours.
std::string hints_text(const app::model& of) {
    constexpr std::size_t listed = 200;
    std::string text = of.hints().empty() ? "" : "\nthe file's own remarks:\n";
    for (std::size_t i = 0; i < of.hints().size() && i < listed; ++i) {
        const ane::file_hint& each = of.hints()[i];
        text += fmt::format("  {}{}: {} = {}\n", each.subject,
                            each.line > 0 ? fmt::format(" (line {})", each.line) : "", each.key, each.value);
    }
    return of.hints().size() > listed ? text + fmt::format("  and {} more\n", of.hints().size() - listed) : text;
}

int placement(const placement_command& given) {
    const app::model model = opened(given.file, given.reading);
    write_text("", given.json ? app::json_of(app::place(model, given.how, user())) + "\n"
                              : app::placement_text(model, given.how, user()) + hints_text(model));
    return well;
}

} // namespace

void add_placement(CLI::App& app, int& status) {
    const auto given = std::make_shared<placement_command>();
    CLI::App* const sub =
        app.add_subcommand("placement", "Where a model and its layers belong: on the engine, the GPU or the CPU");
    sub->add_option("FILE", given->file, "The model")->required();
    add_options(*sub, given->how);
    sub->add_flag("--json", given->json, "As JSON");
    exclude(*sub, "--json", "--batches");
    add_options(*sub, given->reading);
    sub->footer("Example: anemone placement encoder.onnx --target h17s --batches 64");
    sub->callback([given, &status] { status = placement(*given); });
}

} // namespace command

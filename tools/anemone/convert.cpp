#include "command.hpp"
#include "progress.hpp"
#include "terminal_text.hpp"
#include "written_model.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace command {

namespace {

struct convert_command {
    std::string file;
    written_form written;
    app::reading_options reading;
};

int convert(const convert_command& given) {
    require_apart(given.written, given.file);
    app::model model(given.file, given.reading, user());
    std::string text;
    for (const std::string& note : model.notes()) {
        text += fmt::format("note: {}\n", one_line(note));
    }
    text += write(std::move(model), given.written);
    write_text("", text);
    return well;
}

} // namespace

void add_convert(CLI::App& app, int& status) {
    const auto given = std::make_shared<convert_command>();
    CLI::App* const sub =
        app.add_subcommand("convert", "Writes a model as MIL text, a netplist, an ML package or C++, with its weights");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-o,--output", given->written.path,
                    "The folder that gets the files, made where it is missing; for cpp the header, with a safetensors "
                    "file of its name beside it")
        ->required();
    add_options(*sub, given->written.how);
    add_options(*sub, given->reading);
    sub->footer("Examples:\n  anemone convert net.plist --to mil -o model\n"
                "  anemone convert model.onnx --to mlpackage -o model.mlpackage\n"
                "  anemone convert net.onnx --to cpp -o net.hpp --targets macs");
    sub->callback([given, &status] { status = convert(*given); });
}

} // namespace command

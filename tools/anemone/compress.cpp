#include "../app/compress.hpp"

#include "command.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "sample_files.hpp"
#include "written_model.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace command {

namespace {

struct compress_command {
    std::string file;
    app::compress_options how;
    std::vector<std::string> data;
    app::reading_options reading;
    std::string output;
    std::string svg;
    bool force = false;
    bool json = false;
};

int compress(const compress_command& given) {
    std::vector<std::string> read_files = given.data;
    read_files.push_back(given.file);
    require_output(given.svg, read_files);
    written_form to{given.output, {}};
    to.how.to = given.how.to == ane::weight_file::mil ? app::model_format::mil : app::model_format::mlpackage;
    to.how.force = given.force;
    require_apart(to, given.file);
    const app::model model = opened(given.file, given.reading);
    require_unread(given.svg); // before much is computed
    require_apart(to, model);
    const app::compressed found = app::compress(model, given.how, samples_in(given.data, model), user());
    const std::string text = given.json ? json(found) + "\n" : app::text(found);
    if (!given.svg.empty()) {
        write_text(given.svg, drawing(found));
    }
    const std::string written = write(found.made, to);
    write_text("", given.json ? text : text + written);
    return well;
}

} // namespace

void add_compress(CLI::App& app, int& status) {
    const auto given = std::make_shared<compress_command>();
    CLI::App* const sub = app.add_subcommand(
        "compress", "Chooses a form for each weight: as small, or as fast, as a bound on the loss allows");
    sub->add_option("FILE", given->file, "The model")->required();
    add_options(*sub, given->how, {{"data", &given->data}});
    exclude(*sub, "--random-runs", "--data");
    sub->add_option("-o,--output", given->output, "The folder that gets the compressed model");
    sub->add_flag("--force", given->force, std::string(app::row_of(&app::convert_options::force).is.text));
    sub->add_option("--svg", given->svg, "Draw sizes, or times, and errors");
    sub->add_flag("--json", given->json, "As JSON");
    add_options(*sub, given->reading);
    sub->footer("Example: anemone compress net.onnx --data samples.npz --most-loss 0.02 -o small --svg plan.svg");
    sub->callback([given, &status] { status = compress(*given); });
}

} // namespace command

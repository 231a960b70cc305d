#include "../app/bench.hpp"

#include "command.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include <anemone/io/json.hpp>

#include <memory>
#include <string>

namespace command {

namespace {

struct bench_command {
    std::string file;
    app::bench_options how;
    app::reading_options reading;
    bool json = false;
    bool csv = false;
    std::string svg;
};

void write_times(ane::json_writer& json, const ane::benchmark_times& t) {
    json.member("runs", t.runs).member("minimum_seconds", t.least);
    json.member("first_quartile_seconds", t.first_quartile).member("median_seconds", t.median);
    json.member("third_quartile_seconds", t.third_quartile).member("p90_seconds", t.percentile_90);
    json.member("p99_seconds", t.percentile_99);
}

/// An object for each backend.
std::string json_text(const ane::benchmark_result& result) {
    ane::json_writer json;
    json.array();
    for (const ane::benchmark_run& run : result.runs) {
        json.object();
        json.member("backend", run.backend).member("compile_seconds", run.compile).member("first_seconds", run.first);
        json.member("flops", result.flops).member("bytes", result.bytes);
        write_times(json, run.times);
        json.key("layers").array();
        for (const ane::benchmark_layer& layer : run.layers) {
            json.object().member("layer", layer.name).member("flops", layer.flops).member("bytes", layer.bytes);
            if (layer.not_timed.empty()) {
                write_times(json, layer.times);
            } else {
                json.member("not_timed", layer.not_timed);
            }
            json.end();
        }
        json.end().end();
    }
    json.end();
    return json.str();
}

int bench(const bench_command& given) {
    require_output(given.svg, std::span(&given.file, 1));
    const app::model model = opened(given.file, given.reading);
    require_unread(given.svg);
    const ane::benchmark_result result = app::bench(model, given.how, user());
    if (!given.svg.empty()) {
        write_text(given.svg, result.svg());
    }
    write_text("", given.json ? json_text(result) : given.csv ? result.csv() : result.text());
    return well;
}

} // namespace

void add_bench(CLI::App& app, int& status) {
    const auto given = std::make_shared<bench_command>();
    CLI::App* const sub = app.add_subcommand(
        "bench", "Times a model on backends, whole and layer by layer, beside this machine's limits");
    sub->add_option("FILE", given->file, "The model")->required();
    add_options(*sub, given->how);
    sub->add_flag("--json", given->json, "As JSON");
    sub->add_flag("--csv", given->csv, "As CSV, a line for the model and one for each layer");
    sub->add_option("--svg", given->svg, "Draw the layers under the limits of this machine");
    exclude(*sub, "--csv", "--json");
    exclude(*sub, "--svg", "--no-limits");
    add_options(*sub, given->reading);
    sub->footer("Example: anemone bench model.mil -b cpu,oracle:h13 --svg roofline.svg");
    sub->callback([given, &status] { status = bench(*given); });
}

} // namespace command

#include "command.hpp"
#include "model_file.hpp"
#include "program_run.hpp"
#include "progress.hpp"
#include "run_memory.hpp"
#include <anemone/base/thread_pool.hpp>
#include <anemone/benchmark/benchmark.hpp>
#include <anemone/io/json.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct bench_options {
    std::string file;
    std::vector<std::string> backends{"cpu", "cpu:unfused"};
    double seconds = 2;
    int threads = 0;
    reading how;
    bool whole = false;
    bool no_limits = false;
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

int bench(const bench_options& options) {
    const ane::read_model model = read(options.file, options.how);
    require_run_memory(model.graph, options.whole ? kept_values::live : kept_values::all, options.how.memory);
    std::vector<ane::backend::any> places;
    for (const std::string& backend : options.backends) {
        places.push_back(backend_named(backend, options.threads));
    }
    ane::benchmark_options how;
    how.seconds = options.seconds;
    how.layers = !options.whole;
    how.threads = options.threads > 0 ? options.threads : ane::available_threads();
    how.limits = !options.no_limits;
    how.progress = progress::at;
    const progress shown(fmt::format("running on {}", fmt::join(options.backends, ", ")));
    ane::benchmark_result result = ane::benchmark(model.graph, model.weights, places, how);
    for (std::size_t i = 0; i < result.runs.size(); ++i) {
        result.runs[i].backend = options.backends[i]; // as the user calls it
    }
    if (!options.svg.empty()) {
        write_text(options.svg, result.svg());
    }
    write_text("", options.json ? json_text(result) : options.csv ? result.csv() : result.text());
    return well;
}

} // namespace

void add_bench(CLI::App& app, int& status) {
    const auto given = std::make_shared<bench_options>();
    CLI::App* const sub = app.add_subcommand(
        "bench", "Times a model on backends, whole and layer by layer, beside this machine's limits");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-b,--backend", given->backends,
                    "cpu, cpu:unfused (every operation rounded), oracle:TARGET, engine:TARGET; several to compare")
        ->delimiter(',')
        ->capture_default_str();
    sub->add_option("--seconds", given->seconds, "How long each runs the model, and how long its layers")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_option("--threads", given->threads, "Threads of the CPU backend (default: all processors)")
        ->check(CLI::Range(1, 1024));
    sub->add_flag("--whole", given->whole, "The model alone, without its layers");
    CLI::Option* const no_limits =
        sub->add_flag("--no-limits", given->no_limits, "Do not measure how fast this machine could be");
    CLI::Option* const json = sub->add_flag("--json", given->json, "As JSON");
    sub->add_flag("--csv", given->csv, "As CSV, a line for the model and one for each layer")->excludes(json);
    sub->add_option("--svg", given->svg, "Draw the layers under the limits of this machine")
        ->type_name("FILE")
        ->excludes(no_limits);
    add_reading(*sub, given->how);
    sub->footer("Example: anemone bench model.mil -b cpu,oracle:h13 --svg roofline.svg");
    sub->callback([given, &status] { status = bench(*given); });
}

} // namespace command

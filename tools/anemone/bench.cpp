#include "command.hpp"
#include "model_file.hpp"
#include "program_run.hpp"
#include "progress.hpp"
#include "run_memory.hpp"
#include <anemone/io/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct bench_options {
    std::string file;
    std::vector<std::string> backends{"cpu"};
    double seconds = 2;
    reading how;
    bool json = false;
};

struct latency {
    std::string backend;
    double compile = 0; ///< seconds
    double first = 0;
    std::vector<double> runs; ///< sorted

    double percentile(double part) const {
        return runs[std::min(runs.size() - 1, static_cast<std::size_t>(part * static_cast<double>(runs.size())))];
    }
};

double since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

latency measure(const std::string& backend, const ane::read_model& model, double seconds) {
    port_buffers ports(model.graph);
    ports.fill_randomly(0);
    latency found{backend, 0, 0, {}};
    const auto begin = std::chrono::steady_clock::now();
    ane::any_program program = compile_for(backend, model.graph, model.weights);
    found.compile = since(begin);
    const auto first = std::chrono::steady_clock::now();
    ports.run(program);
    found.first = since(first);
    const progress shown("running on " + backend);
    const auto all = std::chrono::steady_clock::now();
    do {
        const auto one = std::chrono::steady_clock::now();
        ports.run(program);
        found.runs.push_back(since(one));
        progress::at(since(all) / seconds);
    } while (since(all) < seconds && found.runs.size() < 1'000'000);
    std::sort(found.runs.begin(), found.runs.end());
    return found;
}

int bench(const bench_options& options) {
    const ane::read_model model = read(options.file, options.how);
    require_run_memory(model.graph, kept_values::live, options.how.memory);
    ane::json_writer json;
    json.array();
    std::string text = fmt::format("{:<12} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10} {:>10}\n", "ms", "compile", "first",
                                   "runs", "minimum", "median", "90 %", "99 %");
    for (const std::string& backend : options.backends) {
        const latency l = measure(backend, model, options.seconds);
        text += fmt::format("{:<12} {:>10.3f} {:>10.3f} {:>8} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n", backend,
                            1e3 * l.compile, 1e3 * l.first, l.runs.size(), 1e3 * l.runs.front(),
                            1e3 * l.percentile(0.5), 1e3 * l.percentile(0.9), 1e3 * l.percentile(0.99));
        json.object();
        json.member("backend", backend).member("compile_seconds", l.compile).member("first_seconds", l.first);
        json.member("runs", l.runs.size()).member("minimum_seconds", l.runs.front());
        json.member("median_seconds", l.percentile(0.5)).member("p90_seconds", l.percentile(0.9));
        json.member("p99_seconds", l.percentile(0.99));
        json.end();
    }
    json.end();
    write_text("", options.json ? json.str() : text);
    return well;
}

} // namespace

void add_bench(CLI::App& app, int& status) {
    const auto given = std::make_shared<bench_options>();
    CLI::App* const sub = app.add_subcommand("bench", "Times a model on backends: compile, first run, percentiles");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-b,--backend", given->backends, "cpu, oracle:TARGET, engine:TARGET; several to compare")
        ->delimiter(',')
        ->capture_default_str();
    sub->add_option("--seconds", given->seconds, "How long each runs")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_flag("--json", given->json, "As JSON");
    add_reading(*sub, given->how);
    sub->footer("Example: anemone bench model.mil -b cpu,oracle:h13");
    sub->callback([given, &status] { status = bench(*given); });
}

} // namespace command

#include "command.hpp"
#include "model_file.hpp"
#include "numpy_file.hpp"
#include "output_path.hpp"
#include "plan_json.hpp"
#include "program_run.hpp"
#include "progress.hpp"
#include "run_memory.hpp"
#include "sample_runs.hpp"
#include "target_names.hpp"
#include "written_model.hpp"
#include <anemone/compress/compress.hpp>
#include <anemone/compress/compression_report.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace command {

namespace {

struct compress_command {
    std::string file;
    std::string target = "h17s";
    std::vector<std::string> data;
    std::size_t random_runs = 32;
    double most_loss = 0.01;
    std::string goal = "size";
    bool plain = false;
    std::string backend = "cpu";
    std::string to = "mil";
    std::string output;
    std::string svg;
    bool json = false;
    reading how;
};

ane::model_samples samples_of(const compress_command& given, const ane::graph_view& model) {
    if (given.data.empty()) {
        return ane::random_samples(model, given.random_runs);
    }
    ane::model_samples samples;
    port_buffers ports(model);
    for (const std::string& file : given.data) {
        add_runs(samples, ports, read_arrays(file, given.how.memory), file);
    }
    return samples;
}

int compress(const compress_command& given) {
    std::vector<std::string> read_files = given.data;
    read_files.push_back(given.file);
    require_other_file(given.svg, read_files);
    if (!given.output.empty()) {
        require_apart(given.output, given.file, given.to == "mlpackage");
    }
    const ane::target t = target_named(given.target);
    ane::read_model model = read(given.file, given.how);
    require_run_memory(model.graph, given.backend == "cpu" ? kept_values::live : kept_values::all, given.how.memory);
    const ane::backend::any place = backend_named(given.backend);
    ane::compression_options how;
    how.goal = given.goal == "time" ? ane::compression_goal::time : ane::compression_goal::size;
    how.most_loss = given.most_loss;
    how.file = given.to == "mlpackage" ? ane::weight_file::mil_every_form : ane::weight_file::mil;
    how.error_feedback = !given.plain;
    how.place = &place;
    const ane::model_samples samples = samples_of(given, model.graph);
    const auto choose = [&] {
        const progress shown(fmt::format("compressing {} on {} runs", given.file, samples.size()));
        return ane::choose_compression(model.graph, model.weights, t, samples, how);
    };
    const ane::compression_plan plan = choose();
    std::string text = given.json ? json_of(plan) + "\n" : ane::compression_report(plan);
    if (given.data.empty() && !given.json) {
        text += "note: judged on random numbers; --data takes runs of the model, on which losses mean something\n";
    }
    if (!given.svg.empty()) {
        write_text(given.svg, ane::draw_pareto(plan, how.goal));
    }
    if (!given.output.empty()) {
        ane::compressed_model small = ane::apply(plan);
        model.graph = std::move(small.graph);
        model.weights = std::move(small.weights);
        const std::string written = write_model(model, given.to, given.output);
        text += given.json ? "" : written + "\n";
    }
    write_text("", text);
    return well;
}

} // namespace

void add_compress(CLI::App& app, int& status) {
    const auto given = std::make_shared<compress_command>();
    CLI::App* const sub = app.add_subcommand(
        "compress", "Chooses a form for each weight: as small, or as fast, as a bound on the loss allows");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-t,--target", given->target, "The chip")->capture_default_str();
    CLI::Option* const data =
        sub->add_option("-d,--data", given->data,
                        "Runs to learn from and to judge by: .npz with the inputs by name, .npy for a model of one; "
                        "several runs in a file along a first axis. None: random numbers");
    sub->add_option("--random-runs", given->random_runs, "How many runs of random numbers")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{1}, std::size_t{4096}))
        ->excludes(data);
    sub->add_option("--most-loss", given->most_loss, "The largest relative error of the outputs")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--goal", given->goal, "What is to be least: size of the weights, or time by the cost model")
        ->capture_default_str()
        ->check(CLI::IsMember({"size", "time"}));
    sub->add_flag("--plain", given->plain, "Round to the nearest, without error feedback");
    sub->add_option("-b,--backend", given->backend, "Where the runs are judged: cpu, oracle:TARGET or engine:TARGET")
        ->capture_default_str();
    sub->add_option("-o,--output", given->output, "The folder that gets the compressed model");
    sub->add_option("--to", given->to, "mil or mlpackage; a netplist holds fp16 alone")
        ->capture_default_str()
        ->check(CLI::IsMember({"mil", "mlpackage"}));
    sub->add_option("--svg", given->svg, "Draw sizes, or times, and errors")->type_name("FILE");
    sub->add_flag("--json", given->json, "As JSON");
    add_reading(*sub, given->how);
    sub->footer("Example: anemone compress net.onnx --data samples.npz --most-loss 0.02 -o small --svg plan.svg");
    sub->callback([given, &status] { status = compress(*given); });
}

} // namespace command

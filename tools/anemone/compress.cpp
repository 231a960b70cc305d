#include "command.hpp"
#include "model_file.hpp"
#include "numpy_file.hpp"
#include "output_path.hpp"
#include "program_run.hpp"
#include "progress.hpp"
#include "run_memory.hpp"
#include "target_names.hpp"
#include "written_model.hpp"
#include <anemone/base/error.hpp>
#include <anemone/compress/compress.hpp>
#include <anemone/compress/compression_report.hpp>
#include <anemone/compress/form_text.hpp>
#include <anemone/io/json.hpp>
#include <anemone/passes/print.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

std::vector<std::int64_t> shape_of(const ane::node& port) {
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < port.shape.rank; ++axis) {
        shape.push_back(port.shape[axis]);
    }
    return shape;
}

/// Without extents of 1, which mean nothing.
std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape) {
    shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
    return shape;
}

/// How often an array holds an input, one after the other along a first axis: as many runs.
std::size_t runs_in(const tensor& array, const ane::node& port, const std::string& file) {
    const std::vector<std::int64_t> given = without_ones(array.shape);
    const std::vector<std::int64_t> wanted = without_ones(shape_of(port));
    const bool fits = array.count() > 0 && given.size() >= wanted.size() && given.size() <= wanted.size() + 1 &&
                      std::equal(wanted.rbegin(), wanted.rend(), given.rbegin());
    if (!fits) {
        throw ane::error(ane::errc::argument, file,
                         fmt::format("'{}' is {}, the input {}: give one run, or several along a first axis",
                                     array.name, text(array.shape), ane::print(port.shape)));
    }
    return given.size() == wanted.size() ? 1 : static_cast<std::size_t>(given.front());
}

/// The runs of a file: its arrays hold the inputs of one or, along a first axis, of several.
void add_runs(ane::model_samples& samples, port_buffers& ports, const std::vector<tensor>& arrays,
              const std::string& file) {
    std::size_t runs = 0;
    const bool has_one_input = ports.inputs().size() == 1;
    const auto port_of = [&](const tensor& array) -> const ane::node& {
        return ports.input(has_one_input && arrays.size() == 1 ? "" : array.name);
    };
    for (const tensor& array : arrays) {
        const std::size_t here = runs_in(array, port_of(array), file);
        if (runs != 0 && runs != here) {
            throw ane::error(ane::errc::argument, file,
                             fmt::format("'{}' has {} runs and the array before it {}", array.name, here, runs));
        }
        runs = here;
    }
    for (std::size_t run = 0; run < runs; ++run) {
        std::vector<tensor> one;
        for (const tensor& array : arrays) {
            const ane::node& port = port_of(array);
            tensor& part = one.emplace_back();
            part.name = array.name;
            part.shape = shape_of(port);
            const auto count = static_cast<std::ptrdiff_t>(port.shape.count());
            const auto first = array.values.begin() + static_cast<std::ptrdiff_t>(run) * count;
            part.values.assign(first, first + count);
        }
        ports.fill(one);
        samples.add(ports.inputs());
    }
}

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

void write_point(ane::json_writer& json, const char* key, const ane::compression_point& p) {
    json.key(key).object().member("bytes", p.bytes).member("output_error", p.output_error).member("loss", p.loss);
    if (p.seconds) {
        json.member("seconds", *p.seconds);
    } else {
        json.key("seconds").null();
    }
    json.end();
}

std::string as_json(const ane::compression_plan& plan) {
    ane::json_writer json;
    json.object().member("target", plan.target).member("most_loss", plan.most_loss).member("ratio", plan.ratio());
    write_point(json, "before", plan.before);
    write_point(json, "after", plan.after);
    json.key("weights").array();
    for (const ane::weight_choice& w : plan.weights) {
        const ane::stored_candidate& c = w.form();
        json.object().member("name", w.name).member("form", c.form ? ane::compress::form_text(*c.form) : "fp16");
        json.member("bytes", c.bytes).member("fp16_bytes", w.candidates.front().bytes);
        json.member("error_feedback", c.fed_back).member("weight_error", c.weight_error);
        json.member("output_error", c.output_error).end();
    }
    json.end().end();
    return json.str() + "\n";
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
    std::string text = given.json ? as_json(plan) : ane::compression_report(plan);
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

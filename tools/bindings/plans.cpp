#include "plans.hpp"

#include "../anemone/plan_json.hpp"
#include "../anemone/program_run.hpp"
#include "../anemone/requests.hpp"
#include "../anemone/run_memory.hpp"
#include "../anemone/sample_runs.hpp"
#include "../anemone/target_names.hpp"
#include <anemone/base/error.hpp>
#include <anemone/compress/compression_report.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/device_placement_report.hpp>
#include <anemone/report/optimize_drawing.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/report/timeline_drawing.hpp>
#include <anemone/report/timeline_report.hpp>
#include <anemone/rules/device_placement_of.hpp>
#include <anemone/values/half.hpp>
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace bindings {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
    throw ane::error(ane::errc::argument, what, why);
}

/// Whether a word is the second of two; the first is the default.
bool is_second(const char* what, const std::string& word, const char* first, const char* second) {
    if (word != first && word != second) {
        refuse(fmt::format("{} '{}'", what, word), fmt::format("is none of {}, {}", first, second));
    }
    return word == second;
}

void promise(ane::dynamic_graph& graph, const model& of, const std::vector<input_range>& ranges) {
    for (const input_range& each : ranges) {
        named(of.inputs(), each.input, "input");
        if (!(each.low <= each.high && each.low >= -ane::half_max && each.high <= ane::half_max)) {
            refuse("range of " + each.input,
                   fmt::format("goes from {} to {}; it has to rise, within +-{}", each.low, each.high, ane::half_max));
        }
        ane::promise_input(graph, each.input, ane::within(each.low, each.high));
    }
}

/// An array of runs, as numbers.
command::tensor runs_of(const input_array& a, const model& of, std::size_t runs) {
    const port& p = named(of.inputs(), a.name, "input");
    command::tensor made{p.name, {}, {}};
    if (a.shape) {
        made.shape = *a.shape;
    } else {
        const std::size_t wanted = p.count * bytes_of(a.type);
        if (runs == 0 || a.bytes.size() % runs != 0 || a.bytes.size() / runs != wanted) {
            throw ane::error(ane::errc::port, p.name,
                             fmt::format("is {} of {}, which is {} bytes in each of {} runs, the array has {}",
                                         command::text(p.shape), name(a.type), wanted, runs, a.bytes.size()));
        }
        made.shape = p.shape;
        made.shape.insert(made.shape.begin(), static_cast<std::int64_t>(runs));
    }
    made.values = numbers_of(a, a.bytes.size() / bytes_of(a.type));
    return made;
}

ane::model_samples samples_of(const model& of, const compressing& how) {
    constexpr std::size_t usual_runs = 32;
    constexpr std::size_t most_runs = 4096; // of random numbers
    if (how.data.empty()) {
        if (how.runs > most_runs) {
            refuse("runs", fmt::format("are {}, allowed are {}", how.runs, most_runs));
        }
        return ane::random_samples(of.file().graph, how.runs == 0 ? usual_runs : how.runs);
    }
    std::vector<command::tensor> arrays;
    for (const input_array& each : how.data) {
        const auto same = [&](const command::tensor& other) { return other.name == each.name; };
        if (std::any_of(arrays.begin(), arrays.end(), same)) {
            throw ane::error(ane::errc::port, each.name, "is given twice");
        }
        arrays.push_back(runs_of(each, of, how.runs));
    }
    ane::model_samples samples;
    command::port_buffers ports(of.file().graph);
    command::add_runs(samples, ports, arrays, "data");
    return samples;
}

/// Frees what the drawing and the figures do not need: the values of each weight in each form.
void let_go(ane::compression_plan& plan) {
    plan.model = {};
    plan.store = {};
    for (ane::weight_choice& weight : plan.weights) {
        for (ane::stored_candidate& form : weight.candidates) {
            form.values = {};
        }
    }
}

} // namespace

plan optimize(const shared_model& of, const std::string& target, const optimizing& how) {
    const ane::target t = command::target_named(target);
    if (how.prove) {
        of->require_exact("run");
        command::require_run_memory(of->file().graph, command::kept_values::all, of->memory());
    }
    ane::dynamic_graph graph = of->file().graph;
    if (how.values || how.errors || !how.ranges.empty()) {
        ane::promise_statistics(graph, of->file().weights);
        promise(graph, *of, how.ranges);
    }
    optimized_plan p{ane::optimize(
        graph, t, {.rounding = !how.bits, .values = how.values, .errors = how.errors, .resident = how.resident})};
    if (how.prove) {
        p.proof = ane::prove(graph, p.found, of->file().weights, t);
    }
    plan made;
    made.text = ane::optimize_text(p.found, t) + (p.proof ? ane::proof_text(*p.proof) : "");
    made.json = command::json_of(p.found, p.proof, t);
    made.made = std::make_shared<const model>(*of, p.found.graph, of->file().weights);
    made.draw = [before = std::move(graph), found = p.found] { return ane::draw_optimized(before, found); };
    made.found = std::move(p);
    return made;
}

plan compress(const shared_model& of, const std::string& target, const compressing& how) {
    const ane::target t = command::target_named(target);
    of->require_exact("compressed");
    const ane::graph_view g = of->file().graph;
    command::require_run_memory(g, how.backend == "cpu" ? command::kept_values::live : command::kept_values::all,
                                of->memory());
    const ane::backend::any place = command::backend_named(how.backend);
    ane::compression_options options;
    options.goal =
        is_second("goal", how.goal, "size", "time") ? ane::compression_goal::time : ane::compression_goal::size;
    options.most_loss = how.most_loss;
    options.file =
        is_second("format", how.to, "mil", "mlpackage") ? ane::weight_file::mil_every_form : ane::weight_file::mil;
    options.error_feedback = !how.plain;
    options.place = &place;
    ane::compression_plan p = ane::choose_compression(g, of->file().weights, t, samples_of(*of, how), options);
    plan made;
    made.text = ane::compression_report(p);
    if (how.data.empty()) {
        made.text += "note: judged on random numbers; losses mean something on runs of the model, its data\n";
    }
    made.json = command::json_of(p);
    ane::compressed_model small = ane::apply(p);
    made.made = std::make_shared<const model>(*of, std::move(small.graph), std::move(small.weights));
    let_go(p);
    made.draw = [p, goal = options.goal] { return ane::draw_pareto(p, goal); };
    made.found = std::move(p);
    return made;
}

plan place(const shared_model& of, const std::string& target, const placing& how) {
    const ane::target t = command::target_named(target);
    ane::placement_options options;
    options.goal =
        is_second("goal", how.goal, "time", "energy") ? ane::placement_goal::energy : ane::placement_goal::time;
    constexpr std::int64_t most_batches = 65536;
    if (how.batches < 0 || how.batches > most_batches) {
        refuse("batches", fmt::format("are {}, allowed are 0 to {}", how.batches, most_batches));
    }
    const ane::graph_view g = of->file().graph;
    ane::device_plan p = ane::place_model(g, t, options);
    plan made;
    made.text = ane::placement_report(g, t, options);
    if (how.batches > 0) {
        const ane::lowered_graph lowered = ane::lower(g);
        const ane::batch_scaling source = ane::scaling_of(lowered.view(), t);
        made.text += "\n" + ane::serving_table(ane::serving(source, t, how.batches, options)) +
                     ane::crossover_line(ane::crossover(source, t, {.last = how.batches}, options));
    }
    made.json = command::json_of(p);
    made.found = std::move(p);
    return made;
}

plan simulate(const std::vector<shared_model>& of, const std::string& target, const calling& how) {
    const ane::target t = command::target_named(target);
    constexpr int most_calls = 100000;
    if (how.calls < 1 || how.calls > most_calls) {
        refuse("calls", fmt::format("are {}, allowed are 1 to {}", how.calls, most_calls));
    }
    if (of.empty()) {
        refuse("models", "are 0, 1 is needed");
    }
    if (!(how.period >= 0 && how.period <= ane::longest_timeline)) {
        refuse("period", fmt::format("is {} s, allowed are 0 to {}", how.period, ane::longest_timeline));
    }
    std::vector<ane::program_time> programs;
    std::vector<std::string> names;
    std::string batches;
    for (const shared_model& each : of) {
        const ane::lowered_graph lowered = ane::lower(each->file().graph);
        programs.push_back(ane::program_time_of(ane::estimate(lowered.view(), t)));
        names.push_back(std::filesystem::path(each->path()).filename().string());
        if (!how.batches.empty()) {
            batches += "\n" + names.back() + " in batches\n" +
                       ane::batch_text(ane::batch_sweep(lowered.view(), how.batches, t));
        }
    }
    ane::timeline_options options;
    options.first_calls = how.is_warm ? ane::warm_up::none : ane::warm_up::factors;
    options.idle_before = how.idle;
    ane::timeline p = ane::simulate(
        programs, command::requests_of(static_cast<int>(programs.size()), how.calls, how.period), t, options);
    plan made;
    made.text = ane::timeline_text(p, {.names = names}) + batches;
    made.json = command::json_of(p, names);
    made.draw = [p, names] { return ane::draw_timeline(p, {.names = names}); };
    made.found = std::move(p);
    return made;
}

} // namespace bindings

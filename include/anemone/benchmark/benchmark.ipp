#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_benchmark_benchmark_hpp);

#include "../backend/program.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../passes/validate.hpp"
#include "benchmark.hpp"
#include "layer_models.hpp"
#include "machine_limits.hpp"
#include "port_values.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// Seconds of a call.
template <class Work> double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The value below which a part of a sorted list lies, between two elements if need be.
ANEMONE_INLINE double quantile_of(const std::vector<double>& sorted, double part) {
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// A program with its buffers, and how long its runs took.
class timed_program {
public:
    timed_program(any_program program, port_values ports) : program_(std::move(program)), ports_(std::move(ports)) {}

    ANEMONE_INLINE double once() {
        return seconds_of([this] { program_.run(ports_.inputs(), ports_.outputs()); });
    }
    /// Runs it for so long, once at least. The first run does not count: what ran before may have emptied the caches.
    ANEMONE_INLINE void turn(double seconds) {
        double spent = once();
        do {
            taken_.push_back(once());
            spent += taken_.back();
        } while (spent < seconds && taken_.size() < 1'000'000);
    }
    /// Of all turns.
    ANEMONE_INLINE benchmark_times times() const {
        std::vector<double> sorted = taken_;
        std::sort(sorted.begin(), sorted.end());
        const auto at = [&sorted](double part) { return quantile_of(sorted, part); };
        return {
            sorted.front(), at(0.25), at(0.5), at(0.75), at(0.9), at(0.99), static_cast<std::int64_t>(sorted.size())};
    }

private:
    any_program program_;
    port_values ports_;
    std::vector<double> taken_;
};

/// Says how far a benchmark is, in turns of equal length.
class benchmark_progress {
public:
    benchmark_progress(void (*say)(double), int steps) : say_(say), steps_(steps) {}
    ANEMONE_INLINE void step() {
        if (say_ != nullptr) {
            say_(std::min(1.0, static_cast<double>(++done_) / steps_));
        }
    }

private:
    void (*say_)(double);
    int steps_;
    int done_ = 0;
};

/// The weights that a part of a model names: a backend refuses others.
ANEMONE_INLINE weight_store weights_named(const graph_view& part, const weight_store& weights) {
    weight_store named;
    for (int i = 0; i < part.size(); ++i) {
        if (part[i].kind == op::weight && !named.contains(part.name(i))) {
            named.add(weights.at(part.name(i)));
        }
    }
    return named;
}

/// The model's layers on all backends, in turns.
ANEMONE_INLINE void time_layers(const graph_view& g, const weight_store& weights, std::span<const backend::any> places,
                                const benchmark_options& options, benchmark_result& result,
                                benchmark_progress& progress) {
    const std::vector<layer_model> models = layer_models(g);
    const value_capture values(g, weights, places, options.seed);
    const double turn = options.seconds / options.rounds / static_cast<double>(std::max<std::size_t>(1, models.size()));
    for (const layer_model& m : models) {
        const weight_store own = weights_named(m.graph, weights);
        std::vector<std::unique_ptr<timed_program>> programs;
        for (std::size_t i = 0; i < places.size(); ++i) {
            benchmark_layer& layer = result.runs[i].layers.emplace_back();
            layer.name = m.name;
            layer.flops = static_cast<double>(m.cost.work.flops());
            layer.bytes = static_cast<double>(m.cost.bytes());
            layer.not_timed = m.not_a_model;
            programs.push_back(nullptr);
            if (!layer.not_timed.empty()) {
                continue;
            }
            try {
                programs.back() =
                    std::make_unique<timed_program>(places[i].compile(m.graph, own), values.ports_of(m.graph, m.reads));
                programs.back()->once();
            } catch (const error& refusal) { // what a backend runs in a whole it may refuse alone
                layer.not_timed = refusal.what();
                programs.back() = nullptr;
            }
        }
        for (int round = 0; round < options.rounds; ++round) {
            for (const auto& program : programs) {
                if (program != nullptr) {
                    program->turn(turn);
                }
            }
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (programs[i] != nullptr) {
                result.runs[i].layers.back().times = programs[i]->times();
            }
            progress.step();
        }
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY double benchmark_run::layer_seconds() const {
    double sum = 0;
    for (const benchmark_layer& layer : layers) {
        sum += layer.times.median;
    }
    return sum;
}

ANEMONE_BODY_OF benchmark_result benchmark(const graph_view& model, const weight_store& weights,
                                           std::span<const backend::any> places, const benchmark_options& options) {
    validate(model);
    if (places.empty()) {
        throw error(errc::argument, "benchmark", "no backend was given");
    }
    if (!(options.seconds > 0) || options.rounds < 1 || options.threads < 1) {
        throw error(errc::argument, "benchmark",
                    formatted("{} seconds, {} rounds and {} threads: each must be above zero", options.seconds,
                              options.rounds, options.threads));
    }
    benchmark_result result;
    for (int i = 0; i < model.size(); ++i) {
        const node& n = model[i];
        result.flops += static_cast<double>(work_of(model, n).flops());
        result.bytes +=
            n.kind == op::input || n.kind == op::weight ? static_cast<double>(bytes(n.type, n.shape.count())) : 0;
    }
    for (const output_port& port : model.outputs) {
        result.bytes += static_cast<double>(bytes(model[port.node].type, model[port.node].shape.count()));
    }
    const int count = static_cast<int>(places.size());
    const int layers = options.layers ? static_cast<int>(demand_of(model, h13).layers.size()) : 0;
    detail::benchmark_progress progress(options.progress, count * (options.rounds + 1 + layers) + 1);
    if (options.limits) {
        // About a third of the time of one backend.
        const double trial = std::min(0.002, options.seconds / 500);
        result.limits =
            measure_limits({.threads = options.threads, .seconds = trial, .largest = std::size_t{1} << 27U});
    }
    progress.step();
    std::vector<detail::timed_program> programs;
    for (const backend::any& place : places) {
        benchmark_run& run = result.runs.emplace_back();
        run.backend = place.name();
        std::optional<any_program> program;
        run.compile = detail::seconds_of([&] { program.emplace(ane::compile(model, place, weights)); });
        programs.emplace_back(std::move(*program), detail::port_values(model, options.seed));
        run.first = programs.back().once();
        progress.step();
    }
    for (int round = 0; round < options.rounds; ++round) {
        for (detail::timed_program& program : programs) {
            program.turn(options.seconds / options.rounds);
            progress.step();
        }
    }
    for (std::size_t i = 0; i < programs.size(); ++i) {
        result.runs[i].times = programs[i].times();
    }
    programs.clear();
    if (options.layers) {
        detail::time_layers(model, weights, places, options, result, progress);
    }
    if (options.progress != nullptr) {
        options.progress(1);
    }
    return result;
}

} // namespace ane::inline ANEMONE_WAY

#include "benchmark_text.ipp"

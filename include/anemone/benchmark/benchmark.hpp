#ifndef ANEMONE_BENCHMARK_BENCHMARK_HPP
#define ANEMONE_BENCHMARK_BENCHMARK_HPP

#include "../backend/any.hpp"
#include "../base/way.hpp"
#include "../weights/random.hpp"
#include "machine_limits.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Times models on backends: whole, and layer by layer, beside the ceilings of the machine.
namespace ane::inline ANEMONE_WAY {

struct benchmark_options {
    double seconds = 0.5;               ///< how long each backend runs the whole model, and about all its layers
    int rounds = 7;                     ///< in which backends and layers take turns
    bool layers = true;                 ///< time each layer too
    int threads = 1;                    ///< that the limits are measured for: as many as the backends use
    bool limits = true;                 ///< measure the machine
    std::uint64_t seed = 0;             ///< of the numbers in the input ports
    void (*progress)(double) = nullptr; ///< called with the part that is done, from 0 to 1
};

/// Times of all runs of one thing, in seconds.
struct benchmark_times {
    double least = 0;
    double first_quartile = 0;
    double median = 0;
    double third_quartile = 0;
    double percentile_90 = 0;
    double percentile_99 = 0;
    std::int64_t runs = 0;
};

/// A layer as a model of its own: a node with what fuses into it, on the values that it has in the model.
struct benchmark_layer {
    std::string name; ///< "conv2d + relu #4"
    double flops = 0; ///< cost/cost.hpp
    double bytes = 0; ///< read and written, each value once
    benchmark_times times{};
    std::string not_timed{}; ///< why it has no times
};

/// One backend.
struct benchmark_run {
    std::string backend;
    double compile = 0; ///< seconds
    double first = 0;   ///< seconds of the first run
    benchmark_times times{};
    std::vector<benchmark_layer> layers;

    /// Seconds of all layers one by one: more than the whole by what each of them costs to start.
    ANEMONE_API double layer_seconds() const;
};

/// What `benchmark` found. A value: copied, compared, printed.
struct benchmark_result {
    double flops = 0; ///< of a run, by the sizes alone
    double bytes = 0; ///< of ports and weights, each once: what a run moves at least
    std::optional<machine_limits> limits;
    std::vector<benchmark_run> runs; ///< in the order of the backends

    /// Tables for a terminal: each backend whole, and its layers with their share, rates, and the ceiling above them.
    ANEMONE_API_OF(anemone_benchmark_benchmark_hpp) std::string text() const;
    /// A line for each model and layer, with a header line.
    ANEMONE_API_OF(anemone_benchmark_benchmark_hpp) std::string csv() const;
    /// The layers of all backends under the measured ceilings. Throws `error` (errc::argument) where nothing was timed
    /// or the machine was not measured.
    ANEMONE_API_OF(anemone_benchmark_benchmark_hpp) std::string svg() const;
};

/// Compiles a graph for each backend, runs it, and times it: the backends take turns, so that what disturbs the machine
/// disturbs all of them. Inputs are random. Throws what compiling and running throw, and `error` (errc::argument) for no
/// backend and for options without sense.
ANEMONE_API_OF(anemone_benchmark_benchmark_hpp)
benchmark_result benchmark(const graph_view& model, const weight_store& weights, std::span<const backend::any> places,
                           const benchmark_options& options = {});

/// The same for a model that is a constant: `benchmark<digits>(weights, backend::cpu{}, backend::oracle{h13}).text()`.
template <const auto& Model, runnable_backend... Backends>
    requires(sizeof...(Backends) > 0)
benchmark_result benchmark(const weight_store& weights, const Backends&... places) {
    const backend::any list[] = {backend::any(places)...};
    return benchmark(Model.view(), weights, std::span<const backend::any>(list));
}

/// With random weights: times do not depend on them.
template <const auto& Model, runnable_backend... Backends>
    requires(sizeof...(Backends) > 0)
benchmark_result benchmark(const Backends&... places) {
    return benchmark<Model>(random_weights(Model.view(), 1), places...);
}

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "benchmark.ipp"
#endif

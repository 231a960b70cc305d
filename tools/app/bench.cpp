#include "bench.hpp"

#include "backends.hpp"
#include "option_faults.hpp"
#include <anemone/base/thread_pool.hpp>

#include <fmt/format.h>

namespace app {

namespace {

thread_local const task* measured = nullptr; // NOLINT: what the library's callback, a plain function, reports to

} // namespace

ane::benchmark_result bench(const model& of, const bench_options& how, const caller& who) {
    require_limits(how, who.by);
    require_run_memory(of.graph(), how.whole ? kept_values::live : kept_values::all, of.max_memory(), who);
    std::vector<ane::backend::any> places;
    for (const std::string& backend : how.backends) {
        places.push_back(backend_named(backend, how.threads.value_or(0)));
    }
    ane::benchmark_options options;
    options.seconds = how.seconds;
    options.layers = !how.whole;
    options.threads = how.threads ? *how.threads : ane::available_threads();
    options.limits = !how.no_limits;
    options.progress = [](double part) { measured->at(part); };
    const task shown(who, fmt::format("running on {}", fmt::join(how.backends, ", ")));
    measured = &shown;
    ane::benchmark_result result = ane::benchmark(of.graph(), of.weights(), places, options);
    for (std::size_t i = 0; i < result.runs.size(); ++i) {
        result.runs[i].backend = how.backends[i]; // as the user calls it
    }
    return result;
}

} // namespace app

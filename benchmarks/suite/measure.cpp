#include "measure.hpp"

#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace suite {

namespace {

/// What fp32 sums of fp16 values give, Winograd's transforms included; no arithmetic of 8 or 11 bits comes near.
constexpr double fp32_bound = 2e-4;
/// One rounding to fp16 gives 2.8e-4 (the root of the mean square of errors up to 2^-11); deep networks have many.
constexpr double fp16_bound = 1.5e-3;
constexpr double fp16_network_bound = 1e-2;

struct entrant {
    result found;
    std::unique_ptr<session> ready;
    int count = 1; ///< runs in a turn
};

double median(std::vector<double> list) {
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    return *middle;
}

entrant enter(const problem& p, contender& who, const std::vector<std::vector<double>>& wanted, int threads) {
    entrant e;
    e.found.workload = p.name;
    e.found.contender = who.name();
    e.found.ours = who.ours();
    e.found.threads = threads;
    try {
        e.ready = who.prepare(p);
        e.found.prepare = e.ready->prepare_seconds;
        e.found.first = e.ready->run(1).at(0);
        const auto got = e.ready->outputs();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            e.found.error = std::max(e.found.error, relative_error(got.at(i), wanted[i]));
        }
        const double bound = !who.ours() ? fp32_bound : p.whole ? fp16_network_bound : fp16_bound;
        if (!(e.found.error <= bound)) {
            e.found.failure =
                fmt::format("wrong result: relative error {:.2e}, at most {:.1e} is right", e.found.error, bound);
            e.ready.reset();
        }
    } catch (const std::exception& failure) { // of the library or of a peer: said in the table
        e.found.failure = failure.what();
        e.ready.reset();
    }
    return e;
}

} // namespace

std::vector<result> measure(const problem& p, field& f, const measure_options& options) {
    const auto wanted = reference(p);
    std::vector<entrant> entrants;
    for (const auto& who : f.present) {
        entrants.push_back(enter(p, *who, wanted, options.threads));
    }
    std::vector<entrant*> ready;
    for (entrant& e : entrants) {
        if (e.ready && !options.check_only) {
            const std::vector<double> warm = e.ready->run(2);
            e.found.least = std::min(warm[0], warm[1]);
            e.count = std::clamp(static_cast<int>(options.turn_seconds / e.found.least), 1, 20'000);
            ready.push_back(&e);
        }
    }
    for (int round = 0; round < options.rounds; ++round) {
        for (entrant* const e : ready) {
            // Threads of the contender before it may still spin, OpenBLAS's for 2^26 cycles.
            std::this_thread::sleep_for(std::chrono::milliseconds(options.threads > 1 ? 100 : 1));
            e->ready->run(1); // and its own data may have left the caches
            const std::vector<double> times = e->ready->run(e->count);
            e->found.rounds.push_back(median(times));
            e->found.least = std::min(e->found.least, *std::min_element(times.begin(), times.end()));
        }
        std::reverse(ready.begin(), ready.end());
    }
    std::vector<result> results;
    for (entrant& e : entrants) {
        results.push_back(std::move(e.found));
    }
    return results;
}

} // namespace suite

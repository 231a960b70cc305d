#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_benchmark_machine_limits_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "limit_loops.hpp"
#include "machine_limits.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <thread>
#include <unistd.h>

namespace ane::detail::inline ANEMONE_WAY {

/// Cache sizes as the system tells them, or usual ones where it does not.
ANEMONE_INLINE std::vector<read_rate> memory_levels() {
    std::size_t sizes[3] = {32U << 10U, 1U << 20U, 16U << 20U};
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    const int names[3] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
    for (int i = 0; i < 3; ++i) {
        const long told = ::sysconf(names[i]);
        sizes[i] = told > 0 ? static_cast<std::size_t>(told) : sizes[i];
    }
#endif
    return {{"L1", sizes[0], 0, 0}, {"L2", sizes[1], 0, 0}, {"L3", sizes[2], 0, 0}, {"memory", 0, 0, 0}};
}

/// Runs one function in several threads, which begin together; the seconds until the last has ended.
template <class Work> double seconds_together(int threads, const Work& work) {
    std::atomic<int> waiting{threads};
    std::vector<std::thread> others;
    const auto part = [&](int index) {
        waiting.fetch_sub(1);
        while (waiting.load() > 0) {
            std::this_thread::yield();
        }
        work(index);
    };
    for (int i = 1; i < threads; ++i) {
        others.emplace_back(part, i);
    }
    waiting.fetch_sub(1);
    while (waiting.load() > 0) {
        std::this_thread::yield();
    }
    const auto begin = std::chrono::steady_clock::now();
    work(0);
    for (std::thread& other : others) {
        other.join();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Units of work a second: the best of some trials, each repeated until it takes long enough.
template <class Work> double best_rate(const limit_options& options, const Work& work) {
    std::uint64_t count = 1;
    double seconds = seconds_together(options.threads, [&](int index) { work(index, count); });
    while (seconds < options.seconds / 2 && count < (std::uint64_t{1} << 40U)) {
        const double wanted = seconds > 0 ? options.seconds / seconds : 64;
        count = static_cast<std::uint64_t>(static_cast<double>(count) * std::clamp(wanted, 2.0, 64.0));
        seconds = seconds_together(options.threads, [&](int index) { work(index, count); });
    }
    // On a machine with much else to do threads wait for each other far longer than they work: then fewer trials have to do.
    const auto begin = std::chrono::steady_clock::now();
    const auto most = std::chrono::duration<double>(3 * options.trials * options.seconds);
    for (int trial = 1; trial < options.trials && (trial < 4 || std::chrono::steady_clock::now() - begin < most);
         ++trial) {
        seconds = std::min(seconds, seconds_together(options.threads, [&](int index) { work(index, count); }));
    }
    return static_cast<double>(count) * options.threads / seconds;
}

/// Memory of a thread, all of it written, at an address that 64 divides.
class limit_memory {
public:
    explicit limit_memory(std::size_t bytes) : bytes_(bytes + 64) {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
        first_ = bytes_.data() + (64 - address % 64) % 64;
    }
    const std::byte* first() const { return first_; }

private:
    std::vector<std::byte> bytes_;
    const std::byte* first_;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF const read_rate& machine_limits::reads_of(double bytes) const {
    if (reads.empty()) {
        throw error(errc::argument, "machine limits", "nothing was measured");
    }
    for (const read_rate& rate : reads) {
        if (rate.fits > 0 && bytes / threads <= static_cast<double>(rate.fits)) {
            return rate;
        }
    }
    return reads.back();
}

ANEMONE_BODY_OF double machine_limits::attainable(double flops, double bytes) const {
    return bytes > 0 ? std::min(peak, flops / bytes * reads_of(bytes).bandwidth) : peak;
}

ANEMONE_BODY_OF std::string machine_limits::line() const {
    std::string text = formatted("{}, {} thread{}: {:.0f} GFLOP/s in fp32; reads", name(level), threads,
                                 threads == 1 ? "" : "s", peak * 1e-9);
    for (const read_rate& rate : reads) {
        text += formatted("{} {} {:.0f}", &rate == reads.data() ? "" : ",", rate.level, rate.bandwidth * 1e-9);
    }
    return text + " GB/s";
}

ANEMONE_BODY_OF machine_limits measure_limits(isa_level level, const limit_options& options) {
    if (!is_available(level)) {
        throw error(errc::argument, std::string(name(level)), "this machine does not run this instruction set");
    }
    if (options.threads < 1) {
        throw error(errc::argument, "threads", formatted("{}, at least 1 is needed", options.threads));
    }
    machine_limits found;
    found.level = level;
    found.threads = options.threads;
    const double flops = detail::multiply_add_round(level, 1);
    found.peak = flops *
                 detail::best_rate(
                     options, [level](int, std::uint64_t count) { detail::multiply_add_round(level, 64 * count); }) *
                 64;
    std::vector<read_rate> levels = detail::memory_levels();
    for (std::size_t i = 0; i < levels.size(); ++i) {
        read_rate& rate = levels[i];
        // Half of a cache stays in it, also beside other things; beyond the last one twice its size does not.
        std::size_t size = rate.fits > 0 ? rate.fits / 2 : 2 * levels[i - 1].fits;
        if (rate.fits > 0 && i > 0) { // a virtual machine is told of a cache that it shares with others
            size = std::min(size, 8 * levels[i - 1].fits);
        }
        size = std::min(size, options.largest / static_cast<std::size_t>(options.threads)) / 512 * 512;
        rate.measured = std::max<std::size_t>(size, 512);
        std::vector<detail::limit_memory> memory;
        memory.reserve(static_cast<std::size_t>(options.threads));
        for (int thread = 0; thread < options.threads; ++thread) {
            memory.emplace_back(rate.measured);
        }
        const double passes = detail::best_rate(options, [&](int thread, std::uint64_t count) {
            for (std::uint64_t pass = 0; pass < count; ++pass) {
                detail::read_blocks(level, memory[static_cast<std::size_t>(thread)].first(), rate.measured / 512);
            }
        });
        rate.bandwidth = passes * static_cast<double>(rate.measured);
    }
    found.reads = std::move(levels);
    return found;
}

ANEMONE_BODY_OF machine_limits measure_limits(const limit_options& options) {
    return measure_limits(best_level(), options);
}

} // namespace ane::inline ANEMONE_WAY

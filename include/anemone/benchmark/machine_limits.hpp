#ifndef ANEMONE_BENCHMARK_MACHINE_LIMITS_HPP
#define ANEMONE_BENCHMARK_MACHINE_LIMITS_HPP

#include "../base/isa.hpp"
#include "../base/way.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// How fast all threads together read a working set of one size, over and over.
struct read_rate {
    std::string level;        ///< "L1", "L2", "L3", "memory"
    std::size_t fits = 0;     ///< the largest working set of a thread that this level holds, bytes; 0: any
    std::size_t measured = 0; ///< the working set of a thread that was read, bytes
    double bandwidth = 0;     ///< bytes/s
};

/// The ceilings of this machine for one instruction set, measured: what no fp32 kernel can exceed.
struct machine_limits {
    isa_level level = isa_level::generic;
    int threads = 1;
    double peak = 0;              ///< FLOP/s in fp32: multiply-adds between registers, in independent chains
    std::vector<read_rate> reads; ///< from the nearest to the farthest

    /// The read rate of what moves `bytes` in all: that of the nearest level which holds the thread's part.
    ANEMONE_API_OF(anemone_benchmark_machine_limits_hpp) const read_rate& reads_of(double bytes) const;
    /// The rate that work of so many FLOP over so many bytes can reach, FLOP/s: min(peak, flops / bytes * bandwidth).
    /// The peak where it moves nothing.
    ANEMONE_API_OF(anemone_benchmark_machine_limits_hpp) double attainable(double flops, double bytes) const;
    /// "avx512, 1 thread: 175 GFLOP/s; reads L1 324, L2 133, L3 29, memory 16 GB/s".
    ANEMONE_API_OF(anemone_benchmark_machine_limits_hpp) std::string line() const;
};

struct limit_options {
    int threads = 1;        ///< each with working sets of its own
    double seconds = 0.002; ///< of one trial: less than the system leaves to another program at once
    int trials = 30;        ///< of which the best counts
    std::size_t largest =
        std::size_t{1} << 29; ///< no working set exceeds it, all threads together: caches beyond hide memory
};

/// Measures this machine with the widest instruction set that it runs, or with another one. It takes less than a second.
/// Threads are neither pinned nor their number compared with that of the processors: both are the caller's. Throws
/// `error` (errc::argument) for a level that this machine does not run, and for less than one thread.
ANEMONE_API_OF(anemone_benchmark_machine_limits_hpp) machine_limits measure_limits(const limit_options& options = {});
ANEMONE_API_OF(anemone_benchmark_machine_limits_hpp)
machine_limits measure_limits(isa_level level, const limit_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "machine_limits.ipp"
#endif

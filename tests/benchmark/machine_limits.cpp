#include <anemone/base/error.hpp>
#include <anemone/benchmark/limit_loops.hpp>
#include <anemone/benchmark/machine_limits.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// 100 GFLOP/s; 400 GB/s from 32 KiB, 50 GB/s from 1 MiB, 10 GB/s from memory.
machine_limits invented(int threads) {
    return {
        isa_level::generic,
        threads,
        100e9,
        {{"L1", 32U << 10U, 16U << 10U, 400e9}, {"L2", 1U << 20U, 1U << 19U, 50e9}, {"memory", 0, 1U << 28U, 10e9}}};
}

} // namespace

TEST_CASE("work is below the ceiling of the level that holds it") {
    const machine_limits one = invented(1);
    CHECK(one.reads_of(1).level == "L1");
    CHECK(one.reads_of(32 << 10).level == "L1");
    CHECK(one.reads_of((32 << 10) + 1).level == "L2");
    CHECK(one.reads_of(1e12).level == "memory");
    CHECK(one.attainable(1000, 1000) == 100e9);              // L1 would give 400 GFLOP/s
    CHECK(one.attainable(2e5, 1e5) == 100e9);                // 2 FLOP/byte from L2: where the ceilings cross
    CHECK(one.attainable(1e5, 1e5) == 50e9);                 // 1 FLOP/byte from L2
    CHECK(one.attainable(1e7, 1e8) == doctest::Approx(1e9)); // a tenth from memory
    CHECK(one.attainable(5, 0) == 100e9);
    CHECK(invented(2).reads_of(64 << 10).level == "L1"); // half of it for each thread
    CHECK_THROWS_AS(machine_limits{}.reads_of(1), error);
    CHECK(one.line() == "generic, 1 thread: 100 GFLOP/s in fp32; reads L1 400, L2 50, memory 10 GB/s");
}

TEST_CASE("each instruction set of this machine has limits") {
    const limit_options quick{.seconds = 0.0005, .trials = 2, .largest = 1U << 20U};
    for (const isa_level level : available_levels()) {
        CAPTURE(std::string(name(level)));
        const machine_limits found = measure_limits(level, quick);
        CHECK(found.level == level);
        CHECK(found.peak > 1e6);
        CHECK(std::isfinite(found.peak));
        REQUIRE(found.reads.size() == 4);
        for (const read_rate& rate : found.reads) {
            CHECK(rate.bandwidth > 1e6);
            CHECK(std::isfinite(rate.bandwidth));
            CHECK(rate.measured >= 512);
            CHECK(rate.measured <= 1U << 20U);
        }
    }
    const machine_limits two = measure_limits({.threads = 2, .seconds = 0.0005, .trials = 2, .largest = 1U << 20U});
    CHECK(two.threads == 2);
    CHECK(two.level == best_level());
}

TEST_CASE("what cannot be measured is an error") {
    CHECK_THROWS_WITH_AS(measure_limits({.threads = 0}), doctest::Contains("0, at least 1"), error);
    for (const isa_level level : {isa_level::generic, isa_level::avx2, isa_level::avx512, isa_level::neon}) {
        if (!is_available(level)) {
            CHECK_THROWS_WITH_AS(measure_limits(level), doctest::Contains(std::string(name(level)).c_str()), error);
        }
    }
}

TEST_CASE("reading begins and ends within its blocks") {
    // A read past the end of the last page of a mapping would end the program; sanitizers do not see assembly.
    std::vector<std::byte> memory(4096 + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    for (const isa_level level : available_levels()) {
        detail::read_blocks(level, memory.data() + (64 - address % 64) % 64, 8);
        CHECK(detail::multiply_add_round(level, 1) >= 32);
    }
}

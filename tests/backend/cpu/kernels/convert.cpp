#include "../../../from_environment.hpp"
#include <anemone/backend/cpu/kernels/table.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace ane;

TEST_CASE("every level widens all 65,536 patterns exactly, at every length of a row") {
    std::vector<half> patterns;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        patterns.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
    }
    for (const kernel_set& set : kernel_sets()) {
        INFO(set.name);
        const cpu::kernel_table& table = set.kernels;
        // Rows of 65,536 take the vector path, rows of one the tail.
        std::vector<float> rows(patterns.size());
        table.to_float(patterns.data(), rows.data(), 0x10000);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            float single = 0;
            table.to_float(&patterns[i], &single, 1);
            const auto bits = std::bit_cast<std::uint32_t>(rows[i]);
            auto expected = std::bit_cast<std::uint32_t>(static_cast<float>(patterns[i]));
            if (is_nan(patterns[i])) {
                expected |= 0x400000U; // quiet
            }
            wrong += bits != expected || std::bit_cast<std::uint32_t>(single) != expected;
        }
        CHECK(wrong == 0);
        for (std::int64_t count = 0; count < 40; ++count) {
            std::vector<float> guarded(42, -7.0F);
            table.to_float(patterns.data() + 0x3C00, guarded.data() + 1, count);
            CHECK(guarded[0] == -7.0F);
            CHECK(guarded[static_cast<std::size_t>(count + 1)] == -7.0F);
        }
    }
}

TEST_CASE("every level narrows as half's own conversion does") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    std::vector<float> values;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        // Each value, both neighbours of each tie, and each tie.
        const float value = static_cast<float>(half::from_bits(static_cast<std::uint16_t>(bits)));
        const auto pattern = std::bit_cast<std::uint32_t>(value);
        for (const std::uint32_t more : {0U, 1U, 0xFFFU, 0x1000U, 0x1001U, 0x1FFFU}) {
            values.push_back(std::bit_cast<float>(pattern + more));
        }
    }
    for (const double boundary : {0x1p-24, 0x1p-25, 0x1.8p-24, 0x1p-14, 65504.0, 65520.0, 0x1p-126, 0x1p-149}) {
        const auto value = static_cast<float>(boundary);
        for (const float near : {value, std::nextafter(value, 0.0F), std::nextafter(value, 1e9F)}) {
            values.push_back(near);
            values.push_back(-near);
        }
    }
    for (int i = 0; i < 2'000'000; ++i) {
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    }
    const auto count = static_cast<std::int64_t>(values.size());
    for (const kernel_set& set : kernel_sets()) {
        INFO(set.name);
        std::vector<half> narrowed(values.size());
        set.kernels.to_half(values.data(), narrowed.data(), count);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            wrong += narrowed[i].bits != half(values[i]).bits;
        }
        CHECK(wrong == 0);
        for (std::size_t i = 0; i < 1000; ++i) { // the tail of a row
            half single;
            set.kernels.to_half(&values[i * 97], &single, 1);
            wrong += single.bits != narrowed[i * 97].bits;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("levels that the machine lacks are refused, the best is available") {
    CHECK(cpu::available_levels().front() == cpu::isa_level::generic);
    CHECK(cpu::best_kernels().level == cpu::available_levels().back());
    CHECK(&cpu::generic_kernels() == &cpu::kernels_for(cpu::isa_level::generic));
    for (const cpu::isa_level level : cpu::available_levels()) {
        CHECK(cpu::kernels_for(level).level == level);
    }
    for (const cpu::isa_level level :
         {cpu::isa_level::generic, cpu::isa_level::avx2, cpu::isa_level::avx512, cpu::isa_level::neon}) {
        if (!cpu::is_available(level)) {
            CHECK_THROWS_AS((void)cpu::kernels_for(level), error);
        }
    }
}

#include "../composer.hpp"
#include "whole_models.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/isa.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

TEST_CASE("cpu: the kernels of any instruction set of the machine, of no other") {
    using namespace composing;
    random_engine random(9);
    const graph_view g = whole_models::encoder;
    const weight_store weights = random_weights(g, random);
    const port_memory inputs = random_inputs(g, random, false);
    std::vector<port_memory> results;
    for (const isa_level level : {isa_level::generic, isa_level::avx2, isa_level::avx512, isa_level::neon}) {
        CAPTURE(name(level));
        if (!is_available(level)) {
            CHECK_THROWS_WITH_AS((void)backend::cpu{}.level(level), doctest::Contains(std::string(name(level)).c_str()),
                                 error);
            continue;
        }
        MESSAGE("runs natively: ", name(level));
        const backend::cpu place = backend::cpu{}.level(level);
        CHECK(place.name() == "cpu " + std::string(name(level)));
        results.push_back(memory_of_outputs(g));
        compile(g, place, weights).run(inputs.inputs(), results.back().outputs());
        // Sums differ by the roundings that multiply-adds save: a few ulp of fp16 after an encoder's layers.
        const auto& first = results.front().bytes;
        const auto& now = results.back().bytes;
        double worst = 0;
        double largest = 0;
        for (std::size_t port = 0; port < now.size(); ++port) {
            for (std::size_t i = 0; i + sizeof(half) <= now[port].size(); i += sizeof(half)) {
                half a;
                half b;
                std::memcpy(&a, first[port].data() + i, sizeof a);
                std::memcpy(&b, now[port].data() + i, sizeof b);
                worst = std::max(worst, std::abs(static_cast<double>(a) - static_cast<double>(b)));
                largest = std::max(largest, std::abs(static_cast<double>(a)));
            }
        }
        CHECK(worst <= largest * 0x1p-9);
    }
}

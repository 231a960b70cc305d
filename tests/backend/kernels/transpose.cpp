#include "../../from_environment.hpp"
#include <anemone/backend/kernels/transpose.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace ane;

TEST_CASE("transposes of any extents and pitches, to the last element and no further") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
    for (int round = 0; round < 300; ++round) {
        const std::int64_t rows = round % 10 == 0 ? below(20) + 250 : below(40) + 1;
        const std::int64_t columns = below(40) + 1;
        const std::int64_t from_pitch = columns + below(3);
        const std::int64_t to_pitch = rows + below(3);
        std::vector<half> from(static_cast<std::size_t>(rows * from_pitch));
        for (half& x : from) {
            x.bits = static_cast<std::uint16_t>(random());
        }
        const half untouched = half::from_bits(0x7E57);
        std::vector<half> to(static_cast<std::size_t>(columns * to_pitch), untouched);
        kernels::transpose(from.data(), from_pitch, to.data(), to_pitch, rows, columns);
        std::size_t wrong = 0;
        for (std::int64_t c = 0; c < columns; ++c) {
            for (std::int64_t r = 0; r < to_pitch; ++r) {
                const half expected = r < rows ? from[static_cast<std::size_t>(r * from_pitch + c)] : untouched;
                wrong += to[static_cast<std::size_t>(c * to_pitch + r)].bits != expected.bits ? 1U : 0U;
            }
        }
        CHECK(wrong == 0);
    }
}

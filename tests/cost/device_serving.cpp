// Which device serves batches of which sizes.

#include "placed_models.hpp"
#include <anemone/cost/device_serving.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace ane;

TEST_CASE("crossovers of serving") {
    using namespace placed_models;
    // Every third number: an encoder of a hundred is a second's work where nothing is optimised.
    const auto on_m5 = [](auto f) { return crossover(f, h17s, {.first = 1, .last = 256, .step = 3}); };
    const device_crossover vision = on_m5([](std::int64_t b) { return convolutions(8, b, 64, 28); });
    CHECK(vision.time == 0); // none from 1 to 256, on either axis
    CHECK(vision.energy == 0);
    CHECK(vision.energy_known);
    CHECK(within_factor(vision.lead_at_first, 5.7, 1.8));
    CHECK(within_factor(vision.lead_at_last, 3.6, 1.5));
    // The guide tells neither shapes nor layouts; with the layout that frameworks write the GPU is ahead from 3 on.
    const device_crossover encoder =
        on_m5([](std::int64_t b) { return channels_first(attention_blocks(b, 128, 768, 12, true), h17s); });
    CHECK(within_factor(static_cast<double>(encoder.time), 23, 2.2));
    CHECK(encoder.energy == 0);
    const device_crossover attention =
        on_m5([](std::int64_t b) { return channels_first(attention_blocks(b, 197, 768, 12, false), h17s); });
    CHECK(within_factor(static_cast<double>(attention.time), 6, 1.2));
    CHECK(attention.energy == 0);
    const device_crossover product = on_m5([](std::int64_t b) { return products(256 * b, 4096, 4096); });
    CHECK(product.time == 1); // the GPU's regime throughout
    CHECK(product.lead_at_first < 1);

    // The length from which attention belongs on the GPU of M1: 512 does (cls_007), 197 is about a tie (cls_006).
    const device_crossover length = crossover([](std::int64_t s) { return attention_blocks(1, s, 768, 12, false); },
                                              h13, {.first = 32, .last = 2048, .step = 32});
    CHECK(length.time > 0);
    CHECK(length.time <= 512);
}

TEST_CASE("a crossover is the first number of a range, by definition") {
    using namespace placed_models;
    const auto model = [](std::int64_t b) { return attention_blocks(b, 64, 256, 4, false); };
    const number_range range{.first = 3, .last = 200, .step = 7};
    for (const placement_model m : {placement_model::measured, placement_model::system}) {
        const placement_options o{.model = m};
        const device_crossover found = crossover(model, h17s, range, o);
        std::int64_t first = 0;
        for (std::int64_t b = range.first; b <= range.last && first == 0; b += range.step) {
            const device_plan p = placed_on(model(b), h17s, o);
            first = p.on(compute_device::gpu).seconds < p.on(compute_device::engine).seconds ? b : 0;
        }
        CHECK(found.time == first);
    }
}

TEST_CASE("scaling the demands of one item gives the demands of a batch") {
    using namespace placed_models;
    for (const target t : {h13, h17s}) {
        const batch_scaling one = scaling_of(lower(convolutions(3, 1, 64, 28)).view(), t);
        const batch_scaling rows = scaling_of(lower(products(1, 1024, 4096, 2)).view(), t);
        for (const std::int64_t batch : {2, 7, 64}) {
            const device_plan p = placed_on(convolutions(3, batch, 64, 28), t);
            const device_plan q = placed_on(products(batch, 1024, 4096, 2), t);
            const number_range at{.first = batch, .last = batch};
            CHECK(crossover(one, t, at).lead_at_first == doctest::Approx(lead(p)).epsilon(1e-9));
            CHECK(crossover(rows, t, at).lead_at_first == doctest::Approx(lead(q)).epsilon(1e-9));
        }
    }
    const sequence<serving_row> table = serving(scaling_of(lower(convolutions(3, 1, 64, 28)).view(), h17s), h17s, 100);
    REQUIRE(table.size() == 7); // 1, 2, 4 .. 64
    CHECK(table[6].batch == 64);
    const device_plan p = placed_on(convolutions(3, 64, 64, 28), h17s);
    CHECK(table[6].engine.seconds == doctest::Approx(p.on(compute_device::engine).seconds / 64));
    CHECK(table[6].gpu.joules == doctest::Approx(p.on(compute_device::gpu).joules / 64));
    CHECK(table[6].engine.items_per_second() == doctest::Approx(64 / p.on(compute_device::engine).seconds));
}

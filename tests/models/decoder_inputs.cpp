#include <anemone/base/error.hpp>
#include <anemone/models/decoder_inputs.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace ane;
using models::decoder_form;
using models::rope;
using models::rope_kind;

TEST_CASE("rotary tables turn each pair by its frequency") {
    std::vector<float> cosines(3 * 4);
    std::vector<float> sines(3 * 4);
    models::rotary_tables({.kind = rope_kind::plain, .base = 100}, 4, 5, cosines, sines);
    for (int row = 0; row < 3; ++row) {
        const double position = 5 + row;
        for (int k = 0; k < 4; ++k) { // frequencies 1 and 0.1, both halves alike
            const double angle = position * (k % 2 == 0 ? 1 : 0.1);
            CHECK(cosines[static_cast<std::size_t>(4 * row + k)] == doctest::Approx(std::cos(angle)));
            CHECK(sines[static_cast<std::size_t>(4 * row + k)] == doctest::Approx(std::sin(angle)));
        }
    }
    CHECK_THROWS_AS(models::rotary_tables({.kind = rope_kind::plain}, 4, 0, std::span(cosines).first(6), sines), error);
    CHECK_THROWS_AS(models::rotary_frequencies({.kind = rope_kind::plain}, 3), error);
}

TEST_CASE("published scalings of rotary positions") {
    using models::rotary_frequencies;
    const double second = std::pow(10000.0, -0.5);
    CHECK(rotary_frequencies({.kind = rope_kind::linear, .factor = 4}, 4)[1] == doctest::Approx(second / 4));

    // llama3 over 8192 positions: 8192 / 2 pi turns of the fastest pair are many, those of a slow one few.
    const rope llama3{.kind = rope_kind::llama3, .base = 500000, .factor = 32, .original_positions = 8192};
    const std::vector<double> slow = rotary_frequencies(llama3, 64);
    CHECK(slow[0] == 1);
    CHECK(slow[31] == doctest::Approx(std::pow(500000.0, -62.0 / 64) / 32));
    int mixed = 0;
    for (std::size_t k = 0; k < slow.size(); ++k) {
        const double plain = std::pow(500000.0, -2.0 * static_cast<double>(k) / 64);
        const double turns = 8192 * plain / (2 * std::numbers::pi);
        const double share = std::min(std::max((turns - 1) / 3, 0.0), 1.0);
        CHECK(slow[k] == doctest::Approx(share * plain + (1 - share) * plain / 32));
        mixed += share > 0 && share < 1 ? 1 : 0;
    }
    CHECK(mixed > 0);

    // yarn: pairs that turn more than 32 times stay, those that turn less than once are stretched.
    const rope yarn{
        .kind = rope_kind::yarn, .base = 10000, .factor = 4, .original_positions = 4096, .attention_factor = 1.2};
    const std::vector<double> found = rotary_frequencies(yarn, 64);
    CHECK(found[0] == 1);
    CHECK(found[31] == doctest::Approx(std::pow(10000.0, -62.0 / 64) / 4));
    std::vector<float> cosines(64);
    std::vector<float> sines(64);
    models::rotary_tables(yarn, 64, 0, cosines, sines);
    CHECK(cosines[0] == doctest::Approx(1.2));

    // dynamic: nothing changes up to the original length, then the base grows.
    const rope dynamic{.kind = rope_kind::dynamic, .factor = 2, .original_positions = 1000};
    CHECK(rotary_frequencies(dynamic, 4, 1000)[1] == doctest::Approx(second));
    CHECK(rotary_frequencies(dynamic, 4, 2000)[1] ==
          doctest::Approx(std::pow(10000.0 * 9, -0.5))); // (2 * 2 - 1)^(4 / 2)
}

TEST_CASE("masks show what came before, in the window, and nothing of the padding") {
    const decoder_form form{.positions = 3, .capacity = 4};
    std::vector<float> mask(3 * 7);
    constexpr float no = -40000;
    models::causal_mask(form, 2, 0, mask);
    CHECK(mask == std::vector<float>{0, 0, no, no, 0, no, no, /**/ 0, 0, no, no, 0, 0, no, /**/ 0, 0, no, no, 0, 0, 0});
    models::causal_mask(form, 2, 2, mask);
    CHECK(mask ==
          std::vector<float>{no, 0, no, no, 0, no, no, /**/ no, no, no, no, 0, 0, no, /**/ no, no, no, no, no, 0, 0});

    const decoder_form states{.positions = 2, .capacity = 4, .caches = models::cache_form::states};
    std::vector<float> of_states(2 * 4);
    models::causal_mask(states, 1, 0, of_states);
    CHECK(of_states == std::vector<float>{0, 0, no, no, /**/ 0, 0, 0, no});
    std::vector<float> at(4 * 2);
    models::cache_places(states, 1, 2, at);
    CHECK(at == std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0});
    models::cache_places(states, 1, 1, at); // the second is padding
    CHECK(at == std::vector<float>{0, 0, 1, 0, 0, 0, 0, 0});
    CHECK_THROWS_AS(models::cache_places(states, 3, 2, at), error);
    CHECK_THROWS_AS(models::causal_mask(form, 5, 0, mask), error);
    CHECK_THROWS_AS(models::causal_mask(form, 0, 0, at), error);
}

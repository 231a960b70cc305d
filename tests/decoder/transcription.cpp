#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/base/error.hpp>
#include <anemone/decoder/transcription.hpp>
#include <anemone/models/network.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

using namespace ane;

namespace {

/// Of ten tokens: 0 to 3 are words, 4 the end, 5 the token of no times, 6 to 9 times.
constexpr timestamp_tokens times{.first = 6, .end = 4, .none = 5, .most_at_first = 1};

/// Which tokens are left behind others, where all words are likelier than the times together, or none is.
std::vector<token_id> left(const std::vector<token_id>& text, bool words_are_likely = true) {
    std::vector<float> logits(10, 0.0F);
    for (std::size_t i = 0; i < 6 && words_are_likely; ++i) {
        logits[i] = 3;
    }
    keep_times_in_order(logits, text, times);
    std::vector<token_id> found;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (std::isfinite(logits[i])) {
            found.push_back(static_cast<token_id>(i));
        }
    }
    return found;
}

TEST_CASE("times of a transcript: what may follow what") {
    using tokens = std::vector<token_id>;
    CHECK(left({}) == tokens{6, 7});                              // begins with a time, of 0.02 s at most
    CHECK(left({6}) == tokens{0, 1, 2, 3, 4});                    // a single first one counts as a pair: words follow
    CHECK(left({6, 1}) == tokens{0, 1, 2, 3, 4, 7, 8, 9});        // and later times
    CHECK(left({6, 1, 8}) == tokens{4, 8, 9});                    // its second time, which may be the same, or the end
    CHECK(left({6, 1, 8, 8}) == tokens{0, 1, 2, 3, 4});           // a pair: words
    CHECK(left({6, 1, 8, 8, 2}) == tokens{0, 1, 2, 3, 4, 9});     // none before the last one, and not the same
    CHECK(left({6, 1}, false) == tokens{7, 8, 9});                // the times together are likelier than each word
    CHECK(left({6, 1, 9, 9, 2}, false) == tokens{0, 1, 2, 3, 4}); // none is left
}

TEST_CASE("times of a transcript: tokens that are none") {
    std::vector<float> logits(6);
    CHECK_THROWS_WITH_AS(keep_times_in_order(logits, {}, times), doctest::Contains("first time: is 6"), error);
    CHECK_THROWS_WITH_AS(keep_times_in_order(logits, {}, {.first = 2, .end = -1}), doctest::Contains("-1"), error);
    CHECK_THROWS_WITH_AS(keep_times_in_order(logits, {}, {.first = 2, .end = 1, .none = 6}),
                         doctest::Contains("no times: is 6"), error);
    CHECK_THROWS_WITH_AS(keep_times_in_order(logits, {}, {.first = 2, .end = 1, .most_at_first = -1}),
                         doctest::Contains("most_at_first: is -1"), error);
}

constexpr models::whisper_configuration small{.width = 16,
                                              .encoder_layers = 1,
                                              .encoder_heads = 2,
                                              .encoder_inner = 16,
                                              .decoder_layers = 1,
                                              .decoder_heads = 2,
                                              .decoder_inner = 16,
                                              .mels = 8,
                                              .positions = 10,
                                              .text_positions = 12,
                                              .vocabulary = 24};

weight_store tensors() {
    const models::network n = small;
    weight_store all = random_weights(network_graph(n, {.part = models::network_part::encoder}), 5);
    for (stored_tensor each : random_weights(network_graph(n, {.part = models::network_part::decoder}), 6)) {
        all.add(std::move(each));
    }
    std::vector<float> places;
    for (int i = 0; i < 12 * 16; ++i) {
        places.push_back(std::sin(0.9F * static_cast<float>(i)));
    }
    all.add("model.decoder.embed_positions.weight", {12, 16}, std::span<const float>(places));
    return all;
}

TEST_CASE("a transcript does not depend on the rows of a step, and fills all positions") {
    const std::vector<float> mel(8 * 20, 0.25F);
    std::vector<std::vector<token_id>> texts;
    for (const std::int64_t rows : {1, 2, 5, 12}) {
        speech_model model(small, tensors(), {.rows = rows}, backend::cpu{});
        model.hear(mel);
        texts.push_back(model.transcribe({.prompt = {7, 3, 11}}));
        CHECK(model.transcribe({.prompt = {7, 3, 11}}) == texts.back()); // begins anew
    }
    for (const std::vector<token_id>& text : texts) {
        CHECK(text.size() == 9);
        CHECK(text == texts[0]);
    }
    speech_model model(small, tensors(), {}, backend::cpu{});
    model.hear(mel);
    CHECK(model.transcribe({.prompt = {7, 3, 11}, .end = texts[0][0]}).empty());
    const auto others = model.transcribe({.prompt = {7, 3, 11}, .max_tokens = 1, .not_at_first = {texts[0][0]}});
    CHECK(others.at(0) != texts[0][0]);
    CHECK(model.transcribe({.prompt = {7, 3, 11}, .max_tokens = 1, .never = {texts[0][0]}}) == others);
}

TEST_CASE("a transcript: what is refused") {
    const std::vector<float> mel(8 * 20, 0.25F);
    CHECK_THROWS_WITH_AS(speech_model(small, tensors(), {.rows = 13}, backend::cpu{}),
                         doctest::Contains("rows: are 13"), error);
    weight_store without = tensors();
    without.remove("model.decoder.embed_positions.weight");
    CHECK_THROWS_WITH_AS(speech_model(small, without, {}, backend::cpu{}),
                         doctest::Contains("decoder_embed_positions_weight"), error);
    speech_model model(small, tensors(), {}, backend::cpu{});
    CHECK_THROWS_WITH_AS(model.transcribe({.prompt = {1}}), doctest::Contains("heard nothing"), error);
    CHECK_THROWS_WITH_AS(model.hear(std::vector<float>(8)), doctest::Contains("160"), error);
    model.hear(mel);
    CHECK_THROWS_WITH_AS(model.transcribe({}), doctest::Contains("prompt: has 0"), error);
    CHECK_THROWS_WITH_AS(model.transcribe({.prompt = {24}}), doctest::Contains("is 24"), error);
    CHECK_THROWS_WITH_AS(model.transcribe({.prompt = {1}, .max_tokens = 12}), doctest::Contains("from 0 to 11"), error);
    std::vector<token_id> all;
    for (token_id i = 0; i < 24; ++i) {
        all.push_back(i);
    }
    CHECK_THROWS_WITH_AS(model.transcribe({.prompt = {1}, .never = all}), doctest::Contains("no choice"), error);
}

} // namespace

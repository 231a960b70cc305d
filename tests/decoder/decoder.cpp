// A decoder against double precision: whole texts, chunks, caches of both forms, padding, several programs and streams.

#include "../from_environment.hpp"
#include "small_decoder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/base/cancellation.hpp>
#include <anemone/decoder/decoder.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

decoder made_decoder(const models::decoder_configuration& c, const weight_store& w, const decoder_options& how,
                     const backend::any& place = backend::cpu{}.threads(1)) {
    return {c, w, how, place};
}
std::vector<token_id> random_text(std::int64_t vocabulary, std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<token_id> text;
    for (std::size_t i = 0; i < count; ++i) {
        text.push_back(static_cast<token_id>(random() % static_cast<unsigned>(vocabulary)));
    }
    return text;
}
/// |a - b| / |b| over rows of logits.
double distance(std::span<const float> a, std::span<const small_decoder::row> b) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double wanted = b[i / b[0].size()][i % b[0].size()];
        difference += std::pow(a[i] - wanted, 2);
        size += wanted * wanted;
    }
    return std::sqrt(difference / size);
}
/// The CPU, each operation rounded, that counts the programs it compiles.
struct counting_backend {
    std::shared_ptr<int> programs = std::make_shared<int>(0);
    backend::cpu place = backend::cpu{}.threads(1).rounding(rounding::each_operation);

    std::string name() const { return place.name(); }
    bool supports(op kind) const { return place.supports(kind); }
    backend::cpu_program compile(const graph_view& model, const weight_store& weights) const {
        ++*programs;
        return place.compile(model, weights);
    }
};
std::string feed_refusal(decoder_stream& stream, const std::vector<token_id>& tokens, std::int64_t rows = 1) {
    try {
        stream.feed(tokens, rows);
    } catch (const error& e) {
        return e.what();
    }
    return "done";
}

constexpr models::cache_form both_forms[] = {models::cache_form::inputs, models::cache_form::states};
constexpr double fp16_bound = 0.01; // relative, of two layers in fp16 against double

} // namespace

TEST_CASE("a decoder gives the logits of double precision, however a text is cut into chunks, steps and programs") {
    for (const std::int64_t window : {0, 5}) {
        const auto c = small_decoder::configuration(61, window);
        const auto w = small_decoder::weights(c, from_environment::seed());
        const std::vector<token_id> text = random_text(c.vocabulary, 23, from_environment::seed());
        const std::vector<small_decoder::row> wanted = small_decoder::reference(c, w, text);
        for (const models::cache_form caches : both_forms) {
            for (const decoder_options& how : {decoder_options{.context = 40, .chunk = 8, .rows = 1, .caches = caches},
                                               decoder_options{.context = 23,
                                               .chunk = 16,
                                               .rows = 4,
                                               .caches = caches,
                                               .layers_per_program = 1,
                                               .head_parts = 3}}) {
                decoder d = made_decoder(c, w, how);
                decoder_stream whole = d.open();
                CHECK(distance(whole.feed(text, 23), wanted) < fp16_bound);
                CHECK(whole.tokens() == text);
                decoder_stream cut = d.open();
                CHECK(distance(cut.feed(std::span(text).first(11), 3), std::span(wanted).subspan(8, 3)) < fp16_bound);
                for (std::size_t i = 11; i < text.size(); ++i) {
                    CHECK(distance(cut.feed(std::span(text).subspan(i, 1)), std::span(wanted).subspan(i, 1)) <
                          fp16_bound);
                }
            }
        }
    }
}

TEST_CASE("a deep decoder is cut into programs that the engine takes, and no bit changes") {
    auto c = small_decoder::configuration();
    c.layers = 26;
    const auto w = small_decoder::weights(c, 3);
    const std::vector<token_id> text = random_text(c.vocabulary, 7, 3);
    std::vector<int> programs;
    std::vector<float> first;
    for (const std::int64_t layers : {26, 0, 24, 9}) {
        const counting_backend place;
        decoder d(c, w, {.context = 16, .chunk = 4, .layers_per_program = layers}, place);
        decoder_stream stream = d.open();
        const auto logits = stream.feed(text);
        const std::vector<float> found(logits.begin(), logits.end());
        first = first.empty() ? found : first;
        CHECK(found == first);
        programs.push_back(*place.programs);
    }
    CHECK(programs[0] < programs[1]);
    CHECK(programs[1] == programs[2]);
    CHECK(programs[2] < programs[3]);
}

TEST_CASE("rows that stand for no token change no bit, and neither do other streams of the decoder in between") {
    const auto c = small_decoder::configuration();
    const auto w = small_decoder::weights(c, from_environment::seed());
    const std::vector<token_id> text = random_text(c.vocabulary, 12, from_environment::seed());
    for (const models::cache_form caches : both_forms) {
        decoder d = made_decoder(c, w, {.context = 32, .chunk = 8, .rows = 4, .caches = caches});
        decoder_stream alone = d.open();
        std::vector<std::vector<float>> steps;
        for (const token_id each : text) {
            const auto logits = alone.feed(std::span(&each, 1));
            steps.emplace_back(logits.begin(), logits.end());
        }
        decoder_stream again = d.open();
        decoder_stream other = d.open();
        for (std::size_t i = 0; i < text.size(); ++i) {
            other.feed(random_text(c.vocabulary, 1 + i % 2, static_cast<unsigned>(i)));
            const auto logits = again.feed(std::span(text).subspan(i, 1));
            CHECK(std::vector<float>(logits.begin(), logits.end()) == steps[i]);
        }
        // What stood in the padding and behind the text before: another text, that is given up.
        decoder_stream reused = d.open();
        reused.feed(random_text(c.vocabulary, 32, 99));
        reused.truncate(0);
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto logits = reused.feed(std::span(text).subspan(i, 1));
            CHECK(std::vector<float>(logits.begin(), logits.end()) == steps[i]);
        }
    }
}

TEST_CASE("a text that begins as the last one is computed from where it differs") {
    const auto c = small_decoder::configuration();
    const auto w = small_decoder::weights(c, from_environment::seed());
    std::vector<token_id> text = random_text(c.vocabulary, 14, from_environment::seed());
    for (const models::cache_form caches : both_forms) {
        decoder d = made_decoder(c, w, {.context = 32, .chunk = 8, .rows = 1, .caches = caches});
        decoder_stream stream = d.open();
        stream.follow(text);
        CHECK(stream.reused() == 0);
        stream.follow(text);
        CHECK(stream.reused() == 13); // the last is computed for its logits
        text[9] = (text[9] + 1) % 61;
        const auto wanted = small_decoder::reference(c, w, text);
        CHECK(distance(stream.follow(text, 2), std::span(wanted).last(2)) < fp16_bound);
        CHECK(stream.reused() == 9);
        CHECK(stream.tokens() == text);
        CHECK(distance(stream.follow(std::span(text).first(5)), std::span(wanted).subspan(4, 1)) < fp16_bound);
        CHECK(stream.reused() == 4);
    }
}

TEST_CASE("a decoder in the arithmetic of a chip stays close to double precision") {
    const auto c = small_decoder::configuration();
    const auto w = small_decoder::weights(c, from_environment::seed());
    const std::vector<token_id> text = random_text(c.vocabulary, 7, from_environment::seed());
    const auto wanted = small_decoder::reference(c, w, text);
    for (const models::cache_form caches : both_forms) {
        decoder d = made_decoder(c, w, {.context = 16, .chunk = 4, .rows = 4, .caches = caches}, backend::oracle{h13});
        decoder_stream stream = d.open();
        CHECK(distance(stream.feed(text, 7), wanted) < 0.03);
    }
}

TEST_CASE("what cannot be fed is refused by name, and the stream stays as it was") {
    const auto c = small_decoder::configuration();
    const auto w = small_decoder::weights(c, 1);
    decoder d = made_decoder(c, w, {.context = 6, .chunk = 4, .rows = 2});
    decoder_stream stream = d.open();
    CHECK(feed_refusal(stream, {}) == "argument: tokens: are none, must be one or more");
    CHECK(feed_refusal(stream, {3, 61}) ==
          "argument: token 1: is 61, must be from 0 to 60, the last of the vocabulary");
    CHECK(feed_refusal(stream, {-1}) == "argument: token 0: is -1, must be from 0 to 60, the last of the vocabulary");
    CHECK(feed_refusal(stream, {1, 2}, 3) ==
          "argument: rows of logits: are 3, must be from 1 to 2, the number of tokens");
    CHECK(feed_refusal(stream, {1, 2, 3, 4}) == "done");
    CHECK(
        feed_refusal(stream, {1, 2, 3}) ==
        "argument: context: has room for 6 tokens, 4 are there and 3 are to follow: open the decoder with a context of 7 "
        "or more, or begin anew with fewer");
    CHECK(stream.tokens() == std::vector<token_id>{1, 2, 3, 4});
    CHECK(feed_refusal(stream, {1, 2}) == "done");
    CHECK_THROWS_WITH_AS(stream.truncate(7), "argument: size: is 7, must be from 0 to 6, the tokens of the stream",
                         error);
    CHECK_THROWS_WITH_AS(made_decoder(c, w, {.chunk = 2, .rows = 4}),
                         "argument: chunk: is 2, must be from 4, the rows of a step, to 65536", error);
    CHECK_THROWS_WITH_AS(made_decoder(c, w, {.context = 0}), "argument: context: is 0, must be from 1 to 4194304",
                         error);
    weight_store none;
    CHECK_THROWS_AS(made_decoder(c, none, {}), error);
    decoder_stream moved = std::move(stream);
    CHECK_THROWS_AS(stream.tokens(), error); // NOLINT(bugprone-use-after-move)
}

TEST_CASE("numbers that leave fp16 are an error that says where, and leave no trace in the caches") {
    const auto c = small_decoder::configuration();
    weight_store w = small_decoder::weights(c, from_environment::seed());
    stored_tensor table = w.take("model_embed_tokens_weight"); // token 7 is large: its second product is infinite
    std::vector<half> numbers = to_half(table);
    for (std::int64_t i = 0; i < c.width; ++i) {
        numbers[static_cast<std::size_t>(7 * c.width + i)] = half(60000.0F);
    }
    w.add("model_embed_tokens_weight", {c.vocabulary, c.width}, std::span<const half>(numbers));
    weight_store bad = w; // whose first layer adds 2000 times a sum of positive numbers
    for (const char* const each : {"mlp_gate_proj", "mlp_up_proj", "mlp_down_proj"}) {
        const stored_tensor was = bad.take(small_decoder::layer_name(0, each));
        const std::vector<half> numbers_of_it(static_cast<std::size_t>(was.shape.count()),
                                              half(std::string(each) == "mlp_down_proj" ? 2000.0F : 0.1F));
        bad.add(was.name, was.shape, std::span<const half>(numbers_of_it));
    }
    for (const models::cache_form caches : both_forms) {
        decoder d = made_decoder(c, bad, {.context = 16, .chunk = 4, .rows = 1, .caches = caches});
        decoder_stream stream = d.open();
        const std::string said = feed_refusal(stream, {7});
        INFO(said);
        CHECK(said.find("port: ") == 0);
        CHECK(said.find("at position 0") != std::string::npos);
        CHECK(said.find("leaves the range of fp16") != std::string::npos);
        CHECK(stream.tokens().empty());
    }
    for (const models::cache_form caches : both_forms) { // a stream goes on after it
        decoder d = made_decoder(c, w, {.context = 16, .chunk = 4, .rows = 1, .caches = caches});
        decoder_stream stream = d.open();
        const std::vector<token_id> text = random_text(7, 6, 3);
        stream.feed(random_text(c.vocabulary, 5, 1));
        CHECK(distance(stream.follow(text, 6), small_decoder::reference(c, w, text)) < fp16_bound);
    }
}

TEST_CASE("a call that is cancelled leaves the stream as it was") {
    const auto c = small_decoder::configuration();
    const auto w = small_decoder::weights(c, from_environment::seed());
    const std::vector<token_id> text = random_text(c.vocabulary, 9, from_environment::seed());
    const auto wanted = small_decoder::reference(c, w, text);
    for (const models::cache_form caches : both_forms) {
        decoder d = made_decoder(c, w, {.context = 16, .chunk = 4, .rows = 1, .caches = caches});
        decoder_stream stream = d.open();
        stream.feed(std::span(text).first(6));
        {
            cancellation wish;
            wish.cancel();
            const cancellable calls(wish);
            CHECK_THROWS_AS(stream.feed(std::span(text).subspan(6)), cancelled);
        }
        CHECK(stream.tokens().size() == 6);
        CHECK(distance(stream.feed(std::span(text).subspan(6)), std::span(wanted).last(1)) < fp16_bound);
    }
}

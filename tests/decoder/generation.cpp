// Generations: greedy ones against double precision, drafts that change nothing but the speed, several at once, and ends.

#include "../from_environment.hpp"
#include "small_decoder.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/base/cancellation.hpp>
#include <anemone/decoder/generation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

using tokens = std::vector<token_id>;

struct small_model {
    models::decoder_configuration c;
    weight_store w;
    explicit small_model(unsigned seed, std::int64_t vocabulary = 61)
        : c(small_decoder::configuration(vocabulary)), w(small_decoder::weights(c, seed)) {}
    decoder open(const decoder_options& how) const { return {c, w, how, backend::cpu{}.threads(1)}; }
};

tokens all_of(text_generation& g) {
    tokens all;
    while (const auto token = g.next()) {
        all.push_back(*token);
    }
    return all;
}
tokens generated(decoder& d, const tokens& prompt, generation_options how) {
    decoder_stream stream = d.open();
    text_generation g(stream, prompt, std::move(how));
    return all_of(g);
}
tokens some_prompt(unsigned seed, std::size_t count = 6) {
    std::mt19937 random(seed);
    tokens text;
    for (std::size_t i = 0; i < count; ++i) {
        text.push_back(static_cast<token_id>(random() % 61));
    }
    return text;
}

/// Whether two continuations are the same up to a place where the two best logits of double precision lie within what fp16
/// tells apart.
bool same_but_for_ties(const small_model& m, const tokens& prompt, const tokens& got, const tokens& wanted) {
    const auto [at, other] = std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end());
    if (at == got.end() && other == wanted.end()) {
        return true;
    }
    tokens text = prompt;
    text.insert(text.end(), got.begin(), at);
    small_decoder::row logits = small_decoder::reference(m.c, m.w, text).back();
    std::nth_element(logits.begin(), logits.begin() + 1, logits.end(), std::greater<>());
    return logits[0] - logits[1] < 0.05 * std::abs(logits[0]);
}
tokens reference_greedy(const small_model& m, tokens text, std::size_t count) {
    const std::size_t begin = text.size();
    while (text.size() < begin + count) {
        const small_decoder::row logits = small_decoder::reference(m.c, m.w, text).back();
        text.push_back(static_cast<token_id>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
    }
    return {text.begin() + static_cast<std::ptrdiff_t>(begin), text.end()};
}

std::string generation_refusal(decoder_stream& stream, const tokens& prompt, generation_options how) {
    try {
        text_generation g(stream, prompt, std::move(how));
    } catch (const error& e) {
        return e.what();
    }
    return "done";
}

constexpr models::cache_form each_form[] = {models::cache_form::inputs, models::cache_form::states};

} // namespace

TEST_CASE("greedy tokens are those of double precision") {
    for (unsigned i = 0; i < 3; ++i) {
        const small_model m(from_environment::seed() + i);
        const tokens prompt = some_prompt(from_environment::seed() + i);
        const tokens wanted = reference_greedy(m, prompt, 24);
        for (const models::cache_form caches : each_form) {
            decoder d = m.open({.context = 40, .chunk = 8, .rows = 1, .caches = caches});
            CHECK(same_but_for_ties(m, prompt, generated(d, prompt, {.max_tokens = 24}), wanted));
        }
    }
}

TEST_CASE("drafts of any quality change no token") {
    std::int64_t accepted = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned seed = from_environment::seed() + i;
        const small_model m(seed);
        const small_model other(seed + 1000);
        const tokens prompt = some_prompt(seed);
        for (const models::cache_form caches : each_form) {
            decoder d = m.open({.context = 48, .chunk = 8, .rows = 4, .caches = caches});
            decoder smaller = m.open({.context = 30, .chunk = 8, .rows = 1}); // of the same tokens, until it is full
            decoder worse = other.open({.context = 48, .chunk = 8, .rows = 1});
            decoder_stream small_stream = smaller.open();
            decoder_stream worse_stream = worse.open();
            std::mt19937 random(seed);
            const draft_source any = [&](std::span<const token_id>, std::int64_t most) {
                tokens drawn;
                for (std::int64_t k = 0; k < most + 2; ++k) { // more than asked for, and some that are no tokens
                    drawn.push_back(static_cast<token_id>(random() % 63));
                }
                return drawn;
            };
            for (const sampling_options& how :
                 {sampling_options{}, sampling_options{.repetition_penalty = 1.3},
                  sampling_options{.temperature = 0.8, .top_k = 20, .top_p = 0.9, .seed = seed}}) {
                const tokens plain = generated(d, prompt, {.max_tokens = 36, .how = how});
                CHECK(plain.size() == 36);
                for (const draft_source& drafts : {drafts_of_text(), drafts_of_model(small_stream),
                                                   drafts_of_model(worse_stream), draft_source(any)}) {
                    decoder_stream stream = d.open();
                    text_generation g(stream, prompt, {.max_tokens = 36, .how = how, .drafts = drafts});
                    const tokens found = all_of(g);
                    CHECK(g.figures().tokens == 36);
                    CHECK(g.figures().accepted <= g.figures().proposed);
                    CHECK(g.figures().steps + g.figures().accepted == 35);
                    accepted += g.figures().accepted;
                    if (caches ==
                        models::cache_form::states) { // keys stand where they do without drafts: the same bits
                        CHECK(found == plain);
                    } else if (how.temperature == 0 && how.repetition_penalty == 1) {
                        CHECK(same_but_for_ties(m, prompt, found, plain));
                    }
                }
            }
        }
    }
    CHECK(accepted > 100);
}

TEST_CASE("a draft by the model itself is accepted as a whole") {
    const small_model m(from_environment::seed());
    const tokens prompt = some_prompt(from_environment::seed());
    decoder d = m.open({.context = 64, .chunk = 8, .rows = 4, .caches = models::cache_form::states});
    decoder_stream draft = d.open();
    decoder_stream stream = d.open();
    text_generation g(stream, prompt, {.max_tokens = 41, .drafts = drafts_of_model(draft)});
    CHECK(all_of(g) == generated(d, prompt, {.max_tokens = 41}));
    CHECK(g.figures().steps == 10); // of 4 tokens each, after the first
    CHECK(g.figures().accepted == 30);
}

TEST_CASE("lookup proposes what followed the longest pattern the last time") {
    CHECK(looked_up(tokens{1, 2, 3, 4, 1, 2, 3}, 4) == tokens{4, 1, 2, 3});
    CHECK(looked_up(tokens{1, 2, 3, 4, 1, 2, 3}, 1) == tokens{4});
    CHECK(looked_up(tokens{7, 3, 5, 2, 3, 6, 9, 3}, 2) == tokens{6, 9}); // one token, the last place
    CHECK(looked_up(tokens{1, 2, 9, 5, 2, 8, 1, 2}, 2) == tokens{9, 5}); // two tokens before one
    CHECK(looked_up(tokens{4, 4, 4}, 3) == tokens{4});
    CHECK(looked_up(tokens{1, 2, 3}, 3).empty());
    CHECK(looked_up(tokens{}, 3).empty());
    CHECK(looked_up(tokens{1}, 3).empty());
    CHECK_THROWS_AS(looked_up(tokens{1, 1}, 3, 0), error);
}

TEST_CASE("generations that take turns give what they give alone") {
    const small_model m(from_environment::seed());
    for (const models::cache_form caches : each_form) {
        decoder d = m.open({.context = 32, .chunk = 8, .rows = 1, .caches = caches});
        const tokens prompts[] = {some_prompt(1, 3), some_prompt(2, 9), some_prompt(3, 1)};
        std::vector<decoder_stream> streams;
        std::vector<tokens> together(3);
        for (int i = 0; i < 3; ++i) {
            streams.push_back(d.open());
        }
        std::vector<text_generation> each;
        for (std::size_t i = 0; i < 3; ++i) {
            each.emplace_back(streams[i], prompts[i], generation_options{.max_tokens = 12});
        }
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (std::size_t i = 0; i < 3; ++i) {
                if (const auto token = each[i].next()) {
                    together[i].push_back(*token);
                    goes_on = true;
                }
            }
        }
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(together[i] == generated(d, prompts[i], {.max_tokens = 12}));
        }
    }
}

TEST_CASE("a second prompt that begins like the first text reuses its positions") {
    const small_model m(from_environment::seed());
    decoder d = m.open({.context = 40, .chunk = 8, .rows = 1, .caches = models::cache_form::states});
    decoder_stream stream = d.open();
    const tokens prompt = some_prompt(5, 7);
    text_generation first(stream, prompt, {.max_tokens = 5});
    const tokens answer = all_of(first);
    CHECK(first.figures().reused == 0);
    tokens second = prompt;
    second.insert(second.end(), answer.begin(), answer.end());
    second.push_back(11);
    text_generation g(stream, second, {.max_tokens = 5});
    CHECK(all_of(g) == generated(d, second, {.max_tokens = 5}));
    CHECK(g.figures().reused == 11); // the last of the answer was never fed
    CHECK(g.figures().prompt == 13);
}

TEST_CASE("a generation ends with its tokens, a stop token or the context, and says which") {
    const small_model m(from_environment::seed());
    const tokens prompt = some_prompt(4, 4);
    decoder d = m.open({.context = 10, .chunk = 4, .rows = 4});
    decoder_stream stream = d.open();
    text_generation most(stream, prompt, {.max_tokens = 3});
    CHECK(most.ended() == generation_end::not_yet);
    const tokens all = all_of(most);
    CHECK(all.size() == 3);
    CHECK(most.ended() == generation_end::most_tokens);
    CHECK_FALSE(most.next().has_value());
    CHECK(most.text().size() == 7);

    for (const draft_source& drafts : {draft_source(), drafts_of_text(1)}) {
        text_generation full(stream, prompt, {.max_tokens = 100, .drafts = drafts});
        CHECK(all_of(full).size() == 7); // six find a place, the seventh follows them
        CHECK(full.ended() == generation_end::full_context);
        text_generation stopped(stream, prompt, {.max_tokens = 100, .stop = {all[2], 60}, .drafts = drafts});
        const auto end = std::find(all.begin(), all.end(), all[2]);
        CHECK(all_of(stopped) == tokens(all.begin(), end));
        CHECK(stopped.ended() == generation_end::stop_token);
    }
}

TEST_CASE("what cannot be generated is refused by name") {
    const small_model m(1);
    decoder d = m.open({.context = 4, .chunk = 4, .rows = 1});
    decoder_stream stream = d.open();
    CHECK(generation_refusal(stream, {}, {}) == "argument: tokens: are none, must be one or more");
    CHECK(
        generation_refusal(stream, {1, 2, 3, 4, 5}, {}) ==
        "argument: context: has room for 4 tokens, there are 5: open the decoder with a context of 5 or more, or give "
        "fewer tokens");
    CHECK(generation_refusal(stream, {61}, {}) ==
          "argument: token 0: is 61, must be from 0 to 60, the last of the vocabulary");
    CHECK(generation_refusal(stream, {1}, {.max_tokens = 0}) == "argument: max_tokens: is 0, must be 1 or above");
    CHECK(generation_refusal(stream, {1}, {.stop = {-3}}) ==
          "argument: stop: is -3, must be from 0 to 60, the last token of the vocabulary");
    CHECK(generation_refusal(stream, {1}, {.drafts = drafts_of_text()}) ==
          "argument: drafts: need a decoder whose step takes several tokens at once: rows of 4 or 8 in its options");
    CHECK(generation_refusal(stream, {1}, {.how = {.top_p = 2}}) == "argument: top_p: is 2, must be from 0 to 1");
}

TEST_CASE("a generation that was cancelled goes on where it was") {
    const small_model m(from_environment::seed());
    const tokens prompt = some_prompt(6, 5);
    decoder d = m.open({.context = 32, .chunk = 4, .rows = 1});
    const tokens wanted = generated(d, prompt, {.max_tokens = 9});
    decoder_stream stream = d.open();
    text_generation g(stream, prompt, {.max_tokens = 9});
    tokens found;
    for (int i = 0; i < 4; ++i) {
        found.push_back(g.next().value());
    }
    {
        cancellation wish;
        wish.cancel();
        const cancellable calls(wish);
        CHECK_THROWS_AS(g.next(), cancelled);
    }
    const tokens rest = all_of(g);
    found.insert(found.end(), rest.begin(), rest.end());
    CHECK(found == wanted);
}

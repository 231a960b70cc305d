// The snippets of docs/language_models.md and docs/decoding.md.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/decoder/generation.hpp>
#include <anemone/models/checkpoint.hpp>
#include <anemone/models/decoder_graph.hpp>
#include <anemone/rules/acceptance.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace {

constexpr models::decoder_configuration small_decoder{.layers = 2,
                                                      .width = 64,
                                                      .heads = 4,
                                                      .kept_heads = 2,
                                                      .head_width = 16,
                                                      .inner = 128,
                                                      .vocabulary = 32,
                                                      .positions = 512};
constexpr models::decoder_form one_token{.positions = 1, .capacity = 512};
static_assert(conforms<models::decoder<small_decoder, one_token>, macs>);

ane::read_model model_of_a_token(const std::string& folder) {
    models::checkpoint c = models::read_checkpoint(folder); // configuration, weights, notes, missing, left over
    return models::model_of(std::move(c), {.positions = 1, .capacity = 2048}, folder);
}

std::vector<token_id> continued(const std::string& folder, std::vector<token_id> prompt) {
    const models::checkpoint c = models::read_checkpoint(folder);
    decoder d(c.configuration, c.weights, {.context = 1024, .rows = 8}, backend::cpu{});
    decoder_stream text = d.open();
    text_generation g(text, prompt, {.max_tokens = 64, .how = {.temperature = 0.7}, .drafts = drafts_of_text()});
    while (const auto token = g.next()) {
        prompt.push_back(*token);
    }
    return prompt; // g.figures().tokens_per_second()
}

} // namespace

TEST_CASE("the pages of language models") {
    const std::string folder = ANEMONE_SOURCE_DIR "/tests/c/tiny_llama";
    const ane::read_model token = model_of_a_token(folder);
    CHECK(token.graph.view().find(op::input, "x") >= 0);
    const std::vector<token_id> text = continued(folder, {1, 2, 3});
    CHECK(text.size() == 67);
    CHECK(text == continued(folder, {1, 2, 3}));
}

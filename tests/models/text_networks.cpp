#include <anemone/base/error.hpp>
#include <anemone/model.hpp>
#include <anemone/models/networks/network.hpp>
#include <anemone/models/networks/network_checkpoint.hpp>
#include <anemone/models/networks/text_inputs.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;
using models::image_network;
using models::network_form;
using models::network_part;

namespace {

// Real sizes on all Macs, in both layouts; an image of CLIP in the engine's alone, whose published form begins with windows of
// 32 pixels (R030).
constexpr network_form by_channels{.layout = models::activation_layout::channels};
constexpr network_form image_by_channels{.layout = models::activation_layout::channels, .part = network_part::image};
constexpr network_form text_by_channels{.layout = models::activation_layout::channels, .part = network_part::text};
static_assert(conforms<image_network<models::minilm_l6, by_channels>, macs>);
static_assert(conforms<image_network<models::minilm_l6>, macs>);
static_assert(conforms<image_network<models::clip_b_32, image_by_channels>, macs>);
static_assert(conforms<image_network<models::clip_b_32, text_by_channels>, macs>);
static_assert(!conforms<image_network<models::clip_b_32, network_form{.part = network_part::image}>, target::h13>);

std::int64_t parameters_of(const models::network& n, network_form form) {
    std::int64_t count = 0;
    for (const network_part part : models::parts_of(n)) {
        form.part = part;
        const dynamic_graph made = network_graph(n, form);
        const graph_view g = made;
        for (int i = 0; i < g.size(); ++i) {
            count += g[i].kind == op::weight ? g[i].shape.count() : 0;
        }
    }
    for (const models::host_table& each : models::host_tables_of(n)) {
        count += each.rows * each.width;
    }
    return count;
}

TEST_CASE("networks of texts have as many parameters as is published of them, the host's tables among them") {
    struct published {
        const char* name;
        std::int64_t parameters;
        std::int64_t apart; ///< of a pooler that sentences do not use, and of CLIP's scale of logits
    };
    for (const published& each : {published{"all-MiniLM-L6-v2", 22713216, 384 * 384 + 384},
                                  {"all-MiniLM-L12-v2", 33360000, 384 * 384 + 384},
                                  {"bge-small-en-v1.5", 33360000, 384 * 384 + 384},
                                  {"bge-base-en-v1.5", 109482240, 768 * 768 + 768},
                                  {"bert-base-uncased", 109482240, 0},
                                  {"bert-large-uncased", 335141888, 0},
                                  {"roberta-base", 124645632, 0},
                                  {"distilbert-base-uncased", 66362880, 0},
                                  {"clip-vit-base-patch32", 151277313, 1},
                                  {"clip-vit-base-patch16", 149620737, 1},
                                  {"clip-vit-large-patch14", 427616513, 1}}) {
        CAPTURE(each.name);
        const auto found = models::find_network(each.name);
        REQUIRE(found);
        CHECK(models::source_of(*found) == models::publisher::transformers);
        CHECK(parameters_of(*found, {}) == each.parameters - each.apart);
        CHECK(parameters_of(*found, by_channels) == each.parameters - each.apart);
    }
}

constexpr models::bert_configuration small{
    .vocabulary = 3, .layers = 1, .width = 2, .heads = 1, .inner = 2, .positions = 4, .usual = 3, .first_position = 1};

weight_store tables() {
    weight_store made;
    made.add("embeddings.word_embeddings.weight", {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
    made.add("embeddings.position_embeddings.weight", {5, 2},
             std::vector<float>{9, 9, 0.25F, 0.5F, 0.125F, 0, 9, 9, 9, 9});
    made.add("embeddings.token_type_embeddings.weight", {2, 2}, std::vector<float>{10, 20, 30, 40});
    return models::host_tables_among(small, made);
}

TEST_CASE("a text gives the ports rows of the tables, and what is behind it is padding") {
    const std::int64_t tokens[] = {2, 0};
    const std::int64_t types[] = {0, 1};
    const weight_store all = tables();
    CHECK(all.contains("embeddings_word_embeddings_weight"));
    const models::text_values rows = models::text_inputs(small, all, tokens);
    CHECK(rows.x == std::vector<float>{15.25F, 26.5F, 11.125F, 22, 0, 0});
    CHECK(rows.mark == std::vector<float>{0, 0, -40000});
    const models::text_values turned = models::text_inputs(small, all, tokens, by_channels, types);
    CHECK(turned.x == std::vector<float>{15.25F, 31.125F, 0, 26.5F, 42, 0});
    CHECK(models::text_inputs(small, all, tokens, {.positions = 4}).mark.size() == 4);

    const auto refused = [&](std::vector<std::int64_t> of, std::vector<std::int64_t> kinds, const char* words) {
        CHECK_THROWS_WITH_AS(models::text_inputs(small, all, of, {}, kinds), doctest::Contains(words), error);
    };
    refused({}, {}, "0 tokens");
    refused({0, 0, 0, 0}, {}, "has 4 tokens, a run of this form takes 1 to 3");
    refused({3}, {}, "has the token 3, the network has 0 to 2");
    refused({-1}, {}, "token -1");
    refused({1}, {2}, "token type 2");
    refused({1, 1}, {1}, "2 tokens and 1 token types");
    CHECK_THROWS_WITH_AS(models::text_inputs(models::resnet18, all, tokens), doctest::Contains("takes images"), error);
    CHECK_THROWS_WITH_AS(models::text_inputs(small, {}, tokens), doctest::Contains("embeddings_word_embeddings_weight"),
                         error);
    models::bert_configuration endless = small;
    endless.positions = INT64_MAX;
    CHECK_THROWS_WITH_AS(models::text_inputs(endless, all, tokens), doctest::Contains("from 1 to 65536"), error);
    CHECK_THROWS_WITH_AS(models::host_tables_among(endless, {}), doctest::Contains("from 1 to 65536"), error);
    weight_store other;
    other.add("embeddings.word_embeddings.weight", {2, 2}, std::vector<float>(4));
    CHECK_THROWS_WITH_AS(models::host_tables_among(small, other), doctest::Contains("[3, 2]"), error);
}

TEST_CASE("a text of CLIP says where it ends, once") {
    models::clip_configuration c{
        .text = {.layers = 1, .width = 1, .heads = 1, .inner = 1}, .vocabulary = 3, .positions = 4, .end_token = 2};
    weight_store given;
    given.add("text_model.embeddings.token_embedding.weight", {3, 1}, std::vector<float>{1, 2, 3});
    given.add("text_model.embeddings.position_embedding.weight", {4, 1}, std::vector<float>{0, 10, 20, 30});
    const weight_store all = models::host_tables_among(c, given);
    const std::int64_t tokens[] = {0, 2, 2};
    const models::text_values found = models::text_inputs(c, all, tokens, {.part = network_part::text});
    CHECK(found.x == std::vector<float>{1, 13, 23, 0});
    CHECK(found.mark == std::vector<float>{0, 1, 0, 0});
    CHECK(models::mark_port(*models::text_ports_of(c)) == "end");
    const std::int64_t endless[] = {0, 1};
    CHECK_THROWS_WITH_AS(models::text_inputs(c, all, endless), doctest::Contains("no token 2, which ends it"), error);
}

TEST_CASE("a network of texts that cannot be is refused before anything is multiplied") {
    const auto refused = [](const models::network& n, const network_form& f, const char* words) {
        CHECK_THROWS_WITH_AS(network_graph(n, f), doctest::Contains(words), error);
    };
    models::bert_configuration b = models::bert_base;
    b.heads = 7;
    refused(b, {}, "multiple of the heads");
    b = models::bert_base;
    b.positions = std::int64_t{1} << 40;
    refused(b, {}, "from 1 to 65536");
    b = models::bert_base;
    b.usual = 513;
    refused(b, {}, "as many tokens as there are positions");
    b = models::bert_base;
    b.source = models::publisher::timm;
    refused(b, {}, "names of transformers");
    refused(models::bert_base, {.positions = 513}, "as many tokens as there are positions");
    refused(models::bert_base, {.image = models::image_input::pixels}, "networks of images");
    refused(models::clip_b_32, {}, "choose image or text");
    models::clip_configuration c = models::clip_b_32;
    c.image.layers = 0;
    refused(c, {.part = network_part::image}, "1 to 1000");
    c = models::clip_b_32;
    c.end_token = c.vocabulary;
    refused(c, {.part = network_part::text}, "one of the vocabulary");
}

TEST_CASE("networks of texts of extents of one") {
    models::bert_configuration b{
        .vocabulary = 1, .layers = 1, .width = 1, .heads = 1, .inner = 1, .positions = 1, .usual = 1};
    b.pooling = models::sentence_pooling::mean;
    models::clip_configuration c{.image = {.layers = 1, .width = 1, .heads = 1, .inner = 1},
                                 .text = {.layers = 1, .width = 1, .heads = 1, .inner = 1},
                                 .projected = 1,
                                 .patch = 1,
                                 .channels = 1,
                                 .size = 1,
                                 .vocabulary = 1,
                                 .positions = 1,
                                 .end_token = 0};
    for (network_form f : {network_form{}, by_channels}) {
        const dynamic_graph text = network_graph(b, f);
        CHECK(graph_view(text).outputs.size() == 3);
        for (const network_part part : models::parts_of(c)) {
            f.part = part;
            const dynamic_graph one = network_graph(c, f);
            CHECK(graph_view(one).outputs.size() == 1);
        }
    }
}

} // namespace

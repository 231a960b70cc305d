#include "small_decoders.hpp"
#include <anemone/models/decoder_graph.hpp>
#include <anemone/models/programs.hpp>

#include <doctest/doctest.h>

using namespace ane;
using models::decoder_configuration;
using models::decoder_form;

TEST_CASE("a decoder is cut into programs that hold their layers, and a head whose parts are rows of all Macs") {
    // Qwen3-4B: 36 layers of 2 * 2560 * (2 * 4096 + 2 * 1024 + 3 * 9728) bytes, 0.2 GB: 7 in 1.6 GB; the head, 0.78 GB.
    decoder_configuration qwen = small_decoders::of(models::family::qwen3);
    qwen.layers = 36;
    qwen.width = 2560;
    qwen.heads = 32;
    qwen.kept_heads = 8;
    qwen.head_width = 128;
    qwen.inner = 9728;
    qwen.vocabulary = 151936;
    CHECK(models::layer_bytes(qwen) == 2LL * 2560 * (2 * 4096 + 2 * 1024 + 3 * 9728));
    CHECK(models::head_parts_of(qwen) == 10);
    const auto programs = models::programs_of(qwen);
    REQUIRE(programs.size() == 6);
    std::int64_t next = 0;
    for (std::size_t k = 0; k < programs.size(); ++k) {
        const decoder_form& one = programs[k];
        CHECK(one.first == next);
        next += one.count;
        CHECK(one.count == (k == 5 ? 1 : 7));
        CHECK(one.head == (k == 5)); // beside the layer that is left: 0.98 GB
        CHECK(one.head_parts == 10);
    }
    CHECK(next == 36);
    // Layers and head are one program if that was asked for; else the head is one of its own where it has no room.
    CHECK(models::programs_of(qwen, {}, {}, 36).size() == 1);
    CHECK(models::programs_of(qwen, {}, {}, 6).size() == 7);
    CHECK(models::programs_of(qwen, {}, {}, 6).back().count == 0); // 6 layers and the head are 2 GB

    const decoder_configuration small = small_decoders::llama;
    const auto one = models::programs_of(small, {.positions = 4});
    REQUIRE(one.size() == 1);
    CHECK(one[0] == decoder_form{.positions = 4, .count = 2});

    decoder_configuration many = small;
    many.layers = 30;
    CHECK(models::programs_of(many).size() == 2); // 24 layers at most
    CHECK(models::programs_of(many)[1].first == 24);
    CHECK(models::programs_of(many, {}, {.weight_bytes = 0, .decoder_layers = 0}).size() == 1);
    CHECK(models::programs_of(many, {}, {.weight_bytes = 1}).size() ==
          31); // one layer each, whatever it takes, and the head
}

TEST_CASE("programs are alike whose layers have as many windows in the same order") {
    decoder_configuration gemma = small_decoders::of(models::family::gemma3); // a window but in every second layer
    gemma.layers = 12;
    const auto threes = models::programs_of(gemma, {}, {}, 3);
    REQUIRE(threes.size() == 4);
    CHECK(models::are_alike(gemma, threes[0], threes[2]));
    CHECK_FALSE(models::are_alike(gemma, threes[0], threes[1]));
    CHECK_FALSE(models::are_alike(gemma, threes[1], threes[3])); // which has the head
    // The same graphs: as many nodes, of the same kinds and shapes.
    const dynamic_graph one = models::decoder_graph(gemma, threes[0]);
    const dynamic_graph other = models::decoder_graph(gemma, threes[2]);
    REQUIRE(one.nodes.size() == other.nodes.size());
    for (std::size_t i = 0; i < one.nodes.size(); ++i) {
        CHECK(one.nodes[i].kind == other.nodes[i].kind);
        CHECK(one.nodes[i].shape == other.nodes[i].shape);
    }
}

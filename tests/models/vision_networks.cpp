#include <anemone/anemone.hpp>
#include <anemone/base/error.hpp>
#include <anemone/model.hpp>
#include <anemone/models/networks/network.hpp>
#include <anemone/models/networks/network_checkpoint.hpp>
#include <anemone/weights/random.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

/// Swin transformers, detectors, super-resolution and the networks of Stable Diffusion.
using namespace ane;
using models::activation_layout;
using models::image_network;
using models::network_form;
using models::network_part;

namespace {

// Real sizes on all Macs.
constexpr network_form vision_channels{.layout = activation_layout::channels};
constexpr network_form image_decoder{.layout = activation_layout::channels, .part = network_part::decoder};
static_assert(conforms<image_network<models::swin_t, vision_channels>, macs>);
static_assert(conforms<image_network<models::yolov8n>, macs>);
static_assert(conforms<image_network<models::espcn_x3>, macs>);
static_assert(conforms<image_network<models::stable_diffusion_vae, image_decoder>, macs>);

std::int64_t vision_weights(const graph_view& g) {
    std::int64_t count = 0;
    for (int i = 0; i < g.size(); ++i) {
        count += g[i].kind == op::weight ? g[i].shape.count() : 0;
    }
    return count;
}

/// The parameters that the table of each block has less than the offsets of all pairs of tokens: 13 x 13 and 49 x 49 a head.
std::int64_t pairs_beside_tables(const models::swin_configuration& c) {
    std::int64_t heads = 0;
    for (std::size_t s = 0; s < 4; ++s) {
        heads += c.depths[s] * c.heads[s];
    }
    return heads * (49 * 49 - 13 * 13);
}

TEST_CASE("networks have as many parameters as is published of them") {
    struct published {
        const char* name;
        std::int64_t parameters;
        std::int64_t others; ///< that the graph has less: one a channel of each batch norm
        network_part part = network_part::whole;
    };
    for (const published& each : {published{"swin_t", 28288354, -pairs_beside_tables(models::swin_t)},
                                  {"swin_s", 49606258, -pairs_beside_tables(models::swin_s)},
                                  {"swin_b", 87768224, -pairs_beside_tables(models::swin_b)},
                                  {"yolov8n", 3157200, 5296},
                                  {"yolov8s", 11166560, 10016},
                                  {"yolov8m", 25902640, 16560},
                                  {"yolov8l", 43691520, 23232},
                                  {"yolov8x", 68229648, 29040},
                                  {"espcn_x3", 22729, 0},
                                  {"sd15_unet", 859520964, 0},
                                  {"sd15_vae", 49490199, 0, network_part::decoder},
                                  {"sd15_vae", 83653863 - 49490199, 0, network_part::encoder}}) {
        CAPTURE(each.name);
        const auto found = models::find_network(each.name);
        REQUIRE(found);
        for (const activation_layout layout : {activation_layout::rows, activation_layout::channels}) {
            CHECK(vision_weights(network_graph(*found, {.layout = layout, .part = each.part})) ==
                  each.parameters - each.others);
        }
    }
    CHECK(vision_weights(network_graph(models::yolov8n, {.decodes_boxes = false})) == 3157200 - 5296 - 16);
}

TEST_CASE("which Macs take what is too large for a constant") {
    const auto accepted = [](const models::network& n, const network_form& f) {
        return accepting_targets(network_graph(n, f), macs) == macs;
    };
    CHECK(accepted(models::swin_t, {}));
    CHECK(accepted(models::stable_diffusion_unet, {}));
    CHECK(accepted(models::stable_diffusion_unet, vision_channels));
    CHECK(!accepted(models::stable_diffusion_vae, {.part = network_part::decoder})); // norms of 512 x 512 (R027)
}

TEST_CASE("a U-Net in three parts computes what it computes as one, bit by bit") {
    const models::unet_configuration c{.widths = {8, 16, 16, 16},
                                       .heads = {2, 2, 2, 2},
                                       .blocks = 1,
                                       .context_width = 12,
                                       .positions = 5,
                                       .groups = 4,
                                       .size = 16};
    const dynamic_graph whole = network_graph(c);
    const weight_store weights = random_weights(whole, 3);
    std::map<std::string, std::vector<half>> values; // by the names of ports
    std::mt19937 random(5);
    const auto run = [&](const graph_view& g) {
        std::vector<std::span<const std::byte>> inputs;
        std::vector<std::vector<half>> made;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                std::vector<half>& value = values[std::string(g.name(i))];
                if (value.empty()) {
                    for (std::int64_t k = 0; k < g[i].shape.count(); ++k) {
                        value.emplace_back(std::uniform_real_distribution<float>(-1, 1)(random));
                    }
                }
                REQUIRE(value.size() == static_cast<std::size_t>(g[i].shape.count()));
                inputs.push_back(std::as_bytes(std::span(value)));
            }
        }
        std::vector<std::span<std::byte>> outputs;
        for (const output_port& each : g.outputs) {
            made.emplace_back(static_cast<std::size_t>(g[each.node].shape.count()));
        }
        for (std::vector<half>& each : made) {
            outputs.push_back(std::as_writable_bytes(std::span(each)));
        }
        compile(g, backend::cpu{}, weights_for(g, weights)).run(inputs, outputs);
        for (std::size_t i = 0; i < made.size(); ++i) {
            values[std::string(g.text(g.outputs[i].name))] = made[i];
        }
    };
    run(whole);
    const std::vector<half> wanted = values.at("noise");
    for (const network_part part : {network_part::down, network_part::middle, network_part::up}) {
        run(network_graph(c, {.part = part}));
    }
    CHECK(std::memcmp(values.at("noise").data(), wanted.data(), wanted.size() * sizeof(half)) == 0);
    CHECK(vision_weights(network_graph(c, {.part = network_part::middle})) < vision_weights(whole) / 2);
    CHECK_THROWS_WITH_AS(network_graph(c, {.part = network_part::decoder}), doctest::Contains("no such part"), error);
}

TEST_CASE("a detector gives boxes of all places, or what they are computed from") {
    const auto shape_of_output = [](const graph_view& g, int i) {
        return g[g.outputs[static_cast<std::size_t>(i)].node].shape;
    };
    models::yolo_configuration c = models::yolov8n;
    c.size = 96;
    c.classes = 3;
    const dynamic_graph decoded = network_graph(c);
    CHECK(shape_of_output(decoded, 0) == extents{1, 7, 144 + 36 + 9});
    const dynamic_graph raw = network_graph(c, {.decodes_boxes = false});
    REQUIRE(graph_view(raw).outputs.size() == 3);
    CHECK(shape_of_output(raw, 1) == extents{1, 67, 6, 6});
    weight_store tensors;
    tensors.add("model.22.cv3.0.2.bias", {5}, std::vector<float>(5));
    const read_model of_five = models::network_model(models::yolov8n, tensors, "tensors", {.allows_missing = true});
    CHECK(shape_of_output(of_five.graph, 0) == extents{1, 9, 8400});
}

TEST_CASE("of a frame the shorter side is resized, and the middle taken") {
    const network_form f{.image = models::image_input::pixels, .frame_height = 1080, .frame_width = 1920};
    const dynamic_graph made = network_graph(models::resnet18, f);
    const graph_view g = made;
    int resized = -1;
    int cut = -1;
    for (int i = 0; i < g.size(); ++i) {
        resized = g[i].kind == op::resize ? i : resized;
        cut = g[i].kind == op::slice ? i : cut;
    }
    REQUIRE(resized >= 0);
    REQUIRE(cut >= 0);
    CHECK(g[resized].shape == extents{1, 3, 224, 398}); // 224 * 1920 / 1080 = 398.2
    CHECK(g[cut].get<window>().begin == indices{0, 0, 0, 87});
    CHECK(accepting_targets(g, macs) == macs);
    network_form normalized = f;
    normalized.image = models::image_input::normalized;
    CHECK_THROWS_WITH_AS(network_graph(models::resnet18, normalized), doctest::Contains("not normalized"), error);
    network_form long_one = f;
    long_one.frame_height = 8;
    CHECK_THROWS_WITH_AS(network_graph(models::resnet18, long_one), doctest::Contains("longer side"), error);
    long_one.frame_height = -1;
    CHECK_THROWS_WITH_AS(network_graph(models::resnet18, long_one), doctest::Contains("1 to 16384"), error);
}

TEST_CASE("the table of relative positions, by hand for a window of two") {
    // Tokens (0, 0), (0, 1), (1, 0), (1, 1); rows of the table are offsets (-1, -1), (-1, 0), (-1, 1), (0, -1), ...
    constexpr std::array<std::array<std::int64_t, 4>, 4> wanted{
        {{4, 3, 1, 0}, {5, 4, 2, 1}, {7, 6, 4, 3}, {8, 7, 5, 4}}};
    for (std::int64_t of = 0; of < 4; ++of) {
        for (std::int64_t to = 0; to < 4; ++to) {
            CHECK(models::relative_position(2, of, to) ==
                  wanted[static_cast<std::size_t>(of)][static_cast<std::size_t>(to)]);
        }
    }
}

TEST_CASE("a network that cannot be is refused before anything is multiplied") {
    const auto refused = [](const models::network& n, const char* words, const network_form& f = {}) {
        CHECK_THROWS_WITH_AS(network_graph(n, f), doctest::Contains(words), error);
    };
    models::swin_configuration s;
    s.size = 232;
    refused(s, "8 patches times the window");
    s = {};
    s.heads[1] = 5;
    refused(s, "multiple of its heads");
    s = {};
    s.width = std::int64_t{1} << 40;
    refused(s, "1 to 8192 channels");
    models::yolo_configuration y;
    y.size = 650;
    refused(y, "steps of 32");
    y = {};
    y.widths[2] = 63;
    refused(y, "even number");
    models::espcn_configuration e;
    e.scale = 1;
    refused(e, "2 to 8 times");
    models::autoencoder_configuration a;
    refused(a, "choose the part");
    a.widths[0] = 100;
    refused(a, "multiple of the groups", image_decoder);
    models::unet_configuration u;
    u.heads[0] = 7;
    refused(u, "multiple of them");
    refused(models::unet_configuration{}, "as many tokens", {.positions = 78});
}

} // namespace

#include <anemone/base/error.hpp>
#include <anemone/model.hpp>
#include <anemone/models/networks/network.hpp>
#include <anemone/models/networks/network_checkpoint.hpp>
#include <anemone/models/networks/network_configuration.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace ane;
using models::activation_layout;
using models::image_network;
using models::network_form;

namespace {

// Real sizes on all Macs. The published form of a vision transformer begins with windows of 16 pixels, which no chip takes
// (R030); the engine's has them as a product.
constexpr network_form engine_layout{.layout = activation_layout::channels};
static_assert(conforms<image_network<models::resnet50>, macs>);
static_assert(conforms<image_network<models::mobilenet_v2>, macs>);
static_assert(conforms<image_network<models::convnext_tiny>, macs>);
static_assert(conforms<image_network<models::vit_b_16, engine_layout>, macs>);
// A camera's bytes go in, which the graph normalizes.
constexpr network_form camera{.layout = activation_layout::channels, .image = models::image_input::pixels};
static_assert(conforms<image_network<models::resnet18, camera>, macs>);
static_assert(conforms<image_network<models::vit_b_16, camera>, macs>);
static_assert(!conforms<image_network<models::vit_b_16>, target::h13>);

std::int64_t weights_of_graph(const graph_view& g) {
    std::int64_t count = 0;
    for (int i = 0; i < g.size(); ++i) {
        count += g[i].kind == op::weight ? g[i].shape.count() : 0;
    }
    return count;
}

TEST_CASE("image networks have as many parameters as torchvision says of them, less one a channel of each batch norm") {
    struct published {
        const char* name;
        std::int64_t parameters;
        std::int64_t norms; ///< channels of all batch norms
    };
    for (const published& each : {published{"resnet18", 11689512, 4800},
                                  {"resnet34", 21797672, 8512},
                                  {"resnet50", 25557032, 26560},
                                  {"resnet101", 44549160, 52672},
                                  {"resnet152", 60192808, 75712},
                                  {"mobilenet_v2", 3504872, 17056},
                                  {"mobilenet_v3_large", 5483032, 12200},
                                  {"mobilenet_v3_small", 2542856, 6056},
                                  {"efficientnet_b0", 5288548, 21008},
                                  {"convnext_tiny", 28589128, 0},
                                  {"convnext_small", 50223688, 0},
                                  {"convnext_base", 88591464, 0},
                                  {"vit_b_16", 86567656, 0},
                                  {"vit_b_32", 88224232, 0},
                                  {"vit_l_16", 304326632, 0}}) {
        CAPTURE(each.name);
        const auto found = models::find_network(each.name);
        REQUIRE(found);
        CHECK(weights_of_graph(network_graph(*found)) == each.parameters - each.norms);
        CHECK(weights_of_graph(network_graph(*found, engine_layout)) == each.parameters - each.norms);
    }
    CHECK(!models::find_network("resnet19"));
    CHECK(!models::find_network("mobilenetv2_100", models::publisher::torchvision));
}

TEST_CASE("a batch norm goes into the convolution before it, in double precision") {
    models::resnet_configuration c{
        .depths = {1, 1, 1, 1}, .widths = {2, 2, 2, 2}, .stem = 2, .channels = 1, .size = 32, .classes = 2};
    const dynamic_graph made = network_graph(models::network(c));
    const graph_view g = made;
    weight_store tensors;
    const auto add = [&](const std::string& name, const extents& shape, float value) {
        tensors.add(name, shape, std::vector<float>(static_cast<std::size_t>(shape.count()), value));
    };
    // The stem: 2 (w x - 3) / sqrt(variance + 1e-5) + 5, of a variance that fp16 does not hold.
    add("conv1.weight", {2, 1, 7, 7}, 1000);
    add("bn1.weight", {2}, 2);
    add("bn1.bias", {2}, 5);
    add("bn1.running_mean", {2}, 3);
    add("bn1.running_var", {2}, 1e7F);
    add("bn1.num_batches_tracked", {}, 1);
    read_model found = models::network_model(models::network(c), tensors, "tensors", {.allows_missing = true});
    const double scale = 2 / std::sqrt(1e7 + 1e-5);
    CHECK(to_float(found.weights.at("conv1_weight"))[17] == doctest::Approx(1000 * scale).epsilon(1e-6));
    CHECK(to_float(found.weights.at("bn1_bias"))[1] == doctest::Approx(5 - 3 * scale).epsilon(1e-6));
    CHECK(found.weights.size() == 2);
    int weights = 0;
    for (int i = 0; i < g.size(); ++i) {
        weights += g[i].kind == op::weight ? 1 : 0;
    }
    CHECK(static_cast<int>(found.missing.size()) == weights - 2);
    CHECK_THROWS_WITH_AS(models::network_model(models::network(c), tensors), doctest::Contains("layer1_0_conv1_weight"),
                         error);
}

TEST_CASE("a network that cannot be is refused before anything is multiplied") {
    const auto refused = [](const models::network& n, const char* words) {
        CHECK_THROWS_WITH_AS(network_graph(n), doctest::Contains(words), error);
    };
    models::resnet_configuration r = models::resnet18;
    r.depths[2] = std::int64_t{1} << 40;
    refused(r, "1 to 256 blocks");
    r = models::resnet50;
    r.widths[1] = 510;
    refused(r, "multiple of 4");
    r = models::resnet18;
    r.size = 0;
    refused(r, "1 to 16384 pixels");
    models::convnext_configuration x = models::convnext_tiny;
    x.size = 31;
    refused(x, "at least 8 patches");
    models::vision_transformer_configuration v = models::vit_b_16;
    v.heads = 7;
    refused(v, "multiple of the heads");
    v = models::vit_b_16;
    v.layers = -1;
    refused(v, "1 to 1000");
    r = models::resnet18;
    r.channels = 4;
    CHECK_THROWS_WITH_AS(network_graph(r, camera), doctest::Contains("1 or 3 channels"), error);
    network_form flat = camera;
    flat.pixels.deviation[1] = 0;
    CHECK_THROWS_WITH_AS(network_graph(models::resnet18, flat), doctest::Contains("above 0"), error);
    CHECK_THROWS_WITH_AS(
        models::read_pixel_statistics(R"({"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0, 0.5]})", "p.json"),
        doctest::Contains("0.001"), error);
    CHECK(!models::read_pixel_statistics("{}", "p.json"));
    refused(models::mobile_configuration{.source = models::publisher::transformers}, "torchvision and timm");
}

TEST_CASE("extents of one") {
    models::resnet_configuration r{
        .depths = {1, 1, 1, 1}, .widths = {1, 1, 1, 1}, .stem = 1, .channels = 1, .size = 1, .classes = 1};
    const dynamic_graph made = network_graph(r);
    CHECK(graph_view(made).outputs.size() == 1);
    models::vision_transformer_configuration v{
        .layers = 1, .width = 1, .heads = 1, .inner = 1, .patch = 1, .channels = 1, .size = 1, .classes = 1};
    for (const network_form& f : {network_form{}, engine_layout}) {
        const dynamic_graph one = network_graph(v, f);
        CHECK(graph_view(one).outputs.size() == 1);
    }
}

} // namespace

/// Published image networks as constants of the program: their checks for every Mac, what another form saves, and a small one of
/// our own in the arithmetic of two chips (docs/image_networks.md). Weights are random; a folder's come from `models::read_network`.
#include <anemone/anemone.hpp>
#include <anemone/models/networks/network.hpp>
#include <anemone/weights/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace ane::literals;
using namespace ane::models;

constexpr network_form for_engine{.layout = activation_layout::channels};
static_assert(ane::conforms<image_network<resnet50>, ane::macs>);
static_assert(ane::conforms<image_network<vit_b_16, for_engine>, ane::macs>);
static_assert(!ane::conforms<image_network<vit_b_16>, ane::target::h13>); // begins with windows of 16 pixels

constexpr resnet_configuration small{
    .depths = {1, 1, 1, 1}, .widths = {16, 24, 32, 48}, .stem = 16, .size = 32, .classes = 10};
constexpr const auto& classifier = image_network<small>;
static_assert(ane::conforms<classifier, ane::macs>);

int main() {
    const ane::weight_store weights = ane::random_weights(classifier, 7);
    ane::ndarray<ane::shape<1, 3, 32, 32>> image;
    for (int c = 0; c < 3; ++c) {
        for (int y = 0; y < 32; ++y) {
            for (int x = 0; x < 32; ++x) {
                image(0, c, y, x) = ane::half(std::sin(0.2F * static_cast<float>(x * (c + 1) + 2 * y)));
            }
        }
    }
    auto on_cpu = ane::compile<classifier>(ane::backend::cpu{}, weights);
    auto on_m1 = ane::compile<classifier>(ane::backend::oracle{ane::target::h13}, weights);
    const auto here = on_cpu({"image"_s = image})["logits"_s];
    const auto there = on_m1({"image"_s = image})["logits"_s];
    double largest = 0;
    double difference = 0;
    for (int i = 0; i < 10; ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(here(0, i))));
        difference = std::max(difference, std::abs(static_cast<double>(here(0, i)) - static_cast<double>(there(0, i))));
    }
    const auto seconds = [](const ane::graph_view& g) {
        return ane::estimate(ane::lower(g).graph, ane::target::h17s).seconds.value_or(0);
    };
    const double rows = seconds(image_network<vit_b_16>);
    const double channels = seconds(image_network<vit_b_16, for_engine>);
    fmt::print(
        "{} operations; M1's arithmetic is within {:.1f} % of the CPU's logits; vit_b_16 on M5 Pro: {:.2f} times as "
        "fast in the engine's layout\n",
        classifier.nodes.size(), 100 * difference / largest, rows / channels);
    return difference < 0.05 * largest ? 0 : 1;
}

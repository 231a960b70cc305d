/// Which pixels a network looks at: the gradient of a class's score by the image, in the same program as the score. The weights
/// are those of the digit reader.
#include <anemone/anemone.hpp>
#include <anemone/gradient/gradient.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace ane::literals;

/// The digit reader up to its logits; `chosen` has a 1 for the class that is asked for.
constexpr auto model = ane::graph([](auto& g) {
    constexpr ane::conv padded{.padding = ane::same};
    constexpr ane::pool halved{.kernel = 2, .stride = 2};
    auto x = g.input("image"_s, ane::f16<1, 1, 28, 28>, ane::within(0, 1));
    auto chosen = g.input("chosen"_s, ane::f16<1, 10>, ane::within(0, 1));
    auto a = ane::max_pool<halved>(relu(ane::conv2d<padded>(x, g.weight("conv1.weight"_s, ane::f16<16, 1, 3, 3>),
                                                            g.weight("conv1.bias"_s, ane::f16<16>))));
    auto b = ane::max_pool<halved>(relu(ane::conv2d<padded>(a, g.weight("conv2.weight"_s, ane::f16<32, 16, 3, 3>),
                                                            g.weight("conv2.bias"_s, ane::f16<32>))));
    auto c =
        relu(linear(flatten(b), g.weight("fc1.weight"_s, ane::f16<64, 1568>), g.weight("fc1.bias"_s, ane::f16<64>)));
    auto logits = linear(c, g.weight("fc2.weight"_s, ane::f16<10, 64>), g.weight("fc2.bias"_s, ane::f16<10>));
    auto score = ane::reduce_sum<ane::axes{0, 1}>(logits * chosen);
    auto [saliency] = gradient(score, x);
    g.output("score"_s, score);
    g.output("saliency"_s, saliency);
});

int main() {
    const ane::weight_store weights = ane::load_safetensors(ANEMONE_EXAMPLE_DATA "/../digits/digits.safetensors");
    auto program = ane::compile<model>(ane::backend::cpu{}, weights);
    ane::ndarray<ane::shape<1, 1, 28, 28>> image; // a 7: a bar above, and one that leans
    for (int y = 0; y < 28; ++y) {
        for (int x = 0; x < 28; ++x) {
            const bool above = y >= 5 && y < 8 && x >= 8 && x < 20;
            const bool leaning = y >= 5 && y < 23 && std::abs(x - (19 - 0.5 * (y - 5))) < 1.6;
            image(0, 0, y, x) = ane::half(above || leaning ? 1.0 : 0.0);
        }
    }
    ane::ndarray<ane::shape<1, 10>> seven;
    seven(0, 7) = ane::half(1);
    const auto before = program({"image"_s = image, "chosen"_s = seven});
    const auto saliency = before["saliency"_s];
    float most = 0;
    for (const ane::half each : saliency) {
        most = std::max(most, std::abs(static_cast<float>(each)));
    }
    for (int y = 0; y < 28; ++y) { // + where ink speaks for a 7, - where it speaks against
        std::string line;
        for (int x = 0; x < 28; ++x) {
            const float value = saliency(0, 0, y, x) / most;
            line += std::abs(value) < 0.25F ? (image(0, 0, y, x) > ane::half(0.5) ? '.' : ' ') : value > 0 ? '+' : '-';
        }
        fmt::print("  {}\n", line);
    }
    // A small step along the gradient raises the score by its squared length times the step.
    double predicted = 0;
    constexpr double step = 0.01;
    for (std::size_t i = 0; i < image.size; ++i) {
        const double slope = static_cast<double>(saliency[i]);
        const double moved = std::clamp(static_cast<double>(image[i]) + step * slope, 0.0, 1.0);
        predicted += slope * (moved - static_cast<double>(image[i]));
        image[i] = ane::half(moved);
    }
    const auto after = program({"image"_s = image, "chosen"_s = seven});
    const double rise = static_cast<double>(after["score"_s][0]) - static_cast<double>(before["score"_s][0]);
    fmt::print("the score of a 7 rises by {:.3f}, by the gradient {:.3f}\n", rise, predicted);
    return rise > 0 && std::abs(rise - predicted) < 0.5 * predicted + 0.1 ? 0 : 1;
}

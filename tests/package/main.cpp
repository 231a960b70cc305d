#include <anemone/anemone.hpp>

#include <cstdio>

using namespace ane;

// A model is a function over typed tensors. The compiler runs it, and checks it for the chip.
constexpr auto classifier = graph([](auto& g) {
    auto image = g.input("image"_s, f16<1, 1, 8, 8>, within(0, 1));
    auto edges = relu(conv2d<conv{.padding = same}>(image, g.weight("edges"_s, f16<4, 1, 3, 3>, bounded(1))));
    auto small = max_pool<pool{.kernel = 2, .stride = 2}>(edges);
    auto scores = linear(flatten(small), g.weight("scores"_s, f16<3, 64>, bounded(0.5)));
    g.output("probabilities"_s, softmax<axis{-1}>(scores));
});
static_assert(conforms<classifier, h13>);  // it compiles on the M1,
static_assert(conforms<classifier, macs>); // and on every Mac since

int main() {
    std::vector<float> edges(36), scores(192); // or load_safetensors("classifier.safetensors")
    for (std::size_t i = 0; i < edges.size(); ++i)
        edges[i] = 0.1F * static_cast<float>(i % 5) - 0.2F;
    for (std::size_t i = 0; i < scores.size(); ++i)
        scores[i] = 0.05F * static_cast<float>(i % 7) - 0.15F;
    weight_store weights;
    weights.add("edges", {4, 1, 3, 3}, std::span<const float>(edges));
    weights.add("scores", {3, 64}, std::span<const float>(scores));

    auto cpu = compile<classifier>(backend::cpu{}, weights);          // fast, anywhere
    auto oracle = compile<classifier>(backend::oracle{h13}, weights); // the M1's own arithmetic, anywhere

    ndarray<shape<1, 1, 8, 8>> image;
    for (std::size_t i = 0; i < image.size; ++i)
        image[i] = half(static_cast<double>(i % 8) / 8);
    const auto fast = cpu({"image"_s = image}); // a wrong name, shape or type does not compile
    const auto exact = oracle({"image"_s = image});
    for (std::size_t i = 0; i < 3; ++i) {
        std::printf("class %zu: cpu %.5f, M1 %.5f\n", i, static_cast<double>(fast["probabilities"_s][i]),
                    static_cast<double>(exact["probabilities"_s][i]));
    }
}

// The short list of headers for a model on one backend.
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto perceptron = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64>, within(-1, 1));
    auto h = relu(linear(x, g.weight("hidden", f16<128, 64>), g.weight("hidden_bias", f16<128>)));
    g.output("y"_s, linear(h, g.weight("out", f16<10, 128>), g.weight("out_bias", f16<10>)));
});
static_assert(conforms<perceptron, macs>);

int main() {
    weight_store weights;
    const auto add = [&weights](const char* name, const extents& shape) {
        const std::vector<float> values(static_cast<std::size_t>(shape.count()), 0.01F);
        weights.add(name, shape, std::span<const float>(values));
    };
    add("hidden", {128, 64});
    add("hidden_bias", {128});
    add("out", {10, 128});
    add("out_bias", {10});
    auto program = compile<perceptron>(backend::cpu{}, weights);
    const ndarray<shape<1, 64>> x;
    return program({"x"_s = x})["y"_s].argmax() == 0 ? 0 : 1;
}

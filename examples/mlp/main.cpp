/// A network with one hidden layer whose weights are computed here, saved to a safetensors file, and loaded again.
///
/// Its hidden units bend at 0, 1/16, 2/16, ...; their sum is the polyline through the points (k/16, (k/16)^2). So the
/// right answer is known: x^2, with an error of at most 1/1024 between two knots, and the rounding of fp16.
#include <anemone/anemone.hpp>
#include <anemone/fmt.hpp>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <vector>

using namespace ane::literals;

constexpr int knots = 16;
constexpr int samples = 65;

// Every input and weight says what values it may have. The compiler derives from this that no sum can overflow.
constexpr auto square = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<samples, 1>, ane::within(0, 1));
    auto hidden = relu(linear(x, g.weight("hidden.weight"_s, ane::f16<knots, 1>, ane::bounded(1)),
                              g.weight("hidden.bias"_s, ane::f16<knots>, ane::within(-1, 0))));
    g.output("y"_s, linear(hidden, g.weight("output.weight"_s, ane::f16<1, knots>, ane::bounded(0.125))));
});
static_assert(ane::conforms<square, ane::macs>);

/// The weights: each hidden unit is relu(x - k/16), and adds 2/16 to the slope (the first one 1/16).
ane::weight_store make_weights(float last_slope) {
    std::vector<float> ones(knots, 1.0F);
    std::vector<float> bends;
    std::vector<float> slopes;
    for (int k = 0; k < knots; ++k) {
        bends.push_back(-static_cast<float>(k) / knots);
        slopes.push_back(k == 0 ? 1.0F / knots : 2.0F / knots);
    }
    slopes.back() = last_slope;
    ane::weight_store store;
    store.add("hidden.weight", {knots, 1}, ones);
    store.add("hidden.bias", {knots}, bends);
    store.add("output.weight", {1, knots}, slopes);
    return store;
}

int main() {
    const auto file = std::filesystem::temp_directory_path() / "anemone_example_mlp.safetensors";
    ane::save_safetensors(file, make_weights(0.125F));
    auto program = ane::compile<square>(ane::backend::cpu{}, ane::load_safetensors(file));
    std::filesystem::remove(file);

    ane::ndarray<ane::shape<samples, 1>> x;
    for (int i = 0; i < samples; ++i) {
        x(i, 0) = ane::half(static_cast<double>(i) / (samples - 1));
    }
    const auto result = program({"x"_s = x});
    const auto y = result["y"_s];
    double worst = 0;
    for (std::size_t i = 0; i < y.size; ++i) {
        const auto exact = std::pow(static_cast<double>(x[i]), 2);
        worst = std::max(worst, std::fabs(static_cast<double>(y[i]) - exact));
    }
    fmt::print("f(0.25) = {}, f(0.5) = {}, f(1) = {}\n", y(16, 0), y(32, 0), y(64, 0));
    fmt::print("largest distance to x^2: {:.6f} (the polyline's own: {:.6f})\n", worst, 1.0 / 1024);

    // A weight that breaks its promise is refused before anything runs, with the element, the value and the bound.
    bool refused = false;
    try {
        ane::compile<square>(ane::backend::cpu{}, make_weights(3.0F));
    } catch (const ane::error& e) {
        refused = true;
        fmt::print("refused: {}\n", e.what());
    }
    return refused && worst <= 1.0 / 1024 + 0x1p-11 ? 0 : 1;
}

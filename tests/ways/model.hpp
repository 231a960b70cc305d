#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/print.hpp>

#include <vector>

/// What both ways of use compute: the graph is the same type in either.
inline constexpr auto shared_model = ane::graph([](auto& g) {
    using namespace ane;
    auto x = g.input("x"_s, f16<1, 4, 8, 8>);
    auto y = conv2d<conv{.padding = same}>(x, g.weight("w"_s, f16<4, 4, 3, 3>));
    auto line = cumsum(g.constant(f16<8>, 1)); // constants that are computed when the model is compiled
    auto mask = tile<repeats{1, 4, 1, 1}>(to_f16(greater(reshape<1, 1, 1, 8>(line), reshape<1, 1, 8, 1>(line))));
    y = y + mask;
    g.output("y"_s, softmax<ane::axis{1}>(
                        layer_norm<ane::axis{-1}>(gelu(y), g.weight("gain", f16<8>), g.weight("bias", f16<8>))));
});

/// The bits of both backends, and the text of the graph.
struct outcome {
    std::vector<std::uint16_t> cpu;
    std::vector<std::uint16_t> oracle;
    std::string text;

    friend bool operator==(const outcome&, const outcome&) = default;
};

namespace {

inline outcome run_shared_model() {
    using namespace ane;
    weight_store weights;
    const auto add = [&weights](const char* name, const extents& shape) {
        std::vector<float> values(static_cast<std::size_t>(shape.count()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = 0.125F * static_cast<float>(i % 7) - 0.25F;
        }
        weights.add(name, shape, std::span<const float>(values));
    };
    add("w", {4, 4, 3, 3});
    add("gain", {8});
    add("bias", {8});
    ndarray<shape<1, 4, 8, 8>> x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = half(static_cast<double>(i % 11) / 8);
    }
    const auto bits = [](const auto& y) {
        std::vector<std::uint16_t> all;
        for (const half h : y) {
            all.push_back(h.bits);
        }
        return all;
    };
    auto cpu = compile<shared_model>(backend::cpu{}, weights);
    auto oracle = compile<shared_model>(backend::oracle{h13}, weights);
    return {bits(cpu({"x"_s = x})["y"_s]), bits(oracle({"x"_s = x})["y"_s]), print(shared_model)};
}

} // namespace

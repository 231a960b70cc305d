#pragma once

#include <anemone/anemone.hpp>

/// A small convolutional network that reads a digit from a 28 x 28 image. The compiler checks it for every Mac. The
/// declared ranges prove that no sum of the convolutions reaches 32768, where the engine's accumulator ends; the loader
/// holds the weight file to them.
inline constexpr auto digits = ane::graph([](auto& g) {
    using namespace ane;
    auto x = g.input("image"_s, f16<1, 1, 28, 28>, within(0, 1));
    auto a = relu(conv2d<conv{.padding = same}>(x, g.weight("conv1.weight"_s, f16<16, 1, 3, 3>, bounded(0.9)),
                                                g.weight("conv1.bias"_s, f16<16>, bounded(0.9))));
    auto b = max_pool<pool{.kernel = 2, .stride = 2}>(a);
    auto c = relu(conv2d<conv{.padding = same}>(b, g.weight("conv2.weight"_s, f16<32, 16, 3, 3>, bounded(0.9)),
                                                g.weight("conv2.bias"_s, f16<32>, bounded(0.9))));
    auto d = max_pool<pool{.kernel = 2, .stride = 2}>(c);
    auto e = relu(linear(flatten(d), g.weight("fc1.weight"_s, f16<64, 1568>), g.weight("fc1.bias"_s, f16<64>)));
    auto f = linear(e, g.weight("fc2.weight"_s, f16<10, 64>), g.weight("fc2.bias"_s, f16<10>));
    return g.output("probabilities"_s, softmax<axis{-1}>(f));
});

static_assert(ane::conforms<digits, ane::h13>);  // the M1
static_assert(ane::conforms<digits, ane::macs>); // and every Mac since

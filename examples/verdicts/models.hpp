#pragma once

#include <anemone/model.hpp>

#include <array>
#include <string_view>

/// Small models with different fates. None of them is asserted to conform: the program tells which target takes which.
namespace models {

using namespace ane;

/// A small convolutional network. Runs on every Mac.
inline constexpr auto classifier = graph([](auto& g) {
    auto x = g.input("image"_s, f16<1, 16, 32, 32>, within(0, 1));
    auto a = relu(conv2d<conv{.padding = ane::same}>(x, g.weight("conv1.weight", f16<32, 16, 3, 3>, bounded(0.5))));
    auto b = max_pool<pool{.kernel = 2, .stride = 2}>(a);
    auto c = linear(flatten(b), g.weight("fc.weight", f16<16, 32 * 16 * 16>, bounded(0.01)));
    g.output("probabilities"_s, softmax<axis{-1}>(c));
});

/// A stem whose kernel is 14 wide: more than M1, M2 and M3 take.
inline constexpr auto wide_kernel = graph([](auto& g) {
    auto x = g.input("image"_s, f16<1, 16, 32, 48>, within(0, 1));
    auto a = conv2d(x, g.weight("stem.weight", f16<16, 16, 3, 14>, bounded(0.5)));
    g.output("features"_s, gelu(a));
});

/// Takes the middle out of rows whose values are not bounded: M1 and M2 may turn them into infinities.
inline constexpr auto crop = graph([](auto& g) {
    auto x = g.input("rows"_s, f16<1, 8, 16, 64>);
    auto middle = slice<window{{0, 0, 0, 16}, {1, 8, 16, 32}}>(x);
    g.output("middle"_s, middle + middle * 0.5F);
});

/// A signal in rows of 20000 samples: longer than the engine before the M4 can address.
inline constexpr auto long_rows = graph([](auto& g) {
    auto x = g.input("signal"_s, f16<1, 4, 1, 20000>, within(-1, 1));
    g.output("rectified"_s, relu(x - 0.125F));
});

struct named {
    std::string_view name;
    graph_view model;
    std::string_view about;
};

inline const std::array all{
    named{"classifier", classifier, "a small convolutional network"},
    named{"wide_kernel", wide_kernel, "a convolution with a kernel 14 wide"},
    named{"crop", crop, "a slice that begins inside the width"},
    named{"long_rows", long_rows, "rows of 20000 elements"},
};

} // namespace models

#pragma once

#include <anemone/anemone.hpp>

using namespace ane;

constexpr auto edges = graph([](auto& g) {
    auto image = g.input("image"_s, f16<1, 1, 4, 4>, within(0, 1));
    auto kernel = g.weight("kernel", f16<2, 1, 3, 3>, bounded(1));
    auto bias = g.weight("bias", f16<2>, bounded(1));
    exp(image); // no output reads this
    g.output("edges"_s, relu(conv2d<conv{.padding = same}>(image, kernel, bias)));
});
static_assert(conforms<edges, h13>);

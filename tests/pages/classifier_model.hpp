#pragma once

#include <anemone/model.hpp>

inline constexpr auto classifier = ane::graph([](const ane::builder& g) {
    using namespace ane::literals;
    auto image = g.input("image"_s, ane::f16<1, 1, 28, 28>, ane::within(0, 1));
    g.output("probabilities"_s, softmax(linear(flatten(image), g.weight("scores"_s, ane::f16<10, 784>))));
});

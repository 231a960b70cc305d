#pragma once

#include <anemone/anemone.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The network of examples/digits, and its images and shifted ones: it was trained with shifts of 2.5 pixels.
namespace digit_data {

inline constexpr auto network = ane::graph([](auto& g) {
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

struct labelled {
    std::vector<ane::half> pixels;
    std::size_t digit = 0;
};

/// Every image whose number divided by three leaves one of `kinds` (0: of a font seen in training; 1 and 2: harder ones of
/// fonts that were not), shifted by up to `reach` pixels along each axis: of these shifts every `step`-th from `first` on.
inline std::vector<labelled> shifted(const ane::weight_store& file, const std::vector<std::size_t>& kinds, int reach,
                                     std::size_t first = 0, std::size_t step = 1) {
    const std::vector<float> grey = ane::to_float(file.at("images"));
    const std::vector<float> digits = ane::to_float(file.at("labels"));
    std::vector<labelled> all;
    std::size_t number = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (std::find(kinds.begin(), kinds.end(), i % 3) == kinds.end()) {
            continue;
        }
        for (int down = -reach; down <= reach; ++down) {
            for (int across = -reach; across <= reach; ++across) {
                if (number++ % step != first) {
                    continue;
                }
                labelled& made = all.emplace_back();
                made.digit = static_cast<std::size_t>(digits[i]);
                for (int y = 0; y < 28; ++y) {
                    for (int x = 0; x < 28; ++x) {
                        const int from_y = y - down;
                        const int from_x = x - across;
                        const bool inside = from_y >= 0 && from_y < 28 && from_x >= 0 && from_x < 28;
                        const auto at = i * 784 + static_cast<std::size_t>(from_y * 28 + from_x);
                        made.pixels.emplace_back(inside ? static_cast<double>(grey[at]) / 255 : 0.0);
                    }
                }
            }
        }
    }
    return all;
}

} // namespace digit_data

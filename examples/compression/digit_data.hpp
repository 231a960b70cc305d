#pragma once

#include <anemone/anemone.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The images of examples/digits, and shifted ones: a network that was trained with shifts of 2.5 pixels knows them.
namespace digit_data {

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

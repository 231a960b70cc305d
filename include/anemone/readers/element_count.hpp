#pragma once

#include "../base/way.hpp"
#include "../values/checked_integer.hpp"
#include "../values/shape.hpp"

#include <cstdint>

namespace ane::readers::inline ANEMONE_WAY {

/// The elements of a shape that a file declares, or -1 where memory would not hold them. Nor may the extents of a shape
/// without elements multiply to more: steps between elements, and shapes made of several, are reckoned from them.
constexpr std::int64_t element_count(const extents& shape) {
    checked_integer count = 1; // of the extents that are not 0
    bool is_empty = false;
    for (int i = 0; i < shape.rank; ++i) {
        is_empty = is_empty || shape[i] == 0;
        count = count * (shape[i] == 0 ? 1 : shape[i]);
        if (shape[i] < 0 || !count.is_within(0, std::int64_t{1} << 40)) {
            return -1;
        }
    }
    return is_empty ? 0 : count.value();
}

} // namespace ane::readers::inline ANEMONE_WAY

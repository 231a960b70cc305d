#pragma once

#include "../base/way.hpp"
#include "../values/checked_integer.hpp"
#include "../values/shape.hpp"

#include <cstdint>

namespace ane::readers::inline ANEMONE_WAY {

/// The elements of a shape that a file declares, or -1 where memory would not hold them.
constexpr std::int64_t element_count(const extents& shape) {
    checked_integer count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        count = count * shape[i];
        if (shape[i] < 0 || !count.is_within(0, std::int64_t{1} << 40)) {
            return -1;
        }
    }
    return count.value();
}

} // namespace ane::readers::inline ANEMONE_WAY

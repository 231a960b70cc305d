#pragma once

#include "../base/way.hpp"
#include "../values/shape.hpp"

#include <cstdint>

namespace ane::readers::inline ANEMONE_WAY {

/// The elements of a shape that a file declares, or -1 where memory would not hold them.
constexpr std::int64_t element_count(const extents& shape) {
    std::int64_t count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] < 0 || __builtin_mul_overflow(count, shape[i], &count) || count > std::int64_t{1} << 40) {
            return -1;
        }
    }
    return count;
}

} // namespace ane::readers::inline ANEMONE_WAY

#pragma once

#include "ndarray.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ane {

/// A mask for a port of bytes, or of `half`: 1 in `count` elements from the `first` on, in row-major order, and 0 in all others. With
/// `u8<256, 1>` it marks rows of a cache (`write_where`), with `u8<1, 256>` the keys that a query may see. Throws
/// `error` (errc::argument) for elements that the shape does not have.
template <class Shape, class Element = std::uint8_t>
ndarray<Shape, Element> ones_at(std::int64_t first, std::int64_t count = 1) {
    constexpr std::int64_t size = Shape::value.count();
    if (first < 0 || count < 0 || first > size || count > size - first) {
        throw error(errc::argument, "ones_at",
                    std::to_string(count) + " elements from " + std::to_string(first) + " on are not among " +
                        std::to_string(size));
    }
    ndarray<Shape, Element> mask;
    std::fill_n(mask.begin() + first, count, Element(1));
    return mask;
}

} // namespace ane

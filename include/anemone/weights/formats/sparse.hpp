#pragma once

#include "../../base/way.hpp"
#include "packing.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// A mask with one bit for each element, and the elements whose bit is set, in the order of the elements (N133; guide
/// chapter 25). The size is about 1/16 and the share of the kept elements of the dense one.
namespace ane::weight_formats::inline ANEMONE_WAY {

/// The elements that are kept: all but +0. A negative zero is kept, so that nothing is lost.
struct kept_elements {
    std::vector<std::uint8_t> mask; ///< 1 = kept, one entry for each element
    std::vector<half> values;
};

ANEMONE_INLINE kept_elements keep_nonzero(std::span<const half> values) {
    kept_elements result;
    result.mask.reserve(values.size());
    for (const half value : values) {
        result.mask.push_back(value.bits != 0 ? 1 : 0);
        if (value.bits != 0) {
            result.values.push_back(value);
        }
    }
    return result;
}

/// The elements that a mask keeps of the first `count`.
ANEMONE_INLINE std::int64_t kept_count(std::span<const std::byte> mask, std::int64_t count) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        kept += packed_at(mask, i, 1);
    }
    return kept;
}

/// `count` values: those whose bit is set from `kept(position among the kept, element)`, +0 elsewhere.
template <class Number, class Kept>
std::vector<Number> scatter(std::span<const std::byte> mask, std::int64_t count, const Kept& kept) {
    std::vector<Number> result(static_cast<std::size_t>(count));
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (packed_at(mask, i, 1) != 0) {
            result[static_cast<std::size_t>(i)] = kept(next++, i);
        }
    }
    return result;
}

} // namespace ane::weight_formats::inline ANEMONE_WAY

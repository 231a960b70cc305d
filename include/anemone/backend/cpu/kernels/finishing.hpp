#pragma once

#include "../../../base/way.hpp"
#include "../../../values/half.hpp"

#include <cstdint>
#include <limits>

namespace ane::cpu::inline ANEMONE_WAY {

/// What tiles do with finished fp32 sums while these are in registers, where that is no more than this:
/// out[i] = min(high, max(low, sum[i] + added[i])), rounded once. A NaN stays one.
struct finishing {
    half* out = nullptr;         ///< null: the sums go elsewhere
    const half* added = nullptr; ///< or null
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();

    /// The same from an element on.
    finishing from(std::int64_t first) const {
        return {out + first, added == nullptr ? nullptr : added + first, low, high};
    }
};

} // namespace ane::cpu::inline ANEMONE_WAY

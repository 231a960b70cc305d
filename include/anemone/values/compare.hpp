#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "half.hpp"

#include <span>

namespace ane::inline ANEMONE_WAY {

/// How two runs of one model differ. The numbers compare values: +0 equals -0, and all NaNs are equal; where only one
/// is a NaN, `max_abs` is infinite and `max_ulp` 65536. Only `same_bits` compares bits.
struct difference {
    double max_abs = 0; ///< largest |a - b|; infinite for an infinity and anything else
    int max_ulp = 0;    ///< largest number of fp16 values between a and b
    double cosine = 1; ///< a.b / (|a| |b|) over the elements finite in both, never NaN; 1 for two zero vectors, or none
    bool same_bits = true; ///< the bits of every element are equal

    bool identical() const { return same_bits; }
};

/// Compares two tensors with equally many elements. Throws `error` (errc::argument) when the numbers differ.
ANEMONE_API difference compare(std::span<const half> a, std::span<const half> b);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "compare.ipp"
#endif

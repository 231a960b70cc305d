#pragma once

#include "../../base/way.hpp"
#include "kernels/table.hpp"
#include "step.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// What follows the fp32 sums of a layer: the stages that are fused into it, then one rounding into the result.
class epilogue {
public:
    /// Finishes the sums of result elements first <= i < first + count, which are neighbours in a row of the innermost
    /// axis, or in a plane of H and W where the result has four axes. Overwrites the sums.
    ANEMONE_INLINE void store(const kernel_table& table, const operands& o, float* sums, std::int64_t first,
                              std::int64_t count) const {
        table.to_half(sums, o.output() + first, count);
    }
};

} // namespace ane::cpu::inline ANEMONE_WAY

#pragma once

#include "../../../base/way.hpp"
#include "lines.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// out = e^(x - max) / sum e^(x - max) along one axis, fp32 inside, rounded once. Before that rounding a result is within
/// 2^-17.4 of its exact value, relatively, and 2^-23 for each element of the row and each unit by which it lies below the
/// largest. A row that holds NaN or +inf, or -inf only, is all NaN. In place allowed. A workers brings detail::scratch_of_norm of memory; without any, the function
/// allocates it. Throws errc::argument when there is no such axis.
ANEMONE_API void softmax(const kernel_table& table, const half* x, const extents& shape, int axis, half* out,
                         const worker_threads& workers = {});

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "softmax.ipp"
#endif

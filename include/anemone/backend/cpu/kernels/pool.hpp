#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "kernel_table.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

using numerics::pool_shape;

/// max_pool: the largest value of a window; padding never wins, a NaN always does. avg_pool: the fp32 sum of a window
/// over its area within the padded input, or with exclude_padding over the part on the input (ONNX, PyTorch). l2_pool:
/// the square root of the fp32 sum of squares. A window wholly in the padding gives -inf, 0 or NaN (0 / 0), and 0.
/// Throws errc::argument on another operation or extents below one.
ANEMONE_API void pool(const kernel_table& table, op kind, const pool_shape& s, const half* x, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "pool.ipp"
#endif

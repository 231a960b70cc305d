#pragma once

#include "../../../base/way.hpp"
#include "packed_matrix.hpp"

namespace ane::cpu::inline ANEMONE_WAY {

/// out[i, r, c] = bias[c] + sum over t of A[i, r, t] * B[i, t, c]; A is [m, k], or [k, m] with transpose_a; fp32 sums
/// in the order of t, then one rounding. Throws errc::argument when B was packed for another shape or instruction set.
ANEMONE_API void matmul(const kernel_table& table, const matmul_shape& s, const half* a, const packed_matrix& b,
                        const half* bias, half* out);

/// As above with a right operand that is not packed, [k, n], or [n, k] with transpose_b; bias per column, or nullptr.
ANEMONE_API void matmul(const kernel_table& table, const matmul_shape& shape, const half* a, const half* b,
                        const half* bias, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "gemm.ipp"
#endif

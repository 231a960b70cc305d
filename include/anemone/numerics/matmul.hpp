#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "contraction_kernels.hpp"
#include "datapath.hpp"
#include "kernel_shapes.hpp"

namespace ane::numerics::inline ANEMONE_WAY {

/// out[s, i, j] = bias[j] + sum over k of a[s, i, k] * b[s, k, j], every sum by class `accumulator` in the order of k.
/// `bias` may be null. linear is m = rows, transpose_b = true. Evidence: see accumulator.hpp; the order is inferred.
ANEMONE_API void matmul(const datapath& path, const matmul_shape& shape, const half* a, const half* b, const half* bias,
                        half* out, const execution& how = {});

/// The same where all of one operand is ones, as sums of the other one on the reduction path
/// (datapath::products_with_ones). The bias is an addition behind them (inferred: a reduction has no register that it
/// could start).
ANEMONE_API void matmul_with_ones(const datapath& path, const matmul_shape& shape, bool ones_on_the_left,
                                  const half* other, const half* bias, half* out);

} // namespace ane::numerics::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "matmul.ipp"
#endif

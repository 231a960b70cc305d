#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "contraction_kernels.hpp"
#include "datapath.hpp"
#include "kernel_shapes.hpp"

namespace ane::numerics::inline ANEMONE_WAY {

/// Grouped, strided, dilated convolution of x [N, I, H, W] by weight [O, I/g, kH, kW]; bias per output channel or null.
/// One `accumulator` an output; padding contributes nothing. The order of the sum is datapath::order (inferred). One
/// tap over one channel may be a scale instead: datapath::single_tap_scales (N046).
ANEMONE_API void convolution(const datapath& path, const convolution_shape& s, const half* x, const half* weight,
                             const half* bias, half* out, const execution& how = {});

/// Transposed convolution by weight [I, O/g, kH, kW]: out[y] gathers x[(y + pad - k * dilation) / stride] wherever that
/// is whole. Inferred: same register and order as the convolution; the inserted zeros contribute nothing.
ANEMONE_API void transposed_convolution(const datapath& path, const convolution_shape& s, const half* x,
                                        const half* weight, const half* bias, half* out, const execution& how = {});

} // namespace ane::numerics::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "convolution.ipp"
#endif

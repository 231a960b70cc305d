#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "convolution_form.hpp"
#include "packed_matrix.hpp"
#include "sums_sink.hpp"
#include "workers.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Convolutions of one tap a channel, whose windows cover an image: products of the filter and the image, both as they
/// are. NCHW results are W X, NHWC ones X^T W^T, where X has a column for each place.
struct pointwise_plan {
    numerics::convolution_shape shape;
    layout in = layout::nchw;
    layout out = layout::nchw;

    ANEMONE_API scratch_sizes scratch() const;
};

/// Whether that is faster than to convolve, or the image is NHWC.
ANEMONE_API bool is_pointwise(const numerics::convolution_shape& s, const convolution_form& form);

/// The filter for NHWC results, packed once; empty for others.
ANEMONE_API packed_matrix pack_pointwise(const kernel_table& table, const pointwise_plan& plan, const half* weight);

/// As convolution(). `weights` are [O][I / groups]; `packed` is null, or what pack_pointwise has made of them.
ANEMONE_API void pointwise_convolution(const kernel_table& table, const pointwise_plan& plan, const half* weights,
                                       const packed_matrix* packed, const float* bias, const half* x,
                                       const worker_threads& workers, const sums_sink& sink);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "pointwise.ipp"
#endif

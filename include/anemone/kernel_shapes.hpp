#pragma once

#include "way.hpp"

#include <cstdint>

/// What the kernels of every backend need to know of a windowed or a matrix operation: plain numbers, no graph.
namespace ane::inline ANEMONE_WAY {

/// A convolution, or the one that a transposed convolution is the adjoint of. Bottom and right padding follow from the
/// output extents. Channels are totals over all groups.
struct convolution_shape {
    std::int64_t batch = 1;
    std::int64_t in_channels = 1;
    std::int64_t in_height = 1;
    std::int64_t in_width = 1;
    std::int64_t out_channels = 1;
    std::int64_t out_height = 1;
    std::int64_t out_width = 1;
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t stride_height = 1;
    std::int64_t stride_width = 1;
    std::int64_t dilation_height = 1;
    std::int64_t dilation_width = 1;
    std::int64_t pad_top = 0;
    std::int64_t pad_left = 0;
    std::int64_t groups = 1;
};

/// A pooling. Where windows end, and so ceil_mode, follows from the output extents.
struct pool_shape {
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    std::int64_t in_height = 1;
    std::int64_t in_width = 1;
    std::int64_t out_height = 1;
    std::int64_t out_width = 1;
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t stride_height = 1;
    std::int64_t stride_width = 1;
    std::int64_t pad_top = 0;
    std::int64_t pad_left = 0;
    bool exclude_padding = false; ///< average over the real elements of a window only
    /// Declared padding behind the input. What a window of ceil_mode covers beyond it is not part of the field's
    /// average.
    std::int64_t pad_bottom = std::int64_t{1} << 40;
    std::int64_t pad_right = std::int64_t{1} << 40;
};

/// `batch` products [m, k] x [k, n], each operand optionally stored transposed. Strides in elements; 0 uses one matrix
/// for the whole batch.
struct matmul_shape {
    std::int64_t batch = 1;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool transpose_a = false; ///< a is stored [k, m]
    bool transpose_b = false; ///< b is stored [n, k]
    std::int64_t a_batch_stride = 0;
    std::int64_t b_batch_stride = 0;
};

} // namespace ane::inline ANEMONE_WAY

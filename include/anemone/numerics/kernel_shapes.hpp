#pragma once

#include "../base/way.hpp"

#include <cstdint>

/// What the kernels of every backend need to know about a windowed or a matrix operation: plain numbers, no graph.
namespace ane::numerics::inline ANEMONE_WAY {

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

/// A pooling. The number of windows, and so the effect of ceil_mode, follows from the output extents.
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
};

/// What the mean of the window at (y, x) divides by: the whole kernel, also in windows that ceil_mode adds, as the engine
/// does (measured through Core ML), or with `exclude_padding` the number of its elements on the input; 0 where there are
/// none.
constexpr std::int64_t averaged_places(const pool_shape& s, std::int64_t y, std::int64_t x) {
    if (!s.exclude_padding) {
        return s.kernel_height * s.kernel_width;
    }
    const auto along = [](std::int64_t start, std::int64_t kernel, std::int64_t in) {
        const std::int64_t begin = start > 0 ? start : 0;
        const std::int64_t places = (start + kernel < in ? start + kernel : in) - begin;
        return places > 0 ? places : 0;
    };
    return along(y * s.stride_height - s.pad_top, s.kernel_height, s.in_height) *
           along(x * s.stride_width - s.pad_left, s.kernel_width, s.in_width);
}

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

} // namespace ane::numerics::inline ANEMONE_WAY

#pragma once

#include "../kernel_shapes.hpp"
#include "contraction.hpp"

namespace ane::numerics {

using ane::matmul_shape;

/// out[s, i, j] = bias[j] + sum over k of a[s, i, k] * b[s, k, j], every sum by class `accumulator` in the order of k.
/// `bias` may be null. linear is m = rows, transpose_b = true. Evidence: see accumulator.hpp; the order is inferred.
inline void matmul(const datapath& path, const matmul_shape& shape, const half* a, const half* b, const half* bias,
                   half* out) {
    for (std::int64_t s = 0; s < shape.batch; ++s) {
        const half* x = a + s * shape.a_batch_stride;
        const half* y = b + s * shape.b_batch_stride;
        half* z = out + s * shape.m * shape.n;
        const std::int64_t a_row = shape.transpose_a ? 1 : shape.k;
        const std::int64_t a_step = shape.transpose_a ? shape.m : 1;
        const std::int64_t b_column = shape.transpose_b ? shape.k : 1;
        const std::int64_t b_step = shape.transpose_b ? 1 : shape.n;
        detail::contract(
            path, shape.m, shape.n, shape.k,
            [=](std::int64_t r) { return [=](std::int64_t i) { return x[r * a_row + i * a_step]; }; },
            [=](std::int64_t c) { return [=](std::int64_t i) { return y[c * b_column + i * b_step]; }; },
            [=](std::int64_t, std::int64_t c) { return bias == nullptr ? half{} : bias[c]; },
            [=](std::int64_t r, std::int64_t c, half value) { z[r * shape.n + c] = value; });
    }
}

} // namespace ane::numerics

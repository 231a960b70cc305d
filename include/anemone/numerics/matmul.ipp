#pragma once

#include "contraction.hpp"
#include "matmul.hpp"
#include "planar.hpp"
#include "reduction.hpp"

#include <algorithm>
#include <cstdint>

namespace ane::numerics::inline ANEMONE_WAY {

ANEMONE_BODY void matmul(const datapath& path, const matmul_shape& shape, const half* a, const half* b,
                         const half* bias, half* out, const execution& how) {
    for (std::int64_t s = 0; s < shape.batch; ++s) {
        const detail::matrix_source rows{a + s * shape.a_batch_stride, shape.k, shape.transpose_a ? 1 : shape.k,
                                         shape.transpose_a ? shape.m : 1};
        const detail::matrix_source columns{b + s * shape.b_batch_stride, shape.k, shape.transpose_b ? shape.k : 1,
                                            shape.transpose_b ? 1 : shape.n};
        half* const z = out + s * shape.m * shape.n;
        const auto store_row = [=](std::int64_t i, std::int64_t j, std::int64_t count, const half* values) {
            std::copy_n(values, count, z + i * shape.n + j);
        };
        const auto store_column = [=](std::int64_t j, std::int64_t i, std::int64_t count, const half* values) {
            for (std::int64_t k = 0; k < count; ++k) {
                z[(i + k) * shape.n + j] = values[k];
            }
        };
        // The lanes run over the longer side; a product is the same whichever operand is broadcast.
        if (shape.n >= shape.m || shape.n >= detail::panel_lanes) {
            detail::contract(how, path, shape.m, shape.n, shape.k, detail::left_source::of(rows),
                             detail::right_source::of(columns), {bias, false}, detail::results_store::of(store_row));
        } else {
            detail::contract(how, path, shape.n, shape.m, shape.k, detail::left_source::of(columns),
                             detail::right_source::of(rows), {bias, true}, detail::results_store::of(store_column));
        }
    }
}

ANEMONE_BODY void matmul_with_ones(const datapath& path, const matmul_shape& shape, bool ones_on_the_left,
                                   const half* other, const half* bias, half* out) {
    const bool transposed = ones_on_the_left ? !shape.transpose_b : shape.transpose_a; // vectors lie in columns
    const std::int64_t vectors = ones_on_the_left ? shape.n : shape.m;
    for (std::int64_t s = 0; s < shape.batch; ++s) {
        const half* const matrix = other + s * (ones_on_the_left ? shape.b_batch_stride : shape.a_batch_stride);
        for (std::int64_t v = 0; v < vectors; ++v) {
            const half* const first = matrix + (transposed ? v : v * shape.k);
            const half sum = reduce(path, op::reduce_sum, first, shape.k, transposed ? vectors : 1);
            for (std::int64_t along = 0; along < (ones_on_the_left ? shape.m : shape.n); ++along) {
                const std::int64_t row = ones_on_the_left ? along : v;
                const std::int64_t column = ones_on_the_left ? v : along;
                out[(s * shape.m + row) * shape.n + column] = bias == nullptr ? sum : add(path, sum, bias[column]);
            }
        }
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY

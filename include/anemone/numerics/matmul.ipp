#pragma once

#include "contraction.hpp"
#include "matmul.hpp"

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
        // The lanes run over the longer side; a product is the same whichever operand is broadcast.
        if (shape.n >= shape.m || shape.n >= detail::panel_lanes) {
            detail::contract(how, path, shape.m, shape.n, shape.k, rows, columns, {bias, false},
                             [=](std::int64_t i, std::int64_t j, std::int64_t count, const half* values) {
                                 std::copy_n(values, count, z + i * shape.n + j);
                             });
        } else {
            detail::contract(how, path, shape.n, shape.m, shape.k, columns, rows, {bias, true},
                             [=](std::int64_t j, std::int64_t i, std::int64_t count, const half* values) {
                                 for (std::int64_t k = 0; k < count; ++k) {
                                     z[(i + k) * shape.n + j] = values[k];
                                 }
                             });
        }
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY

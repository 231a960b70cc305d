#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "kernels/gemm.hpp"
#include "step.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// y = x W^T + b as one product: the leading axes of x together are the rows.
ANEMONE_INLINE bound_step bind_linear(const binding_context& c, int index) {
    const extents& x = c.operand_shape(index, 0);
    const extents& w = c.operand_shape(index, 1);
    const matmul_shape shape{.batch = 1,
                             .m = x.count() / x.width(),
                             .n = w[0],
                             .k = w[1],
                             .transpose_a = false,
                             .transpose_b = true,
                             .a_batch_stride = 0,
                             .b_batch_stride = 0};
    const bool biased = c.at(index).operands.count == 3;
    const kernel_table& kernels = c.kernels;
    if (const half* const weight = c.constant(index, 1)) {
        return [&kernels, shape, biased, packed = pack(kernels, shape, weight)](const operands& o) {
            matmul(kernels, shape, o.input(0), packed, biased ? o.input(2) : nullptr, o.output());
        };
    }
    return [&kernels, shape, biased](const operands& o) {
        matmul(kernels, shape, o.input(0), o.input(1), biased ? o.input(2) : nullptr, o.output());
    };
}

/// One product for each matrix of the batch, whose axes may broadcast.
ANEMONE_INLINE bound_step bind_matmul(const binding_context& c, int index) {
    const extents a = c.operand_shape(index, 0);
    const extents b = c.operand_shape(index, 1);
    const extents y = c.shape(index);
    const transposed form = c.at(index).get<transposed>();
    const matmul_shape shape = ane::detail::matmul_shape_of(c.graph, c.at(index));
    const kernel_table& kernels = c.kernels;
    const half* const weight = c.constant(index, 1);
    if (weight != nullptr && b.count() == b.height() * b.width()) {
        // One constant right operand: all left matrices are rows of one product, unless they are stored transposed.
        matmul_shape rows = shape;
        rows.batch = form.a ? y.count() / (y.height() * y.width()) : 1;
        rows.m = form.a ? shape.m : y.count() / y.width();
        rows.a_batch_stride = form.a ? a.height() * a.width() : 0;
        return [&kernels, rows, packed = pack(kernels, rows, weight)](const operands& o) {
            matmul(kernels, rows, o.input(0), packed, nullptr, o.output());
        };
    }
    return [&kernels, shape, a, b, y](const operands& o) {
        ane::detail::for_each_batch(y, a, b, [&](std::int64_t i, std::int64_t from_a, std::int64_t from_b) {
            matmul(kernels, shape, o.input(0) + from_a, o.input(1) + from_b, nullptr,
                   o.output() + i * y.height() * y.width());
        });
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

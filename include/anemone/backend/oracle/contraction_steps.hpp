#pragma once

#include "../../numerics/convolution.hpp"
#include "../../numerics/matmul.hpp"
#include "../../strided.hpp"
#include "../../way.hpp"
#include "../node_shapes.hpp"
#include "quantization_steps.hpp"
#include "step.hpp"

#include <vector>

namespace ane::oracle_steps::inline ANEMONE_WAY {

/// The bias that starts the sums of a contraction: one value for each output channel, of a constant that may be a
/// single number. Empty where nothing is folded into it.
ANEMONE_INLINE std::vector<half> bias_of(const evaluation& e, int index) {
    const int biased = e.partner(index);
    if (biased < 0) {
        return {};
    }
    const int vector = e.role(biased).vector;
    const std::int64_t given = e.count(vector);
    std::vector<half> bias(
        static_cast<std::size_t>(e.shape(index).from_last(ane::detail::channel_axis(e.at(index).kind))));
    for (std::size_t c = 0; c < bias.size(); ++c) {
        bias[c] = e.data(vector)[given == 1 ? 0 : c];
    }
    return bias;
}

ANEMONE_INLINE numerics::execution execution_of(const evaluation& e) {
    return {numerics::best_contraction_kernels(), e.threads};
}

ANEMONE_INLINE void matmul(evaluation& e, int index) {
    const node& n = e.at(index);
    matmul_shape shape = ane::detail::matmul_shape_of(e.graph, n);
    extents a = e.operand_shape(index, 0);
    extents b = e.operand_shape(index, 1);
    extents y = n.shape;
    if (!shape.transpose_a && b.count() == b.height() * b.width()) {
        // One right matrix: the left ones are rows of one product.
        shape.m = y.count() / y.width();
        a = {shape.m, shape.k};
        b = {b.height(), b.width()};
        y = {shape.m, shape.n};
    }
    product_of_stored(
        e, index, bias_of(e, index), [&](const half* left, const half* right, const half* bias, half* out) {
            ane::detail::for_each_batch(y, a, b, [&](std::int64_t matrix, std::int64_t from_a, std::int64_t from_b) {
                numerics::matmul(e.arithmetic, shape, left + from_a, right + from_b, bias,
                                 out + matrix * shape.m * shape.n, execution_of(e));
            });
        });
}

ANEMONE_INLINE void conv2d(evaluation& e, int index) {
    const convolution_shape shape = ane::detail::convolution_shape_of<conv>(e.graph, e.at(index));
    product_of_stored(e, index, bias_of(e, index), [&](const half* x, const half* w, const half* bias, half* out) {
        numerics::convolution(e.arithmetic, shape, x, w, bias, out, execution_of(e));
    });
}

ANEMONE_INLINE void conv_transpose2d(evaluation& e, int index) {
    const convolution_shape shape = ane::detail::convolution_shape_of<conv_transpose>(e.graph, e.at(index));
    product_of_stored(e, index, bias_of(e, index), [&](const half* x, const half* w, const half* bias, half* out) {
        numerics::transposed_convolution(e.arithmetic, shape, x, w, bias, out, execution_of(e));
    });
}

} // namespace ane::oracle_steps::inline ANEMONE_WAY

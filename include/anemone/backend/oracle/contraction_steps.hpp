#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/convolution.hpp"
#include "../../numerics/matmul.hpp"
#include "../node_shapes.hpp"
#include "quantization_steps.hpp"
#include "step.hpp"

#include <algorithm>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

/// The bias that starts the sums of a contraction: one value per output channel, from a constant that may be a single
/// number. Empty where no bias is folded in.
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

/// The position (0 or 1) of the constant operand whose values are all one, which makes a product the sum of the other
/// operand (datapath::products_with_ones); -1 if there is none. The values of weights count too: what is written for
/// the engine does not distinguish a weight from a constant.
ANEMONE_INLINE int ones_operand(const evaluation& e, int index) {
    if (e.arithmetic.products_with_ones != numerics::ones_rule::reduction || e.at(index).kind != op::matmul ||
        reads_int8_weight(e.graph, index)) {
        return -1;
    }
    const auto is_ones = [&](int position) {
        const int operand = e.operand(index, position);
        return e.known(operand) &&
               std::all_of(e.data(operand), e.data(operand) + e.count(operand), [](half h) { return h == half(1.0); });
    };
    const bool left = is_ones(0);
    return left == is_ones(1) ? -1 : left ? 0 : 1;
}

template <bool Stored> void matmul(evaluation& e, int index) {
    const node& n = e.at(index);
    numerics::matmul_shape shape = ane::detail::matmul_shape_of(e.graph, n);
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
    const int ones = ones_operand(e, index);
    product_of<Stored>(
        e, index, bias_of(e, index), [&](const half* left, const half* right, const half* bias, half* out) {
            ane::detail::for_each_batch(y, a, b, [&](std::int64_t matrix, std::int64_t from_a, std::int64_t from_b) {
                half* const to = out + matrix * shape.m * shape.n;
                if (ones >= 0) {
                    numerics::matmul_with_ones(e.arithmetic, shape, ones == 0,
                                               ones == 0 ? right + from_b : left + from_a, bias, to);
                } else {
                    numerics::matmul(e.arithmetic, shape, left + from_a, right + from_b, bias, to, execution_of(e));
                }
            });
        });
}

template <bool Stored> void conv2d(evaluation& e, int index) {
    const numerics::convolution_shape shape = ane::detail::convolution_shape_of<conv>(e.graph, e.at(index));
    product_of<Stored>(e, index, bias_of(e, index), [&](const half* x, const half* w, const half* bias, half* out) {
        numerics::convolution(e.arithmetic, shape, x, w, bias, out, execution_of(e));
    });
}

template <bool Stored> void conv_transpose2d(evaluation& e, int index) {
    const numerics::convolution_shape shape = ane::detail::convolution_shape_of<conv_transpose>(e.graph, e.at(index));
    product_of<Stored>(e, index, bias_of(e, index), [&](const half* x, const half* w, const half* bias, half* out) {
        numerics::transposed_convolution(e.arithmetic, shape, x, w, bias, out, execution_of(e));
    });
}

} // namespace ane::oracle::inline ANEMONE_WAY

#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/pooling.hpp"
#include "../../numerics/reduction.hpp"
#include "../../numerics/row_reduction.hpp"
#include "../../numerics/softmax.hpp"
#include "../node_shapes.hpp"
#include "row_walks.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

ANEMONE_INLINE void pool(evaluation& e, int index) {
    const node& n = e.at(index);
    numerics::pool(e.arithmetic, n.kind, ane::detail::pool_shape_of(e.graph, n), e.input(index, 0), e.result(index));
}

ANEMONE_INLINE void reduce(evaluation& e, int index) {
    const node& n = e.at(index);
    const extents& shape = e.operand_shape(index, 0);
    const half* const x = e.input(index, 0);
    half* const y = e.result(index);
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    const reduction_blocks blocks = reduction_blocks_of(shape, n.get<axes>());
    if (blocks.regular && blocks.inner == 1) {
        numerics::reduce_rows(kernels, e.arithmetic, n.kind, x, blocks.outer, blocks.count, y);
        return;
    }
    if (blocks.regular) {
        for (std::int64_t o = 0; o < blocks.outer; ++o) {
            numerics::reduce_columns(kernels, e.arithmetic, n.kind, x + o * blocks.count * blocks.inner, blocks.count,
                                     blocks.inner, blocks.inner, y + o * blocks.inner);
        }
        return;
    }
    std::vector<half> gathered;
    ane::detail::for_each_reduction(shape, n.get<axes>(), [&](std::int64_t to, const auto& sources) {
        gathered.resize(sources.size());
        std::transform(sources.begin(), sources.end(), gathered.begin(), [x](std::int64_t from) { return x[from]; });
        numerics::reduce_rows(kernels, e.arithmetic, n.kind, gathered.data(), 1,
                              static_cast<std::int64_t>(gathered.size()), y + to);
    });
}

/// arg_max, arg_min and the global forms.
ANEMONE_INLINE void arg_reduce(evaluation& e, int index) {
    const node& n = e.at(index);
    const op kind = n.kind == op::arg_max || n.kind == op::global_arg_max ? op::arg_max : op::arg_min;
    ane::detail::for_each_row(e.operand_shape(index, 0), n.get<axis>().index,
                              [&](std::int64_t row, std::int64_t begin, std::int64_t count, std::int64_t stride) {
                                  const std::int64_t found = numerics::arg_reduce(
                                      e.arithmetic, kind, e.input(index, 0) + begin, count, stride);
                                  e.result(index)[row] = half(static_cast<double>(found));
                              });
}

/// numerics::softmax of `count` values one after another, in place.
ANEMONE_INLINE void softmax_row(const evaluation& e, const half* exponentials, half* row, std::int64_t count) {
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    half factor = kernels.extreme(row, count, true);
    kernels.subtract(e.arithmetic, {row, 1}, {&factor, 0}, row, count);
    for (std::int64_t i = 0; i < count; ++i) {
        row[i] = exponentials != nullptr ? exponentials[row[i].bits] : numerics::exponential(e.arithmetic, row[i]);
    }
    const numerics::reduction_sum sum = numerics::row_sum(kernels, e.arithmetic, row, count);
    factor = numerics::reciprocal(e.arithmetic, numerics::store_sum(e.arithmetic, sum));
    kernels.multiply(e.arithmetic, {row, 1}, {&factor, 0}, row, count);
}

ANEMONE_INLINE void softmax(evaluation& e, int index) {
    const extents& shape = e.shape(index);
    const half* const x = e.input(index, 0);
    half* const y = e.result(index);
    const int along = e.at(index).get<axis>().index;
    const std::int64_t count = shape[along];
    if (count <= 0 || !numerics::has_row_products(e.arithmetic)) {
        ane::detail::for_each_row(shape, along,
                                  [&](std::int64_t, std::int64_t begin, std::int64_t length, std::int64_t stride) {
                                      numerics::softmax(e.arithmetic, x + begin, y + begin, length, stride);
                                  });
        return;
    }
    const half* const exponentials = e.tables.unary<op::exp>(e.arithmetic, 0.0F, 0.0F, e.count(index));
    const std::int64_t inner = row_major_strides(shape)[along];
    const std::int64_t outer = e.count(index) / (count * inner);
    if (inner == 1) {
        std::copy_n(x, e.count(index), y);
        for (std::int64_t o = 0; o < outer; ++o) {
            softmax_row(e, exponentials, y + o * count, count);
        }
        return;
    }
    constexpr std::int64_t most = 32; // columns that become rows together
    std::vector<half> rows(static_cast<std::size_t>(most * count));
    for (std::int64_t begin = 0; begin < outer * inner;) {
        const std::int64_t columns = std::min(most, inner - begin % inner);
        const std::int64_t first = begin / inner * count * inner + begin % inner;
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t c = 0; c < columns; ++c) {
                rows[static_cast<std::size_t>(c * count + i)] = x[first + i * inner + c];
            }
        }
        for (std::int64_t c = 0; c < columns; ++c) {
            softmax_row(e, exponentials, rows.data() + c * count, count);
        }
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t c = 0; c < columns; ++c) {
                y[first + i * inner + c] = rows[static_cast<std::size_t>(c * count + i)];
            }
        }
        begin += columns;
    }
}

} // namespace ane::oracle::inline ANEMONE_WAY

#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/pooling.hpp"
#include "../../numerics/reduction.hpp"
#include "../../numerics/softmax.hpp"
#include "../node_shapes.hpp"
#include "step.hpp"

#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

ANEMONE_INLINE void pool(evaluation& e, int index) {
    const node& n = e.at(index);
    numerics::pool(e.arithmetic, n.kind, ane::detail::pool_shape_of(e.graph, n), e.input(index, 0), e.result(index));
}

ANEMONE_INLINE void reduce(evaluation& e, int index) {
    const node& n = e.at(index);
    std::vector<half> gathered;
    ane::detail::for_each_reduction(
        e.operand_shape(index, 0), n.get<axes>(), [&](std::int64_t to, const auto& sources) {
            gathered.clear();
            for (const std::int64_t from : sources) {
                gathered.push_back(e.input(index, 0)[from]);
            }
            e.result(index)[to] =
                numerics::reduce(e.arithmetic, n.kind, gathered.data(), static_cast<std::int64_t>(gathered.size()), 1);
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

ANEMONE_INLINE void softmax(evaluation& e, int index) {
    ane::detail::for_each_row(e.shape(index), e.at(index).get<axis>().index,
                              [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t stride) {
                                  numerics::softmax(e.arithmetic, e.input(index, 0) + begin, e.result(index) + begin,
                                                    count, stride);
                              });
}

} // namespace ane::oracle::inline ANEMONE_WAY

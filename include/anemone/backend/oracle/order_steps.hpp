#pragma once

#include "../../base/way.hpp"
#include "../../numerics/random.hpp"
#include "../kernels/order.hpp"
#include "step.hpp"

#include <limits>

namespace ane::oracle::inline ANEMONE_WAY {

/// NaN enters as +infinity (N080), and is one of its equals from there on.
ANEMONE_INLINE void rank(evaluation& e, int index) {
    const node& n = e.at(index);
    kernels::rank_rows(n.kind, n.get<selection>(), e.operand_shape(index, 0), e.input(index, 0), e.result(index),
                       [](half x) { return is_nan(x) ? std::numeric_limits<half>::infinity() : x; });
}

ANEMONE_INLINE void random_uniform(evaluation& e, int index) {
    numerics::fill_uniform(e.at(index).get<uniform_range>(), numerics::random_stream(e.graph, index), e.result(index),
                           e.count(index));
}

} // namespace ane::oracle::inline ANEMONE_WAY

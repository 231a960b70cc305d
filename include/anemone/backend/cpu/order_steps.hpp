#pragma once

#include "../../base/way.hpp"
#include "../../numerics/random.hpp"
#include "../kernels/order.hpp"
#include "kernels/reduce.hpp"
#include "step.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// NaN is the largest, as PyTorch and NumPy order it.
ANEMONE_INLINE bound_step bind_rank(const binding_context& c, int index) {
    const node& n = c.at(index);
    return [kind = n.kind, s = n.get<selection>(), x = c.operand_shape(index, 0)](const operands& o) {
        kernels::rank_rows(kind, s, x, o.input(0), o.output(), [](half value) { return value; });
    };
}

ANEMONE_INLINE bound_step bind_global_arg(const binding_context& c, int index) {
    const op kind = c.at(index).kind == op::global_arg_max ? op::arg_max : op::arg_min;
    return [kind, x = c.operand_shape(index, 0), along = c.at(index).get<axis>().index](const operands& o) {
        arg_reduce(kind, o.input(0), x, along, o.output(), o.workers);
    };
}

ANEMONE_INLINE bound_step bind_random_uniform(const binding_context& c, int index) {
    const node& n = c.at(index);
    return [ends = n.get<uniform_range>(), stream = numerics::random_stream(c.graph, index),
            count = n.shape.count()](const operands& o) { numerics::fill_uniform(ends, stream, o.output(), count); };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

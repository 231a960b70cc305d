#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "kernels/attention.hpp"
#include "step.hpp"

#include <cstdint>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Head by head; the mask broadcasts.
ANEMONE_INLINE bound_step bind_attention(const binding_context& c, int index) {
    const extents q = c.operand_shape(index, 0);
    const extents k = c.operand_shape(index, 1);
    const bool masked = c.at(index).operands.count == 4;
    const extents mask = masked ? c.operand_shape(index, 3) : extents{1, 1};
    const attention_shape shape{.rows = q.height(),
                                .keys = k.height(),
                                .depth = q.width(),
                                .scale = c.at(index).get<score_scaling>().scale,
                                .mask_rows = mask.height(),
                                .mask_keys = mask.width()};
    const kernel_table& kernels = c.kernels;
    return [=, &kernels](const operands& o) {
        ane::detail::for_each_batch(q, q, mask, [&](std::int64_t head, std::int64_t from_q, std::int64_t from_mask) {
            const std::int64_t from = head * shape.keys * shape.depth;
            attention(kernels, shape, o.input(0) + from_q, o.input(1) + from, o.input(2) + from,
                      masked ? o.input(3) + from_mask : nullptr, o.output() + head * shape.rows * shape.depth);
        });
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

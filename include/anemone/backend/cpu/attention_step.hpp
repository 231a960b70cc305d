#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "epilogue.hpp"
#include "kernels/attention.hpp"
#include "kernels/attention_blocks.hpp"
#include "step.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The heads of all leading axes; the mask broadcasts.
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
    std::vector<std::int64_t> masks; // where the mask of each head begins
    ane::detail::for_each_batch(q, q, mask,
                                [&](std::int64_t, std::int64_t, std::int64_t from) { masks.push_back(from); });
    const auto run = [=, &kernels = c.kernels, masks = std::move(masks),
                      last = c.epilogue_of(index)](const operands& o) {
        const auto operands_of = [&](std::int64_t head) {
            const std::int64_t from = head * shape.keys * shape.depth;
            return attention_head{o.input(0) + head * shape.rows * shape.depth, o.input(1) + from, o.input(2) + from,
                                  masked ? o.input(3) + masks[static_cast<std::size_t>(head)] : nullptr};
        };
        attend(kernels, shape, static_cast<std::int64_t>(masks.size()), o.workers, operands_of,
               [&](std::int64_t head, float* sums, std::int64_t row) {
                   last.store(kernels, o, sums, (head * shape.rows + row) * shape.depth, shape.depth);
               });
    };
    return {run, {.shared = 0, .each = attention_scratch(shape).bytes()}};
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

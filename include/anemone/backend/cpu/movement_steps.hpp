#pragma once

#include "../../base/way.hpp"
#include "../kernels/gather.hpp"
#include "../kernels/movement_plan.hpp"
#include "kernels/lines.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstring>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_INLINE bound_step bind_reshape(const binding_context& c, int index) {
    const node& n = c.at(index);
    const auto size = static_cast<std::size_t>(bytes(n.type, n.shape.count()));
    return [size](const operands& o) {
        if (o.result != o.inputs[0]) { // the plan may give both the same memory
            std::memcpy(o.result, o.inputs[0], size);
        }
    };
}

/// A move in parts along one axis.
ANEMONE_INLINE void share_move(const kernels::element_move& m, const half* x, half* y, const worker_threads& workers) {
    if (m.shape.rank == 0) {
        kernels::move_elements(m, x, y);
        return;
    }
    const std::int64_t along = m.shape[m.parted_axis()];
    const std::int64_t each = std::max<std::int64_t>(m.shape.count() / std::max<std::int64_t>(along, 1), 1);
    workers.share(
        along, std::max<std::int64_t>(elements_of_a_part / each, 1),
        [&](std::int64_t first, std::int64_t last, std::byte*) { kernels::move_elements(m, x, y, first, last); });
}

/// Every operation that moves elements to positions independent of the data.
ANEMONE_INLINE bound_step bind_movement(const binding_context& c, int index) {
    return [plan = kernels::plan_movement(c.graph, c.at(index)), result = c.shape(index)](const operands& o) {
        if (plan.fill >= 0) {
            share_row(result.count(), o.workers, [&](std::int64_t first, std::int64_t count) {
                std::fill_n(o.output() + first, count, *o.input(static_cast<std::size_t>(plan.fill)));
            });
        }
        for (const kernels::element_move& m : plan.moves) {
            share_move(m, o.input(static_cast<std::size_t>(m.operand)), o.output(), o.workers);
        }
    };
}

/// Bytes and booleans, value for value.
ANEMONE_INLINE bound_step bind_cast(const binding_context& c, int index) {
    return [values = kernels::byte_values(c.at(c.operand(index, 0)).type),
            count = c.shape(index).count()](const operands& o) {
        share_row(count, o.workers, [&](std::int64_t first, std::int64_t n) {
            std::transform(o.inputs[0] + first, o.inputs[0] + first + n, o.output() + first,
                           [&values](std::byte b) { return values[std::to_integer<std::size_t>(b)]; });
        });
    };
}

/// The reader of a node's indices; constant ones are checked here.
ANEMONE_INLINE kernels::index_reader index_reader_of(const binding_context& c, int index) {
    kernels::index_reader read{print(c.graph, index), kernels::negative_index::counts_from_the_end};
    if (const half* const known = c.constant(index, 1)) {
        kernels::require_indices(c.graph, c.at(index), known, read);
    }
    return read;
}

/// Indices below zero count from the last element, as in ONNX.
ANEMONE_INLINE bound_step bind_gather(const binding_context& c, int index) {
    return
        [shape = kernels::gather_shape_of(c.graph, c.at(index)), read = index_reader_of(c, index)](const operands& o) {
            kernels::for_each_gathered(shape, o.input(1), read,
                                       [&o](std::int64_t to, std::int64_t from, std::int64_t count) {
                                           if (count == 1) {
                                               o.output()[to] = o.input(0)[from];
                                           } else {
                                               std::copy_n(o.input(0) + from, count, o.output() + to);
                                           }
                                       });
        };
}

/// 0 where the window leaves the tensor.
ANEMONE_INLINE bound_step bind_dynamic_slice(const binding_context& c, int index) {
    return [shape = kernels::dynamic_slice_shape_of(c.graph, c.at(index)),
            read = index_reader_of(c, index)](const operands& o) {
        std::fill_n(o.output(), shape.result.count(), half{});
        share_move(shape.move_from(shape.begin_at(o.input(1)[0], read.operation)), o.input(0), o.output(), o.workers);
    };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

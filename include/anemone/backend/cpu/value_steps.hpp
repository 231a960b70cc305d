#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "../node_shapes.hpp"
#include "kernels/algorithms.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/pool.hpp"
#include "kernels/pool_places.hpp"
#include "kernels/reduce.hpp"
#include "kernels/softmax.hpp"
#include "movement_steps.hpp"
#include "state_update.hpp"
#include "step.hpp"

#include <cstdint>
#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_INLINE bound_step bind_binary(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    const layout order = c.result_layout(index);
    return [&kernels, kind = c.at(index).kind, a = in_layout(c.operand_shape(index, 0), order),
            b = in_layout(c.operand_shape(index, 1), order)](const operands& o) {
        binary(kernels, kind, o.input(0), a, o.input(1), b, o.output(), o.workers);
    };
}

template <class Attributes> bound_step bind_unary(const binding_context& c, int index) {
    const node& n = c.at(index);
    const ane::detail::unary_numbers numbers = ane::detail::unary_numbers_of<Attributes>(n);
    const kernel_table& kernels = c.kernels;
    return [&kernels, kind = n.kind, count = n.shape.count(), numbers](const operands& o) {
        unary(kernels, kind, o.input(0), o.output(), count, numbers.first, numbers.second, o.workers);
    };
}

/// The same with a boolean result, one byte each.
ANEMONE_INLINE bound_step bind_comparison(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return [&kernels, kind = c.at(index).kind, a = c.operand_shape(index, 0),
            b = c.operand_shape(index, 1)](const operands& o) {
        compare(kernels, kind, o.input(0), a, o.input(1), b, reinterpret_cast<std::uint8_t*>(o.result), o.workers);
    };
}

ANEMONE_INLINE bound_step bind_logical_not(const binding_context& c, int index) {
    return [count = c.shape(index).count()](const operands& o) {
        logical_not(reinterpret_cast<const std::uint8_t*>(o.inputs[0]), reinterpret_cast<std::uint8_t*>(o.result),
                    count, o.workers);
    };
}

ANEMONE_INLINE bound_step bind_logic(const binding_context& c, int index) {
    return [kind = c.at(index).kind, a = c.operand_shape(index, 0), b = c.operand_shape(index, 1)](const operands& o) {
        logic(kind, reinterpret_cast<const std::uint8_t*>(o.inputs[0]), a,
              reinterpret_cast<const std::uint8_t*>(o.inputs[1]), b, reinterpret_cast<std::uint8_t*>(o.result),
              o.workers);
    };
}

/// Whether a program that keeps states has only some elements of one replaced by a node.
ANEMONE_INLINE bool writes_elements_of_state(const binding_context& c, int index) {
    const int next = c.ports == nullptr ? -1 : (*c.ports)[static_cast<std::size_t>(c.operand(index, 2))].next;
    const output_port* const port = next < 0 ? nullptr : &c.graph.outputs[static_cast<std::size_t>(next)];
    return port != nullptr && port->node == index && updates_state(c.graph, *port);
}

ANEMONE_INLINE bound_step bind_select(const binding_context& c, int index) {
    if (writes_elements_of_state(c, index)) {
        if (auto update = state_update::of(c.operand_shape(index, 0), c.operand_shape(index, 1), c.shape(index))) {
            return [update = std::move(*update)](const operands& o) mutable {
                update.run(reinterpret_cast<const std::uint8_t*>(o.inputs[0]), o.input(1), o.input(2), o.output(),
                           o.states_rewritten, o.workers);
            };
        }
    }
    return [condition = c.operand_shape(index, 0), a = c.operand_shape(index, 1),
            b = c.operand_shape(index, 2)](const operands& o) {
        cpu::select(reinterpret_cast<const std::uint8_t*>(o.inputs[0]), condition, o.input(1), a, o.input(2), b,
                    o.output(), o.workers);
    };
}

/// Parameters for each channel (axis 1).
ANEMONE_INLINE bound_step bind_parametric(const binding_context& c, int index) {
    const extents& x = c.shape(index);
    const kernel_table& kernels = c.kernels;
    return [&kernels, kind = c.at(index).kind, batch = x[0], channels = x[1],
            plane = x.count() / (x[0] * x[1])](const operands& o) {
        parametric(kernels, kind, o.input(0), batch, channels, plane, o.input(1),
                   kind == op::parametric_softplus ? o.input(2) : nullptr, o.output(), o.workers);
    };
}

template <kernel_needs Needs> bound_step bind_pool(const binding_context& c, int index) {
    const op kind = c.at(index).kind;
    const pool_shape shape = ane::detail::pool_shape_of(c.graph, c.at(index));
    const kernel_table& kernels = c.kernels;
    if constexpr (Needs.contains(algorithm::nhwc)) {
        if (c.kept_layout(index) == layout::nhwc) {
            const pool_places_plan plan = plan_pool_places(kind, shape, c.width);
            return {
                [&kernels, plan](const operands& o) { pool_places(kernels, plan, o.input(0), o.output(), o.workers); },
                plan.scratch()};
        }
    }
    pool_plan plan = plan_pool(kind, shape);
    const scratch_sizes scratch = plan.scratch();
    return {[&kernels, plan = std::move(plan)](const operands& o) {
                cpu::pool(kernels, plan, o.input(0), o.output(), o.workers);
            },
            scratch};
}

/// From NHWC to NCHW. `shape` is NCHW.
ANEMONE_INLINE kernels::element_move from_nhwc(const extents& shape) {
    const std::int64_t channels = shape[1];
    kernels::element_move move;
    move.shape = shape;
    move.to = row_major_strides(shape);
    move.from = {shape[2] * shape[3] * channels, 1, shape[3] * channels, channels};
    return move;
}

template <kernel_needs Needs> bound_step bind_reduce(const binding_context& c, int index) {
    axis_set removed = 0;
    const indices& list = c.at(index).get<ane::axes>().list;
    for (int i = 0; i < list.rank; ++i) {
        removed |= 1U << static_cast<unsigned>(list[i]);
    }
    const kernel_table& kernels = c.kernels;
    const extents& x = c.operand_shape(index, 0);
    scratch_sizes scratch = scratch_of_reduction(c.at(index).kind, reduction_walk(x, removed));
    if constexpr (Needs.contains(algorithm::nhwc)) {
        if (c.layout_of(c.operand(index, 0)) ==
            layout::nhwc) { // sorted first: each channel is summed as if it were NCHW
            const std::int64_t behind = in_cache_lines(scratch.shared);
            scratch.shared = behind + x.count() * static_cast<std::int64_t>(sizeof(half));
            return {[&kernels, kind = c.at(index).kind, x, removed, behind, sorting = from_nhwc(x)](const operands& o) {
                        half* const sorted = reinterpret_cast<half*>(o.workers.shared + behind);
                        share_move(sorting, o.input(0), sorted, o.workers);
                        reduce(kernels, kind, sorted, x, removed, o.output(), o.workers);
                    },
                    scratch};
        }
    }
    return {[&kernels, kind = c.at(index).kind, x, removed](const operands& o) {
                reduce(kernels, kind, o.input(0), x, removed, o.output(), o.workers);
            },
            scratch};
}

ANEMONE_INLINE bound_step bind_arg_reduce(const binding_context& c, int index) {
    return [kind = c.at(index).kind, x = c.operand_shape(index, 0), along = c.at(index).get<axis>().index](
               const operands& o) { arg_reduce(kind, o.input(0), x, along, o.output(), o.workers); };
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#pragma once

#include "../../strided.hpp"
#include "../node_shapes.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"
#include "kernels/norm.hpp"
#include "kernels/pool.hpp"
#include "kernels/reduce.hpp"
#include "kernels/softmax.hpp"
#include "step.hpp"

#include <vector>

namespace ane::cpu::detail {

inline bound_step bind_binary(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return [&kernels, kind = c.at(index).kind, a = c.operand_shape(index, 0), b = c.operand_shape(index, 1)](
               const operands& o) { binary(kernels, kind, o.input(0), a, o.input(1), b, o.output()); };
}

inline bound_step bind_unary(const binding_context& c, int index) {
    const node& n = c.at(index);
    const ane::detail::unary_numbers numbers = ane::detail::unary_numbers_of(n);
    const kernel_table& kernels = c.kernels;
    return [&kernels, kind = n.kind, count = n.shape.count(), numbers](const operands& o) {
        unary(kernels, kind, o.input(0), o.output(), count, numbers.first, numbers.second);
    };
}

inline bound_step bind_pool(const binding_context& c, int index) {
    const pool_shape shape = ane::detail::pool_shape_of(c.graph, c.at(index));
    const kernel_table& kernels = c.kernels;
    return [&kernels, kind = c.at(index).kind, shape](const operands& o) {
        cpu::pool(kernels, kind, shape, o.input(0), o.output());
    };
}

inline bound_step bind_softmax(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return [&kernels, x = c.shape(index), along = c.at(index).get<axis>().index](const operands& o) {
        softmax(kernels, o.input(0), x, along, o.output());
    };
}

/// Rows along the last axis lie together; those along another are gathered, normalised and put back.
inline bound_step bind_layer_norm(const binding_context& c, int index) {
    const stabilizer s = c.at(index).get<stabilizer>();
    const extents x = c.shape(index);
    const kernel_table& kernels = c.kernels;
    if (s.axis == x.rank - 1) {
        return [&kernels, x, s](const operands& o) {
            layer_norm(kernels, o.input(0), x.count() / x.width(), x.width(), o.input(1), o.input(2), s.epsilon,
                       o.output());
        };
    }
    return [&kernels, x, s, row = std::vector<half>(static_cast<std::size_t>(x[s.axis]))](const operands& o) mutable {
        ane::detail::for_each_row(
            x, s.axis, [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t stride) {
                for (std::int64_t i = 0; i < count; ++i) {
                    row[static_cast<std::size_t>(i)] = o.input(0)[begin + i * stride];
                }
                layer_norm(kernels, row.data(), 1, count, o.input(1), o.input(2), s.epsilon, row.data());
                for (std::int64_t i = 0; i < count; ++i) {
                    o.output()[begin + i * stride] = row[static_cast<std::size_t>(i)];
                }
            });
    };
}

inline bound_step bind_batch_norm(const binding_context& c, int index) {
    const extents& x = c.shape(index);
    const kernel_table& kernels = c.kernels;
    return [&kernels, batch = x[0], channels = x[1], plane = x.count() / (x[0] * x[1]),
            epsilon = c.at(index).get<stabilizer>().epsilon](const operands& o) {
        batch_norm(kernels, o.input(0), batch, channels, plane, o.input(1), o.input(2), o.input(3), o.input(4), epsilon,
                   o.output());
    };
}

inline bound_step bind_reduce(const binding_context& c, int index) {
    axis_set removed = 0;
    const indices& list = c.at(index).get<ane::axes>().list;
    for (int i = 0; i < list.rank; ++i) {
        removed |= 1U << static_cast<unsigned>(list[i]);
    }
    const kernel_table& kernels = c.kernels;
    return [&kernels, kind = c.at(index).kind, x = c.operand_shape(index, 0), removed](const operands& o) {
        reduce(kernels, kind, o.input(0), x, removed, o.output());
    };
}

inline bound_step bind_arg_reduce(const binding_context& c, int index) {
    return [kind = c.at(index).kind, x = c.operand_shape(index, 0), along = c.at(index).get<axis>().index](
               const operands& o) { arg_reduce(kind, o.input(0), x, along, o.output()); };
}

/// softmax(scale q k^T + mask) v, head by head, with the scores of one head in fp16.
inline bound_step bind_attention(const binding_context& c, int index) {
    const extents q = c.operand_shape(index, 0);
    const extents k = c.operand_shape(index, 1);
    const float scale = c.at(index).get<coefficients>().alpha;
    const bool masked = c.at(index).operands.count == 4;
    const extents mask = masked ? c.operand_shape(index, 3) : extents{1, 1};
    const std::int64_t rows = q.height();
    const std::int64_t keys = k.height();
    const std::int64_t depth = q.width();
    const matmul_shape scores_shape{1, rows, keys, depth, false, true, 0, 0};
    const matmul_shape values_shape{1, rows, depth, keys, false, false, 0, 0};
    extents mask_of_head = mask;
    mask_of_head.rank = 2;
    mask_of_head[0] = mask.height();
    mask_of_head[1] = mask.width();
    const kernel_table& kernels = c.kernels;
    return [=, &kernels, scores = std::vector<half>(static_cast<std::size_t>(rows * keys))](const operands& o) mutable {
        const extents plane{rows, keys};
        const half factor(scale);
        ane::detail::for_each_batch(q, q, mask, [&](std::int64_t head, std::int64_t from_q, std::int64_t from_mask) {
            matmul(kernels, scores_shape, o.input(0) + from_q, o.input(1) + head * keys * depth, nullptr,
                   scores.data());
            binary(kernels, op::mul, scores.data(), plane, &factor, {}, scores.data());
            if (masked) {
                binary(kernels, op::add, scores.data(), plane, o.input(3) + from_mask, mask_of_head, scores.data());
            }
            softmax(kernels, scores.data(), plane, 1, scores.data());
            matmul(kernels, values_shape, scores.data(), o.input(2) + head * keys * depth, nullptr,
                   o.output() + head * rows * depth);
        });
    };
}

} // namespace ane::cpu::detail

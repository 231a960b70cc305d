#pragma once

#include "../../../base/formatted.hpp"
#include "../../../graph/strided.hpp"
#include "../../kernels/loop_nest.hpp"
#include "elementwise.hpp"
#include "lines.hpp"
#include "slab.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The loops over two operands that broadcast, and their result.
ANEMONE_INLINE kernels::loop_nest<3> pair_nest(const extents& a_shape, const extents& b_shape) {
    const extents shape = broadcast(a_shape, b_shape);
    return kernels::loop_nest<3>{shape,
                                 {ane::detail::broadcast_strides(shape, a_shape),
                                  ane::detail::broadcast_strides(shape, b_shape), row_major_strides(shape)}}
        .collapsed();
}

/// to[i] = when[i] != 0 ? yes[i * Yes] : no[i * No], by bits, which becomes vector code.
template <int Yes, int No>
void select_row(const std::uint8_t* when, const half* yes, const half* no, half* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const auto mask = static_cast<std::uint16_t>(0U - static_cast<unsigned>(when[i] != 0));
        to[i].bits = static_cast<std::uint16_t>((yes[i * Yes].bits & mask) | (no[i * No].bits & ~mask));
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY extents broadcast(const extents& a, const extents& b) {
    extents result;
    const int rank = std::max(a.rank, b.rank);
    for (int axis = 0; axis < rank; ++axis) {
        const std::int64_t left = axis < rank - a.rank ? 1 : a[axis - (rank - a.rank)];
        const std::int64_t right = axis < rank - b.rank ? 1 : b[axis - (rank - b.rank)];
        detail::require(left == right || left == 1 || right == 1, "broadcast", [&] {
            return formatted("extents {} and {} of axis {} differ and neither is 1", left, right, axis);
        });
        result.append(left == 1 ? right : left);
    }
    return result;
}

ANEMONE_BODY void binary(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                         const extents& b_shape, half* out, const worker_threads& workers) {
    detail::require(is_binary(kind), "binary", [&] { return formatted("{} does not take two operands", name(kind)); });
    const auto nest = detail::pair_nest(a_shape, b_shape);
    detail::share_rows(nest, workers, [&](const auto& at, std::int64_t count) {
        table.halves.binary(kind, a + at[0], nest.row_stride(0), b + at[1], nest.row_stride(1), out + at[2], count);
    });
}

ANEMONE_BODY void compare(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                          const extents& b_shape, std::uint8_t* out, const worker_threads& workers) {
    detail::require(is_comparison(kind), "compare", [&] { return formatted("{} is not a comparison", name(kind)); });
    const auto nest = detail::pair_nest(a_shape, b_shape);
    detail::share_rows(nest, workers, [&](const auto& at, std::int64_t count) {
        table.halves.comparison(kind, a + at[0], nest.row_stride(0), b + at[1], nest.row_stride(1), out + at[2], count);
    });
}

ANEMONE_BODY void select(const std::uint8_t* condition, const extents& condition_shape, const half* a,
                         const extents& a_shape, const half* b, const extents& b_shape, half* out,
                         const worker_threads& workers) {
    const extents shape = broadcast(condition_shape, broadcast(a_shape, b_shape));
    const auto strides = [&](const extents& e) { return ane::detail::broadcast_strides(shape, e); };
    const auto nest =
        kernels::loop_nest<4>{shape,
                              {strides(condition_shape), strides(a_shape), strides(b_shape), row_major_strides(shape)}}
            .collapsed();
    detail::share_rows(nest, workers, [&](const auto& offsets, std::int64_t count) {
        const std::uint8_t* const when = condition + offsets[0];
        const half* const yes = a + offsets[1];
        const half* const no = b + offsets[2];
        half* const to = out + offsets[3];
        const std::int64_t every = nest.row_stride(1);
        const std::int64_t other = nest.row_stride(2);
        if (nest.row_stride(0) == 0) { // all of one
            const half* const from = *when != 0 ? yes : no;
            const std::int64_t step = *when != 0 ? every : other;
            if (step == 1) {
                std::copy_n(from, count, to);
                return;
            }
            if (step == 0) {
                std::fill_n(to, count, *from);
                return;
            }
        }
        if (nest.row_stride(0) == 1 && every >= 0 && every <= 1 && other >= 0 && other <= 1) {
            const auto loop = every == 1 ? (other == 1 ? detail::select_row<1, 1> : detail::select_row<1, 0>)
                                         : (other == 1 ? detail::select_row<0, 1> : detail::select_row<0, 0>);
            loop(when, yes, no, to, count);
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = when[i * nest.row_stride(0)] != 0 ? yes[i * nest.row_stride(1)] : no[i * nest.row_stride(2)];
        }
    });
}

ANEMONE_BODY void logical_not(const std::uint8_t* x, std::uint8_t* out, std::int64_t count,
                              const worker_threads& workers) {
    detail::share_row(count, workers, [&](std::int64_t first, std::int64_t n) {
        std::transform(x + first, x + first + n, out + first,
                       [](std::uint8_t truth) { return static_cast<std::uint8_t>(truth == 0 ? 1 : 0); });
    });
}

ANEMONE_BODY void logic(op kind, const std::uint8_t* a, const extents& a_shape, const std::uint8_t* b,
                        const extents& b_shape, std::uint8_t* out, const worker_threads& workers) {
    // The result for both false, one true, both true.
    const auto truths = [&]() -> std::array<std::uint8_t, 3> {
        if (kind == op::logical_and) {
            return {0, 0, 1};
        }
        detail::require(is_logic_of_two(kind), "logic",
                        [&] { return formatted("{} does not take two booleans", name(kind)); });
        return kind == op::logical_or ? std::array<std::uint8_t, 3>{0, 1, 1} : std::array<std::uint8_t, 3>{0, 1, 0};
    }();
    const auto nest = detail::pair_nest(a_shape, b_shape);
    detail::share_rows(nest, workers, [&](const auto& offsets, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            const bool first = a[offsets[0] + i * nest.row_stride(0)] != 0;
            const bool second = b[offsets[1] + i * nest.row_stride(1)] != 0;
            out[offsets[2] + i] = truths[static_cast<std::size_t>(first) + static_cast<std::size_t>(second)];
        }
    });
}

ANEMONE_BODY void unary(const kernel_table& table, op kind, const half* x, half* out, std::int64_t count, float p0,
                        float p1, const worker_threads& workers) {
    detail::require(is_unary(kind), "unary", [&] { return formatted("{} does not take one operand", name(kind)); });
    const bool keeps_zero = p0 == 0 && (kind == op::inverse || kind == op::rsqrt);
    p0 = keeps_zero ? -0.0F : p0; // without an epsilon -0 stays -0 under the fraction
    detail::share_row(count, workers, [&](std::int64_t first, std::int64_t n) {
        table.halves.unary(kind, x + first, out + first, n, p0, p1);
    });
}

ANEMONE_BODY void parametric(const kernel_table& table, op kind, const half* x, std::int64_t batch,
                             std::int64_t channels, std::int64_t plane, const half* first, const half* second,
                             half* out, const worker_threads& workers) {
    detail::require(kind == op::prelu || kind == op::parametric_softplus, "parametric",
                    [&] { return formatted("{} has no parameters for each channel", name(kind)); });
    const bool softplus = kind == op::parametric_softplus;
    workers.share(
        batch * channels, std::max<std::int64_t>(detail::elements_of_a_part / std::max<std::int64_t>(plane, 1), 1),
        [&](std::int64_t first_row, std::int64_t last_row, std::byte*) {
            for (std::int64_t row = first_row; row < last_row; ++row) {
                const std::int64_t c = row % channels;
                const auto p0 = static_cast<float>(first[c]);
                const float p1 = softplus ? static_cast<float>(second[c]) : 0.0F;
                table.halves.unary(softplus ? kind : op::leaky_relu, x + row * plane, out + row * plane, plane, p0, p1);
            }
        });
}

} // namespace ane::cpu::inline ANEMONE_WAY

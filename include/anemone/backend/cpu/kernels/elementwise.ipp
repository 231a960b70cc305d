#pragma once

#include "../../../base/formatted.hpp"
#include "../../../graph/strided.hpp"
#include "../../kernels/loop_nest.hpp"
#include "elementwise.hpp"
#include "slab.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY extents broadcast(const extents& a, const extents& b) {
    extents result;
    const int rank = std::max(a.rank, b.rank);
    for (int axis = 0; axis < rank; ++axis) {
        const std::int64_t left = axis < rank - a.rank ? 1 : a[axis - (rank - a.rank)];
        const std::int64_t right = axis < rank - b.rank ? 1 : b[axis - (rank - b.rank)];
        detail::require(left == right || left == 1 || right == 1, "broadcast",
                        formatted("extents {} and {} of axis {} differ and neither is 1", left, right, axis));
        result.append(left == 1 ? right : left);
    }
    return result;
}

ANEMONE_BODY void binary(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                         const extents& b_shape, half* out) {
    detail::require(is_binary(kind), "binary", formatted("{} does not take two operands", name(kind)));
    detail::for_each_pair(
        table, kind, a, a_shape, b, b_shape,
        [&](std::int64_t at, const float* values, std::int64_t count) { table.to_half(values, out + at, count); });
}

ANEMONE_BODY void compare(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                          const extents& b_shape, std::uint8_t* out) {
    detail::require(is_comparison(kind), "compare", formatted("{} is no comparison", name(kind)));
    detail::for_each_pair(
        table, kind, a, a_shape, b, b_shape, [&](std::int64_t at, const float* values, std::int64_t count) {
            std::transform(values, values + count, out + at,
                           [](float truth) { return static_cast<std::uint8_t>(static_cast<int>(truth)); });
        });
}

ANEMONE_BODY void select(const std::uint8_t* condition, const extents& condition_shape, const half* a,
                         const extents& a_shape, const half* b, const extents& b_shape, half* out) {
    const extents shape = broadcast(condition_shape, broadcast(a_shape, b_shape));
    const auto strides = [&](const extents& e) { return ane::detail::broadcast_strides(shape, e); };
    const auto nest =
        kernels::loop_nest<4>{shape,
                              {strides(condition_shape), strides(a_shape), strides(b_shape), row_major_strides(shape)}}
            .collapsed();
    nest.for_each_row([&](const auto& offsets) {
        const std::uint8_t* const when = condition + offsets[0];
        const half* const yes = a + offsets[1];
        const half* const no = b + offsets[2];
        half* const to = out + offsets[3];
        for (std::int64_t i = 0; i < nest.row_count(); ++i) {
            to[i] = when[i * nest.row_stride(0)] != 0 ? yes[i * nest.row_stride(1)] : no[i * nest.row_stride(2)];
        }
    });
}

ANEMONE_BODY void logical_not(const std::uint8_t* x, std::uint8_t* out, std::int64_t count) {
    std::transform(x, x + count, out, [](std::uint8_t truth) { return static_cast<std::uint8_t>(truth == 0 ? 1 : 0); });
}

ANEMONE_BODY void logic(op kind, const std::uint8_t* a, const extents& a_shape, const std::uint8_t* b,
                        const extents& b_shape, std::uint8_t* out) {
    // The result for both false, one true, both true.
    const auto truths = [&]() -> std::array<std::uint8_t, 3> {
        if (kind == op::logical_and) {
            return {0, 0, 1};
        }
        detail::require(is_logic_of_two(kind), "logic", formatted("{} does not take two booleans", name(kind)));
        return kind == op::logical_or ? std::array<std::uint8_t, 3>{0, 1, 1} : std::array<std::uint8_t, 3>{0, 1, 0};
    }();
    const extents shape = broadcast(a_shape, b_shape);
    const auto nest = kernels::loop_nest<3>{shape,
                                            {ane::detail::broadcast_strides(shape, a_shape),
                                             ane::detail::broadcast_strides(shape, b_shape), row_major_strides(shape)}}
                          .collapsed();
    nest.for_each_row([&](const auto& offsets) {
        for (std::int64_t i = 0; i < nest.row_count(); ++i) {
            const bool first = a[offsets[0] + i * nest.row_stride(0)] != 0;
            const bool second = b[offsets[1] + i * nest.row_stride(1)] != 0;
            out[offsets[2] + i] = truths[static_cast<std::size_t>(first) + static_cast<std::size_t>(second)];
        }
    });
}

ANEMONE_BODY void unary(const kernel_table& table, op kind, const half* x, half* out, std::int64_t count, float p0,
                        float p1) {
    detail::require(is_unary(kind), "unary", formatted("{} does not take one operand", name(kind)));
    const bool keeps_zero = p0 == 0 && (kind == op::inverse || kind == op::rsqrt);
    p0 = keeps_zero ? -0.0F : p0; // without an epsilon -0 stays -0 under the fraction
    float values[detail::chunk];
    for (std::int64_t i = 0; i < count; i += detail::chunk) {
        const std::int64_t n = std::min(detail::chunk, count - i);
        table.to_float(x + i, values, n);
        table.unary(kind, values, values, n, p0, p1);
        table.to_half(values, out + i, n);
    }
}

ANEMONE_BODY void parametric(const kernel_table& table, op kind, const half* x, std::int64_t batch,
                             std::int64_t channels, std::int64_t plane, const half* first, const half* second,
                             half* out) {
    detail::require(kind == op::prelu || kind == op::parametric_softplus, "parametric",
                    formatted("{} has no parameters for each channel", name(kind)));
    const bool softplus = kind == op::parametric_softplus;
    float values[detail::chunk];
    for (std::int64_t row = 0; row < batch * channels; ++row) {
        const std::int64_t c = row % channels;
        const auto p0 = static_cast<float>(first[c]);
        const float p1 = softplus ? static_cast<float>(second[c]) : 0.0F;
        for (std::int64_t i = 0; i < plane; i += detail::chunk) {
            const std::int64_t n = std::min(detail::chunk, plane - i);
            table.to_float(x + row * plane + i, values, n);
            table.unary(softplus ? kind : op::leaky_relu, values, values, n, p0, p1);
            table.to_half(values, out + row * plane + i, n);
        }
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY

#pragma once

#include "lines.hpp"
#include "norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_INLINE moments moments_of(const kernel_table& table, const float* x, std::int64_t count) {
    const float mean = table.sum(x, count) / static_cast<float>(count);
    return {mean, table.squared_deviation(x, count, mean) / static_cast<float>(count)};
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void layer_norm(const kernel_table& table, const half* x, const extents& shape, int axis,
                             const half* gamma, const half* beta, float epsilon, half* out) {
    const std::int64_t count = detail::view_of_axis(shape, axis).count;
    const std::vector<float> scale = detail::to_floats(table, gamma, count);
    const std::vector<float> offset = detail::to_floats(table, beta, count);
    along_axis(table, x, shape, axis, out, [&](float* row) {
        const auto [mean, variance] = detail::moments_of(table, row, count);
        table.affine(row, row, count, mean, 1.0F / std::sqrt(variance + epsilon), 0.0F);
        if (!scale.empty()) {
            table.binary(op::mul, row, 1, scale.data(), 1, row, count);
        }
        if (!offset.empty()) {
            table.binary(op::add, row, 1, offset.data(), 1, row, count);
        }
    });
}

ANEMONE_BODY void batch_norm(const kernel_table& table, const half* x, std::int64_t batch, std::int64_t channels,
                             std::int64_t plane, const half* mean, const half* variance, const half* gamma,
                             const half* beta, float epsilon, half* out) {
    std::vector<float> values(static_cast<std::size_t>(plane));
    for (std::int64_t n = 0; n < batch; ++n) {
        for (std::int64_t c = 0; c < channels; ++c) {
            const float deviation = std::sqrt(static_cast<float>(variance[c]) + epsilon);
            const float scale = (gamma == nullptr ? 1.0F : static_cast<float>(gamma[c])) / deviation;
            const float offset = beta == nullptr ? 0.0F : static_cast<float>(beta[c]);
            const std::int64_t at = (n * channels + c) * plane;
            table.to_float(x + at, values.data(), plane);
            table.affine(values.data(), values.data(), plane, static_cast<float>(mean[c]), scale, offset);
            table.to_half(values.data(), out + at, plane);
        }
    }
}

ANEMONE_BODY void group_norm(const kernel_table& table, const half* x, std::int64_t batch, std::int64_t channels,
                             std::int64_t plane, std::int64_t groups, const half* gamma, const half* beta,
                             float epsilon, half* out) {
    const std::int64_t members = channels / groups;
    std::vector<float> values(static_cast<std::size_t>(members * plane));
    for (std::int64_t group = 0; group < batch * groups; ++group) {
        const std::int64_t at = group * members * plane;
        table.to_float(x + at, values.data(), members * plane);
        const auto [mean, variance] = detail::moments_of(table, values.data(), members * plane);
        const float inverse = 1.0F / std::sqrt(variance + epsilon);
        for (std::int64_t m = 0; m < members; ++m) {
            const std::int64_t c = group % groups * members + m;
            float* const row = values.data() + m * plane;
            table.affine(row, row, plane, mean, inverse * static_cast<float>(gamma[c]), static_cast<float>(beta[c]));
        }
        table.to_half(values.data(), out + at, members * plane);
    }
}

ANEMONE_BODY void rms_norm(const kernel_table& table, const half* x, const extents& shape, int axis, const half* gamma,
                           float epsilon, half* out) {
    const std::int64_t count = detail::view_of_axis(shape, axis).count;
    const std::vector<float> scale = detail::to_floats(table, gamma, count);
    along_axis(table, x, shape, axis, out, [&](float* row) {
        const float mean = table.squared_deviation(row, count, 0.0F) / static_cast<float>(count);
        table.affine(row, row, count, 0.0F, 1.0F / std::sqrt(mean + epsilon), 0.0F);
        table.binary(op::mul, row, 1, scale.data(), 1, row, count);
    });
}

ANEMONE_BODY void l2_norm(const kernel_table& table, const half* x, const extents& shape, int axis, float epsilon,
                          half* out) {
    const std::int64_t count = detail::view_of_axis(shape, axis).count;
    along_axis(table, x, shape, axis, out, [&](float* row) {
        const float norm = std::max(std::sqrt(table.squared_deviation(row, count, 0.0F)), std::sqrt(epsilon));
        table.binary(op::div, row, 1, &norm, 0, row, count);
    });
}

ANEMONE_BODY void minmax_norm(const kernel_table& table, const half* x, const extents& shape, int axis, float epsilon,
                              half* out) {
    const std::int64_t count = detail::view_of_axis(shape, axis).count;
    along_axis(table, x, shape, axis, out, [&](float* row) {
        const float least = table.smallest(row, count);
        const float span = table.largest(row, count) - least + epsilon;
        table.binary(op::sub, row, 1, &least, 0, row, count);
        table.binary(op::div, row, 1, &span, 0, row, count);
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY

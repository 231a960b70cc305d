#pragma once

#include "lines.hpp"
#include "norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// `count` numbers in fp32 with padding behind them; `missing` stands for nullptr.
ANEMONE_INLINE void widen_padded(const kernel_table& table, const half* x, std::int64_t count, float missing,
                                 float* to) {
    if (x == nullptr) {
        std::fill_n(to, count, missing);
    } else {
        table.to_float(x, to, count);
    }
    std::fill(to + count, to + padded_row(count), 0.0F);
}

/// norm(from, to, rows, count, gamma, beta, wide) for the lines along an axis.
template <class Norm>
void norm_along(const kernel_table& table, const half* x, const extents& shape, int axis, const half* gamma,
                const half* beta, half* out, const worker_threads& workers, const Norm& norm) {
    const axis_view view = view_of_axis(shape, axis);
    const std::int64_t count = view.count;
    std::vector<std::byte> memory;
    const worker_threads own = workers_with_memory(workers, scratch_of_norm(view), memory);
    along_axis(x, view, out, own, row_scratch_bytes(count),
               [&](const half* from, half* to, std::int64_t rows, std::byte* scratch) {
                   float* const wide = reinterpret_cast<float*>(scratch);
                   float* const scale = wide + row_scratch(count);
                   float* const offset = scale + padded_row(count);
                   widen_padded(table, gamma, count, 1.0F, scale);
                   widen_padded(table, beta, count, 0.0F, offset);
                   norm(from, to, rows, count, scale, offset, wide);
               });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void layer_norm(const kernel_table& table, const half* x, const extents& shape, int axis,
                             const half* gamma, const half* beta, float epsilon, half* out,
                             const worker_threads& workers) {
    detail::norm_along(
        table, x, shape, axis, gamma, beta, out, workers,
        [&](const half* from, half* to, std::int64_t rows, std::int64_t count, const float* scale, const float* offset,
            float* wide) { table.norms.layer_norm(from, to, rows, count, scale, offset, epsilon, wide); });
}

ANEMONE_BODY void batch_norm(const kernel_table& table, const half* x, std::int64_t batch, std::int64_t channels,
                             std::int64_t plane, const half* mean, const half* variance, const half* gamma,
                             const half* beta, float epsilon, half* out, const worker_threads& workers) {
    const std::int64_t grain = detail::elements_of_a_part / std::max<std::int64_t>(plane, 1);
    workers.share(batch * channels, grain, [&](std::int64_t first, std::int64_t last, std::byte*) {
        for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t c = i % channels;
            const float deviation = std::sqrt(static_cast<float>(variance[c]) + epsilon);
            const float scale = (gamma == nullptr ? 1.0F : static_cast<float>(gamma[c])) / deviation;
            const float offset = beta == nullptr ? 0.0F : static_cast<float>(beta[c]);
            table.halves.affine(x + i * plane, out + i * plane, plane, static_cast<float>(mean[c]), scale, offset);
        }
    });
}

ANEMONE_BODY void group_norm(const kernel_table& table, const half* x, std::int64_t batch, std::int64_t channels,
                             std::int64_t plane, std::int64_t groups, const half* gamma, const half* beta,
                             float epsilon, half* out, const worker_threads& workers) {
    const std::int64_t members = channels / groups;
    const std::int64_t count = members * plane;
    const std::int64_t grain = detail::elements_of_a_part / std::max<std::int64_t>(count, 1);
    workers.share(batch * groups, grain, [&](std::int64_t first, std::int64_t last, std::byte*) {
        for (std::int64_t group = first; group < last; ++group) {
            const half* const from = x + group * count;
            half* const to = out + group * count;
            const float mean = table.halves.sum(from, count) / static_cast<float>(count);
            const float variance = table.halves.squared_deviation(from, count, mean) / static_cast<float>(count);
            const float inverse = 1.0F / std::sqrt(variance + epsilon);
            for (std::int64_t m = 0; m < members; ++m) {
                const std::int64_t c = group % groups * members + m;
                table.halves.affine(from + m * plane, to + m * plane, plane, mean,
                                    inverse * static_cast<float>(gamma[c]), static_cast<float>(beta[c]));
            }
        }
    });
}

ANEMONE_BODY void rms_norm(const kernel_table& table, const half* x, const extents& shape, int axis, const half* gamma,
                           float epsilon, half* out, const worker_threads& workers) {
    detail::norm_along(table, x, shape, axis, gamma, nullptr, out, workers,
                       [&](const half* from, half* to, std::int64_t rows, std::int64_t count, const float* scale,
                           const float*,
                           float* wide) { table.norms.rms_norm(from, to, rows, count, scale, epsilon, wide); });
}

ANEMONE_BODY void l2_norm(const kernel_table& table, const half* x, const extents& shape, int axis, float epsilon,
                          half* out, const worker_threads& workers) {
    detail::norm_along(table, x, shape, axis, nullptr, nullptr, out, workers,
                       [&](const half* from, half* to, std::int64_t rows, std::int64_t count, const float*,
                           const float*, float* wide) { table.norms.l2_norm(from, to, rows, count, epsilon, wide); });
}

ANEMONE_BODY void minmax_norm(const kernel_table& table, const half* x, const extents& shape, int axis, float epsilon,
                              half* out, const worker_threads& workers) {
    detail::norm_along(table, x, shape, axis, nullptr, nullptr, out, workers,
                       [&](const half* from, half* to, std::int64_t rows, std::int64_t count, const float*,
                           const float*,
                           float* wide) { table.norms.minmax_norm(from, to, rows, count, epsilon, wide); });
}

} // namespace ane::cpu::inline ANEMONE_WAY

#pragma once

#include "table.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace ane::cpu {

/// out = (x - mean) / sqrt(variance + epsilon) * gamma + beta for each of `rows` rows of `count` elements (the product
/// of the normalised last axes); biased variance in a second pass, fp32, one rounding. gamma and beta have `count`
/// elements, or are nullptr. In place allowed.
inline void layer_norm(const kernel_table& table, const half* x, std::int64_t rows, std::int64_t count,
                       const half* gamma, const half* beta, float epsilon, half* out) {
    std::vector<float> values(static_cast<std::size_t>(count));
    std::vector<float> scale(gamma == nullptr ? 0U : values.size());
    std::vector<float> offset(beta == nullptr ? 0U : values.size());
    table.to_float(gamma, scale.data(), static_cast<std::int64_t>(scale.size()));
    table.to_float(beta, offset.data(), static_cast<std::int64_t>(offset.size()));
    for (std::int64_t r = 0; r < rows; ++r) {
        table.to_float(x + r * count, values.data(), count);
        const float mean = table.sum(values.data(), count) / static_cast<float>(count);
        const float variance = table.squared_deviation(values.data(), count, mean) / static_cast<float>(count);
        table.affine(values.data(), values.data(), count, mean, 1.0F / std::sqrt(variance + epsilon), 0.0F);
        if (!scale.empty()) {
            table.binary(op::mul, values.data(), 1, scale.data(), 1, values.data(), count);
        }
        if (!offset.empty()) {
            table.binary(op::add, values.data(), 1, offset.data(), 1, values.data(), count);
        }
        table.to_half(values.data(), out + r * count, count);
    }
}

/// Inference: out[n, c, i] = (x[n, c, i] - mean[c]) / sqrt(variance[c] + epsilon) * gamma[c] + beta[c], fp32, one
/// rounding; `plane` elements i a channel; gamma (1) and beta (0) may be nullptr. In place allowed.
inline void batch_norm(const kernel_table& table, const half* x, std::int64_t batch, std::int64_t channels,
                       std::int64_t plane, const half* mean, const half* variance, const half* gamma, const half* beta,
                       float epsilon, half* out) {
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

} // namespace ane::cpu

#pragma once

#include "../../../base/way.hpp"
#include "lines.hpp"

#include <cstdint>

/// The norms: statistics and results in fp32, one rounding at the end. The variance is biased and taken in a second
/// pass. In place allowed everywhere; along an axis that is not there they throw errc::argument. A workers brings
/// detail::scratch_of_norm of memory; without any, the function allocates it.
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Rows in fp32, gamma and beta.
constexpr std::int64_t row_scratch_bytes(std::int64_t count) {
    return (row_scratch(count) + 2 * padded_row(count)) * static_cast<std::int64_t>(sizeof(float));
}
/// The temporary memory of a norm of lines along an axis; of a softmax too.
constexpr scratch_sizes scratch_of_norm(const axis_view& view) {
    return scratch_along(view, row_scratch_bytes(view.count));
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// out = (x - mean) / sqrt(variance + epsilon) * gamma + beta along one axis; gamma and beta have one value for each
/// index of it, or are nullptr.
ANEMONE_API void layer_norm(const kernel_table& table, const half* x, const extents& shape, int axis, const half* gamma,
                            const half* beta, float epsilon, half* out, const worker_threads& workers = {});

/// Inference: out[n, c, i] = (x[n, c, i] - mean[c]) / sqrt(variance[c] + epsilon) * gamma[c] + beta[c]; `plane`
/// elements i a channel; gamma (1) and beta (0) may be nullptr.
ANEMONE_API void batch_norm(const kernel_table& table, const half* x, std::int64_t batch, std::int64_t channels,
                            std::int64_t plane, const half* mean, const half* variance, const half* gamma,
                            const half* beta, float epsilon, half* out, const worker_threads& workers = {});

/// out = (x - mean) / sqrt(variance + epsilon) * gamma[c] + beta[c] with mean and variance of each of `groups` equal
/// groups of the channels c of one image; `plane` elements a channel. As many groups as channels make an instance norm.
ANEMONE_API void group_norm(const kernel_table& table, const half* x, std::int64_t batch, std::int64_t channels,
                            std::int64_t plane, std::int64_t groups, const half* gamma, const half* beta, float epsilon,
                            half* out, const worker_threads& workers = {});

/// out = x / sqrt(mean of x^2 + epsilon) * gamma along one axis; gamma has one value for each index of it.
ANEMONE_API void rms_norm(const kernel_table& table, const half* x, const extents& shape, int axis, const half* gamma,
                          float epsilon, half* out, const worker_threads& workers = {});

/// out = x / max(sqrt(sum of x^2), sqrt(epsilon)) along one axis; NaN where a line and epsilon are zero.
ANEMONE_API void l2_norm(const kernel_table& table, const half* x, const extents& shape, int axis, float epsilon,
                         half* out, const worker_threads& workers = {});

/// out = (x - min) / (max - min + epsilon) along one axis; NaN where a line is constant and epsilon zero.
ANEMONE_API void minmax_norm(const kernel_table& table, const half* x, const extents& shape, int axis, float epsilon,
                             half* out, const worker_threads& workers = {});

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "norm.ipp"
#endif

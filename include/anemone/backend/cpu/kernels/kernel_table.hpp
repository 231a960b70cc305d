#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/op.hpp"
#include "../../../values/half.hpp"
#include "../simd/isa.hpp"
#include "attention_kernels.hpp"
#include "chain_kernels.hpp"
#include "convolution_kernels.hpp"
#include "product_kernels.hpp"
#include "winograd_kernels.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// Rows of fp32.
struct float_kernels {
    void (*to_float)(const half* from, float* to, std::int64_t count) = nullptr;
    void (*to_half)(const float* from, half* to, std::int64_t count) = nullptr;
    /// out[i] = f(x[i]); in place allowed.
    void (*unary)(op kind, const float* x, float* out, std::int64_t count, float p0, float p1) = nullptr;
    /// out[i] = f(a[i * a_stride], b[i * b_stride]), strides 0 or 1; in place allowed.
    void (*binary)(op kind, const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, float* out,
                   std::int64_t count) = nullptr;
};

/// Rows of fp16, in one pass: fp32 inside, rounded once. In place allowed.
struct half_kernels {
    /// out[i] = f(x[i]).
    void (*unary)(op kind, const half* x, half* out, std::int64_t count, float p0, float p1) = nullptr;
    /// out[i] = f(a[i * a_stride], b[i * b_stride]), strides 0 or 1.
    void (*binary)(op kind, const half* a, std::int64_t a_stride, const half* b, std::int64_t b_stride, half* out,
                   std::int64_t count) = nullptr;
    /// The same with booleans, 1 or 0, for the comparisons.
    void (*comparison)(op kind, const half* a, std::int64_t a_stride, const half* b, std::int64_t b_stride,
                       std::uint8_t* out, std::int64_t count) = nullptr;
    /// out[i] = (x[i] - center) * scale + offset.
    void (*affine)(const half* x, half* out, std::int64_t count, float center, float scale, float offset) = nullptr;
    float (*sum)(const half* x, std::int64_t count) = nullptr;
    /// Sum of (x - center)^2.
    float (*squared_deviation)(const half* x, std::int64_t count, float center) = nullptr;
};

/// How many rows a norm works on at once, where they are short enough for the first cache.
inline constexpr std::int64_t rows_at_once = 4;
constexpr std::int64_t padded_row(std::int64_t count) { return (count + 15) / 16 * 16; }
constexpr std::int64_t row_group(std::int64_t count) { return padded_row(count) <= 4096 ? rows_at_once : 1; }
/// The fp32 numbers that a norm needs for its rows.
constexpr std::int64_t row_scratch(std::int64_t count) { return row_group(count) * padded_row(count); }

/// Norms of rows that lie one behind the other (kernels/norm.hpp says which). In place allowed. `wide` has
/// row_scratch(count) numbers; gamma and beta have padded_row(count).
struct norm_kernels {
    void (*softmax)(const half* x, half* out, std::int64_t rows, std::int64_t count, float* wide) = nullptr;
    void (*layer_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, const float* gamma,
                       const float* beta, float epsilon, float* wide) = nullptr;
    void (*rms_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, const float* gamma, float epsilon,
                     float* wide) = nullptr;
    void (*l2_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon,
                    float* wide) = nullptr;
    void (*minmax_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon,
                        float* wide) = nullptr;
};

/// Folds of reduce_sum, reduce_max, reduce_min, reduce_sum_square, reduce_l1_norm and reduce_log_sum_exp, which has a
/// center.
struct reduce_kernels {
    /// The fold of a row.
    float (*row)(op kind, const half* x, std::int64_t count, float start, float center) = nullptr;
    /// Folds x[i] into sums[i].
    void (*into)(op kind, const half* x, const float* centers, float* sums, std::int64_t count) = nullptr;
    /// out[i] = the fold (op::add or op::maximum) of `start` and x[offsets[t] + i] for all t in order. Reads x and writes
    /// out up to a multiple of 16.
    void (*windows)(op combine, const float* x, const std::int64_t* offsets, std::int64_t taps, float start, float* out,
                    std::int64_t count) = nullptr;
};

/// The interface between operations and instruction sets: primitives over rows, one table per level, by family
/// (families.def). Operations take a
/// table as their first argument, so a test can run any level. What no operation of a program needs is null
/// (algorithms.hpp).
///
/// Agreement: every function but those of products and convolutions gives the same bits at every level: conversions are
/// exact or rounded once, sums are grouped the same way everywhere, and a multiply and add are fused at every level (in
/// polynomials) or at none. (Which of two NaNs propagates is up to the machine, and pow to the C library.) Products and
/// convolutions fuse them where a level can, so levels differ there by at most one fp32 rounding (2^-24 relative) of each
/// product. After rounding to fp16 that shows as at most one ulp, unless a sum cancels: then the bound is terms * 2^-23 *
/// sum |products|.
struct kernel_table {
    isa_level level;
#define ANEMONE_KERNEL_FAMILY(family, member, object) const family##_kernels& member;
#include "families.def"

    void to_float(const half* from, float* to, std::int64_t count) const { floats.to_float(from, to, count); }
    void to_half(const float* from, half* to, std::int64_t count) const { floats.to_half(from, to, count); }
    void unary(op kind, const float* x, float* out, std::int64_t count, float p0, float p1) const {
        floats.unary(kind, x, out, count, p0, p1);
    }
    void binary(op kind, const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, float* out,
                std::int64_t count) const {
        floats.binary(kind, a, a_stride, b, b_stride, out, count);
    }
};

} // namespace ane::cpu::inline ANEMONE_WAY

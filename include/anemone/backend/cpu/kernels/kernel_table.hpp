#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/op.hpp"
#include "../../../values/half.hpp"
#include "attention_kernels.hpp"
#include "chain_kernels.hpp"
#include "convolution_kernels.hpp"
#include "isa.hpp"
#include "product_kernels.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// The contraction tile: up to six output rows (channels) by 32 output columns (positions).
inline constexpr int tile_rows = 6;
inline constexpr int tile_columns = 32;

/// Rows of fp16, in one pass: fp32 inside, rounded once. In place allowed.
struct half_kernels {
    /// out[i] = f(x[i]).
    void (*unary)(op kind, const half* x, half* out, std::int64_t count, float p0, float p1);
    /// out[i] = f(a[i * a_stride], b[i * b_stride]), strides 0 or 1.
    void (*binary)(op kind, const half* a, std::int64_t a_stride, const half* b, std::int64_t b_stride, half* out,
                   std::int64_t count);
    /// The same with booleans, 1 or 0, for the comparisons.
    void (*comparison)(op kind, const half* a, std::int64_t a_stride, const half* b, std::int64_t b_stride,
                       std::uint8_t* out, std::int64_t count);
    /// out[i] = (x[i] - center) * scale + offset.
    void (*affine)(const half* x, half* out, std::int64_t count, float center, float scale, float offset);
    float (*sum)(const half* x, std::int64_t count);
    /// Sum of (x - center)^2.
    float (*squared_deviation)(const half* x, std::int64_t count, float center);
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
    void (*softmax)(const half* x, half* out, std::int64_t rows, std::int64_t count, float* wide);
    void (*layer_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, const float* gamma,
                       const float* beta, float epsilon, float* wide);
    void (*rms_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, const float* gamma, float epsilon,
                     float* wide);
    void (*l2_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon, float* wide);
    void (*minmax_norm)(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon, float* wide);
};

/// Folds of reduce_sum, reduce_max, reduce_min, reduce_sum_square, reduce_l1_norm and reduce_log_sum_exp, which has a
/// center.
struct reduce_kernels {
    /// The fold of a row.
    float (*row)(op kind, const half* x, std::int64_t count, float start, float center);
    /// Folds x[i] into sums[i].
    void (*into)(op kind, const half* x, const float* centers, float* sums, std::int64_t count);
    /// out[i] = the fold (op::add or op::maximum) of `start` and x[offsets[t] + i] for all t in order. Reads x and writes
    /// out up to a multiple of 16.
    void (*windows)(op combine, const float* x, const std::int64_t* offsets, std::int64_t taps, float start, float* out,
                    std::int64_t count);
};

/// The interface between operations and instruction sets: primitives over rows of fp32, one table per level. Operations
/// take a table as their first argument, so a test can run any level.
///
/// Agreement: every function but `tile` gives the same bits at every level: conversions are exact or rounded once, sums
/// are grouped the same way everywhere, and a multiply and add are fused at every level (in polynomials) or at none.
/// (Which of two NaNs propagates is up to the machine, and pow to the C library.) `tile` fuses them where a level can, so levels differ there by at most one fp32
/// rounding (2^-24 relative) of each product. After rounding to fp16 that shows as at most one ulp, unless a sum
/// cancels: then the bound is terms * 2^-23 * sum |products|.
struct kernel_table {
    isa_level level;
    void (*to_float)(const half* from, float* to, std::int64_t count);
    void (*to_half)(const float* from, half* to, std::int64_t count);
    /// sums[r * 32 + c] = sum over t of w[t * rows + r] * x[offsets[t] + c], rows <= 6, columns <= 32. Reads x and
    /// writes sums up to column 31 even where `columns` is smaller.
    void (*tile)(int rows, std::int64_t taps, const float* w, const float* x, const std::int64_t* offsets, float* sums,
                 std::int64_t columns);
    /// out[i] = f(x[i]); in place allowed.
    void (*unary)(op kind, const float* x, float* out, std::int64_t count, float p0, float p1);
    /// out[i] = f(a[i * a_stride], b[i * b_stride]), strides 0 or 1; in place allowed.
    void (*binary)(op kind, const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, float* out,
                   std::int64_t count);
    float (*sum)(const float* x, std::int64_t count);
    /// Sum of (x - center)^2.
    float (*squared_deviation)(const float* x, std::int64_t count, float center);
    float (*largest)(const float* x, std::int64_t count);
    float (*smallest)(const float* x, std::int64_t count);
    /// out[i] = (x[i] - center) * scale + offset; in place allowed.
    void (*affine)(const float* x, float* out, std::int64_t count, float center, float scale, float offset);
    product_kernels products; ///< empty in a program without products
    attention_kernels attention;
    convolution_kernels convolutions; ///< empty in tables of operations without them
    half_kernels halves;
    norm_kernels norms;
    reduce_kernels reductions;
    chain_kernels chains;
};

} // namespace ane::cpu::inline ANEMONE_WAY

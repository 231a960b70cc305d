#pragma once

#include "../../../error.hpp"
#include "convert.hpp"
#include "loops.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ane::cpu {

/// The seam between operations and instruction sets: primitives over rows of fp32, one table a level. Operations take a
/// table as their first argument, so a test can run any level.
///
/// Agreement: every function but `tile` gives the same bits at every level: conversions are exact or rounded once, sums
/// are grouped the same way everywhere, and no multiply and add are fused. (Which of two NaN is handed on is left to
/// the machine, and pow to the C library.) `tile` fuses them where a level can, so levels differ there by at most one
/// fp32 rounding (2^-24 relative) of each product. After rounding to fp16 that shows as at most one ulp, unless a sum
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
};

namespace detail {

template <isa_level Level> struct products;
template <isa_level Level> struct primitives;

// The wrappers of one level: nothing but the target attribute differs.
#define ANEMONE_CPU_PRODUCTS(LEVEL, WIDTH, TARGET)                                                                     \
    template <> struct products<isa_level::LEVEL> {                                                                    \
        TARGET static void tile(int rows, std::int64_t taps, const float* w, const float* x,                           \
                                const std::int64_t* offsets, float* sums, std::int64_t columns) {                      \
            tile_body<WIDTH>(rows, taps, w, x, offsets, sums, columns);                                                \
        }                                                                                                              \
    }

#define ANEMONE_CPU_PRIMITIVES(LEVEL, TARGET, TO_FLOAT, TO_HALF)                                                       \
    template <> struct primitives<isa_level::LEVEL> {                                                                  \
        TARGET static void to_float(const half* from, float* to, std::int64_t n) { TO_FLOAT(from, to, n); }            \
        TARGET static void to_half(const float* from, half* to, std::int64_t n) { TO_HALF(from, to, n); }              \
        TARGET static void unary(op kind, const float* x, float* out, std::int64_t n, float p0, float p1) {            \
            unary_body(kind, x, out, n, p0, p1);                                                                       \
        }                                                                                                              \
        TARGET static void binary(op kind, const float* a, std::int64_t a_stride, const float* b,                      \
                                  std::int64_t b_stride, float* out, std::int64_t n) {                                 \
            binary_body(kind, a, a_stride, b, b_stride, out, n);                                                       \
        }                                                                                                              \
        TARGET static float sum(const float* x, std::int64_t n) {                                                      \
            return fold(binary_function<op::add>{}, identity{}, 0.0F, x, n);                                           \
        }                                                                                                              \
        TARGET static float squared_deviation(const float* x, std::int64_t n, float center) {                          \
            return fold(binary_function<op::add>{}, squared_difference{center}, 0.0F, x, n);                           \
        }                                                                                                              \
        TARGET static float largest(const float* x, std::int64_t n) {                                                  \
            return fold(binary_function<op::maximum>{}, identity{}, -std::numeric_limits<float>::infinity(), x, n);    \
        }                                                                                                              \
        TARGET static float smallest(const float* x, std::int64_t n) {                                                 \
            return fold(binary_function<op::minimum>{}, identity{}, std::numeric_limits<float>::infinity(), x, n);     \
        }                                                                                                              \
        TARGET static void affine_row(const float* x, float* out, std::int64_t n, float center, float scale,           \
                                      float offset) {                                                                  \
            map(affine{center, scale, offset}, x, out, n);                                                             \
        }                                                                                                              \
        static constexpr kernel_table table{isa_level::LEVEL,                                                          \
                                            to_float,                                                                  \
                                            to_half,                                                                   \
                                            products<isa_level::LEVEL>::tile,                                          \
                                            unary,                                                                     \
                                            binary,                                                                    \
                                            sum,                                                                       \
                                            squared_deviation,                                                         \
                                            largest,                                                                   \
                                            smallest,                                                                  \
                                            affine_row};                                                               \
    }

#define ANEMONE_CPU_AVX2 __attribute__((target("avx2,fma,f16c")))
#define ANEMONE_CPU_AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c")))

ANEMONE_CPU_PRODUCTS(generic, 4, );
#if defined(__x86_64__)
ANEMONE_CPU_PRODUCTS(avx2, 8, ANEMONE_CPU_AVX2);
ANEMONE_CPU_PRODUCTS(avx512, 16, ANEMONE_CPU_AVX512);
#endif

ANEMONE_CPU_UNFUSED_BEGIN
ANEMONE_CPU_PRIMITIVES(generic, , widen, narrow);
#if defined(__x86_64__)
ANEMONE_CPU_PRIMITIVES(avx2, ANEMONE_CPU_AVX2, widen_f16c, narrow_f16c);
ANEMONE_CPU_PRIMITIVES(avx512, ANEMONE_CPU_AVX512, widen_f16c, narrow_f16c);
#endif
ANEMONE_CPU_UNFUSED_END

#undef ANEMONE_CPU_AVX512
#undef ANEMONE_CPU_AVX2
#undef ANEMONE_CPU_PRIMITIVES
#undef ANEMONE_CPU_PRODUCTS

} // namespace detail

/// The table of a level. Throws errc::argument when this machine cannot run it.
inline const kernel_table& kernels_for(isa_level level) {
    if (!is_available(level)) {
        throw error(errc::argument, std::string(name(level)), "this machine does not run kernels of this level");
    }
#if defined(__x86_64__)
    if (level == isa_level::avx512) {
        return detail::primitives<isa_level::avx512>::table;
    }
    if (level == isa_level::avx2) {
        return detail::primitives<isa_level::avx2>::table;
    }
#endif
    return detail::primitives<isa_level::generic>::table;
}

/// The table of the best level of this machine, chosen once.
inline const kernel_table& best_kernels() {
    static const kernel_table& best = kernels_for(available_levels().back());
    return best;
}

namespace detail {

/// `count` values in fp32; none of nullptr.
inline std::vector<float> to_floats(const kernel_table& table, const half* x, std::int64_t count) {
    std::vector<float> result(x == nullptr ? 0U : static_cast<std::size_t>(count));
    table.to_float(x, result.data(), static_cast<std::int64_t>(result.size()));
    return result;
}

} // namespace detail

} // namespace ane::cpu

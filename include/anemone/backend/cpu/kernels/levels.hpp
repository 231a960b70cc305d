#pragma once

#include "../../../base/isa_dispatch.hpp"
#include "../../../graph/op_set.hpp"
#include "convert.hpp"
#include "kernel_table.hpp"
#include "loops.hpp"

#include <cstddef>
#include <limits>

/// The loops, compiled for each instruction set.
namespace ane::cpu::detail::inline ANEMONE_WAY {

template <isa_level Level, class Lazy = void> struct products;
template <isa_level Level, op_set Operations> struct primitives;

// The wrappers of one level: nothing but the target attribute differs.
#define ANEMONE_CPU_PRODUCTS(LEVEL, WIDTH, TARGET, ...)                                                                \
    template <class Lazy> struct products<isa_level::LEVEL, Lazy> {                                                    \
        TARGET static void tile(int rows, std::int64_t taps, const float* w, const float* x,                           \
                                const std::int64_t* offsets, float* sums, std::int64_t columns) {                      \
            tile_body<WIDTH>(rows, taps, w, x, offsets, sums, columns);                                                \
        }                                                                                                              \
    };

#define ANEMONE_CPU_PRIMITIVES(LEVEL, WIDTH, TARGET, FORM)                                                             \
    template <op_set Operations> struct primitives<isa_level::LEVEL, Operations> {                                     \
        TARGET static void to_float(const half* from, float* to, std::int64_t n) { widen##FORM(from, to, n); }         \
        TARGET static void to_half(const float* from, half* to, std::int64_t n) { narrow##FORM(from, to, n); }         \
        TARGET static void unary(op kind, const float* x, float* out, std::int64_t n, float p0, float p1) {            \
            unary_body<Operations>(kind, x, out, n, p0, p1);                                                           \
        }                                                                                                              \
        TARGET static void binary(op kind, const float* a, std::int64_t a_stride, const float* b,                      \
                                  std::int64_t b_stride, float* out, std::int64_t n) {                                 \
            binary_body<Operations>(kind, a, a_stride, b, b_stride, out, n);                                           \
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
    };

ANEMONE_ISA_LEVELS(ANEMONE_CPU_PRODUCTS)

ANEMONE_CPU_UNFUSED_BEGIN
ANEMONE_ISA_LEVELS(ANEMONE_CPU_PRIMITIVES)
ANEMONE_CPU_UNFUSED_END

#undef ANEMONE_CPU_PRIMITIVES
#undef ANEMONE_CPU_PRODUCTS

template <op_set Operations> struct primitive_levels {
    template <isa_level Level> using at = primitives<Level, Operations>;
};

/// The table of a level with the loops of some operations.
template <op_set Operations> const kernel_table& kernels_of(isa_level level) {
    return ane::detail::table_for<primitive_levels<Operations>>(level);
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

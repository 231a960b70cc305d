#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../../graph/op_set.hpp"
#include "kernel_table.hpp"
#include "math.hpp"

#include <cstdint>
#include <cstring>
#include <string>

/// Loop bodies over rows of fp32, to be inlined into one function for each instruction set (table.hpp).
namespace ane::cpu::detail::inline ANEMONE_WAY {

template <int Width> struct vector_of;
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
template <> struct vector_of<4> { typedef float type __attribute__((vector_size(16))); };
template <> struct vector_of<8> { typedef float type __attribute__((vector_size(32))); };
template <> struct vector_of<16> { typedef float type __attribute__((vector_size(64))); };
// NOLINTEND(modernize-use-using)

/// sums[r, c] = sum over t of w[t, r] * x[offsets[t] + c]. The sum over t is sequential in one fp32 accumulator at
/// every level, so levels differ by fused multiply-adds only. g++ keeps the sums in registers only where it unrolls
/// first.
template <int Width, int Rows>
ANEMONE_CPU_INLINE void tile_of(std::int64_t taps, const float* w, const float* x, const std::int64_t* offsets,
                                float* sums, std::int64_t columns) {
    using vector = typename vector_of<Width>::type;
    constexpr int wanted = Rows == 1 ? 4 : 2; // enough independent sums to hide the latency of the multiply-add
    constexpr int vectors = wanted * Width < tile_columns ? wanted : tile_columns / Width;
    for (std::int64_t c = 0; c < columns; c += vectors * Width) {
        vector sum[Rows][vectors] = {};
        for (std::int64_t t = 0; t < taps; ++t) {
            const float* const from = x + offsets[t] + c;
            vector value[vectors];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                std::memcpy(&value[v], from + v * Width, sizeof value[v]);
            }
#pragma GCC unroll 6
            for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v) {
                    sum[r][v] = sum[r][v] + value[v] * w[t * Rows + r];
                }
            }
        }
#pragma GCC unroll 6
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                std::memcpy(sums + r * tile_columns + c + v * Width, &sum[r][v], sizeof sum[r][v]);
            }
        }
    }
}

template <int Width>
ANEMONE_CPU_INLINE void tile_body(int rows, std::int64_t taps, const float* w, const float* x,
                                  const std::int64_t* offsets, float* sums, std::int64_t columns) {
    static_assert(tile_rows == 6);
    switch (rows) {
    case 1: return tile_of<Width, 1>(taps, w, x, offsets, sums, columns);
    case 2: return tile_of<Width, 2>(taps, w, x, offsets, sums, columns);
    case 3: return tile_of<Width, 3>(taps, w, x, offsets, sums, columns);
    case 4: return tile_of<Width, 4>(taps, w, x, offsets, sums, columns);
    case 5: return tile_of<Width, 5>(taps, w, x, offsets, sums, columns);
    default: return tile_of<Width, 6>(taps, w, x, offsets, sums, columns);
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

ANEMONE_CPU_UNFUSED_BEGIN

namespace ane::cpu::detail::inline ANEMONE_WAY {

inline constexpr std::int64_t loop_block = 16;

/// The next `loop_block` elements of a row: in place, or what is left of them in a block of its own.
ANEMONE_CPU_INLINE const float* whole_block(const float* from, std::int64_t left, float* block) {
    if (left >= loop_block) {
        return from;
    }
    for (std::int64_t lane = 0; lane < left; ++lane) {
        block[lane] = from[lane];
    }
    return block;
}

ANEMONE_CPU_INLINE void store_block(const float* block, float* to, std::int64_t left) {
    if (left >= loop_block) {
        std::memcpy(to, block, sizeof(float) * loop_block);
    } else {
        for (std::int64_t lane = 0; lane < left; ++lane) {
            to[lane] = block[lane];
        }
    }
}

/// Whole blocks only, even at the end of a row: a single piece of vector code, and results do not depend on an
/// element's position.
template <class Function>
ANEMONE_CPU_INLINE void map(const Function& function, const float* x, float* out, std::int64_t count) {
    float rest[loop_block] = {};
    for (std::int64_t i = 0; i < count; i += loop_block) {
        const float* const from = whole_block(x + i, count - i, rest);
        float value[loop_block]; // not `out` itself, which may alias x: a local array needs no alias check
        for (int lane = 0; lane < loop_block; ++lane) {
            value[lane] = function(from[lane]);
        }
        store_block(value, out + i, count - i);
    }
}

/// Strides are 0 (one value for the row) or 1.
template <class Function>
ANEMONE_CPU_INLINE void zip(const Function& function, const float* a, std::int64_t a_stride, const float* b,
                            std::int64_t b_stride, float* out, std::int64_t count) {
    if (count <= 0) {
        return;
    }
    float same_a[loop_block]; // the value of the whole row, or what is left of it at its end
    float same_b[loop_block];
    for (int lane = 0; lane < loop_block; ++lane) {
        same_a[lane] = *a;
        same_b[lane] = *b;
    }
    for (std::int64_t i = 0; i < count; i += loop_block) {
        const float* const left = a_stride == 0 ? same_a : whole_block(a + i, count - i, same_a);
        const float* const right = b_stride == 0 ? same_b : whole_block(b + i, count - i, same_b);
        float value[loop_block];
        for (int lane = 0; lane < loop_block; ++lane) {
            value[lane] = function(left[lane], right[lane]);
        }
        store_block(value, out + i, count - i);
    }
}

/// Stands in for a loop that was left out; no program calls it.
ANEMONE_INLINE void no_loop [[noreturn]] (op kind) {
    throw error(errc::lowering, std::string(ane::name(kind)), "has no loop in this table of kernels");
}

// One case of the switches below: the loop over one operation, where the table has it.
#define ANEMONE_CPU_ROW(KIND)                                                                                          \
    case op::KIND:                                                                                                     \
        if constexpr (Operations.contains(op::KIND)) {                                                                 \
            return map(unary_function<op::KIND>{p0, p1}, x, out, n);                                                   \
        }                                                                                                              \
        break;

/// Operations that are not worth the compile time of one loop per level; the compiler's own vectorisation suffices.
template <op_set Operations> void rare_unary(op kind, const float* x, float* out, std::int64_t n, float p0, float p1) {
    switch (kind) {
        ANEMONE_CPU_ROW(thresholded_relu)
        ANEMONE_CPU_ROW(clamped_relu)
        ANEMONE_CPU_ROW(scaled_tanh)
        ANEMONE_CPU_ROW(softsign)
        ANEMONE_CPU_ROW(exp2)
        ANEMONE_CPU_ROW(sign)
        ANEMONE_CPU_ROW(ceil)
        ANEMONE_CPU_ROW(floor)
        ANEMONE_CPU_ROW(round)
        ANEMONE_CPU_ROW(sin)
        ANEMONE_CPU_ROW(cos)
        ANEMONE_CPU_ROW(atan)
        ANEMONE_CPU_ROW(parametric_softplus)
    default: break;
    }
    no_loop(kind);
}
template <op_set Operations>
ANEMONE_CPU_INLINE void unary_body(op kind, const float* x, float* out, std::int64_t n, float p0, float p1) {
    switch (kind) {
        ANEMONE_CPU_ROW(relu)
        ANEMONE_CPU_ROW(relu6)
        ANEMONE_CPU_ROW(leaky_relu)
        ANEMONE_CPU_ROW(clamp)
        ANEMONE_CPU_ROW(elu)
        ANEMONE_CPU_ROW(sigmoid)
        ANEMONE_CPU_ROW(hard_sigmoid)
        ANEMONE_CPU_ROW(tanh)
        ANEMONE_CPU_ROW(gelu)
        ANEMONE_CPU_ROW(gelu_sigmoid)
        ANEMONE_CPU_ROW(silu)
        ANEMONE_CPU_ROW(softplus)
        ANEMONE_CPU_ROW(erf)
        ANEMONE_CPU_ROW(exp)
        ANEMONE_CPU_ROW(log)
        ANEMONE_CPU_ROW(sqrt)
        ANEMONE_CPU_ROW(rsqrt)
        ANEMONE_CPU_ROW(inverse)
        ANEMONE_CPU_ROW(square)
        ANEMONE_CPU_ROW(abs)
    default: break;
    }
    return rare_unary<Operations>(kind, x, out, n, p0, p1);
}
#undef ANEMONE_CPU_ROW

#define ANEMONE_CPU_ROW(KIND)                                                                                          \
    case op::KIND:                                                                                                     \
        if constexpr (Operations.contains(op::KIND)) {                                                                 \
            return zip(binary_function<op::KIND>{}, a, a_stride, b, b_stride, out, n);                                 \
        }                                                                                                              \
        break;

template <op_set Operations>
void rare_binary(op kind, const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, float* out,
                 std::int64_t n) {
    switch (kind) {
        ANEMONE_CPU_ROW(pow)
        ANEMONE_CPU_ROW(floor_div)
        ANEMONE_CPU_ROW(equal)
        ANEMONE_CPU_ROW(not_equal)
        ANEMONE_CPU_ROW(greater)
        ANEMONE_CPU_ROW(greater_equal)
        ANEMONE_CPU_ROW(less)
        ANEMONE_CPU_ROW(less_equal)
    default: break;
    }
    no_loop(kind);
}
template <op_set Operations>
ANEMONE_CPU_INLINE void binary_body(op kind, const float* a, std::int64_t a_stride, const float* b,
                                    std::int64_t b_stride, float* out, std::int64_t n) {
    switch (kind) {
        ANEMONE_CPU_ROW(add)
        ANEMONE_CPU_ROW(sub)
        ANEMONE_CPU_ROW(mul)
        ANEMONE_CPU_ROW(div)
        ANEMONE_CPU_ROW(minimum)
        ANEMONE_CPU_ROW(maximum)
    default: break;
    }
    return rare_binary<Operations>(kind, a, a_stride, b, b_stride, out, n);
}
#undef ANEMONE_CPU_ROW

/// Folds f(x[i]) into 16 lanes, then the lanes in order: the same grouping at every level.
template <class Combine, class Function>
ANEMONE_CPU_INLINE float fold(const Combine& combine, const Function& function, float start, const float* x,
                              std::int64_t count) {
    float lanes[loop_block];
    for (float& lane : lanes) {
        lane = start;
    }
    std::int64_t i = 0;
    for (; i + loop_block <= count; i += loop_block) {
        for (int lane = 0; lane < loop_block; ++lane) {
            lanes[lane] = combine(lanes[lane], function(x[i + lane]));
        }
    }
    for (int lane = 0; i < count; ++i, ++lane) {
        lanes[lane] = combine(lanes[lane], function(x[i]));
    }
    float result = start;
    for (const float lane : lanes) {
        result = combine(result, lane);
    }
    return result;
}

struct identity {
    ANEMONE_CPU_INLINE float operator()(float x) const { return x; }
};

struct squared_difference {
    float center;
    ANEMONE_CPU_INLINE float operator()(float x) const { return (x - center) * (x - center); }
};

/// (x - center) * scale + offset.
struct affine {
    float center;
    float scale;
    float offset;
    ANEMONE_CPU_INLINE float operator()(float x) const { return (x - center) * scale + offset; }
};

} // namespace ane::cpu::detail::inline ANEMONE_WAY

ANEMONE_CPU_UNFUSED_END

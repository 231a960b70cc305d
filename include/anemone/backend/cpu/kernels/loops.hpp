#pragma once

#include "math.hpp"

#include <cstdint>
#include <cstring>

/// Loop bodies over rows of fp32, to be inlined into one function for each instruction set (table.hpp).
namespace ane::cpu {

/// The contraction tile: up to six output rows (channels) by 32 output columns (positions).
inline constexpr int tile_rows = 6;
inline constexpr int tile_columns = 32;

namespace detail {

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

inline constexpr std::int64_t loop_block = 16;

template <class Function>
ANEMONE_CPU_INLINE void map(const Function& function, const float* x, float* out, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + loop_block <= count; i += loop_block) {
        float value[loop_block]; // not `out` itself, which x may be: a local array needs no alias check
        for (int lane = 0; lane < loop_block; ++lane) {
            value[lane] = function(x[i + lane]);
        }
        for (int lane = 0; lane < loop_block; ++lane) {
            out[i + lane] = value[lane];
        }
    }
    for (; i < count; ++i) {
        out[i] = function(x[i]);
    }
}

/// Strides are 0 (one value for the row) or 1.
template <class Function>
ANEMONE_CPU_INLINE void zip(const Function& function, const float* a, std::int64_t a_stride, const float* b,
                            std::int64_t b_stride, float* out, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + loop_block <= count; i += loop_block) {
        float value[loop_block];
        if (a_stride != 0 && b_stride != 0) {
            for (int lane = 0; lane < loop_block; ++lane) {
                value[lane] = function(a[i + lane], b[i + lane]);
            }
        } else if (a_stride != 0) {
            for (int lane = 0; lane < loop_block; ++lane) {
                value[lane] = function(a[i + lane], *b);
            }
        } else if (b_stride != 0) {
            for (int lane = 0; lane < loop_block; ++lane) {
                value[lane] = function(*a, b[i + lane]);
            }
        } else {
            for (float& same : value) {
                same = function(*a, *b);
            }
        }
        for (int lane = 0; lane < loop_block; ++lane) {
            out[i + lane] = value[lane];
        }
    }
    for (; i < count; ++i) {
        out[i] = function(a[i * a_stride], b[i * b_stride]);
    }
}

ANEMONE_CPU_INLINE void unary_body(op kind, const float* x, float* out, std::int64_t n, float p0, float p1) {
    switch (kind) {
    case op::relu: return map(unary_function<op::relu>{p0, p1}, x, out, n);
    case op::relu6: return map(unary_function<op::relu6>{p0, p1}, x, out, n);
    case op::leaky_relu: return map(unary_function<op::leaky_relu>{p0, p1}, x, out, n);
    case op::clamp: return map(unary_function<op::clamp>{p0, p1}, x, out, n);
    case op::sigmoid: return map(unary_function<op::sigmoid>{p0, p1}, x, out, n);
    case op::tanh: return map(unary_function<op::tanh>{p0, p1}, x, out, n);
    case op::gelu: return map(unary_function<op::gelu>{p0, p1}, x, out, n);
    case op::silu: return map(unary_function<op::silu>{p0, p1}, x, out, n);
    case op::exp: return map(unary_function<op::exp>{p0, p1}, x, out, n);
    case op::log: return map(unary_function<op::log>{p0, p1}, x, out, n);
    case op::sqrt: return map(unary_function<op::sqrt>{p0, p1}, x, out, n);
    case op::rsqrt: return map(unary_function<op::rsqrt>{p0, p1}, x, out, n);
    case op::abs: return map(unary_function<op::abs>{p0, p1}, x, out, n);
    default: return;
    }
}

ANEMONE_CPU_INLINE void binary_body(op kind, const float* a, std::int64_t a_stride, const float* b,
                                    std::int64_t b_stride, float* out, std::int64_t n) {
    switch (kind) {
    case op::add: return zip(binary_function<op::add>{}, a, a_stride, b, b_stride, out, n);
    case op::sub: return zip(binary_function<op::sub>{}, a, a_stride, b, b_stride, out, n);
    case op::mul: return zip(binary_function<op::mul>{}, a, a_stride, b, b_stride, out, n);
    case op::div: return zip(binary_function<op::div>{}, a, a_stride, b, b_stride, out, n);
    case op::minimum: return zip(binary_function<op::minimum>{}, a, a_stride, b, b_stride, out, n);
    case op::maximum: return zip(binary_function<op::maximum>{}, a, a_stride, b, b_stride, out, n);
    default: return;
    }
}

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

} // namespace detail
} // namespace ane::cpu

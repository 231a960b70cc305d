#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../../graph/op_table.hpp"
#include "kernel_table.hpp"
#include "math.hpp"

#include <cstdint>
#include <cstring>
#include <string>

/// Loop bodies over rows of fp32, to be inlined into one function for each instruction set (level.inl).
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

// Common operations have one loop for each level. The others are not worth the compile time: one loop each, which the
// compiler vectorises for the machine that everything else is compiled for.

#define ANEMONE_COMMON_UNARY(ROW)                                                                                      \
    ROW(relu)                                                                                                          \
    ROW(relu6)                                                                                                         \
    ROW(leaky_relu)                                                                                                    \
    ROW(clamp)                                                                                                         \
    ROW(elu)                                                                                                           \
    ROW(sigmoid)                                                                                                       \
    ROW(hard_sigmoid)                                                                                                  \
    ROW(tanh)                                                                                                          \
    ROW(gelu)                                                                                                          \
    ROW(gelu_sigmoid)                                                                                                  \
    ROW(silu)                                                                                                          \
    ROW(softplus)                                                                                                      \
    ROW(erf)                                                                                                           \
    ROW(exp)                                                                                                           \
    ROW(log)                                                                                                           \
    ROW(sqrt)                                                                                                          \
    ROW(rsqrt)                                                                                                         \
    ROW(inverse)                                                                                                       \
    ROW(square)                                                                                                        \
    ROW(abs)
#define ANEMONE_COMMON_BINARY(ROW) ROW(add) ROW(sub) ROW(mul) ROW(div) ROW(minimum) ROW(maximum)
#define ANEMONE_CPU_NAME(KIND) op::KIND,
inline constexpr op_set common_unary{ANEMONE_COMMON_UNARY(ANEMONE_CPU_NAME)};
inline constexpr op_set common_binary{ANEMONE_COMMON_BINARY(ANEMONE_CPU_NAME)};
#undef ANEMONE_CPU_NAME

using unary_loop = void (*)(const float* x, float* out, std::int64_t n, float p0, float p1);
using binary_loop = void (*)(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, float* out,
                             std::int64_t n);

inline constexpr op_set functions_of_one = [] {
    op_set all = ops_of(op_group::unary);
    all.insert(op::parametric_softplus);
    return all;
}();
inline constexpr op_set functions_of_two = [] {
    op_set all = ops_of(op_group::binary);
    all.insert(ops_of(op_group::comparison));
    return all;
}();

template <op Kind> void map_one(const float* x, float* out, std::int64_t n, float p0, float p1) {
    map(unary_function<Kind>{p0, p1}, x, out, n);
}
template <op Kind>
void zip_two(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, float* out, std::int64_t n) {
    zip(binary_function<Kind>{}, a, a_stride, b, b_stride, out, n);
}

template <op_set Operations>
inline constexpr auto other_unary_loops = op_table<unary_loop, Operations>([]<op Kind>() -> unary_loop {
    if constexpr (functions_of_one.contains(Kind) && !common_unary.contains(Kind)) {
        return map_one<Kind>;
    } else {
        return nullptr;
    }
});
template <op_set Operations>
inline constexpr auto other_binary_loops = op_table<binary_loop, Operations>([]<op Kind>() -> binary_loop {
    if constexpr (functions_of_two.contains(Kind) && !common_binary.contains(Kind)) {
        return zip_two<Kind>;
    } else {
        return nullptr;
    }
});

// The loop over one operation, where the table has it.
#define ANEMONE_CPU_ROW(KIND)                                                                                          \
    if constexpr (Operations.contains(op::KIND)) {                                                                     \
        if (kind == op::KIND) {                                                                                        \
            return map(unary_function<op::KIND>{p0, p1}, x, out, n);                                                   \
        }                                                                                                              \
    }
template <op_set Operations>
ANEMONE_CPU_INLINE void unary_body(op kind, const float* x, float* out, std::int64_t n, float p0, float p1) {
    ANEMONE_COMMON_UNARY(ANEMONE_CPU_ROW)
    const unary_loop loop = other_unary_loops<Operations>[static_cast<std::size_t>(kind)];
    return loop != nullptr ? loop(x, out, n, p0, p1) : no_loop(kind);
}
#undef ANEMONE_CPU_ROW

#define ANEMONE_CPU_ROW(KIND)                                                                                          \
    if constexpr (Operations.contains(op::KIND)) {                                                                     \
        if (kind == op::KIND) {                                                                                        \
            return zip(binary_function<op::KIND>{}, a, a_stride, b, b_stride, out, n);                                 \
        }                                                                                                              \
    }
template <op_set Operations>
ANEMONE_CPU_INLINE void binary_body(op kind, const float* a, std::int64_t a_stride, const float* b,
                                    std::int64_t b_stride, float* out, std::int64_t n) {
    ANEMONE_COMMON_BINARY(ANEMONE_CPU_ROW)
    const binary_loop loop = other_binary_loops<Operations>[static_cast<std::size_t>(kind)];
    return loop != nullptr ? loop(a, a_stride, b, b_stride, out, n) : no_loop(kind);
}
#undef ANEMONE_CPU_ROW
#undef ANEMONE_COMMON_UNARY
#undef ANEMONE_COMMON_BINARY

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

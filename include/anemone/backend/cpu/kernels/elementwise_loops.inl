// Included by simd/each_set.inl through level.inl: loops of the elementwise operations over rows of fp16 or fp32.
// A row is taken in blocks of 16 at every instruction set, also what is left at its end, so that results do not depend
// on an element's position.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

inline constexpr int block_lanes = 16;
using row_block = floats<block_lanes>;

ANEMONE_CPU_INLINE void store_block(const row_block& x, float* to) { x.store(to); }
ANEMONE_CPU_INLINE void store_block(const row_block& x, half* to) { x.store(to); }
/// Booleans: each lane is 1 or 0.
ANEMONE_CPU_INLINE void store_block(const row_block& x, std::uint8_t* to) {
    float lanes[block_lanes];
    x.store(lanes);
    for (int lane = 0; lane < block_lanes; ++lane) {
        to[lane] = static_cast<std::uint8_t>(static_cast<std::int32_t>(lanes[lane]));
    }
}

/// The block from `from` on, of which only `left` elements are there; zeros behind them.
template <class From> ANEMONE_CPU_INLINE row_block load_some(const From* from, std::int64_t left) {
    From rest[block_lanes] = {};
    std::memcpy(static_cast<void*>(rest), from, static_cast<std::size_t>(left) * sizeof(From));
    return row_block::load(rest);
}
template <class To> ANEMONE_CPU_INLINE void store_some(const row_block& x, To* to, std::int64_t left) {
    To rest[block_lanes];
    store_block(x, rest);
    std::memcpy(static_cast<void*>(to), rest, static_cast<std::size_t>(left) * sizeof(To));
}

/// Lanes that go through a function together, which hides its latency: four registers, as far as these reach.
inline constexpr int map_lanes = register_lanes == 16 ? 64 : 32;

/// out[i] = function(x[i]); in place allowed.
template <class Function, class From, class To>
ANEMONE_CPU_INLINE void map(const Function& function, const From* x, To* out, std::int64_t count) {
    if (count <= 0) {
        return;
    }
    const std::int64_t left = count % map_lanes;
    From rest[map_lanes] = {};
    To rest_out[map_lanes];
    std::memcpy(static_cast<void*>(rest), x + (count - left), static_cast<std::size_t>(left) * sizeof(From));
    const From* from = x;
    To* to = out;
    std::int64_t whole = count - left;
    for (;;) { // twice at most: the function is compiled once
        for (std::int64_t i = 0; i < whole; i += map_lanes) {
            function(floats<map_lanes>::load(from + i)).store(to + i);
        }
        if (from == rest || left == 0) {
            break;
        }
        from = rest;
        to = rest_out;
        whole = map_lanes;
    }
    if (left != 0) {
        std::memcpy(static_cast<void*>(out + (count - left)), rest_out, static_cast<std::size_t>(left) * sizeof(To));
    }
}

/// out[i] = function(a[i a_stride], b[i b_stride]); strides are 0 (one value for the row) or 1; in place allowed.
template <class Function, class A, class B, class To>
ANEMONE_CPU_INLINE void zip(const Function& function, const A* a, std::int64_t a_stride, const B* b,
                            std::int64_t b_stride, To* out, std::int64_t count) {
    if (count <= 0) {
        return;
    }
    const std::int64_t left = count % block_lanes;
    A rest_a[block_lanes] = {};
    B rest_b[block_lanes] = {};
    To rest_out[block_lanes];
    const auto fill = [](auto* rest, const auto* from, std::int64_t stride, std::int64_t first, std::int64_t n) {
        for (int lane = 0; lane < block_lanes && (stride == 0 || lane < n); ++lane) {
            rest[lane] = from[(first + lane) * stride];
        }
    };
    fill(rest_a, a, a_stride, count - left, left);
    fill(rest_b, b, b_stride, count - left, left);
    const A* from_a = a_stride == 0 ? rest_a : a;
    const B* from_b = b_stride == 0 ? rest_b : b;
    To* to = out;
    std::int64_t whole = count - left;
    for (;;) {
        for (std::int64_t i = 0; i < whole; i += block_lanes) {
            store_block(function(row_block::load(from_a + i * a_stride), row_block::load(from_b + i * b_stride)),
                        to + i);
        }
        if (to == rest_out || left == 0) {
            break;
        }
        from_a = rest_a;
        from_b = rest_b;
        to = rest_out;
        whole = block_lanes;
    }
    if (left != 0) {
        std::memcpy(static_cast<void*>(out + (count - left)), rest_out, static_cast<std::size_t>(left) * sizeof(To));
    }
}

// clang-format takes the directives that follow these macros for part of their bodies.
// clang-format off

// The loop over one operation, where the table has it.
template <op_set Operations, class Number>
void unary_loop(op kind, const Number* x, Number* out, std::int64_t count, float p0, float p1) {
    switch (kind) {
#define ANEMONE_OPERATION(KIND, ...)                                                                                   \
    case op::KIND:                                                                                                     \
        if constexpr ((is_unary(op::KIND) || op::KIND == op::parametric_softplus) && Operations.contains(op::KIND)) {  \
            return map(unary_function<op::KIND>{p0, p1}, x, out, count);                                               \
        }                                                                                                              \
        break;
#include "../../../graph/operations.def"
    }
    no_loop(kind);
}
template <op_set Operations, class Number>
void binary_loop(op kind, const Number* a, std::int64_t a_stride, const Number* b, std::int64_t b_stride, Number* out,
                 std::int64_t count) {
    switch (kind) {
#define ANEMONE_OPERATION(KIND, ...)                                                                                   \
    case op::KIND:                                                                                                     \
        if constexpr (is_binary(op::KIND) && Operations.contains(op::KIND)) {                                          \
            return zip(binary_function<op::KIND>{}, a, a_stride, b, b_stride, out, count);                             \
        }                                                                                                              \
        break;
#include "../../../graph/operations.def"
    }
    no_loop(kind);
}
template <op_set Operations>
void comparison_loop(op kind, const half* a, std::int64_t a_stride, const half* b, std::int64_t b_stride,
                     std::uint8_t* out, std::int64_t count) {
    switch (kind) {
#define ANEMONE_OPERATION(KIND, ...)                                                                                   \
    case op::KIND:                                                                                                     \
        if constexpr (is_comparison(op::KIND) && Operations.contains(op::KIND)) {                                      \
            return zip(binary_function<op::KIND>{}, a, a_stride, b, b_stride, out, count);                             \
        }                                                                                                              \
        break;
#include "../../../graph/operations.def"
    }
    no_loop(kind);
}
// clang-format on

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

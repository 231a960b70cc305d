#pragma once

#include "../../../base/way.hpp"
#include "convert.hpp"
#include "isa.hpp"

#include <cstdint>
#include <cstring>

/// A vector of fp32 whose width is a parameter, for every instruction set: `avx2::floats<16>`.
///
///     load, store          of fp32 or of fp16 in memory, at any alignment; a store to fp16 rounds half to even
///     all(x)               x in each lane
///     + - * /, square_root  lane by lane, each rounded
///     multiply_add(a, b, c)  a * b + c, rounded once where the set has the instruction (not in `generic`)
///     add_product(sum, a, b)  sum = multiply_add(a, b, sum), for sums that stay in registers
///     fused_multiply_add     a * b + c, rounded once at every set: the same bits, and slow in `generic` on x86
///     larger(a, b), smaller  a > b ? a : b, a < b ? a : b
///     < <= > >= == !=        a lane_mask; with a NaN only != holds
///     select(m, a, b)        a where m holds, b elsewhere
///     sum_of_lanes(x)        the same grouping at every set
///     bits_of, floats_of     the bits as `integers` of 32 bits, and back
///
/// `integers` are unsigned, with + - & | ^ and logical shifts; signed_shift and signed_floats read them as signed.
/// Kernels over it are written once, in files that simd/each_set.inl includes for each set.
namespace ane::cpu::detail::inline ANEMONE_WAY {

// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
template <int Lanes> struct vector_of;
template <> struct vector_of<4> {
    typedef float type __attribute__((vector_size(16)));
    typedef std::int32_t integers __attribute__((vector_size(16)));
    typedef std::uint32_t naturals __attribute__((vector_size(16)));
};
template <> struct vector_of<8> {
    typedef float type __attribute__((vector_size(32)));
    typedef std::int32_t integers __attribute__((vector_size(32)));
    typedef std::uint32_t naturals __attribute__((vector_size(32)));
};
template <> struct vector_of<16> {
    typedef float type __attribute__((vector_size(64)));
    typedef std::int32_t integers __attribute__((vector_size(64)));
    typedef std::uint32_t naturals __attribute__((vector_size(64)));
};
// NOLINTEND(modernize-use-using)

#if defined(__aarch64__)
using four_halves = short __attribute__((vector_size(8))); // g++ 12 converts no vector of __fp16: inline assembly does
#elif defined(__x86_64__)
// The instructions by the names that both compilers have for them: <immintrin.h> costs every file 40,000 lines.
using eight_halves = short __attribute__((vector_size(16)));
using sixteen_halves = short __attribute__((vector_size(32)));
inline constexpr int half_to_even = 0;
inline constexpr int current_rounding = 4;
#if defined(__clang__)
inline constexpr unsigned short every_lane = 0xFFFF;
#else
inline constexpr short every_lane = -1;
#endif
#endif

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#define ANEMONE_SET_FILE "floats.inl"
#include "each_set.inl"

#define ANEMONE_SET_FILE "lanes.inl"
#include "each_set.inl"

#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "row_lanes.hpp"

#include <cstdint>
#include <cstring>

/// Vectors of fp16 numbers to fp32 and back. What comes out of `widen` for a NaN is a NaN or +infinity; what goes into
/// `narrow` is as for lanes::round.
namespace ane::numerics::detail::inline ANEMONE_WAY {

/// What a result of fp32 is before it rounds half to even: a NaN, the difference of infinities, is 0, and half away the
/// last bit makes a tie larger than one (see lanes::round).
template <int Width> ANEMONE_CPU_INLINE void settle(bool half_away, typename lanes<Width>::real& y) {
    using natural = typename lanes<Width>::natural;
    const natural bits = reinterpret_cast<natural>(y);
    const natural magnitude = bits & 0x7FFFFFFFU;
    const natural normal = reinterpret_cast<natural>(magnitude - 0x00800000U < 0x7F000000U); // neither 0 nor infinite
    const natural above = bits | (normal & (half_away ? 1U : 0U));
    y = reinterpret_cast<typename lanes<Width>::real>(magnitude > 0x7F800000U ? natural{} : above);
}

template <int Width> struct row_convert {
    using l = lanes<Width>;

    ANEMONE_CPU_INLINE static void widen(const half* from, typename l::real& y) {
        typename l::natural x{};
        l::load(from, x);
        l::enter(x);
        l::value(x, y);
    }
    /// A zero has no sign.
    ANEMONE_CPU_INLINE static void narrow(const typename l::real& y, bool half_away, half* to) {
        typename l::natural x{};
        l::round(y, half_away, x);
        l::store(x, to);
    }
};

#if defined(__x86_64__)

template <int Width> struct row_convert_f16c;

// By the names that both compilers have for the instructions: <immintrin.h> costs every file 40,000 lines. These are
// functions with a target, which vectors enter and leave through memory until they are inlined.
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
template <> struct row_convert_f16c<8> {
    typedef short halves __attribute__((vector_size(16)));
    typedef float floats __attribute__((vector_size(32)));

    __attribute__((target("avx,f16c"))) static inline void widen(const half* from, floats& y) {
        halves x;
        std::memcpy(&x, from, sizeof x);
        y = __builtin_ia32_vcvtph2ps256(x);
    }
    __attribute__((target("avx,f16c"))) static inline void narrow(const floats& y, bool half_away, half* to) {
        constexpr int half_to_even = 0;
        floats settled = y;
        settle<8>(half_away, settled);
        halves x = __builtin_ia32_vcvtps2ph256(settled, half_to_even);
        x = x & (x != static_cast<short>(-0x8000));
        std::memcpy(static_cast<void*>(to), &x, sizeof x);
    }
};
template <> struct row_convert_f16c<16> {
    typedef short halves __attribute__((vector_size(32)));
    typedef float floats __attribute__((vector_size(64)));

    __attribute__((target("avx512f,avx512vl,avx512bw"))) static inline void widen(const half* from, floats& y) {
        constexpr int current_rounding = 4;
        halves x;
        std::memcpy(&x, from, sizeof x);
        y = __builtin_ia32_vcvtph2ps512_mask(x, floats{}, static_cast<unsigned short>(0xFFFFU), current_rounding);
    }
    __attribute__((target("avx512f,avx512vl,avx512bw"))) static inline void narrow(const floats& y, bool half_away,
                                                                                   half* to) {
        constexpr int half_to_even = 0;
        floats settled = y;
        settle<16>(half_away, settled);
        halves x =
            __builtin_ia32_vcvtps2ph512_mask(settled, half_to_even, halves{}, static_cast<unsigned short>(0xFFFFU));
        x = x & (x != static_cast<short>(-0x8000));
        std::memcpy(static_cast<void*>(to), &x, sizeof x);
    }
};
// NOLINTEND(modernize-use-using)

#endif

} // namespace ane::numerics::detail::inline ANEMONE_WAY

#pragma once

#include "../../base/isa.hpp"
#include "../../base/way.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Eight elements at a time to fp16, where the machine has AVX2 and F16C (isa_level::avx2). The bits are those of
/// `half(float)`. Only bodies include this header.
namespace ane::weight_formats::inline ANEMONE_WAY {

#if defined(__x86_64__)

// By the names that both compilers have for the instructions: <immintrin.h> costs every file 40,000 lines. These are
// functions with a target, into others with the same one they are inlined.
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
struct eight_lanes {
    typedef short halves __attribute__((vector_size(16)));
    typedef char sixteen __attribute__((vector_size(16)));
    typedef long long words __attribute__((vector_size(16)));
    typedef int integers __attribute__((vector_size(32)));
    typedef float floats __attribute__((vector_size(32)));
    static constexpr std::int64_t count = 8;

    __attribute__((target("avx2,f16c"))) static inline void of_floats(const std::byte* from, floats& x) {
        std::memcpy(&x, from, sizeof x);
    }
    __attribute__((target("avx2,f16c"))) static inline void of_bfloats(const std::byte* from, floats& x) {
        halves upper;
        std::memcpy(&upper, from, sizeof upper);
#if defined(__clang__)
        const integers wide = __builtin_convertvector(upper, integers);
#else // which takes a conversion apart, element for element
        const integers wide = __builtin_ia32_pmovzxwd256(upper);
#endif
        x = reinterpret_cast<floats>(wide << 16);
    }
    /// Integers of a byte, signed or not.
    template <class Byte>
    __attribute__((target("avx2,f16c"))) static inline void of_bytes(const std::byte* from, floats& x) {
#if defined(__clang__)
        typedef Byte codes __attribute__((vector_size(8)));
        codes q;
        std::memcpy(&q, from, sizeof q);
        const integers wide = __builtin_convertvector(q, integers);
#else
        long long eight = 0;
        std::memcpy(&eight, from, sizeof eight);
        const auto q = reinterpret_cast<sixteen>(words{eight, 0});
        const integers wide = std::is_signed_v<Byte> ? __builtin_ia32_pmovsxbd256(q) : __builtin_ia32_pmovzxbd256(q);
#endif
        x = __builtin_convertvector(wide, floats);
    }
    /// Each rounded to the nearest, halves to even.
    __attribute__((target("avx2,f16c"))) static inline void narrow(const floats& x, halves& y) {
        constexpr int half_to_even = 0;
        y = __builtin_ia32_vcvtps2ph256(x, half_to_even);
    }
};
// NOLINTEND(modernize-use-using)

#endif

} // namespace ane::weight_formats::inline ANEMONE_WAY

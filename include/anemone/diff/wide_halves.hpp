#pragma once

#include "../base/isa.hpp"
#include "../base/way.hpp"
#include "../values/half.hpp"

#include <cstdint>
#include <cstring>

namespace ane::detail::inline ANEMONE_WAY {

#if defined(__x86_64__)
/// As many fp16 numbers as eight at a time go as doubles; says how many.
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
__attribute__((target("avx2,f16c"))) inline std::int64_t widen_eights(const half* from, std::int64_t count,
                                                                      double* to) {
    typedef short halves __attribute__((vector_size(16)));
    typedef float floats __attribute__((vector_size(32)));
    typedef float four __attribute__((vector_size(16)));
    typedef double doubles __attribute__((vector_size(32)));
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        halves x;
        std::memcpy(&x, from + i, sizeof x);
        const floats y = __builtin_ia32_vcvtph2ps256(x);
        four parts[2];
        std::memcpy(parts, &y, sizeof parts);
        for (int k = 0; k < 2; ++k) {
            const doubles wide = __builtin_convertvector(parts[k], doubles);
            std::memcpy(to + i + 4 * k, &wide, sizeof wide);
        }
    }
    return i;
}
// NOLINTEND(modernize-use-using)
#endif

/// fp16 numbers as doubles.
ANEMONE_INLINE void widen(const half* from, std::int64_t count, double* to) {
    std::int64_t i = 0;
#if defined(__x86_64__)
    i = is_available(isa_level::avx2) ? widen_eights(from, count, to) : 0;
#endif
    for (; i < count; ++i) {
        to[i] = static_cast<double>(from[i]);
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

#pragma once

#include "isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY bool is_available(isa_level level) noexcept {
    if (!is_compiled(level)) {
        return false;
    }
#if (ANEMONE_SETS & (ANEMONE_SETS - 1)) == 0 // what the compiler was told: nothing here runs elsewhere
    return true;
#elif defined(__x86_64__)
    __builtin_cpu_init();
    // Asked once: a virtual machine traps CPUID, which takes it longer than a row of any loop.
    static const bool f16c = [] { // clang 14 does not know "f16c" as a name: CPUID leaf 1, ECX bit 29
        unsigned leaf[4] = {};
        return __get_cpuid(1, &leaf[0], &leaf[1], &leaf[2], &leaf[3]) != 0 && (leaf[2] & bit_F16C) != 0;
    }();
    const bool avx2 = f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    switch (level) {
    case isa_level::generic: return true;
    case isa_level::avx2: return avx2;
    case isa_level::avx512:
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    case isa_level::neon: return false;
    }
    return false;
#elif defined(__aarch64__)
    return level == isa_level::generic || level == isa_level::neon;
#else
    return level == isa_level::generic;
#endif
}

ANEMONE_BODY std::vector<isa_level> available_levels() {
    std::vector<isa_level> levels;
    for (const isa_level level : {isa_level::generic, isa_level::avx2, isa_level::avx512, isa_level::neon}) {
        if (is_available(level)) {
            levels.push_back(level);
        }
    }
    return levels;
}

ANEMONE_BODY isa_level best_level() noexcept {
    isa_level last = isa_level::generic;
    for (const isa_level level : {isa_level::avx2, isa_level::avx512, isa_level::neon}) {
        last = is_available(level) ? level : last;
    }
    return last;
}

} // namespace ane::inline ANEMONE_WAY

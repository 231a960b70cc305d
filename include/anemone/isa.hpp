#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/// Loop bodies are written once, as functions that must be inlined into one wrapper for each instruction set. They
/// carry no target of their own, so vectors stay local variables and never cross a call.
#define ANEMONE_CPU_INLINE inline __attribute__((always_inline))

namespace ane {

/// Instruction sets that loops are compiled for. `generic` is what the compiler was told to assume.
enum class isa_level : std::uint8_t {
    generic, ///< any machine; on AArch64 the only one
    avx2,    ///< AVX2, FMA and F16C
    avx512   ///< AVX-512 F, VL, BW and DQ on top
};

constexpr std::string_view name(isa_level level) noexcept {
    constexpr std::string_view names[] = {"generic", "avx2", "avx512"};
    return names[static_cast<std::size_t>(level)];
}

/// Whether this machine runs code of that level.
inline bool is_available(isa_level level) noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    unsigned leaf[4] = {}; // clang 14 does not know "f16c" as a name: CPUID leaf 1, ECX bit 29
    const bool f16c = __get_cpuid(1, &leaf[0], &leaf[1], &leaf[2], &leaf[3]) != 0 && (leaf[2] & bit_F16C) != 0;
    const bool avx2 = f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    switch (level) {
    case isa_level::generic: return true;
    case isa_level::avx2: return avx2;
    case isa_level::avx512:
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    }
    return false;
#else
    return level == isa_level::generic;
#endif
}

/// All levels of this machine, `generic` first.
inline std::vector<isa_level> available_levels() {
    std::vector<isa_level> levels;
    for (const isa_level level : {isa_level::generic, isa_level::avx2, isa_level::avx512}) {
        if (is_available(level)) {
            levels.push_back(level);
        }
    }
    return levels;
}

} // namespace ane

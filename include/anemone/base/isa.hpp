#pragma once

#include "way.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Loop bodies are written once, as functions that must be inlined into one wrapper for each instruction set. They
/// carry no target of their own, so vectors stay local variables and never cross a call.
#define ANEMONE_CPU_INLINE inline __attribute__((always_inline))

/// The instruction sets that a program chooses from when it runs, a bit for each isa_level. The compiled library has all
/// of its processors; header-only there is one, since each would be compiled in every file: what the compiler was told
/// (-march), else AVX2, with `generic` for the machines without it.
#if !defined(ANEMONE_SETS)
#if defined(__x86_64__)
#if defined(ANEMONE_COMPILED)
#define ANEMONE_SETS 7
#elif defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) &&               \
    defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define ANEMONE_SETS 4
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define ANEMONE_SETS 2
#else
#define ANEMONE_SETS 3
#endif
#elif defined(__aarch64__)
#if defined(ANEMONE_COMPILED)
#define ANEMONE_SETS 9
#else
#define ANEMONE_SETS 8
#endif
#else
#define ANEMONE_SETS 1
#endif
#endif

namespace ane::inline ANEMONE_WAY {

/// Instruction sets that loops are compiled for. `generic` is whatever the compiler's flags allow.
enum class isa_level : std::uint8_t {
    generic, ///< any machine
    avx2,    ///< AVX2, FMA and F16C
    avx512,  ///< AVX-512 F, VL, BW and DQ on top
    neon     ///< every AArch64
};

constexpr std::string_view name(isa_level level) noexcept {
    constexpr std::string_view names[] = {"generic", "avx2", "avx512", "neon"};
    return names[static_cast<std::size_t>(level)];
}

/// Whether this program has the loops of that level: header-only it has those of one set alone (ANEMONE_SETS).
constexpr bool is_compiled(isa_level level) noexcept {
    return ((ANEMONE_SETS >> static_cast<unsigned>(level)) & 1) != 0;
}

/// Whether the program has them and this machine runs them.
ANEMONE_API bool is_available(isa_level level) noexcept;

/// All levels that are available, the least first, and the last of them.
ANEMONE_API std::vector<isa_level> available_levels();
/// The last of `available_levels`: what kernels use unless told otherwise.
ANEMONE_API isa_level best_level() noexcept;

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "isa.ipp"
#endif

#pragma once

#include "way.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Loop bodies are written once, as functions that must be inlined into one wrapper for each instruction set. They
/// carry no target of their own, so vectors stay local variables and never cross a call.
#define ANEMONE_CPU_INLINE inline __attribute__((always_inline))

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

/// Whether this machine runs code of that level.
ANEMONE_API bool is_available(isa_level level) noexcept;

/// All levels of this machine, `generic` first, and the last of them.
ANEMONE_API std::vector<isa_level> available_levels();
ANEMONE_API isa_level best_level() noexcept;

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "isa.ipp"
#endif

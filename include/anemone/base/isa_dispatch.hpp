#pragma once

#include "error.hpp"
#include "isa.hpp"

#include <string>

/// The instruction sets that the loops of the oracle are compiled for, a bit for each isa_level. Header-only it is the one
/// that the compiler was told of, and no other, for all sets give the same bits.
#if ANEMONE_SETS == 3
#define ANEMONE_TOLD_SETS 1
#else
#define ANEMONE_TOLD_SETS ANEMONE_SETS
#endif

/// One row for each of them: its name in isa_level, how many fp32 numbers a vector holds, the attribute of its wrappers,
/// and what the names of conversions end with that it does in one instruction.
#if ANEMONE_TOLD_SETS & 1
#define ANEMONE_ROW_OF_GENERIC(ROW) ROW(generic, 4, , )
#else
#define ANEMONE_ROW_OF_GENERIC(ROW)
#endif
#if ANEMONE_TOLD_SETS & 2
#define ANEMONE_ROW_OF_AVX2(ROW) ROW(avx2, 8, __attribute__((target("avx2,fma,f16c"))), _f16c)
#else
#define ANEMONE_ROW_OF_AVX2(ROW)
#endif
#if ANEMONE_TOLD_SETS & 4
#define ANEMONE_ROW_OF_AVX512(ROW)                                                                                     \
    ROW(avx512, 16, __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c"))), _f16c)
#else
#define ANEMONE_ROW_OF_AVX512(ROW)
#endif
#if ANEMONE_TOLD_SETS & 8
#define ANEMONE_ROW_OF_NEON(ROW) ROW(neon, 4, , )
#else
#define ANEMONE_ROW_OF_NEON(ROW)
#endif
#define ANEMONE_ISA_LEVELS(ROW)                                                                                        \
    ANEMONE_ROW_OF_GENERIC(ROW) ANEMONE_ROW_OF_AVX2(ROW) ANEMONE_ROW_OF_AVX512(ROW) ANEMONE_ROW_OF_NEON(ROW)

namespace ane::detail::inline ANEMONE_WAY {

/// Says why a level is not available.
ANEMONE_INLINE void refuse_level [[noreturn]] (isa_level level, const char* subject) {
    if (is_compiled(level)) {
        throw error(errc::argument, subject, "this machine does not run " + std::string(name(level)));
    }
    throw error(errc::argument, subject,
                "this program has no loops for " + std::string(name(level)) +
                    ": header-only it has those of one instruction set (-march), anemone::compiled has all");
}

/// Throws errc::argument where the oracle has no loops of a level, or the machine does not run them.
ANEMONE_INLINE void require_loops(isa_level level, const char* subject) {
    if (((ANEMONE_TOLD_SETS >> static_cast<unsigned>(level)) & 1) == 0 || !is_available(level)) {
        refuse_level(level, subject);
    }
}

/// The best level of those that the machine runs.
ANEMONE_INLINE isa_level best_loops() {
#if ANEMONE_TOLD_SETS & (ANEMONE_TOLD_SETS - 1)
    return best_level();
#else
#define ANEMONE_ROW(LEVEL, ...) return isa_level::LEVEL;
    ANEMONE_ISA_LEVELS(ANEMONE_ROW)
#undef ANEMONE_ROW
#endif
}

/// call.template operator()<level>(), for a level that has loops.
template <class Call> decltype(auto) at_level([[maybe_unused]] isa_level level, const Call& call) {
#if ANEMONE_TOLD_SETS & (ANEMONE_TOLD_SETS - 1)
#define ANEMONE_ROW(LEVEL, ...)                                                                                        \
    if (level == isa_level::LEVEL) {                                                                                   \
        return call.template operator()<isa_level::LEVEL>();                                                           \
    }
    ANEMONE_ISA_LEVELS(ANEMONE_ROW)
#undef ANEMONE_ROW
    refuse_level(level, "kernels");
#else
#define ANEMONE_ROW(LEVEL, ...) return call.template operator()<isa_level::LEVEL>();
    ANEMONE_ISA_LEVELS(ANEMONE_ROW)
#undef ANEMONE_ROW
#endif
}

} // namespace ane::detail::inline ANEMONE_WAY

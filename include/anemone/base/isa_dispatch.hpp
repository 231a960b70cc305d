#pragma once

#include "error.hpp"
#include "isa.hpp"

#include <string>
#include <utility>

/// One row for each instruction set that the program has loops of (ANEMONE_SETS): its name in isa_level, how many fp32
/// numbers a vector holds, the attribute of its wrappers, and what the names of conversions end with that it does in one
/// instruction.
#if ANEMONE_SETS & 1
#define ANEMONE_ROW_OF_GENERIC(ROW) ROW(generic, 4, , )
#else
#define ANEMONE_ROW_OF_GENERIC(ROW)
#endif
#if ANEMONE_SETS & 2
#define ANEMONE_ROW_OF_AVX2(ROW) ROW(avx2, 8, __attribute__((target("avx2,fma,f16c"))), _f16c)
#else
#define ANEMONE_ROW_OF_AVX2(ROW)
#endif
#if ANEMONE_SETS & 4
#define ANEMONE_ROW_OF_AVX512(ROW)                                                                                     \
    ROW(avx512, 16, __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c"))), _f16c)
#else
#define ANEMONE_ROW_OF_AVX512(ROW)
#endif
#if ANEMONE_SETS & 8
#define ANEMONE_ROW_OF_NEON(ROW) ROW(neon, 4, , )
#else
#define ANEMONE_ROW_OF_NEON(ROW)
#endif
#define ANEMONE_ISA_LEVELS(ROW)                                                                                        \
    ANEMONE_ROW_OF_GENERIC(ROW) ANEMONE_ROW_OF_AVX2(ROW) ANEMONE_ROW_OF_AVX512(ROW) ANEMONE_ROW_OF_NEON(ROW)

namespace ane::detail::inline ANEMONE_WAY {

/// Says why a level is not available.
ANEMONE_INLINE void refuse_level [[noreturn]] (isa_level level, std::string subject) {
    if (is_compiled(level)) {
        throw error(errc::argument, std::move(subject), "this machine does not run " + std::string(name(level)));
    }
    throw error(errc::argument, std::move(subject),
                "this program has no loops for " + std::string(name(level)) +
                    ": header-only it has those of one instruction set (-march), anemone::compiled has all");
}

/// The `table` of `Loops::at<level>`. Throws errc::argument when that level is not available.
template <class Loops> const auto& table_for(isa_level level) {
    if (is_available(level)) {
#define ANEMONE_ROW(LEVEL, ...)                                                                                        \
    if (level == isa_level::LEVEL) {                                                                                   \
        return Loops::template at<isa_level::LEVEL>::table;                                                            \
    }
        ANEMONE_ISA_LEVELS(ANEMONE_ROW)
#undef ANEMONE_ROW
    }
    refuse_level(level, name(level).data());
}

} // namespace ane::detail::inline ANEMONE_WAY

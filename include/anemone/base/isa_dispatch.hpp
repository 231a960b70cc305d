#pragma once

#include "error.hpp"
#include "isa.hpp"

#include <string>

/// One row for each instruction set that loops are compiled for: its name in isa_level, how many fp32 numbers a vector
/// holds, the attribute of its wrappers, and what the names of conversions end with that it does in one instruction.
#if defined(__x86_64__)
#define ANEMONE_ISA_LEVELS(ROW)                                                                                        \
    ROW(generic, 4, , )                                                                                                \
    ROW(avx2, 8, __attribute__((target("avx2,fma,f16c"))), _f16c)                                                      \
    ROW(avx512, 16, __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c"))), _f16c)
#elif defined(__aarch64__)
#define ANEMONE_ISA_LEVELS(ROW) ROW(generic, 4, , ) ROW(neon, 4, , )
#else
#define ANEMONE_ISA_LEVELS(ROW) ROW(generic, 4, , )
#endif

namespace ane::detail::inline ANEMONE_WAY {

/// The `table` of `Loops::at<level>`. Throws errc::argument when this machine cannot run that level.
template <class Loops> const auto& table_for(isa_level level) {
    if (is_available(level)) {
#define ANEMONE_ROW(LEVEL, ...)                                                                                        \
    if (level == isa_level::LEVEL) {                                                                                   \
        return Loops::template at<isa_level::LEVEL>::table;                                                            \
    }
        ANEMONE_ISA_LEVELS(ANEMONE_ROW)
#undef ANEMONE_ROW
    }
    throw error(errc::argument, std::string(name(level)), "this machine does not run kernels of this level");
}

} // namespace ane::detail::inline ANEMONE_WAY

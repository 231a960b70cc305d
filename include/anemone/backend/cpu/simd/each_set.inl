// No include guard: includes the file that ANEMONE_SET_FILE names (relative to this folder) once for each instruction
// set: those of the program (ANEMONE_SETS), header-only also `generic`, by which constants are computed; or those of
// ANEMONE_SETS_HERE. With its code generation switched on and
//   ANEMONE_SET         the set's name, which is the namespace for everything that is defined there;
//   ANEMONE_SET_LEVEL   its isa_level: the same name;
//   ANEMONE_SET_LANES   how many fp32 numbers a register holds;
//   ANEMONE_SET_NATIVE_LANES  the same;
//   ANEMONE_SET_F16C    1 where it has the instructions of F16C and FMA;
//   ANEMONE_SET_NEON    1 where it has those of AArch64.
// No multiplication is fused with an addition in such a file unless it calls multiply_add: every set then gives the
// same bits otherwise. The file must not include anything.

#include "isa.hpp"

// Others than the set's only in tests, which run loops for wide registers on narrow ones.
#define ANEMONE_SET_LEVEL ANEMONE_SET
#define ANEMONE_SET_NATIVE_LANES ANEMONE_SET_LANES

#if !defined(ANEMONE_SETS_HERE)
#define ANEMONE_SETS_HERE (ANEMONE_SETS | 1)
#endif

ANEMONE_CPU_UNFUSED_BEGIN

#if ANEMONE_SETS_HERE & 1
#define ANEMONE_SET generic
#define ANEMONE_SET_LANES 4
#define ANEMONE_SET_F16C 0
#define ANEMONE_SET_NEON 0
#include ANEMONE_SET_FILE
#undef ANEMONE_SET
#undef ANEMONE_SET_LANES
#undef ANEMONE_SET_F16C
#undef ANEMONE_SET_NEON
#endif

#define ANEMONE_SET_F16C 1
#define ANEMONE_SET_NEON 0

#if ANEMONE_SETS_HERE & 2
#define ANEMONE_SET avx2
#define ANEMONE_SET_LANES 8
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif
#include ANEMONE_SET_FILE
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef ANEMONE_SET
#undef ANEMONE_SET_LANES
#endif

#if ANEMONE_SETS_HERE & 4
#define ANEMONE_SET avx512
#define ANEMONE_SET_LANES 16
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c"))),              \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c,prefer-vector-width=512")
#endif
#include ANEMONE_SET_FILE
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef ANEMONE_SET
#undef ANEMONE_SET_LANES
#endif

#undef ANEMONE_SET_F16C
#undef ANEMONE_SET_NEON

#if ANEMONE_SETS_HERE & 8
#define ANEMONE_SET neon
#define ANEMONE_SET_LANES 4
#define ANEMONE_SET_F16C 0
#define ANEMONE_SET_NEON 1
#include ANEMONE_SET_FILE
#undef ANEMONE_SET
#undef ANEMONE_SET_LANES
#undef ANEMONE_SET_F16C
#undef ANEMONE_SET_NEON
#endif

ANEMONE_CPU_UNFUSED_END

#undef ANEMONE_SET_LEVEL
#undef ANEMONE_SET_NATIVE_LANES
#undef ANEMONE_SET_FILE
#undef ANEMONE_SETS_HERE

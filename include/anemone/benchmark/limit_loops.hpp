#pragma once

#include "../base/isa.hpp"
#include "../base/way.hpp"

#include <cstddef>
#include <cstdint>

/// The loops whose speed is a limit of the machine, in assembly: a compiler merges equal chains of sums, and drops loads
/// whose values are not needed. They write no memory, and need no flags of the compiler, only a machine that runs them.
namespace ane::detail::inline ANEMONE_WAY {

#if defined(__x86_64__)
#define ANEMONE_TWELVE(ROW) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9) ROW(10) ROW(11) ROW(12) ROW(13)
#define ANEMONE_VECTORS                                                                                                \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",         \
        "xmm13", "cc", "memory"
#define ANEMONE_EIGHT(ROW) ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7)
#elif defined(__aarch64__)
#define ANEMONE_TWENTY_FOUR(ROW)                                                                                       \
    ROW(2)                                                                                                             \
    ROW(3)                                                                                                             \
    ROW(4)                                                                                                             \
    ROW(5)                                                                                                             \
    ROW(6)                                                                                                             \
    ROW(7)                                                                                                             \
    ROW(8)                                                                                                             \
    ROW(9)                                                                                                             \
    ROW(10)                                                                                                            \
    ROW(11)                                                                                                            \
    ROW(12) ROW(13) ROW(14) ROW(15) ROW(16) ROW(17) ROW(18) ROW(19) ROW(20) ROW(21) ROW(22) ROW(23) ROW(24) ROW(25)
#define ANEMONE_VECTORS                                                                                                \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",       \
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "cc", "memory"
#endif

/// Multiply-adds of zeros in independent chains, `rounds` times; returns how many FLOP that is for a round. Every chain
/// is as long as the others and there are more of them than any processor has in flight.
ANEMONE_INLINE double multiply_add_round([[maybe_unused]] isa_level level, std::uint64_t rounds) {
#if defined(__x86_64__)
#define ANEMONE_ROW(N) "vfmadd231ps %%zmm0, %%zmm1, %%zmm" #N "\n\t"
    if (level == isa_level::avx512) {
        asm volatile("vpxord %%zmm0, %%zmm0, %%zmm0\n\tvmovaps %%zmm0, %%zmm1\n\t"
                     "1:\n\t" ANEMONE_TWELVE(ANEMONE_ROW) ANEMONE_TWELVE(ANEMONE_ROW) "dec %0\n\tjnz 1b\n\tvzeroupper"
                     : "+r"(rounds)
                     :
                     : ANEMONE_VECTORS);
        return 24 * 16 * 2;
    }
#undef ANEMONE_ROW
#define ANEMONE_ROW(N) "vfmadd231ps %%ymm0, %%ymm1, %%ymm" #N "\n\t"
    if (level == isa_level::avx2) {
        asm volatile("vxorps %%ymm0, %%ymm0, %%ymm0\n\tvmovaps %%ymm0, %%ymm1\n\t"
                     "1:\n\t" ANEMONE_TWELVE(ANEMONE_ROW) ANEMONE_TWELVE(ANEMONE_ROW) "dec %0\n\tjnz 1b\n\tvzeroupper"
                     : "+r"(rounds)
                     :
                     : ANEMONE_VECTORS);
        return 24 * 8 * 2;
    }
#undef ANEMONE_ROW
    // What every x86-64 has: no multiply-add, so a product and a sum in turns.
#define ANEMONE_ROW(N) "mulps %%xmm0, %%xmm" #N "\n\taddps %%xmm1, %%xmm" #N "\n\t"
    asm volatile("xorps %%xmm0, %%xmm0\n\txorps %%xmm1, %%xmm1\n\t"
                 "1:\n\t" ANEMONE_TWELVE(ANEMONE_ROW) "dec %0\n\tjnz 1b"
                 : "+r"(rounds)
                 :
                 : ANEMONE_VECTORS);
    return 12 * 4 * 2;
#undef ANEMONE_ROW
#elif defined(__aarch64__)
#define ANEMONE_ROW(N) "fmla v" #N ".4s, v0.4s, v1.4s\n\t"
    asm volatile("movi v0.4s, #0\n\tmovi v1.4s, #0\n\t"
                 "1:\n\t" ANEMONE_TWENTY_FOUR(ANEMONE_ROW) "subs %0, %0, #1\n\tb.ne 1b"
                 : "+r"(rounds)
                 :
                 : ANEMONE_VECTORS);
    return 24 * 4 * 2;
#undef ANEMONE_ROW
#else
    float sums[16] = {};
    for (std::uint64_t i = 0; i < rounds; ++i) {
        for (float& sum : sums) {
            asm volatile("" : "+m"(sum)); // the chains start anew for all that the compiler knows
            sum = sum * 0.5F + 0.25F;
        }
    }
    return 16 * 2;
#endif
}

/// Reads blocks of 512 bytes, from an address that 64 divides.
ANEMONE_INLINE void read_blocks([[maybe_unused]] isa_level level, const std::byte* from, std::size_t blocks) {
#if defined(__x86_64__)
#define ANEMONE_ROW(N) "vmovaps 64*" #N "(%0), %%zmm" #N "\n\t"
    if (level == isa_level::avx512) {
        asm volatile("1:\n\t" ANEMONE_EIGHT(ANEMONE_ROW) "add $512, %0\n\tdec %1\n\tjnz 1b\n\tvzeroupper"
                     : "+r"(from), "+r"(blocks)
                     :
                     : ANEMONE_VECTORS);
        return;
    }
#undef ANEMONE_ROW
#define ANEMONE_ROW(N) "vmovaps 64*" #N "(%0), %%ymm" #N "\n\tvmovaps 64*" #N "+32(%0), %%ymm" #N "\n\t"
    if (level == isa_level::avx2) {
        asm volatile("1:\n\t" ANEMONE_EIGHT(ANEMONE_ROW) "add $512, %0\n\tdec %1\n\tjnz 1b\n\tvzeroupper"
                     : "+r"(from), "+r"(blocks)
                     :
                     : ANEMONE_VECTORS);
        return;
    }
#undef ANEMONE_ROW
#define ANEMONE_ROW(N)                                                                                                 \
    "movaps 64*" #N "(%0), %%xmm" #N "\n\tmovaps 64*" #N "+16(%0), %%xmm" #N "\n\t"                                    \
    "movaps 64*" #N "+32(%0), %%xmm" #N "\n\tmovaps 64*" #N "+48(%0), %%xmm" #N "\n\t"
    asm volatile("1:\n\t" ANEMONE_EIGHT(ANEMONE_ROW) "add $512, %0\n\tdec %1\n\tjnz 1b"
                 : "+r"(from), "+r"(blocks)
                 :
                 : ANEMONE_VECTORS);
#undef ANEMONE_ROW
#elif defined(__aarch64__)
    asm volatile("1:\n\t"
                 "ldp q0, q1, [%0]\n\tldp q2, q3, [%0, #32]\n\tldp q4, q5, [%0, #64]\n\tldp q6, q7, [%0, #96]\n\t"
                 "ldp q16, q17, [%0, #128]\n\tldp q18, q19, [%0, #160]\n\tldp q20, q21, [%0, #192]\n\t"
                 "ldp q22, q23, [%0, #224]\n\tadd %0, %0, #256\n\t"
                 "ldp q0, q1, [%0]\n\tldp q2, q3, [%0, #32]\n\tldp q4, q5, [%0, #64]\n\tldp q6, q7, [%0, #96]\n\t"
                 "ldp q16, q17, [%0, #128]\n\tldp q18, q19, [%0, #160]\n\tldp q20, q21, [%0, #192]\n\t"
                 "ldp q22, q23, [%0, #224]\n\tadd %0, %0, #256\n\t"
                 "subs %1, %1, #1\n\tb.ne 1b"
                 : "+r"(from), "+r"(blocks)
                 :
                 : ANEMONE_VECTORS);
#else
    for (const std::byte* const end = from + 512 * blocks; from != end; from += sizeof(std::uint64_t)) {
        std::uint64_t word = *reinterpret_cast<const std::uint64_t*>(from);
        asm volatile("" : "+r"(word));
    }
#endif
}

#undef ANEMONE_TWELVE
#undef ANEMONE_EIGHT
#undef ANEMONE_TWENTY_FOUR
#undef ANEMONE_VECTORS

} // namespace ane::detail::inline ANEMONE_WAY

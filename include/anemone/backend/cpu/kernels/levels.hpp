#pragma once

#include "../../../base/error.hpp"
#include "../../../base/isa_dispatch.hpp"
#include "../simd/convert.hpp"
#include "../simd/floats.hpp"
#include "algorithms.hpp"
#include "elementary.hpp"
#include "kernel_table.hpp"
#include "needed_functions.hpp"
#include "reduction_parts.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Stands in for a loop that was left out; no program calls it.
ANEMONE_INLINE void no_loop [[noreturn]] (op kind) {
    throw error(errc::lowering, std::string(ane::name(kind)), "has no loop in this table of kernels");
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#define ANEMONE_SET_FILE "../kernels/families.inl"
#include "../simd/each_set.inl"

// The compiled library has the loops in objects of their own, one for some families and a set: ANEMONE_LOOPS says which.
#if !defined(ANEMONE_COMPILED) || defined(ANEMONE_LOOPS)
#if defined(ANEMONE_LOOPS)
#define ANEMONE_SETS_HERE ANEMONE_LOOPS
#endif
#define ANEMONE_SET_FILE "../kernels/level.inl"
#include "../simd/each_set.inl"
#endif

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The table of the generic level with what is needed: header-only also where programs do not choose that level.
template <kernel_needs Needs> const kernel_table& generic_kernels_of() { return generic::kernels<Needs>(); }

/// The table of a level with what is needed. Throws errc::argument where the level is not available.
template <kernel_needs Needs> const kernel_table& kernels_of(isa_level level) {
    if (is_available(level)) {
        switch (level) {
#if ANEMONE_SETS & 1
        case isa_level::generic: return generic_kernels_of<Needs>();
#endif
#if ANEMONE_SETS & 2
        case isa_level::avx2: return avx2::kernels<Needs>();
#endif
#if ANEMONE_SETS & 4
        case isa_level::avx512: return avx512::kernels<Needs>();
#endif
#if ANEMONE_SETS & 8
        case isa_level::neon: return neon::kernels<Needs>();
#endif
        default: break;
        }
    }
    ane::detail::refuse_level(level, "kernels");
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

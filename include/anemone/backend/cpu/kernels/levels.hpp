#pragma once

#include "../../../base/error.hpp"
#include "../../../graph/op_set.hpp"
#include "../simd/floats.hpp"
#include "convert.hpp"
#include "elementary.hpp"
#include "kernel_table.hpp"
#include "reduction_parts.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

template <op_set Operations>
inline constexpr bool has_products = Operations.contains(op::linear) || Operations.contains(op::matmul) ||
                                     Operations.contains(op::attention) || Operations.contains(op::conv2d);
template <op_set Operations>
inline constexpr bool has_few_rows =
    Operations.contains(op::linear) || Operations.contains(op::matmul) || Operations.contains(op::attention);
/// Stands in for a loop that was left out; no program calls it.
ANEMONE_INLINE void no_loop [[noreturn]] (op kind) {
    throw error(errc::lowering, std::string(ane::name(kind)), "has no loop in this table of kernels");
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#define ANEMONE_SET_FILE "../kernels/level.inl"
#include "../simd/each_set.inl"

/// The loops, compiled for each instruction set.
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The table of the generic level with the loops of some operations.
template <op_set Operations> const kernel_table& generic_kernels_of() { return generic::kernels<Operations>::table; }

/// The table of a level with the loops of some operations. Throws errc::argument when this machine cannot run that
/// level.
template <op_set Operations> const kernel_table& kernels_of(isa_level level) {
    if (is_available(level)) {
        switch (level) {
        case isa_level::generic: return generic_kernels_of<Operations>();
#if defined(__x86_64__)
        case isa_level::avx2: return avx2::kernels<Operations>::table;
        case isa_level::avx512: return avx512::kernels<Operations>::table;
#elif defined(__aarch64__)
        case isa_level::neon: return neon::kernels<Operations>::table;
#endif
        default: break;
        }
    }
    throw error(errc::argument, std::string(name(level)), "this machine does not run kernels of this level");
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#pragma once

#include "../../../base/isa.hpp" // IWYU pragma: export
#include "../../../base/way.hpp"

/// Between these two macros no multiplication is fused with an addition, so that every instruction set gives the same
/// bits.
#if defined(__clang__)
#if defined(__aarch64__) // where clang 14 cannot push; `on` is what it starts with
#define ANEMONE_CPU_UNFUSED_BEGIN _Pragma("clang fp contract(off)")
#define ANEMONE_CPU_UNFUSED_END _Pragma("clang fp contract(on)")
#else
#define ANEMONE_CPU_UNFUSED_BEGIN _Pragma("float_control(push)") _Pragma("clang fp contract(off)")
#define ANEMONE_CPU_UNFUSED_END _Pragma("float_control(pop)")
#endif
#else
#define ANEMONE_CPU_UNFUSED_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"fp-contract=off\")")
#define ANEMONE_CPU_UNFUSED_END _Pragma("GCC pop_options")
#endif

/// Loop bodies are written once, as functions that must be inlined into one wrapper for each instruction set
/// (table.hpp).
namespace ane::cpu::inline ANEMONE_WAY {

using ane::available_levels;
using ane::best_level;
using ane::is_available;
using ane::isa_level;
using ane::name;

} // namespace ane::cpu::inline ANEMONE_WAY

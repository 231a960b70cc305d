#pragma once

#include "../../../base/way.hpp"
#include "../../../values/half.hpp"
#include "kernel_table.hpp" // IWYU pragma: export

#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// The table of a level, with the loops of every operation. Throws errc::argument when this machine cannot run it.
ANEMONE_API const kernel_table& kernels_for(isa_level level);

/// The same for the level that every machine runs, without the others' loops: header-only, only its own are compiled.
ANEMONE_API const kernel_table& generic_kernels();

/// The table of the best level of this machine.
ANEMONE_API const kernel_table& best_kernels();

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// `count` values in fp32; empty for nullptr.
ANEMONE_API std::vector<float> to_floats(const kernel_table& table, const half* x, std::int64_t count);

} // namespace ane::cpu::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "table.ipp"
#endif

#pragma once

#include "../../../base/way.hpp"
#include "packed_codes.hpp"
#include "packed_matrix.hpp"

#include <cstddef>
#include <memory>

namespace ane::cpu::inline ANEMONE_WAY {

/// Packed weights of fewer bytes are not looked for.
inline constexpr std::size_t least_shared_weight = std::size_t{1} << 16U;

/// The packed weight, or the equal one that a program of this process has already: programs for prompts and for tokens, or of
/// several batches, have the same weights. They are compared byte for byte. What no program has any more is freed. Several
/// threads may call it.
ANEMONE_API std::shared_ptr<const packed_matrix> shared_weight(packed_matrix made);
ANEMONE_API std::shared_ptr<const packed_codes> shared_weight(packed_codes made);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "shared_weights.ipp"
#endif

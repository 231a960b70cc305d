#pragma once

#include "../../base/way.hpp"
#include "../../weights/fold_constants.hpp"

namespace ane::inline ANEMONE_WAY {

/// The constants of a program (weights/fold_constants.hpp): elementary arithmetic in double precision with one rounding at
/// its end, every other operation as the CPU backend computes it. The same for every backend and format, since the host
/// does this work.
ANEMONE_API folded_constants fold_constants(const graph_view& g, const weight_store& store);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "constants.ipp"
#endif

#pragma once

#include "../base/way.hpp"

/// The backends that models are compared on.
namespace ane::backend::inline ANEMONE_WAY {
class cpu;
class oracle;
class wide;
} // namespace ane::backend::inline ANEMONE_WAY

#pragma once

#include "../../../base/way.hpp"

#include <cstdint>

namespace ane::inline ANEMONE_WAY {

/// Whether 3x3 convolutions of stride 1 may be computed by Winograd's algorithm, which takes 2.25 or 4 times fewer
/// multiplications and rounds differently: see docs/performance.md for the errors.
enum class winograd_tiles : std::uint8_t {
    never,
    of_two, ///< F(2x2, 3x3): as exact as the sums of products
    of_four ///< F(4x4, 3x3)
};

} // namespace ane::inline ANEMONE_WAY

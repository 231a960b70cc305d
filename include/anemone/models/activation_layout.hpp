#pragma once

#include <cstdint>

namespace ane::models {

/// rows: (positions, width) as frameworks have it. channels: (1, width, 1, positions), products as 1x1 convolutions, as the
/// engine has it.
enum class activation_layout : std::uint8_t { rows, channels };

} // namespace ane::models

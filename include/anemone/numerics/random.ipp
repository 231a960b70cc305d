#pragma once

#include "../graph/graph.hpp"
#include "../values/half.hpp"
#include "random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::numerics::inline ANEMONE_WAY {

ANEMONE_BODY half rounded_down(double x) noexcept {
    const half nearest(x);
    if (static_cast<double>(nearest) <= x) {
        return nearest;
    }
    const auto step = static_cast<std::uint16_t>((nearest.bits & 0x8000U) != 0 ? 1 : -1);
    return nearest.bits == 0 ? half::from_bits(0x8001U)
                             : half::from_bits(static_cast<std::uint16_t>(nearest.bits + step));
}

ANEMONE_BODY void fill_uniform(const uniform_range& ends, std::uint32_t stream, half* y, std::int64_t count) {
    const auto low = static_cast<double>(half(ends.low));
    const auto high = static_cast<double>(half(ends.high));
    std::array<std::uint32_t, 4> words{};
    for (std::int64_t i = 0; i < count; ++i) {
        if (i % 4 == 0) {
            const auto block = static_cast<std::uint64_t>(i / 4);
            words = philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32U), stream, 0},
                           {0, 0});
        }
        const double u = static_cast<double>(words[static_cast<std::size_t>(i % 4)]) * 0x1p-32;
        y[i] = rounded_down(low + (high - low) * u);
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY

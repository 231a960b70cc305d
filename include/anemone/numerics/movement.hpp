#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"
#include "rounding.hpp"

#include <cstdint>

/// What moving data does to values.
namespace ane::numerics::detail::inline ANEMONE_WAY {

/// A value that is multiplied by a gain, stored as fp16 and divided again: infinite where the product is, else itself.
/// A power of two scales exactly: the tie rule matters to other gains only.
constexpr half through_gain(half x, int gain) noexcept {
    if (gain == 1 || !is_finite(x)) {
        return x;
    }
    const half scaled = round_to_half(static_cast<double>(x) * gain, tie_rule::half_even);
    return is_finite(scaled) ? x : scaled;
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// A value after a slice whose begin on the width axis is not zero. On A13 and A14 the slice stores through a format
/// with four fractional bits, a gain of 16 that is taken back: magnitudes above 4094 become infinite, and nothing is
/// lost below (measured M1, M2: N060-N067; the value comes back unscaled, N070). Other generations and the other axes
/// pass every value (measured M1 N065, N066; M4, M5, M6 N068; predicted A15 N069).
constexpr half slice_width_offset(const datapath& path, half x) noexcept {
    return detail::through_gain(x, path.width_slice_gain);
}

/// An activation on its way to a product with int8 weights: above 4094 it becomes infinite (measured M1, M2, M5: N076,
/// N077; the defaults take it for every generation).
constexpr half int8_activation(const datapath& path, half x) noexcept {
    return detail::through_gain(x, path.int8_activation_gain);
}

/// A byte of an image input as fp16: exact.
constexpr half convert_uint8(std::uint8_t value) noexcept { return half(static_cast<double>(value)); }

} // namespace ane::numerics::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"
#include "planar.hpp"

namespace ane::numerics::inline ANEMONE_WAY {

/// The largest whole number that is not above x; 0 has no sign.
constexpr half floor_of(half x) noexcept {
    const half v = detail::entered(x);
    const double value = static_cast<double>(v);
    if (!(value > -2048.0 && value < 2048.0)) {
        return v; // whole already, or infinite
    }
    const auto toward_zero = static_cast<double>(static_cast<int>(value));
    return half(toward_zero > value ? toward_zero - 1.0 : toward_zero);
}

/// The smallest whole number that is not below x.
constexpr half ceil_of(half x) noexcept { return detail::entered(-floor_of(-detail::entered(x))); }

/// The floor of |x| + 0.5, with the sign of x; the sum rounds to fp16, so 1024 becomes 1025 (measured M5, mil-ops) and
/// so does every value up to 2048; from there on the 0.5 is lost. Halves go away from zero (inferred, from the same
/// steps). Lowering lets values from 1024 on pass (composed_functions.hpp).
constexpr half round_of(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    const half nearest = floor_of(add(path, detail::magnitude(v), half(0.5)));
    return detail::is_negative(v) && nearest.bits != 0 ? -nearest : nearest;
}

/// -1, 0 or 1.
constexpr half sign_of(half x) noexcept {
    const half v = detail::entered(x);
    return v.bits == 0 ? v : half(detail::is_negative(v) ? -1.0 : 1.0);
}

} // namespace ane::numerics::inline ANEMONE_WAY

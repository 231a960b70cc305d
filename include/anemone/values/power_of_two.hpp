#pragma once

#include <bit>
#include <cstdint>

namespace ane {

/// 2^exponent, exact from -1022 to 1023.
constexpr double power_of_two(int exponent) noexcept {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// Whether a number is a power of two, of either sign: multiplying by it is exact unless the result overflows or
/// becomes subnormal.
constexpr bool is_power_of_two(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = (bits >> 52U) & 0x7FFU;
    return (bits & 0xFFFFFFFFFFFFFULL) == 0 && exponent != 0 && exponent != 0x7FF;
}

} // namespace ane

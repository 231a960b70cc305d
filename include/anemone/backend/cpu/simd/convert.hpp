#pragma once

#include "../../../base/way.hpp"
#include "../../../values/half.hpp"
#include "isa.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Rows of fp16 to fp32 and back. Every level gives the same bits for all inputs: exact one way, rounded half to even
/// the other way, subnormals kept, a NaN keeps its sign and leading payload and becomes quiet (as F16C does).
namespace ane::cpu::detail::inline ANEMONE_WAY {

static_assert(std::is_trivially_copyable_v<half>);

/// Without branches, so that loops over it become vector code.
ANEMONE_CPU_INLINE float widened(std::uint16_t bits) {
    const std::uint32_t magnitude = bits & 0x7FFFU;
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t shifted = magnitude << 13U;
    const std::uint32_t normal = shifted + (112U << 23U);
    const std::uint32_t special = (shifted + (224U << 23U)) | (magnitude > 0x7C00U ? 0x400000U : 0U);
    // A subnormal becomes the fraction of 2^-14 * (1 + f); the implicit one is then subtracted exactly.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted + (113U << 23U)) - 0x1p-14F);
    const std::uint32_t finite = magnitude < 0x400U ? subnormal : normal;
    return std::bit_cast<float>(sign | (magnitude >= 0x7C00U ? special : finite));
}

ANEMONE_CPU_INLINE void widen(const half* from, float* to, std::int64_t count) {
    constexpr std::int64_t block = 16;
    std::int64_t i = 0;
    for (; i + block <= count; i += block) {
        std::uint16_t bits[block];
        float values[block];
        std::memcpy(bits, from + i, sizeof bits);
        for (int lane = 0; lane < block; ++lane) {
            values[lane] = widened(bits[lane]);
        }
        std::memcpy(to + i, values, sizeof values);
    }
    for (; i < count; ++i) {
        to[i] = widened(from[i].bits);
    }
}

ANEMONE_CPU_INLINE void narrow(const float* from, half* to, std::int64_t count) {
    constexpr std::int64_t block = 16;
    std::int64_t i = 0;
    for (; i + block <= count; i += block) {
        float values[block];
        std::uint16_t bits[block];
        std::memcpy(values, from + i, sizeof values);
        for (int lane = 0; lane < block; ++lane) {
            bits[lane] = ane::detail::float_to_half_bits(values[lane]);
        }
        std::memcpy(static_cast<void*>(to + i), bits, sizeof bits);
    }
    for (; i < count; ++i) {
        to[i] = half(from[i]);
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

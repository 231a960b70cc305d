#pragma once

#include "../base/isa.hpp"
#include "../base/way.hpp"
#include "../values/half.hpp"
#include "accumulator.hpp"
#include "datapath.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

/// Many accumulators at once: the loops over independent outputs, one copy for each instruction set, the same bits at
/// every one and whether or not the compiler fuses a multiplication with an addition.
namespace ane::numerics::detail::inline ANEMONE_WAY {

/// Outputs of one panel.
inline constexpr int panel_lanes = 32;
/// Rows of one tile: 1, 2, 4 or this many.
inline constexpr int tile_rows = 8;
/// Products whose sizes are bounded together.
inline constexpr std::int64_t tile_depth = 256;

/// The limit below which `add_rows` rounds every product correctly, in units of 2^-16.
inline constexpr float small_product = 0x1p21F;

/// One broadcast operand: its value in units of 2^-16 with the last bit of the fraction set (zero stays zero), and the
/// smallest magnitude of the other operand whose product counts.
struct left_operand {
    float scaled;
    float partner_floor;
};

/// The value that the multiplier reads, without branches: see decode_operand.
ANEMONE_CPU_INLINE float decoded(std::uint32_t bits, bool nan_is_infinity, bool keep_subnormals) {
    bits = nan_is_infinity && (bits & 0x7FFFU) > 0x7C00U ? 0x7C00U : bits;
    const std::uint32_t biased = (bits >> 10U) & 0x1FU;
    std::uint32_t fraction = bits & 0x3FFU;
    fraction |= biased == 31 && fraction != 0 ? 0x200U : 0U;
    const std::uint32_t subnormal = keep_subnormals ? fraction : 0U;
    const std::uint32_t significand = biased == 0 ? subnormal : fraction | 0x400U;
    // Significand times 2^(exponent - 10): both factors and the product are normal.
    const std::uint32_t exponent = (biased == 0 ? 1U : biased) + (127U - 25U);
    const float magnitude =
        static_cast<float>(static_cast<std::int32_t>(significand)) * std::bit_cast<float>(exponent << 23U);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (bits & 0x8000U) << 16U);
}

/// The smallest magnitude of an operand whose product with `bits` counts. A subnormal has exponent -14 whatever its
/// value.
ANEMONE_CPU_INLINE float partner_floor(std::uint32_t bits, int exponent_floor) {
    const auto biased = static_cast<std::int32_t>((bits >> 10U) & 0x1FU);
    const std::int32_t least = exponent_floor - ((biased == 0 ? 1 : biased) - 15);
    const std::int32_t bounded = least > 100 ? 100 : least;
    return bounded > -14 ? std::bit_cast<float>(static_cast<std::uint32_t>(bounded + 127) << 23U) : 0.0F;
}

template <int Width> struct tile_vectors;
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
template <> struct tile_vectors<4> {
    typedef float real __attribute__((vector_size(16)));
    typedef std::int32_t whole __attribute__((vector_size(16)));
    typedef std::uint32_t natural __attribute__((vector_size(16)));
};
template <> struct tile_vectors<8> {
    typedef float real __attribute__((vector_size(32)));
    typedef std::int32_t whole __attribute__((vector_size(32)));
    typedef std::uint32_t natural __attribute__((vector_size(32)));
};
template <> struct tile_vectors<16> {
    typedef float real __attribute__((vector_size(64)));
    typedef std::int32_t whole __attribute__((vector_size(64)));
    typedef std::uint32_t natural __attribute__((vector_size(64)));
};
// NOLINTEND(modernize-use-using)

/// Adds `depth` products to the sums of `Rows` rows of a panel: each b * a in units of 2^-16, rounded half away from
/// zero, if |b| reaches a's floor. left is [depth][stride], right [depth][32], sums are [rows][32]. For products below
/// 2^21 units and at most tile_depth of them; what a sum reaches on the way is the caller's to bound.
///
/// Adding 1.5 * 2^23 rounds a float to a whole number, half to even, and leaves that number in its last bits. Half away
/// comes from the last bit of `scaled`: it makes a product of two fp16 values, which has 22 significant bits, larger by
/// one or two units of its 24th, so that a tie is no longer a tie, and no other product crosses one. The sums of a block
/// are added with the constant included, which is subtracted after the block.
template <int Width, int Rows>
ANEMONE_CPU_INLINE void add_rows(int stride, std::int64_t depth, const left_operand* left, const float* right,
                                 std::uint32_t* sums) {
    using v = tile_vectors<Width>;
    constexpr int vectors = Rows == 1 && Width < 16 ? 4 : 2; // enough independent sums to hide latencies
    constexpr float magic = 0x1.8p23F;
    const typename v::natural no_sign = typename v::natural{} + 0x7FFFFFFFU;
    for (int c = 0; c < panel_lanes; c += vectors * Width) {
        typename v::natural sum[Rows][vectors];
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int k = 0; k < vectors; ++k) {
                std::memcpy(&sum[r][k], sums + r * panel_lanes + c + k * Width, sizeof sum[r][k]);
            }
        }
        for (std::int64_t i = 0; i < depth; ++i) {
            typename v::real b[vectors];
            typename v::real magnitude[vectors];
#pragma GCC unroll 4
            for (int k = 0; k < vectors; ++k) {
                std::memcpy(&b[k], right + i * panel_lanes + c + k * Width, sizeof b[k]);
                magnitude[k] =
                    reinterpret_cast<typename v::real>(reinterpret_cast<typename v::natural>(b[k]) & no_sign);
            }
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) {
                const left_operand& a = left[i * stride + r];
                const typename v::real floor = a.partner_floor - typename v::real{}; // 0 + x would be an addition
#pragma GCC unroll 4
                for (int k = 0; k < vectors; ++k) {
                    const typename v::whole counts = magnitude[k] >= floor;
                    const auto counted =
                        reinterpret_cast<typename v::real>(reinterpret_cast<typename v::whole>(b[k]) & counts);
                    sum[r][k] += reinterpret_cast<typename v::natural>(counted * a.scaled + magic);
                }
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int k = 0; k < vectors; ++k) {
                sum[r][k] -= static_cast<std::uint32_t>(depth) * std::bit_cast<std::uint32_t>(magic);
                std::memcpy(sums + r * panel_lanes + c + k * Width, &sum[r][k], sizeof sum[r][k]);
            }
        }
    }
}

/// Rows are 1, 2, 4 or 8. Half of eight at once where there are sixteen registers.
template <int Width>
ANEMONE_CPU_INLINE void add_tile(int rows, std::int64_t depth, const left_operand* left, const float* right,
                                 std::uint32_t* sums) {
    static_assert(tile_rows == 8);
    switch (rows) {
    case 1: return add_rows<Width, 1>(rows, depth, left, right, sums);
    case 2: return add_rows<Width, 2>(rows, depth, left, right, sums);
    case 4: return add_rows<Width, 4>(rows, depth, left, right, sums);
    default:
        if constexpr (Width == 16) {
            return add_rows<Width, 8>(rows, depth, left, right, sums);
        } else {
            for (int r = 0; r < rows; r += 4) {
                add_rows<Width, 4>(rows, depth, left + r, right, sums + r * panel_lanes);
            }
        }
    }
}

/// The fp16 value of a sum below 2^31 units, without branches: see round_fixed.
ANEMONE_CPU_INLINE std::uint16_t rounded_sum(std::int32_t sum, bool half_away) {
    const auto bits = static_cast<std::uint32_t>(sum);
    const std::uint32_t magnitude = sum < 0 ? 0U - bits : bits;
    // Seven low bits of a large sum become one that is set if any of them was: 24 bits stay, and float holds them.
    const std::uint32_t rest = (magnitude & 0x7FU) + 0x7FU;
    const std::uint32_t odd = magnitude >> 24U != 0 ? (magnitude & ~0x7FU) | (rest & 0x80U) : magnitude;
    const auto value = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(odd)));
    const std::uint32_t tie = half_away ? 0x1000U : 0xFFFU + ((value >> 13U) & 1U);
    // Exponent of a float in units of 2^-16 to that of fp16: 127 + 16 - 15.
    const std::uint32_t normal = (value + tie - (128U << 23U)) >> 13U;
    const std::uint32_t small = magnitude << 8U; // below 2^-14: subnormal, exact
    return static_cast<std::uint16_t>((magnitude < 4 ? small : normal) | (sum < 0 ? 0x8000U : 0U));
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

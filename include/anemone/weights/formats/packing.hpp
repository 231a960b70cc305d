#pragma once

#include "../../base/way.hpp"
#include "../../values/half.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// The codecs of stored weights (guide chapters 7 and 25). Each reads fp16 values and writes byte strings, or the
/// other way round; none knows of graphs or files.
namespace ane::weight_formats::inline ANEMONE_WAY {

/// Bytes of `count` integers of `width` bits, packed without gaps.
constexpr std::int64_t packed_bytes(std::int64_t count, int width) { return (count * width + 7) / 8; }

/// Packs the low `width` bits (1 to 8) of each integer: element i takes the bits from i * width on, the low bits of a
/// byte first. So of two nibbles the low one comes first (N131), and a mask starts at bit 0 (N133). What is left of the
/// last byte is zero. The widths 3 and 6 cross bytes, as in the public format of Core ML (inferred for the engine).
template <class Integer> std::vector<std::byte> pack(std::span<const Integer> values, int width) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(packed_bytes(std::ssize(values), width)));
    const unsigned mask = (1U << static_cast<unsigned>(width)) - 1U;
    std::size_t bit = 0;
    for (const Integer value : values) {
        const unsigned placed = (static_cast<unsigned>(value) & mask) << (bit % 8);
        bytes[bit / 8] |= static_cast<std::byte>(placed & 0xFFU);
        if (placed > 0xFFU) {
            bytes[bit / 8 + 1] |= static_cast<std::byte>(placed >> 8U);
        }
        bit += static_cast<std::size_t>(width);
    }
    return bytes;
}

/// Element `index` of packed integers without a sign. The string must be long enough.
ANEMONE_INLINE unsigned packed_at(std::span<const std::byte> bytes, std::int64_t index, int width) {
    const std::size_t bit = static_cast<std::size_t>(index) * static_cast<std::size_t>(width);
    auto window = static_cast<unsigned>(bytes[bit / 8]);
    if (bit % 8 + static_cast<std::size_t>(width) > 8) {
        window |= static_cast<unsigned>(bytes[bit / 8 + 1]) << 8U;
    }
    return (window >> (bit % 8)) & ((1U << static_cast<unsigned>(width)) - 1U);
}

/// The same in two's complement.
ANEMONE_INLINE int packed_signed_at(std::span<const std::byte> bytes, std::int64_t index, int width) {
    const auto value = static_cast<int>(packed_at(bytes, index, width));
    return value >= 1 << (width - 1) ? value - (1 << width) : value;
}

/// fp16 values as little-endian bytes.
ANEMONE_INLINE std::vector<std::byte> pack_halves(std::span<const half> values) {
    const auto bytes = std::as_bytes(values); // of a little-endian machine (store.hpp)
    return {bytes.begin(), bytes.end()};
}

ANEMONE_INLINE half half_at(std::span<const std::byte> bytes, std::int64_t index) {
    const auto at = 2 * static_cast<std::size_t>(index);
    return half::from_bits(
        static_cast<std::uint16_t>(static_cast<unsigned>(bytes[at]) | (static_cast<unsigned>(bytes[at + 1]) << 8U)));
}

} // namespace ane::weight_formats::inline ANEMONE_WAY

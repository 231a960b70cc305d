#pragma once

#include "../../base/isa.hpp"
#include "../../base/way.hpp"
#include "../../values/half.hpp"
#include "eight_lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// The blocks of ggml's quantized tensors, as that project publishes them (ggml-common.h, ggml-quants.c): a block is so many
/// elements that follow each other in a row, with scales of their own. Products of a scale and a code are exact in float.
/// Only bodies include this header.
namespace ane::weight_formats::inline ANEMONE_WAY {

constexpr unsigned byte_at(const std::byte* at) noexcept { return std::to_integer<unsigned>(*at); }
constexpr int signed_byte_at(const std::byte* at) noexcept {
    return static_cast<std::int8_t>(std::to_integer<std::uint8_t>(*at));
}
ANEMONE_INLINE float ggml_scale(const std::byte* at) noexcept {
    half value;
    std::memcpy(&value.bits, at, sizeof value.bits);
    return static_cast<float>(value);
}

/// 32 elements: a scale and 32 signed bytes.
struct q8_0_block {
    static constexpr std::size_t elements = 32, bytes = 34;
    ANEMONE_INLINE static void decode(const std::byte* from, float* to) {
        const float d = ggml_scale(from);
        for (std::size_t i = 0; i < elements; ++i) {
            to[i] = d * static_cast<float>(signed_byte_at(from + 2 + i));
        }
    }
};

/// 32 elements: a scale and 16 bytes, whose lower halves are the first 16 codes, less 8.
struct q4_0_block {
    static constexpr std::size_t elements = 32, bytes = 18;
    ANEMONE_INLINE static void decode(const std::byte* from, float* to) {
        const float d = ggml_scale(from);
        for (std::size_t i = 0; i < 16; ++i) {
            const unsigned both = byte_at(from + 2 + i);
            to[i] = d * static_cast<float>(static_cast<int>(both & 15U) - 8);
            to[i + 16] = d * static_cast<float>(static_cast<int>(both >> 4U) - 8);
        }
    }
};

/// 256 elements in 8 groups: two scales, for each group a factor of either in 6 bits, and codes of 4 bits: of two groups that
/// follow each other the lower and the upper halves of 32 bytes. d * factor * code - least * factor.
struct q4_k_block {
    static constexpr std::size_t elements = 256, bytes = 144;
    ANEMONE_INLINE static void decode(const std::byte* from, float* to) {
        const float d = ggml_scale(from);
        const float least = ggml_scale(from + 2);
        const std::byte* const factors = from + 4;
        for (std::size_t group = 0; group < 8; ++group) {
            unsigned scale = 0;
            unsigned offset = 0;
            if (group < 4) {
                scale = byte_at(factors + group) & 63U;
                offset = byte_at(factors + group + 4) & 63U;
            } else {
                const unsigned both = byte_at(factors + group + 4);
                scale = (both & 15U) | (byte_at(factors + group - 4) >> 6U) << 4U;
                offset = both >> 4U | (byte_at(factors + group) >> 6U) << 4U;
            }
            const float step = d * static_cast<float>(scale);
            const float low = least * static_cast<float>(offset);
            const std::byte* const codes = from + 16 + group / 2 * 32;
            const unsigned shift = group % 2 * 4;
            for (std::size_t i = 0; i < 32; ++i) {
                to[group * 32 + i] = step * static_cast<float>(byte_at(codes + i) >> shift & 15U) - low;
            }
        }
    }
};

/// 256 elements in 16 groups: the lower 4 bits of all codes, their upper 2, a signed factor for each group, and a scale. Each
/// 128 elements are 4 runs of 32: the lower halves of 64 bytes, then the upper ones. d * factor * (code - 32).
struct q6_k_block {
    static constexpr std::size_t elements = 256, bytes = 210;
    ANEMONE_INLINE static void decode(const std::byte* from, float* to) {
        const float d = ggml_scale(from + 208);
        for (std::size_t i = 0; i < elements; ++i) {
            const std::size_t half_block = i / 128;
            const std::size_t run = i % 128 / 32;
            const std::size_t at = i % 32;
            const unsigned low = byte_at(from + half_block * 64 + run % 2 * 32 + at) >> (run / 2 * 4) & 15U;
            const unsigned high = byte_at(from + 128 + half_block * 32 + at) >> (run * 2) & 3U;
            const float step = d * static_cast<float>(signed_byte_at(from + 192 + i / 16));
            to[i] = step * static_cast<float>(static_cast<int>(low | high << 4U) - 32);
        }
    }
};

#if defined(__x86_64__)
/// As many floats as divide by eight to fp16.
__attribute__((target("avx2,f16c"))) inline void narrow_by_lanes(const float* from, std::size_t count, half* to) {
    for (std::size_t i = 0; i < count; i += eight_lanes::count) {
        eight_lanes::floats x;
        eight_lanes::halves y;
        std::memcpy(&x, from + i, sizeof x);
        eight_lanes::narrow(x, y);
        std::memcpy(static_cast<void*>(to + i), &y, sizeof y);
    }
}
#endif

/// Whole blocks to fp16, each element rounded once; `to` has room for their elements.
template <class Block> void decode_blocks(std::span<const std::byte> from, std::span<half> to) {
    static_assert(Block::elements % 8 == 0);
#if defined(__x86_64__)
    const bool by_lanes = is_available(isa_level::avx2);
#endif
    float values[Block::elements];
    for (std::size_t at = 0; at + Block::bytes <= from.size(); at += Block::bytes) {
        Block::decode(from.data() + at, values);
        half* const into = to.data() + at / Block::bytes * Block::elements;
#if defined(__x86_64__)
        if (by_lanes) {
            narrow_by_lanes(values, Block::elements, into);
            continue;
        }
#endif
        for (std::size_t i = 0; i < Block::elements; ++i) {
            into[i] = half(values[i]);
        }
    }
}

} // namespace ane::weight_formats::inline ANEMONE_WAY

#pragma once

#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../values/half.hpp"
#include "../weights/formats/packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Writes scale (q - zero) of bytes as fp16, each rounded once: a zero point of at most 12 bits and a scale that fp16 holds,
/// so that the product is exact in float.
template <class Byte>
void scale_bytes(const std::byte* from, std::int64_t count, float zero, float scale, std::byte* to) {
    for (std::int64_t i = 0; i < count; ++i) {
        Byte q;
        std::memcpy(&q, from + i, 1);
        const half element(scale * (static_cast<float>(q) - zero));
        std::memcpy(to + 2 * i, &element, 2);
    }
}

/// Writes scale (q - zero) of `count` consecutive elements from `begin` on as fp16, each rounded once.
ANEMONE_INLINE void scale_run(const folding::known_tensor& data, std::int64_t begin, std::int64_t count, double zero,
                              double scale, std::byte* to) {
    const bool is_exact = std::fabs(zero) <= 2048 && zero == std::trunc(zero) && std::isfinite(scale) &&
                          static_cast<double>(half(scale)) == scale;
    const std::span<const std::byte> all = data.elements();
    const std::byte* const from = all.data() + (facts_of(data.type).bits == 8 ? begin : 0);
    if (is_exact && data.type == element_type::int8) {
        scale_bytes<std::int8_t>(from, count, static_cast<float>(zero), static_cast<float>(scale), to);
    } else if (is_exact && data.type == element_type::uint8) {
        scale_bytes<std::uint8_t>(from, count, static_cast<float>(zero), static_cast<float>(scale), to);
    } else if (is_exact && data.type == element_type::int4) {
        std::byte bytes[256];
        for (std::int64_t done = 0; done < count;) {
            const std::int64_t some = std::min<std::int64_t>(count - done, sizeof bytes);
            for (std::int64_t i = 0; i < some; ++i) {
                bytes[i] = static_cast<std::byte>(weight_formats::packed_signed_at(all, begin + done + i, 4));
            }
            scale_bytes<std::int8_t>(bytes, some, static_cast<float>(zero), static_cast<float>(scale), to + 2 * done);
            done += some;
        }
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            const half element(scale * (data.at(begin + i) - zero));
            std::memcpy(to + 2 * i, &element, 2);
        }
    }
}

} // namespace ane::readers::inline ANEMONE_WAY

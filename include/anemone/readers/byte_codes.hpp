#pragma once

#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../weights/formats/packing.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Integers of up to 8 bits as a byte each.
class byte_codes {
public:
    ANEMONE_INLINE explicit byte_codes(const folding::known_tensor& data)
        : facts_(facts_of(data.type)), is_integer_(is_integer(data.type)), all_(data.elements()) {}

    bool are_signed() const { return facts_.kind == number_kind::with_sign; }

    /// Those of the file, or unpacked until the next call; null where they are wider, or no integers.
    ANEMONE_INLINE const std::byte* operator()(std::int64_t begin, std::int64_t count) {
        if (!is_integer_ || facts_.bits > 8) {
            return nullptr;
        }
        if (facts_.bits == 8) {
            return all_.data() + begin;
        }
        unpacked_.resize(static_cast<std::size_t>(count));
        std::int64_t i = 0;
        if (facts_.bits == 4 && begin % 2 == 0) { // two to a byte, the low one first
            const std::byte* const from = all_.data() + begin / 2;
            for (; i + 2 <= count; i += 2) {
                const auto both = static_cast<unsigned>(from[i / 2]);
                const unsigned sign = are_signed() ? 8 : 0; // (q ^ 8) - 8 has the sign of four bits
                unpacked_[static_cast<std::size_t>(i)] = static_cast<std::byte>(((both & 15U) ^ sign) - sign);
                unpacked_[static_cast<std::size_t>(i) + 1] = static_cast<std::byte>(((both >> 4U) ^ sign) - sign);
            }
        }
        for (; i < count; ++i) {
            unpacked_[static_cast<std::size_t>(i)] = static_cast<std::byte>(
                are_signed() ? static_cast<unsigned>(weight_formats::packed_signed_at(all_, begin + i, facts_.bits))
                             : weight_formats::packed_at(all_, begin + i, facts_.bits));
        }
        return unpacked_.data();
    }

private:
    const element_facts& facts_;
    bool is_integer_;
    std::span<const std::byte> all_;
    std::vector<std::byte> unpacked_;
};

} // namespace ane::readers::inline ANEMONE_WAY

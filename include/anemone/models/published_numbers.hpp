#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/in_blocks.hpp"
#include "../base/way.hpp"
#include "../weights/store.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What is remarked of the tensors of a published model. Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// How many numbers are 65520 or more in magnitude, or none: bits of fp32, or of bf16, its upper half.
template <class Bits> std::int64_t large_numbers(const stored_tensor& t) {
    constexpr std::size_t piece = std::size_t{1} << 18U;
    constexpr unsigned below = 32U - 8 * sizeof(Bits); // bits of fp32 that are left out: 65520 is rounded up
    constexpr Bits least = static_cast<Bits>((std::bit_cast<std::uint32_t>(65520.0F) + ((1ULL << below) - 1)) >> below);
    static_assert(sizeof(Bits) == 4 || least == 0x4780); // 65536
    constexpr Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1U;
    std::vector<Bits> numbers(std::min(piece, t.bytes.size() / sizeof(Bits)));
    std::int64_t count = 0;
    for (std::size_t at = 0; at < t.bytes.size(); at += numbers.size() * sizeof(Bits)) {
        numbers.resize(std::min(piece, (t.bytes.size() - at) / sizeof(Bits)));
        t.bytes.read(at, std::as_writable_bytes(std::span(numbers)));
        const Bits* const all = numbers.data();
        ane::detail::in_blocks(numbers.size(),
                               [&](std::size_t i) { count += static_cast<Bits>(all[i] & magnitude) >= least ? 1 : 0; });
    }
    return count;
}

ANEMONE_INLINE std::string note_beyond_half(const std::string& tensor, std::int64_t count, std::int64_t of) {
    return formatted("{}: fp16 cannot hold {} of {} numbers, which are 65520 or more in magnitude", tensor, count, of);
}

/// How many numbers of a tensor fp16 cannot hold: they would be infinite.
ANEMONE_INLINE std::int64_t beyond_half(const stored_tensor& t) {
    return t.type == element_type::f32    ? large_numbers<std::uint32_t>(t)
           : t.type == element_type::bf16 ? large_numbers<std::uint16_t>(t)
                                          : 0;
}

/// That the files have tensors which the model does not have.
ANEMONE_INLINE std::string note_of_left_over(const std::vector<std::string>& tensors) {
    std::string names;
    for (std::size_t i = 0; i < tensors.size() && i < 3; ++i) {
        names += (i == 0 ? "" : ", ") + error::shortened(tensors[i], 100);
    }
    return formatted("{} that the model does not have {} left out: {}{}",
                     ane::detail::counted(tensors.size(), "tensor"), tensors.size() == 1 ? "is" : "are", names,
                     tensors.size() > 3 ? ", ..." : "");
}

} // namespace ane::models::inline ANEMONE_WAY

#include "bits.hpp"

#include <anemone/values/compare.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace kit {

std::uint64_t digest(std::span<const std::byte> bytes) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const std::byte b : bytes) {
        hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001B3U;
    }
    return hash;
}

std::string patterns(std::span<const std::byte> bytes, std::size_t of_element) {
    constexpr std::size_t shown = 16;
    const std::size_t count = bytes.size() / of_element;
    std::string text;
    for (std::size_t i = 0; i < std::min(count, shown); ++i) {
        std::uint32_t element = 0;
        for (std::size_t byte = of_element; byte-- > 0;) { // the lowest byte first in memory, the highest first in text
            element = element << 8U | std::to_integer<std::uint32_t>(bytes[i * of_element + byte]);
        }
        text += fmt::format("{}{:0{}x}", i == 0 ? "" : " ", element, 2 * of_element);
    }
    return count <= shown ? text : fmt::format("{} ... {} values, digest {:016x}", text, count, digest(bytes));
}

std::string patterns(std::span<const ane::half> values) { return patterns(std::as_bytes(values), sizeof(ane::half)); }

std::string differences(std::span<const ane::half> engine, std::span<const ane::half> oracle) {
    std::size_t different = 0;
    std::int64_t largest = 0;
    std::string first;
    for (std::size_t i = 0; i < oracle.size(); ++i) {
        if (engine[i].bits != oracle[i].bits) {
            largest = std::max(largest, static_cast<std::int64_t>(ane::ulp_distance(engine[i], oracle[i])));
            if (++different <= 8) {
                first += fmt::format("; [{}] {:04x} for {:04x}", i, engine[i].bits, oracle[i].bits);
            }
        }
    }
    return different == 0 ? std::string()
                          : fmt::format("{} of {}, at most {} ulp{}", different, oracle.size(), largest, first);
}

} // namespace kit

#pragma once

#include "../base/way.hpp"
#include "../io/unicode.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// What layers of a file are called in a graph. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The name that a file has for a layer, fit to be shown: controls and ill-formed bytes as escapes, and of one above 256
/// bytes the two ends, which tell the place in the model and the operation.
ANEMONE_INLINE std::string layer_name(std::string_view given) {
    constexpr std::size_t most = 256;
    constexpr std::size_t kept = 124;
    if (given.size() <= most) {
        return ane::detail::printable(given);
    }
    const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(given[i]) & 0xC0U) == 0x80U; };
    std::size_t head = kept;
    std::size_t tail = given.size() - kept;
    for (int i = 0; i < 3 && continues(head); ++i) { // not within a character
        --head;
    }
    for (int i = 0; i < 3 && tail < given.size() && continues(tail); ++i) {
        ++tail;
    }
    return ane::detail::printable(given.substr(0, head)) + "..." + ane::detail::printable(given.substr(tail));
}

} // namespace ane::readers::inline ANEMONE_WAY
